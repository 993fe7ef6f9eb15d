/**
 * Priorities of clients (RFC 9218 section 4), from the `priority` field or a PRIORITY_UPDATE frame.
 */

/** 0 is served before 7 (section 4.1). */
const DEFAULT_URGENCY = 3;

const URGENCY = /(?:^|,)[ \t]*u=([0-7])[ \t]*(?:[,;]|$)/;
const INCREMENTAL = /(?:^|,)[ \t]*i(?:=\?1)?[ \t]*(?:[,;]|$)/;

/** DEFAULT_URGENCY if the value has no urgency or an invalid one. */
export function urgencyOf(value: string): number {
  const parts = URGENCY.exec(value);
  return parts === null ? DEFAULT_URGENCY : Number(parts[1]);
}

/** Whether the client can use parts of the response before it is complete (section 4.2). */
export const isIncremental = (value: string): boolean => INCREMENTAL.test(value);

/** The stream dependency of a priority by RFC 7540 section 5.3.1. */
export const dependsOn = (bytes: Buffer, start: number): number => bytes.readUInt32BE(start) & 0x7fffffff;

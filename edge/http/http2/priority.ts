/**
 * The priority that a client asks for (RFC 9218 section 4): the field's value, or that of a
 * PRIORITY_UPDATE frame.
 */

/** 0 is served before 7 (section 4.1). */
const DEFAULT_URGENCY = 3;

const URGENCY = /(?:^|,)[ \t]*u=([0-7])[ \t]*(?:[,;]|$)/;
const INCREMENTAL = /(?:^|,)[ \t]*i(?:=\?1)?[ \t]*(?:[,;]|$)/;

/** Urgency; DEFAULT_URGENCY where the value says none, or nothing that it could be. */
export function urgencyOf(value: string): number {
  const parts = URGENCY.exec(value);
  return parts === null ? DEFAULT_URGENCY : Number(parts[1]);
}

/** Whether its parts are of use before it is whole (section 4.2). */
export const isIncremental = (value: string): boolean => INCREMENTAL.test(value);

/** The stream that the bytes of a priority of RFC 7540 section 5.3.1 depend on. */
export const dependsOn = (bytes: Buffer, start: number): number => bytes.readUInt32BE(start) & 0x7fffffff;

/** Keys and message authentication codes of TSIG (RFC 8945 sections 4.3 and 6). */
import { createHmac } from 'node:crypto';
import { type Name, nameId, parseName } from './name.ts';
import type { TsigRecord } from './tsig-record.ts';

/** `bytes`: length of the MAC, and the recommended length of a secret. */
export const TSIG_ALGORITHMS = {
  'hmac-sha256': { hash: 'sha256', bytes: 32, name: parseName('hmac-sha256.') },
  'hmac-sha512': { hash: 'sha512', bytes: 64, name: parseName('hmac-sha512.') },
} as const;

export type TsigAlgorithm = keyof typeof TSIG_ALGORITHMS;

export interface TsigKey {
  /** Wire form, in lower case. */
  readonly name: Name;
  readonly algorithm: TsigAlgorithm;
  readonly secret: Uint8Array;
}

const BY_NAME: ReadonlyMap<string, TsigAlgorithm> = new Map(
  Object.entries(TSIG_ALGORITHMS).map(([algorithm, { name }]) => [nameId(name), algorithm as TsigAlgorithm]),
);

/** The algorithm of a name in lower case; undefined: not supported. */
export function algorithmOf(name: Name): TsigAlgorithm | undefined {
  return BY_NAME.get(nameId(name));
}

/**
 * The MAC of a message. `prior`: the MAC of the request or of the previous message of a stream.
 * `timersOnly`: the message continues a stream, so the MAC covers only the timers of the record
 * (RFC 8945 5.3.1). The MAC covers the record's original id.
 */
export function macOf(
  key: TsigKey,
  message: Uint8Array,
  record: Omit<TsigRecord, 'mac'>,
  prior: Uint8Array | null,
  timersOnly = false,
  unsigned: readonly Uint8Array[] = [],
): Buffer {
  const hmac = createHmac(TSIG_ALGORITHMS[key.algorithm].hash, key.secret);
  if (prior !== null) hmac.update(u16(prior.length)).update(prior);
  for (const earlier of unsigned) hmac.update(earlier);
  hmac.update(u16(record.originalId)).update(message.subarray(2));
  const timers = Buffer.alloc(8);
  timers.writeUIntBE(record.timeSigned, 0, 6);
  timers.writeUInt16BE(record.fudge, 6);
  if (timersOnly) return hmac.update(timers).digest();
  // Class ANY, TTL 0.
  hmac
    .update(record.owner)
    .update(Buffer.of(0, 255, 0, 0, 0, 0))
    .update(record.algorithm)
    .update(timers);
  return hmac.update(u16(record.error)).update(u16(record.other.length)).update(record.other).digest();
}

const u16 = (value: number): Buffer => Buffer.of(value >>> 8, value & 0xff);

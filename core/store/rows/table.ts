/** What makes a row a key and a value. */
import { randomBytes } from 'node:crypto';

export interface Table<Row> {
  readonly number: number;
  readonly name: string;
  key(row: Row): Buffer;
  encode(row: Row): Buffer;
  decode(key: Uint8Array, value: Uint8Array): Row;
  /** Keys in the lookups table that lead to this row. */
  lookups(key: Uint8Array, value: Uint8Array): Buffer[];
  /** The lookups follow from the key alone, so a row that goes need not be read first. */
  readonly lookupsFromKey?: boolean;
  /** The sequence of the entry that wrote a row stands behind its value (6 bytes): put there when the entry is applied, so that it is known to be right. Only tables whose lookups do not look at the value. */
  readonly stamped?: boolean;
}

export const json = (row: unknown): Buffer => Buffer.from(JSON.stringify(row));

export const unjson = <T>(value: Uint8Array, end = value.length): T =>
  JSON.parse(Buffer.from(value.buffer, value.byteOffset, end).toString());

/** Bytes of a stamp. */
export const STAMP = 6;

/** The sequence behind the value of a stamped row. */
export function stampOf(value: Uint8Array): number {
  return Buffer.from(value.buffer, value.byteOffset, value.length).readUIntBE(value.length - STAMP, STAMP);
}

let lastMillisecond = 0;
let counter = 0;
const nodeBits = randomBytes(1)[0];

/**
 * A new id: milliseconds since 1970 (44 bits), a byte drawn at start, a counter (12 bits). Ids of one process rise, so rows made
 * together lie together. Unique over nodes but for two that have drawn the same byte, in the same millisecond.
 */
export function newId(): string {
  const now = Date.now();
  if (now > lastMillisecond) {
    lastMillisecond = now;
    counter = 0;
  } else if (++counter === 4096) {
    lastMillisecond++;
    counter = 0;
  }
  return (lastMillisecond * 256 + nodeBits).toString(16).padStart(13, '0') + counter.toString(16).padStart(3, '0');
}

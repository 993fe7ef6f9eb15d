/**
 * NSEC entries of a zone, sorted by owner. The nsec3 table and the index sort entries by 20 bytes,
 * which are the hash for NSEC3. For NSEC they are an order number, assigned in the canonical order
 * of the owners (RFC 4034 section 6.1).
 */
import { HASH_LENGTH } from './answers.ts';
import type { Binary } from './environment.ts';
import { afterPrefix } from './keys.ts';
import { entryHash, entryKey } from './nsec3-entries.ts';

/** Bytes of the prefix of an order number, which fits a JavaScript integer. */
const PREFIX_BYTES = 6;
const PREFIXES = 2 ** (PREFIX_BYTES * 8);
const BITS = BigInt(HASH_LENGTH * 8);
/**
 * A new owner splits the gap at 1/GAP_SHARE. Names are often added in ascending order, so the part
 * after it is the larger one.
 */
const GAP_SHARE = 8n;

/** The order number of the entry at `index` of `count`, spread evenly. */
export function orderNumber(index: number, count: number): Buffer {
  const number = Buffer.alloc(HASH_LENGTH);
  number.writeUIntBE(Math.floor(((index + 0.5) / count) * PREFIXES), 0, PREFIX_BYTES);
  return number;
}

/**
 * Returns an order number between two others. Undefined: there is no entry on that side. Null: the
 * gap is full, so all numbers must be reassigned.
 */
export function numberBetween(before: Uint8Array | undefined, after: Uint8Array | undefined): Buffer | null {
  const low = before === undefined ? -1n : toInteger(before);
  const high = after === undefined ? 1n << BITS : toInteger(after);
  const gap = high - low;
  if (gap < 2n) return null;
  const step = gap / GAP_SHARE;
  return toNumber(low + (step === 0n ? 1n : step));
}

const toInteger = (number: Uint8Array): bigint => BigInt(`0x${Buffer.from(number).toString('hex')}`);
const toNumber = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(HASH_LENGTH * 2, '0'), 'hex');

/**
 * Finds the entry with the highest key that is not above `key`; undefined: there is none. `zone`:
 * the domain id as a key. Order numbers are spread evenly, so few entries are read.
 */
export function findOrdered(nsec3: Binary, zone: Buffer, key: Uint8Array): Buffer | undefined {
  let low = 0;
  // All entries with this prefix or a higher one are above the key.
  let high = PREFIXES;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const found = firstFrom(nsec3, zone, middle, high);
    if (found !== undefined && Buffer.compare(entryKey(found), key) <= 0)
      low = Buffer.from(entryHash(found)).readUIntBE(0, PREFIX_BYTES);
    else high = middle;
  }
  let last: Buffer | undefined;
  for (const { value } of nsec3.getRange({ start: prefixKey(zone, low), end: afterPrefix(zone) })) {
    if (value.length === 0 || Buffer.compare(entryKey(value), key) > 0) break;
    last = Buffer.from(value);
  }
  return last;
}

function firstFrom(nsec3: Binary, zone: Buffer, from: number, to: number): Buffer | undefined {
  const end = to === PREFIXES ? afterPrefix(zone) : prefixKey(zone, to);
  for (const { value } of nsec3.getRange({ start: prefixKey(zone, from), end, limit: 1 })) return value;
  return undefined;
}

function prefixKey(zone: Buffer, prefix: number): Buffer {
  const bytes = Buffer.alloc(PREFIX_BYTES);
  bytes.writeUIntBE(prefix, 0, PREFIX_BYTES);
  return Buffer.concat([zone, bytes]);
}

/** Names in in-addr.arpa and ip6.arpa (RFC 1035 section 3.5, RFC 3596 section 2.5, RFC 2317). */
import { formatName, type Name, parseName } from './name.ts';

/** The name of the PTR record of an address. `rdata`: of an A or AAAA record. */
export function reverseName(rdata: Uint8Array): Name {
  if (rdata.length === 4) return parseName(`${[...rdata].reverse().join('.')}.in-addr.arpa.`);
  const nibbles = Buffer.from(rdata).toString('hex').split('').reverse();
  return parseName(`${nibbles.join('.')}.ip6.arpa.`);
}

const IPV4 = /^(\d{1,3})\.(?:([^.]+)\.)?(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.in-addr\.arpa\.$/;
const IPV6 = /^((?:[0-9a-f]\.){32})ip6\.arpa\.$/;

/** The address of a reverse name, also in a classless zone; null: it is not of one address. */
export function addressOfReverse(name: Name): Uint8Array | null {
  const text = formatName(name).toLowerCase();
  const v6 = IPV6.exec(text);
  if (v6 !== null) return Buffer.from(v6[1].split('.').reverse().join(''), 'hex');
  const v4 = IPV4.exec(text);
  if (v4 === null) return null;
  const [, last, block, ...others] = v4;
  if (block !== undefined && !isInBlock(block, Number(last))) return null;
  const bytes = [...others.reverse(), last].map(Number);
  return bytes.every((byte) => byte <= 255) ? Uint8Array.from(bytes) : null;
}

/**
 * Whether the first label of a classless zone stands for a block with this last byte: `0/25` and
 * `0-127` as in RFC 2317, or `0-25`.
 */
export function isInBlock(label: string, byte: number): boolean {
  const match = /^(\d{1,3})([/-])(\d{1,3})$/.exec(label);
  if (match === null) return false;
  const [first, second] = [Number(match[1]), Number(match[3])];
  const isPrefix = match[2] === '/' || !isAligned(first, second - first + 1);
  const size = isPrefix ? 2 ** (32 - second) : second - first + 1;
  return isAligned(first, size) && byte >= first && byte < first + size;
}

/** Whether blocks of this size can begin at `first`: a power of two that divides it. */
const isAligned = (first: number, size: number): boolean =>
  size >= 1 && size <= 256 && Number.isInteger(Math.log2(size)) && first % size === 0 && first + size <= 256;

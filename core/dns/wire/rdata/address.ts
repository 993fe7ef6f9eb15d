/**
 * A and AAAA (RFC 1035 3.4.1, RFC 3596 2.2): strict readers over bytes, so that the master file
 * parser makes no strings, and RFC 5952 output. Refused: `127.1`, leading zeros, octal and
 * hexadecimal parts, zone ids, prefixes.
 */
import { TYPE } from '../types.ts';
import type { FieldReader } from './field-reader.ts';
import type { FieldKind, RdataRow } from './kind.ts';

/**
 * Four decimal parts without leading zeros from bytes[start, end) to out[at, at+4). False when it
 * is anything else.
 */
export function readIPv4(bytes: Uint8Array, start: number, end: number, out: Uint8Array, at = 0): boolean {
  let parts = 0;
  let p = start;
  while (parts < 4) {
    const first = p;
    let value = 0;
    while (p < end && p - first < 3) {
      const digit = bytes[p] - 0x30;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
      p++;
    }
    if (p === first || value > 255 || (bytes[first] === 0x30 && p - first > 1)) return false;
    out[at + parts++] = value;
    if (parts < 4 && (p >= end || bytes[p++] !== 0x2e)) return false;
  }
  return p === end;
}

/** Value of a hexadecimal digit; 255: none. */
const HEX = new Uint8Array(256).fill(255);
for (let i = 0; i < 16; i++) {
  HEX[i.toString(16).charCodeAt(0)] = i;
  HEX[i.toString(16).toUpperCase().charCodeAt(0)] = i;
}

/**
 * RFC 4291 2.2 forms 1 to 3 from bytes[start, end) to out[0, 16). False when it is anything else.
 */
export function readIPv6(bytes: Uint8Array, start: number, end: number, out: Uint8Array): boolean {
  let at = 0; // bytes written
  let gap = -1; // where "::" stands, in bytes written
  let p = start;
  if (end - start < 2) return false;
  if (bytes[p] === 0x3a) {
    if (bytes[++p] !== 0x3a) return false;
    gap = 0;
    p++;
  }
  while (p < end) {
    const first = p;
    let value = 0;
    while (p < end && p - first < 4 && HEX[bytes[p]] !== 255) value = (value << 4) | HEX[bytes[p++]];
    if (p === first) return false;
    if (p < end && bytes[p] === 0x2e) {
      if (at > 12 || !readIPv4(bytes, first, end, out, at)) return false;
      at += 4;
      p = end;
      break;
    }
    if (at > 14) return false;
    out[at++] = value >> 8;
    out[at++] = value & 255;
    if (p === end) break;
    if (bytes[p++] !== 0x3a || p === end) return false;
    if (bytes[p] === 0x3a) {
      if (gap >= 0) return false;
      gap = at;
      p++;
    }
  }
  if (gap < 0) return at === 16;
  if (at > 14) return false;
  out.copyWithin(16 - (at - gap), gap, at);
  out.fill(0, gap, 16 - (at - gap));
  return true;
}

export function formatIPv4(bytes: Uint8Array, at = 0): string {
  return `${bytes[at]}.${bytes[at + 1]}.${bytes[at + 2]}.${bytes[at + 3]}`;
}

/** RFC 5952 section 4, and section 5 for IPv4-mapped addresses. */
export function formatIPv6(bytes: Uint8Array): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push((bytes[i] << 8) | bytes[i + 1]);
  if (groups[5] === 0xffff && groups.slice(0, 5).every((group) => group === 0))
    return `::ffff:${formatIPv4(bytes, 12)}`;
  // The longest run of zeros, the first of equals; a single zero group is written out (4.2.2).
  let best = 0;
  let bestLength = 1;
  for (let i = 0; i < 8; i++) {
    let n = 0;
    while (i + n < 8 && groups[i + n] === 0) n++;
    if (n > bestLength) [best, bestLength] = [i, n];
    i += n;
  }
  const hex = (from: number, to: number) =>
    groups
      .slice(from, to)
      .map((group) => group.toString(16))
      .join(':');
  return bestLength < 2 ? hex(0, 8) : `${hex(0, best)}::${hex(best + bestLength, 8)}`;
}

/** How to write an address that is valid only on one machine, as the end of a sentence. */
export const ADVICE = {
  /** RFC 4007 section 11. */
  zoned: 'an address with a zone index ("%eth0") is valid on one machine only: use a global or unique local address',
  /** RFC 4291 section 2.5.5.2. */
  mapped: 'write an IPv4 address without "::ffff:" in front of it',
} as const;

/**
 * The advice for such an address, which may be in brackets with a port behind them; undefined: it
 * is none.
 */
export function addressAdvice(text: string): string | undefined {
  const [, bracketed = text] = /^\[(.*)\](?::\d+)?$/s.exec(text) ?? [];
  const [address] = bracketed.split('%');
  const bytes = new Uint8Array(16);
  if (!readIPv6(Buffer.from(address, 'latin1'), 0, address.length, bytes)) return undefined;
  if (address !== bracketed) return ADVICE.zoned;
  return bytes.every((byte, i) => i > 11 || byte === (i < 10 ? 0 : 255)) ? ADVICE.mapped : undefined;
}

export function parseIPv4(input: FieldReader, what: string): Uint8Array {
  const text = input.word(what);
  const bytes = new Uint8Array(4);
  const source = Buffer.from(text, 'latin1');
  if (!readIPv4(source, 0, text.length, bytes)) {
    const advice = addressAdvice(text);
    if (advice !== undefined) input.fail(what, `must be an IPv4 address; ${advice}`, text);
    if (input.type === TYPE.A && readIPv6(source, 0, text.length, new Uint8Array(16)))
      input.fail(what, 'must be an IPv4 address; an AAAA record holds an IPv6 address', text);
    input.fail(what, 'must be an IPv4 address: four numbers from 0 to 255 without leading zeros', text);
  }
  return bytes;
}

export function parseIPv6(input: FieldReader, what: string): Uint8Array {
  const text = input.word(what);
  const bytes = new Uint8Array(16);
  const source = Buffer.from(text, 'latin1');
  if (!readIPv6(source, 0, text.length, bytes)) {
    if (input.type === TYPE.AAAA && readIPv4(source, 0, text.length, new Uint8Array(4)))
      input.fail(what, 'must be an IPv6 address; an A record holds an IPv4 address', text);
    const advice = addressAdvice(text);
    if (advice !== undefined) input.fail(what, `must be an IPv6 address; ${advice}`, text);
    input.fail(what, 'must be an IPv6 address without a zone id or prefix length', text);
  }
  return bytes;
}

export const ipv4 = (what: string): FieldKind => ({
  parse: (input, out) => out.bytes(parseIPv4(input, what)),
  format: (input) => formatIPv4(input.take(4)),
  take(input, into) {
    into[what] = formatIPv4(input.take(4));
  },
});

const ipv6: FieldKind = {
  parse: (input, out) => out.bytes(parseIPv6(input, 'address')),
  format: (input) => formatIPv6(input.take(16)),
  take(input, into) {
    into.address = formatIPv6(input.take(16));
  },
};

export const ADDRESS_ROWS: readonly RdataRow[] = [
  { type: TYPE.A, example: '192.0.2.1', fields: [ipv4('address')] },
  { type: TYPE.AAAA, example: '2001:db8::1', fields: [ipv6] },
];

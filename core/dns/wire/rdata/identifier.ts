/**
 * Identifiers and locators of 48 or 64 bits: NID, L32, L64 (RFC 6742), EUI48, EUI64 (RFC 7043),
 * IPN.
 */
import { TYPE } from '../types.ts';
import { ipv4 } from './address.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import { formatHex, u16 } from './kinds.ts';
import type { WireReader } from './wire-reader.ts';

/** With leading zeros: Knot reads no shorter groups. */
function formatGroups(input: WireReader): string {
  return Array.from({ length: 4 }, () => formatHex(input.take(2))).join(':');
}

/** Four numbers of 16 bits in hexadecimal (RFC 6742 2.1.2, 2.3.2). */
const groups = (what: string): FieldKind => ({
  parse(input, out) {
    const text = input.word(what);
    if (!/^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}$/i.test(text))
      input.fail(what, 'must be four groups of hexadecimal digits such as 0014:4fff:ff20:ee64', text);
    for (const group of text.split(':')) out.u16(Number.parseInt(group, 16));
  },
  format: formatGroups,
  take(input, into) {
    into[what.replaceAll(' ', '_')] = formatGroups(input);
  },
});

/**
 * Bytes in hexadecimal between hyphens (RFC 7043 3.2, 4.2). BIND and NSD read single digits, too.
 */
function eui(size: 6 | 8): FieldKind {
  const pattern = new RegExp(`^[0-9a-f]{1,2}(-[0-9a-f]{1,2}){${size - 1}}$`, 'i');
  const format = (input: WireReader): string => formatHex(input.take(size)).replace(/..(?=.)/g, '$&-');
  return {
    parse(input, out) {
      const text = input.word('address');
      if (!pattern.test(text))
        input.fail('address', `must be ${size} pairs of hexadecimal digits between hyphens`, text);
      for (const digits of text.split('-')) out.u8(Number.parseInt(digits, 16));
    },
    format,
    take(input, into) {
      into.address = format(input);
    },
  };
}

const MAX_U32 = 2n ** 32n - 1n;
const MAX_U64 = 2n ** 64n - 1n;

const readU64 = (input: WireReader): string => ((BigInt(input.u32()) << 32n) | BigInt(input.u32())).toString();

/** One number, or its halves of 32 bits with a dot between them; undefined: neither. */
function parseNodeNumber(text: string): bigint | undefined {
  const halves = /^(\d{1,10})\.(\d{1,10})$/.exec(text)?.slice(1).map(BigInt);
  if (halves !== undefined) return halves.some((half) => half > MAX_U32) ? undefined : (halves[0] << 32n) | halves[1];
  return /^\d{1,20}$/.test(text) && BigInt(text) <= MAX_U64 ? BigInt(text) : undefined;
}

const nodeNumber: FieldKind = {
  parse(input, out) {
    const text = input.word('node number');
    const number =
      parseNodeNumber(text) ?? input.fail('node number', `must be a whole number from 0 to ${MAX_U64}`, text);
    out.u32(Number(number >> 32n));
    out.u32(Number(number & MAX_U32));
  },
  format: readU64,
  /** As text: JSON numbers are exact up to 53 bits only. */
  take(input, into) {
    into.node_number = readU64(input);
  },
};

export const IDENTIFIER_ROWS: readonly RdataRow[] = [
  { type: TYPE.NID, example: '10 0014:4fff:ff20:ee64', fields: [u16('preference', 'priority'), groups('node id')] },
  { type: TYPE.L32, example: '10 10.1.2.0', fields: [u16('preference', 'priority'), ipv4('locator')] },
  { type: TYPE.L64, example: '10 2001:db8:1140:1000', fields: [u16('preference', 'priority'), groups('locator')] },
  { type: TYPE.EUI48, example: '00-00-5e-00-53-2a', fields: [eui(6)] },
  { type: TYPE.EUI64, example: '00-00-5e-ef-10-00-00-2a', fields: [eui(8)] },
  // draft-johnson-dns-ipn-cla-07 3.1, the registry's reference.
  { type: TYPE.IPN, example: '30399', fields: [nodeNumber] },
];

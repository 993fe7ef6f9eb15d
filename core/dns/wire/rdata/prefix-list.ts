/** APL (RFC 3123): a list of address prefixes, which can be empty. */
import { TYPE } from '../types.ts';
import { formatIPv4, formatIPv6, readIPv4, readIPv6 } from './address.ts';
import { formatGeneric } from './data.ts';
import type { FieldReader } from './field-reader.ts';
import type { FieldKind, RdataRow } from './kind.ts';
import type { RdataWriter } from './rdata-writer.ts';
import type { WireReader } from './wire-reader.ts';

interface Family {
  /** Bytes of an address. */
  readonly size: number;
  readonly read: (bytes: Uint8Array, start: number, end: number, out: Uint8Array) => boolean;
  readonly format: (bytes: Uint8Array) => string;
}

/** IANA "Address Family Numbers"; others have no presentation format. */
const FAMILIES: ReadonlyMap<number, Family> = new Map([
  [1, { size: 4, read: readIPv4, format: formatIPv4 }],
  [2, { size: 16, read: readIPv6, format: formatIPv6 }],
]);

const NEGATION = 0x80;
const WHAT = 'prefix';
const RULE = 'must be a family, an address and a length such as 1:192.0.2.0/24, or the same after "!"';

function parseItem(input: FieldReader, out: RdataWriter): void {
  const text = input.word(WHAT);
  const [, negation, number, address, prefix] = /^(!?)(\d{1,5}):([0-9a-f.:]+)\/(\d{1,3})$/i.exec(text) ?? [];
  const family = FAMILIES.get(Number(number)) ?? input.fail(WHAT, RULE, text);
  const bytes = new Uint8Array(family.size);
  if (!family.read(Buffer.from(address, 'latin1'), 0, address.length, bytes) || Number(prefix) > family.size * 8)
    input.fail(WHAT, RULE, text);
  let length = bytes.length;
  // Zero bytes at the end are left out (section 4).
  while (length > 0 && bytes[length - 1] === 0) length--;
  out.u16(Number(number));
  out.u8(Number(prefix));
  out.u8((negation === '!' ? NEGATION : 0) | length);
  out.bytes(bytes.subarray(0, length));
}

interface Prefix {
  readonly isNegated: boolean;
  readonly number: number;
  readonly address: string;
  readonly prefix: number;
}

function readItem(input: WireReader): Prefix {
  const number = input.u16();
  const family = FAMILIES.get(number) ?? input.fail(`the address family ${number} is unknown`);
  const prefix = input.u8();
  const flags = input.u8();
  const part = input.take(flags & ~NEGATION);
  if (prefix > family.size * 8 || part.length > family.size) input.fail('a prefix is longer than an address');
  if (part.length > 0 && part[part.length - 1] === 0) input.fail('an address ends in a zero byte');
  const bytes = new Uint8Array(family.size);
  bytes.set(part);
  return { isNegated: (flags & NEGATION) !== 0, number, address: family.format(bytes), prefix };
}

function readList(input: WireReader): Prefix[] {
  const items: Prefix[] = [];
  while (input.left > 0) items.push(readItem(input));
  return items;
}

const prefixes: FieldKind = {
  parse(input, out) {
    while (input.left > 0) parseItem(input, out);
  },
  format(input) {
    const items = readList(input).map(
      ({ isNegated, number, address, prefix }) => `${isNegated ? '!' : ''}${number}:${address}/${prefix}`,
    );
    // Without items there is no text, which not every reader takes for a content.
    return items.length === 0 ? formatGeneric(new Uint8Array(0)) : items.join(' ');
  },
  take(input, into) {
    into.prefixes = readList(input).map(({ isNegated, address, prefix }) => ({
      prefix: `${address}/${prefix}`,
      negated: isNegated,
    }));
  },
};

export const PREFIX_LIST_ROWS: readonly RdataRow[] = [
  { type: TYPE.APL, example: '1:192.0.2.0/24 !2:2001:db8::/32', fields: [prefixes] },
];

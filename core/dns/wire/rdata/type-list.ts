/**
 * Lists of record types. The bit map of NSEC, NSEC3 and CSYNC (RFC 4034 4.1.2): windows of 256
 * types, each with up to 32 bytes. That of NXT (RFC 2535 5.2) has the types below 128 only.
 */
import { parseType, portableTypeName, typeName } from '../mnemonics.ts';
import type { FieldReader } from './field-reader.ts';
import type { FieldKind } from './kind.ts';
import { RdataWriter } from './rdata-writer.ts';
import type { WireReader } from './wire-reader.ts';

const WHAT = 'list of types';
const WINDOW_SIZE = 256;
/** Bytes of a window. */
const MAX_WINDOW = 32;

/** A type by its mnemonic or as TYPEn. */
function readType(input: FieldReader, what: string): number {
  const text = input.word(what);
  return parseType(text) ?? input.fail(what, 'must be a record type such as A, or TYPEn', text);
}

/** Also by its number, as RFC 2535 (4.5, 5.3) and BIND write types. */
function readTypeOrNumber(input: FieldReader, what: string): number {
  return /^\d/.test(input.peek()?.text ?? '') ? input.integer(what, 0xffff) : readType(input, what);
}

export const recordType = (what: string, key: string): FieldKind => ({
  parse: (input, out) => out.u16(readTypeOrNumber(input, what)),
  format: (input) => (input.isPortable ? portableTypeName : typeName)(input.u16()),
  take(input, into) {
    into[key] = typeName(input.u16());
  },
});

/** The types of a bit map, the first bit being that of `first`. */
function typesIn(bits: Uint8Array, first: number): number[] {
  const types: number[] = [];
  for (let i = 0; i < bits.length * 8; i++) if (bits[i >> 3] & (0x80 >> (i & 7))) types.push(first + i);
  return types;
}

/** A bit map without zero bytes at its end. `types`: ascending, none below `first`. */
function bitsOf(types: readonly number[], first: number): Uint8Array {
  const last = types[types.length - 1] - first;
  const bits = new Uint8Array((last >> 3) + 1);
  for (const type of types) bits[(type - first) >> 3] |= 0x80 >> ((type - first) & 7);
  return bits;
}

function parseTypes(input: FieldReader, read: (input: FieldReader, what: string) => number): number[] {
  const types: number[] = [];
  while (input.left > 0) types.push(read(input, WHAT));
  return ascending(types);
}

/** Without repetitions. */
const ascending = (types: Iterable<number>): number[] => [...new Set(types)].sort((a, b) => a - b);

function writeWindows(types: readonly number[], out: RdataWriter): void {
  for (let from = 0, to = 0; from < types.length; from = to) {
    const window = Math.floor(types[from] / WINDOW_SIZE);
    while (to < types.length && Math.floor(types[to] / WINDOW_SIZE) === window) to++;
    const bits = bitsOf(types.slice(from, to), window * WINDOW_SIZE);
    out.u8(window);
    out.u8(bits.length);
    out.bytes(bits);
  }
}

const bitmapWriter = new RdataWriter();

/** The bit map of types in any order, which can repeat (RFC 4034 4.1.2). */
export function typeBitmap(types: Iterable<number>): Uint8Array {
  writeWindows(ascending(types), bitmapWriter.reset());
  return bitmapWriter.finish();
}

function readWindows(input: WireReader): number[] {
  const types: number[] = [];
  let last = -1;
  while (input.left > 0) {
    const window = input.u8();
    const length = input.u8();
    if (window <= last) input.fail('the windows of the type bit map are not in ascending order');
    if (length === 0 || length > MAX_WINDOW) input.fail('a window of the type bit map is empty or too long');
    const bits = input.take(length);
    if (bits[length - 1] === 0) input.fail('a window of the type bit map ends in a zero byte');
    types.push(...typesIn(bits, window * WINDOW_SIZE));
    last = window;
  }
  return types;
}

/** To the end of the rdata. `canBeEmpty`: as for an NSEC3 of an empty non-terminal. */
export const typeList = (canBeEmpty: boolean): FieldKind => {
  const read = (input: WireReader): string[] => {
    if (input.left === 0 && !canBeEmpty) input.fail(`the ${WHAT} is missing`);
    return readWindows(input).map(input.isPortable ? portableTypeName : typeName);
  };
  return {
    parse(input, out) {
      if (input.left === 0 && !canBeEmpty) input.fail(WHAT, 'is missing');
      writeWindows(parseTypes(input, readType), out);
    },
    format: (input) => read(input).join(' '),
    take(input, into) {
      into.types = read(input);
    },
  };
};

const MAX_NXT = 127;

const readNxt = (input: WireReader): string[] => {
  const bits = input.rest();
  // With the first bit set, the format is another one, which was never defined.
  if (bits.length === 0 || bits.length > (MAX_NXT + 1) / 8 || bits[0] & 0x80 || bits[bits.length - 1] === 0)
    input.fail('the type bit map is not one of types 1 to 127');
  return typesIn(bits, 0).map(typeName);
};

export const nxtTypes: FieldKind = {
  parse(input, out) {
    const types = parseTypes(input, readTypeOrNumber);
    if (types.length === 0) input.fail(WHAT, 'is missing');
    if (types[0] === 0 || types[types.length - 1] > MAX_NXT) input.fail(WHAT, 'can have types from 1 to 127 only');
    out.bytes(bitsOf(types, 0));
  },
  format: (input) => readNxt(input).join(' '),
  take(input, into) {
    into.types = readNxt(input);
  },
};

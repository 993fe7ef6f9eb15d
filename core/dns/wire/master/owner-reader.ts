/** Reads owner names of entries and `$ORIGIN`, and keeps the spelling of names with capitals. */
import { equalNames, isWithin, LOWER, MAX_LABEL, MAX_NAME, type Name, nameId, ROOT } from '../name.ts';
import { parseNameBytes } from '../rdata/fields.ts';
import { outsideOfZone } from '../zone-content.ts';
import type { CurrentEntry } from './entry.ts';

/** Bytes of a block of Slab. */
const BLOCK = 64 * 1024;

/**
 * 1: the byte stands for itself in a name. Dots, escapes, `@`, white space and what is not ASCII do
 * not.
 */
const PLAIN = new Uint8Array(256).fill(1, 0x21, 0x7f);
for (const c of '.\\"();@') PLAIN[c.charCodeAt(0)] = 0;

const isCapital = (c: number): boolean => c >= 0x41 && c <= 0x5a;

/** Capitals of names in master files. */
function hasCapital(bytes: Uint8Array, start: number, end: number): boolean {
  for (let p = start; p < end; p++) if (isCapital(bytes[p])) return true;
  return false;
}

/**
 * Copies the capitals of a name in presentation form, bytes[start, end), to its lower-case wire
 * form, which may be longer. The text is well-formed (parseName) and ASCII. Returns whether the
 * name is absolute.
 */
function putCapitals(bytes: Uint8Array, start: number, end: number, name: Uint8Array): boolean {
  let isAbsolute = false;
  // After the length of the first label.
  let at = 1;
  for (let p = start; p < end; p++, at++) {
    let c = bytes[p];
    isAbsolute = c === 0x2e;
    if (c === 0x5c) {
      const isDecimal = bytes[p + 1] >= 0x30 && bytes[p + 1] <= 0x39;
      c = isDecimal ? (bytes[p + 1] - 0x30) * 100 + (bytes[p + 2] - 0x30) * 10 + bytes[p + 3] - 0x30 : bytes[p + 1];
      p += isDecimal ? 3 : 1;
    }
    if (isCapital(c)) name[at] = c;
  }
  return isAbsolute;
}

/** Stands for every owner outside of the zone, whose records are ignored. */
export const OUTSIDE: Name = new Uint8Array(0);
const NOT_ASCII = /[\x80-\xff]/;

export class OwnerReader {
  origin: Name;
  /** See MasterResult. */
  readonly spellings = new Map<string, Name>();
  readonly #entry: CurrentEntry;
  readonly #zone: Name;
  readonly #slab: Slab;
  readonly #scratch = new Uint8Array(512);
  /** The origin with its capitals; null: it has none. */
  #spelledOrigin: Name | null = null;
  #originInZone = true;
  /** The last owner outside of the zone, for messages. */
  #outside = '';

  /** `zone`: the apex, which is the first origin. */
  constructor(entry: CurrentEntry, zone: Name, slab: Slab) {
    this.#entry = entry;
    this.#zone = zone;
    this.#slab = slab;
    this.origin = zone;
  }

  /** The name in the first field. Throws InvalidError. */
  read(): Name {
    const { bytes, lexer } = this.#entry;
    const start = lexer.start[0];
    const end = lexer.end[0];
    const scratch = this.#scratch;
    const length = readPlainName(bytes, start, end, this.origin, scratch);
    const name = length === 0 ? this.#parseOther() : this.#slab.copy(scratch, Math.abs(length));
    // A relative name ends in the origin, so it needs no check against the zone.
    if (length === 0 || !this.#originInZone || bytes[end - 1] === 0x2e) {
      if (!isWithin(name, this.#zone)) {
        this.#outside = this.#entry.shown(0);
        return OUTSIDE;
      }
    }
    const hasCapitals = length < 0 || (length === 0 && hasCapital(bytes, start, end));
    if (hasCapitals || this.#spelledOrigin !== null) this.#noteSpelling(name, start, end);
    return name;
  }

  /**
   * Sets the origin to the name in field `i`. `isFirst`: before the SOA, where the name of the zone
   * without its last dot would put all records below the zone. Throws InvalidError.
   */
  setOrigin(i: number, isFirst: boolean): void {
    const entry = this.#entry;
    const { start, end } = entry.lexer;
    let origin = parseNameBytes(entry.text(i), this.origin);
    if (isFirst && !entry.text(i).endsWith('.') && equalNames(parseNameBytes(entry.text(i), ROOT), this.#zone)) {
      entry.warn('no_dot', `$ORIGIN ${entry.shown(i)} has no final dot; it is read with one.`);
      origin = this.#zone;
    }
    const spelled = this.#spell(origin, start[i], end[i]);
    this.#spelledOrigin = equalNames(spelled, origin) ? null : spelled;
    this.origin = origin;
    this.#originInZone = isWithin(origin, this.#zone);
  }

  warnOfOutside(): void {
    const { code, message } = outsideOfZone(this.#outside);
    this.#entry.warn(code, message);
  }

  /** Reads a name with escapes, `@`, or other bytes that plain names do not have. */
  #parseOther(): Name {
    const entry = this.#entry;
    const text = entry.text(0);
    const name = parseNameBytes(text, this.origin);
    if (NOT_ASCII.test(text))
      entry.warn(
        'not_ascii',
        `The bytes of the owner name ${entry.shown(0)} are kept, but clients query its "xn--" form.`,
      );
    return name;
  }

  #noteSpelling(name: Name, start: number, end: number): void {
    const id = nameId(name);
    if (this.spellings.has(id)) return;
    const spelled = this.#spell(name, start, end);
    spelled.set(this.#zone, spelled.length - this.#zone.length);
    if (!equalNames(spelled, name)) this.spellings.set(id, spelled);
  }

  /** A name with the capitals that its text and the origin have. */
  #spell(name: Name, start: number, end: number): Name {
    const spelled = Uint8Array.from(name);
    const isAbsolute = putCapitals(this.#entry.bytes, start, end, spelled);
    const origin = this.#spelledOrigin;
    if (!isAbsolute && origin !== null) spelled.set(origin, spelled.length - origin.length);
    return spelled;
  }
}

/**
 * Parses names directly from a file's bytes: the great majority, which has no escapes and no
 * faults. Presentation form in bytes[start, end) to wire form in `out` (at least 256 bytes), in
 * lower case and completed with `origin` when the last dot is missing. Returns the length, as a
 * negative number when the text has capitals. 0: the name is not plain or is wrong; use parseName.
 */
export function readPlainName(bytes: Uint8Array, start: number, end: number, origin: Name, out: Uint8Array): number {
  if (end - start > MAX_NAME) return 0;
  let label = 0;
  let length = 1;
  // Not 0 once a byte differs from its lower case.
  let capitals = 0;
  for (let p = start; p < end; p++) {
    const c = bytes[p];
    if (PLAIN[c] === 1) {
      const lower = LOWER[c];
      capitals |= c ^ lower;
      out[length++] = lower;
      continue;
    }
    const size = length - label - 1;
    if (c !== 0x2e || size === 0 || size > MAX_LABEL) return 0;
    out[label] = size;
    label = length++;
  }
  const size = length - label - 1;
  if (size === 0) {
    // The last dot, with a label before it: "." alone has returned above.
    out[label] = 0;
    if (label === 0 || length > MAX_NAME) return 0;
  } else {
    if (size > MAX_LABEL || length + origin.length > MAX_NAME) return 0;
    out[label] = size;
    for (let i = 0; i < origin.length; i++) out[length + i] = origin[i];
    length += origin.length;
  }
  return capitals === 0 ? length : -length;
}

/**
 * Allocates millions of small byte arrays. A view into a shared block takes half the time and half
 * the memory of an array of its own (1,000,000 names and addresses: 0.5 s and 265 MB instead of 0.8
 * s and 500 MB). A block is kept in memory as long as any view of it.
 */
export class Slab {
  #block = new ArrayBuffer(BLOCK);
  #bytes = new Uint8Array(this.#block);
  #used = 0;

  /**
   * A copy of source[0, length), length at most 64 KB: a view that shares its ArrayBuffer with
   * others.
   */
  copy(source: Uint8Array, length: number): Uint8Array {
    if (this.#used + length > BLOCK) {
      this.#block = new ArrayBuffer(BLOCK);
      this.#bytes = new Uint8Array(this.#block);
      this.#used = 0;
    }
    const at = this.#used;
    const bytes = this.#bytes;
    // A loop beats set() for the few bytes of a name.
    for (let i = 0; i < length; i++) bytes[at + i] = source[i];
    this.#used = at + length;
    return new Uint8Array(this.#block, at, length);
  }
}

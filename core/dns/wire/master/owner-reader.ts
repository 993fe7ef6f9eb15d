/** Reads owner names of entries and `$ORIGIN`, and keeps the spelling of names with capitals. */
import { equalNames, isWithin, type Name, nameId } from '../name.ts';
import { parseNameBytes } from '../rdata/fields.ts';
import type { CurrentEntry } from './entry.ts';
import { readPlainName } from './plain-name.ts';
import type { Slab } from './slab.ts';

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

  /** Sets the origin to the name in field `i`. Throws InvalidError. */
  setOrigin(i: number): void {
    const entry = this.#entry;
    const { start, end } = entry.lexer;
    const origin = parseNameBytes(entry.text(i), this.origin);
    const spelled = this.#spell(origin, start[i], end[i]);
    this.#spelledOrigin = equalNames(spelled, origin) ? null : spelled;
    this.origin = origin;
    this.#originInZone = isWithin(origin, this.#zone);
  }

  /** Knot and BIND ignore such records with a warning. */
  warnOfOutside(): void {
    this.#entry.warn('name_outside', `The owner name ${this.#outside} is outside the zone; the record is ignored.`);
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

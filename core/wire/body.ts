/**
 * Writes the bytes that follow the question. The question's name stands at offset 12 and is the
 * first thing that names are compressed against (RFC 1035 4.1.4); then come the names written
 * since.
 *
 * All bodies of a thread are written in one buffer, one after another: what `content` gives is a
 * copy.
 */
import { OPT_LENGTH } from './edns.ts';
import { AFTER_NAME, HEADER_LENGTH, MAX_MESSAGE } from './header.ts';
import type { Name } from './name.ts';
import { CLASS_IN, COMPRESSIBLE, type RRset } from './types.ts';

/**
 * How the name asked relates to the name that the body is made for. `exact`: the same. `wildcard`:
 * any name that the wildcard stands for, so that the whole question may own records but nothing may
 * point at it for its text. `suffix`: the name made for is a suffix of the name asked.
 */
export type QuestionForm = 'exact' | 'wildcard' | 'suffix';

/** In place of an owner: the name asked, whatever it is. */
export const ASKED = Symbol('asked');
export type Owner = Name | typeof ASKED;

/** Pointers have 14 bits, and a body may move by the length of a name. */
const LAST_POINTER = 0x3fff - 255;
/**
 * Names written that later ones are compared with; more would cost more time than they save bytes.
 */
const MAX_KNOWN = 48;

interface Known {
  readonly name: Name;
  /** Offset in the message of the name's first byte. */
  readonly offset: number;
  /** First byte of the name that may be pointed at. */
  readonly from: number;
}

/** Where the current body is written. */
let bytes = new Uint8Array(64 * 1024);

export class Body {
  #length = 0;
  readonly #start: number;
  readonly #form: QuestionForm;
  readonly #known: Known[] = [];
  readonly #compressBody: boolean;
  readonly moves: number[] = [];

  /**
   * `compressBody` false: no pointer goes into the body, so that it can be put behind another one.
   */
  constructor(name: Name, form: QuestionForm, compressBody = true) {
    this.#start = HEADER_LENGTH + name.length + AFTER_NAME;
    this.#form = form;
    this.#compressBody = compressBody;
    this.#known.push({ name, offset: HEADER_LENGTH, from: form === 'wildcard' ? name[0] + 1 : 0 });
  }

  get size(): number {
    return this.#length;
  }

  /**
   * Whether a message with the question and an OPT record has room for it. With options, or for a
   * longer name of a form other than `exact`, the response may still be truncated.
   */
  get fits(): boolean {
    return this.#start + this.#length + OPT_LENGTH <= MAX_MESSAGE;
  }

  /** What was written; to be taken before the next body is begun. */
  get content(): Uint8Array {
    return bytes.slice(0, this.#length);
  }

  rrset(owner: Owner, set: RRset): void {
    for (const rdata of set.rdatas) this.record(owner, set.type, set.ttl, rdata);
  }

  record(owner: Owner, type: number, ttl: number, rdata: Uint8Array): void {
    this.#room(300 + 10 + rdata.length + 16);
    if (owner === ASKED) this.#pointer(HEADER_LENGTH, this.#form !== 'suffix');
    else this.#name(owner);
    this.#u16(type);
    this.#u16(CLASS_IN);
    this.#u16(ttl >>> 16);
    this.#u16(ttl & 0xffff);
    const lengthAt = this.#length;
    this.#length += 2;
    const layout = COMPRESSIBLE.get(type);
    if (layout === undefined) this.#copy(rdata, 0, rdata.length);
    else {
      this.#copy(rdata, 0, layout.skip);
      let at = layout.skip;
      for (let i = 0; i < layout.names; i++) {
        let end = at;
        while (rdata[end] !== 0) end += rdata[end] + 1;
        this.#name(rdata.subarray(at, end + 1));
        at = end + 1;
      }
      this.#copy(rdata, at, rdata.length);
    }
    const size = this.#length - lengthAt - 2;
    bytes[lengthAt] = size >>> 8;
    bytes[lengthAt + 1] = size;
  }

  #name(name: Name): void {
    const offset = this.#start + this.#length;
    for (let p = 0; name[p] !== 0; p += name[p] + 1) {
      const target = this.#suffixOffset(name, p);
      if (target < 0) continue;
      this.#copy(name, 0, p);
      this.#pointer(target, false);
      if (p > 0) this.#remember(name, offset);
      return;
    }
    this.#copy(name, 0, name.length);
    this.#remember(name, offset);
  }

  #remember(name: Name, offset: number): void {
    if (this.#compressBody && offset <= LAST_POINTER && this.#known.length < MAX_KNOWN && name.length > 1)
      this.#known.push({ name, offset, from: 0 });
  }

  /** Offset in the message of a name equal to `name` from byte `p` on, or -1. */
  #suffixOffset(name: Name, p: number): number {
    const length = name.length - p;
    for (const earlier of this.#known) {
      const from = earlier.name.length - length;
      if (from < earlier.from || earlier.offset + from > LAST_POINTER) continue;
      // Labels of both must begin at these bytes; equal bytes from a label start of one that ends
      // at the root say so.
      if (!startsLabel(earlier.name, from)) continue;
      let i = 0;
      while (i < length && earlier.name[from + i] === name[p + i]) i++;
      if (i === length) return earlier.offset + from;
    }
    return -1;
  }

  #pointer(target: number, fixed: boolean): void {
    if (!fixed && this.#form !== 'exact') this.moves.push(this.#length);
    this.#u16(0xc000 | target);
  }

  #u16(value: number): void {
    bytes[this.#length++] = value >>> 8;
    bytes[this.#length++] = value;
  }

  #copy(from: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; i++) bytes[this.#length++] = from[i];
  }

  #room(size: number): void {
    if (this.#length + size <= bytes.length) return;
    const larger = new Uint8Array(Math.max(bytes.length * 2, this.#length + size));
    larger.set(bytes.subarray(0, this.#length));
    bytes = larger;
  }
}

function startsLabel(name: Name, at: number): boolean {
  let p = 0;
  while (p < at) p += name[p] + 1;
  return p === at;
}

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
import { NO_SUFFIX, ROOT_SUFFIX, SuffixTable } from './suffix-table.ts';
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

/** Where the current body is written. */
let bytes = new Uint8Array(64 * 1024);
/** The suffixes of names that the current body may point at. */
const suffixes = new SuffixTable();
/** Offsets of the labels of a name. */
const starts = new Uint8Array(128);

export class Body {
  #length = 0;
  readonly #start: number;
  readonly #form: QuestionForm;
  #known = 1;
  readonly #compressBody: boolean;
  readonly moves: number[] = [];
  /** A name that the message has, and its offset: most owners are that of the record before. */
  #lastName: Name | null = null;
  #lastOffset = 0;

  /**
   * `compressBody` false: no pointer goes into the body, so that it can be put behind another one.
   */
  constructor(name: Name, form: QuestionForm, compressBody = true) {
    this.#start = HEADER_LENGTH + name.length + AFTER_NAME;
    this.#form = form;
    this.#compressBody = compressBody;
    suffixes.clear();
    // Nothing may point at the first label of a wildcard for its text.
    addSuffixes(name, splitLabels(name), ROOT_SUFFIX, HEADER_LENGTH, form === 'wildcard' ? 1 : 0);
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
        this.#name(end + 1 === rdata.length && at === 0 ? rdata : rdata.subarray(at, end + 1));
        at = end + 1;
      }
      this.#copy(rdata, at, rdata.length);
    }
    const size = this.#length - lengthAt - 2;
    bytes[lengthAt] = size >>> 8;
    bytes[lengthAt + 1] = size;
  }

  #name(name: Name): void {
    if (name === this.#lastName) {
      this.#pointer(this.#lastOffset, false);
      return;
    }
    const offset = this.#start + this.#length;
    const labels = splitLabels(name);
    let suffix = ROOT_SUFFIX;
    let label = labels;
    for (; label > 0; label--) {
      const next = suffixes.find(suffix, name, starts[label - 1]);
      if (next === NO_SUFFIX) break;
      suffix = next;
    }
    // The labels before `label` are not in the message yet.
    if (suffix === ROOT_SUFFIX) this.#copy(name, 0, name.length);
    else {
      this.#copy(name, 0, label === labels ? name.length - 1 : starts[label]);
      this.#pointer(suffixes.offsetOf(suffix), false);
      if (label === 0) this.#noteLast(name, suffixes.offsetOf(suffix));
    }
    if (label > 0 && this.#compressBody && offset + name.length <= LAST_POINTER && this.#known < MAX_KNOWN) {
      this.#known++;
      addSuffixes(name, label, suffix, offset, 0);
      this.#noteLast(name, offset);
    }
  }

  #noteLast(name: Name, offset: number): void {
    this.#lastName = name;
    this.#lastOffset = offset;
  }

  /**
   * Writes the offset in the message of each suffix of a name to `offsets`, at the suffix's first
   * byte in the name; 0: no pointer can lead there.
   */
  locate(name: Name, offsets: Uint16Array): void {
    let suffix = ROOT_SUFFIX;
    for (let label = splitLabels(name) - 1; label >= 0; label--) {
      if (suffix !== NO_SUFFIX) suffix = suffixes.find(suffix, name, starts[label]);
      offsets[starts[label]] = suffix === NO_SUFFIX ? 0 : suffixes.offsetOf(suffix);
    }
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

/** Writes the offsets of the labels of a name to `starts`. Returns their number. */
function splitLabels(name: Name): number {
  let labels = 0;
  for (let p = 0; name[p] !== 0; p += name[p] + 1) starts[labels++] = p;
  return labels;
}

/**
 * Adds the suffixes of the name in `starts` that begin with labels `first` to `label` - 1, of which
 * `suffix` is the rest. The name is at `offset`.
 */
function addSuffixes(name: Name, label: number, suffix: number, offset: number, first: number): void {
  let rest = suffix;
  for (let i = label - 1; i >= first; i--) rest = suffixes.add(rest, name, starts[i], offset + starts[i]);
}

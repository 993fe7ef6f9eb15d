/**
 * Writes the bytes that follow the question. Names are compressed against the question's name at
 * offset 12 (RFC 1035 4.1.4), and against the names written since.
 *
 * All bodies of a thread share a buffer, so `content` returns a copy.
 */
import { OPT_LENGTH } from './edns.ts';
import { AFTER_NAME, HEADER_LENGTH, MAX_MESSAGE } from './header.ts';
import type { Name } from './name.ts';
import { CLASS_IN, COMPRESSIBLE, type RRset } from './types.ts';

const ROOT_SUFFIX = 0;

const NO_SUFFIX = -1;

/** More than 48 names of 127 labels each have; a power of two. */
const SLOTS = 1 << 14;

/** Random, so that the owner of a zone cannot choose labels that collide. */
const MULTIPLIER = (Math.random() * 2 ** 32) | 1;

/**
 * The suffixes of names in a message, for compression (RFC 1035 section 4.1.4): a tree of labels
 * from the root, stored as a hash table. Lookup time depends on the labels of a name, not on the
 * number of names. The table is reused for each message.
 */
class SuffixTable {
  /** The message that a slot was filled for, and its suffix. */
  readonly #epochs = new Int32Array(SLOTS);
  readonly #slots = new Int32Array(SLOTS);
  #epoch = 0;
  /**
   * For each suffix: its parent suffix, a name that contains it, its position there, and its
   * message offset.
   */
  readonly #parents = new Int32Array(SLOTS);
  readonly #names: Name[] = [];
  readonly #starts = new Uint8Array(SLOTS);
  readonly #offsets = new Uint16Array(SLOTS);
  #count = 1;

  /** Starts a new message. */
  clear(): void {
    this.#epoch = (this.#epoch + 1) | 0;
    this.#count = 1;
    this.#names.length = 0;
  }

  /** The suffix of the label at name[start] before `parent`; NO_SUFFIX: the message has none. */
  find(parent: number, name: Name, start: number): number {
    const epoch = this.#epoch;
    for (let slot = hashOf(parent, name, start); this.#epochs[slot] === epoch; slot = (slot + 1) & (SLOTS - 1)) {
      const suffix = this.#slots[slot];
      if (this.#parents[suffix] === parent && isSameLabel(this.#names[suffix - 1], this.#starts[suffix], name, start))
        return suffix;
    }
    return NO_SUFFIX;
  }

  /** Adds a suffix that the message does not have. Returns it. */
  add(parent: number, name: Name, start: number, offset: number): number {
    let slot = hashOf(parent, name, start);
    while (this.#epochs[slot] === this.#epoch) slot = (slot + 1) & (SLOTS - 1);
    const suffix = this.#count++;
    this.#epochs[slot] = this.#epoch;
    this.#slots[slot] = suffix;
    this.#parents[suffix] = parent;
    this.#names.push(name);
    this.#starts[suffix] = start;
    this.#offsets[suffix] = offset;
    return suffix;
  }

  /** Offset in the message. */
  offsetOf(suffix: number): number {
    return this.#offsets[suffix];
  }
}

/**
 * How the queried name relates to the name that the body was made for. `exact`: equal. `wildcard`:
 * any name that the wildcard matches, so it may own records, but no other name may be compressed to
 * its first label. `suffix`: the body's name is a suffix of the queried name.
 */
export type QuestionForm = 'exact' | 'wildcard' | 'suffix';

/** Stands for the queried name as an owner. */
export const ASKED = Symbol('asked');
export type Owner = Name | typeof ASKED;

/** Pointers have 14 bits, and a longer queried name can move a body by up to 255 bytes. */
const LAST_POINTER = 0x3fff - 255;
/** Maximum names to compress against. More would cost more time than the saved bytes are worth. */
const MAX_NAMES = 48;

/** Where the current body is written. */
let bytes = new Uint8Array(64 * 1024);
/** The suffixes that pointers in the current body can refer to. */
const suffixes = new SuffixTable();
/** Offsets of the labels of a name. */
const starts = new Uint8Array(128);

export class Body {
  #length = 0;
  readonly #start: number;
  readonly #form: QuestionForm;
  #nameCount = 1;
  readonly #compressBody: boolean;
  readonly moves: number[] = [];
  /**
   * The last name in the message, and its offset: most records have the owner of the previous
   * record.
   */
  #lastName: Name | null = null;
  #lastOffset = 0;

  /** `compressBody` false: no pointer refers to the body, so it can be appended to another body. */
  constructor(name: Name, form: QuestionForm, compressBody = true) {
    this.#start = HEADER_LENGTH + name.length + AFTER_NAME;
    this.#form = form;
    this.#compressBody = compressBody;
    suffixes.clear();
    // No pointer may refer to the first label of a wildcard: the queried name replaces it.
    addSuffixes(name, splitLabels(name), ROOT_SUFFIX, HEADER_LENGTH, form === 'wildcard' ? 1 : 0);
  }

  get size(): number {
    return this.#length;
  }

  /**
   * Whether the body fits into a message with the question and an OPT record. A response with EDNS
   * options, or with a longer name than the body's, may still be truncated.
   */
  get fits(): boolean {
    return this.#start + this.#length + OPT_LENGTH <= MAX_MESSAGE;
  }

  /** A copy of the bytes written. Only valid before the next body is started. */
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
    if (label > 0 && this.#compressBody && offset + name.length <= LAST_POINTER && this.#nameCount < MAX_NAMES) {
      this.#nameCount++;
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
   * byte in the name; 0: no pointer can refer to it.
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

function hashOf(parent: number, name: Name, start: number): number {
  let hash = Math.imul(parent + 1, MULTIPLIER);
  for (let i = start, end = start + name[start]; i <= end; i++) hash = Math.imul(hash ^ name[i], MULTIPLIER);
  return (hash ^ (hash >>> 15)) & (SLOTS - 1);
}

function isSameLabel(a: Name, at: number, b: Name, start: number): boolean {
  const length = a[at];
  for (let i = 0; i <= length; i++) if (a[at + i] !== b[start + i]) return false;
  return true;
}

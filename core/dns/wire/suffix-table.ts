/**
 * The suffixes of names in a message, for compression (RFC 1035 section 4.1.4): a tree of labels
 * from the root, stored as a hash table. Lookup time depends on the labels of a name, not on the
 * number of names. The table is reused for each message.
 */
import type { Name } from './name.ts';

export const ROOT_SUFFIX = 0;
export const NO_SUFFIX = -1;

/** More than 48 names of 127 labels each have; a power of two. */
const SLOTS = 1 << 14;
/** Random, so that the owner of a zone cannot choose labels that collide. */
const MULTIPLIER = (Math.random() * 2 ** 32) | 1;

export class SuffixTable {
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

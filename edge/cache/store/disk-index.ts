/**
 * Maps the hash of a URL to the location of its newest entry on disk. The table is in shared
 * memory; all threads read and write it without locks. The table may forget entries. A full bucket
 * of eight slots reuses the slot with the oldest segment, and a slot that two threads wrote at once
 * is emptied. A reader accepts a slot only if two reads agree. The entry on disk contains its own
 * location and URL; any mismatch is a miss.
 *
 *     slot   b of the hash (0: empty) · segment · offset / 8 · bytes of the first read
 *            The top bit of the last word: the URL's only entry, which every request selects.
 *
 * After the slots, one word for each class of buckets: the newest segment with a forgotten entry.
 * Such an entry is still on disk, and a restart would index it again. So a removal of its URL needs
 * a tombstone in that segment or a newer one.
 */
import type { DiskLocation } from './entry.ts';

const SLOT_WORDS = 4;
const BUCKET_SLOTS = 8;
const SINGLE = 0x80000000;
const CLASSES = 65_536;

export class DiskIndex {
  readonly slots: number;
  readonly #words: Int32Array;
  readonly #mask: number;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.slots = (this.#words.length - CLASSES) / SLOT_WORDS;
    this.#mask = this.slots / BUCKET_SLOTS - 1;
  }

  /** Allocates a table for a disk of `limit` bytes: at least a slot per KB, up to 2^27 slots. */
  static share(limit: number): SharedArrayBuffer {
    const slots = 2 ** Math.max(10, Math.min(27, Math.ceil(Math.log2(limit / 1024))));
    return new SharedArrayBuffer((slots * SLOT_WORDS + CLASSES) * 4);
  }

  /** The slot of a URL, or -1. */
  find(a: number, b: number): number {
    const first = (a & this.#mask) * BUCKET_SLOTS;
    for (let slot = first; slot < first + BUCKET_SLOTS; slot++)
      if (Atomics.load(this.#words, slot * SLOT_WORDS) === (b | 0)) return slot;
    return -1;
  }

  locationOf(slot: number): DiskLocation {
    const at = slot * SLOT_WORDS;
    const words = this.#words;
    return {
      segment: Atomics.load(words, at + 1) >>> 0,
      offset: (Atomics.load(words, at + 2) >>> 0) * 8,
      length: (Atomics.load(words, at + 3) & ~SINGLE) >>> 0,
    };
  }

  /**
   * The location of the newest entry of a URL; undefined: none. Segments below `oldest` are gone.
   */
  get(a: number, b: number, oldest: number): DiskLocation | undefined {
    const slot = this.find(a, b);
    if (slot < 0) return undefined;
    const location = this.locationOf(slot);
    if (location.segment < oldest || !this.#matches(slot, b, location)) return undefined;
    return location;
  }

  /** Whether a slot has this whole location. Another thread may be writing the slot. */
  #matches(slot: number, b: number, { segment, offset, length }: DiskLocation): boolean {
    if (Atomics.load(this.#words, slot * SLOT_WORDS) !== (b | 0)) return false;
    const current = this.locationOf(slot);
    return current.segment === segment && current.offset === offset && current.length === length;
  }

  /**
   * Whether the URL has no entry, or a single entry that every request selects. Then a new entry of
   * that kind has no siblings.
   */
  hasSingleEntry(a: number, b: number, oldest: number): boolean {
    const slot = this.find(a, b);
    if (slot < 0 || Atomics.load(this.#words, slot * SLOT_WORDS + 1) >>> 0 < oldest) return true;
    return (Atomics.load(this.#words, slot * SLOT_WORDS + 3) & SINGLE) !== 0;
  }

  /** Sets the location of a URL. In a full bucket, it replaces the slot with the oldest segment. */
  set(a: number, b: number, location: DiskLocation, isSingle: boolean, oldest: number): void {
    const slot = this.#slotFor(a, b, oldest);
    if (this.#isUsedByOther(slot, b, oldest)) this.#recordForgotten(a, this.locationOf(slot).segment);
    if (!this.#write(slot, b, location, isSingle)) this.#recordConflict(a, slot, location);
  }

  /** Like `set`, but never displaces another URL. Returns the slot, or -1. */
  add(a: number, b: number, location: DiskLocation, isSingle: boolean, oldest: number): number {
    const slot = this.#slotFor(a, b, oldest);
    if (this.#isUsedByOther(slot, b, oldest)) {
      this.#recordForgotten(a, location.segment);
      return -1;
    }
    if (this.#write(slot, b, location, isSingle)) return slot;
    this.#recordConflict(a, slot, location);
    return -1;
  }

  /** False: another thread wrote the slot at the same time. */
  #write(slot: number, b: number, location: DiskLocation, isSingle: boolean): boolean {
    const at = slot * SLOT_WORDS;
    const words = this.#words;
    // The slot is empty during the write: a reader must not see a mixture of two entries.
    Atomics.store(words, at, 0);
    Atomics.store(words, at + 1, location.segment);
    Atomics.store(words, at + 2, location.offset / 8);
    Atomics.store(words, at + 3, location.length | (isSingle ? SINGLE : 0));
    Atomics.store(words, at, b);
    if (this.#matches(slot, b, location)) return true;
    Atomics.compareExchange(words, at, b | 0, 0);
    return false;
  }

  /** Deletes the slot of a URL; with `onlyAt`, only if the slot has that location. */
  delete(a: number, b: number, onlyAt?: { readonly segment: number; readonly offset: number }): void {
    const slot = this.find(a, b);
    if (slot < 0) return;
    const { segment, offset } = this.locationOf(slot);
    if (onlyAt === undefined || (segment === onlyAt.segment && offset === onlyAt.offset))
      Atomics.store(this.#words, slot * SLOT_WORDS, 0);
  }

  /** Deletes the slot of an unreadable entry. Older entries of its URL may still exist. */
  deleteUnreadable(a: number, b: number, location: DiskLocation): void {
    this.#recordForgotten(a, location.segment);
    this.delete(a, b, location);
  }

  /** The newest segment that may contain a forgotten entry of a URL; 0: none does. */
  newestForgotten(a: number, oldest: number): number {
    const segment = Atomics.load(this.#words, this.#classOf(a)) >>> 0;
    return segment < oldest ? 0 : segment;
  }

  #recordForgotten(a: number, segment: number): void {
    const at = this.#classOf(a);
    for (;;) {
      const before = Atomics.load(this.#words, at);
      if (before >>> 0 >= segment || Atomics.compareExchange(this.#words, at, before, segment) === before) return;
    }
  }

  /** Two threads wrote a slot at once: the entry of either may be forgotten. */
  #recordConflict(a: number, slot: number, { segment }: DiskLocation): void {
    this.#recordForgotten(a, Math.max(segment, this.locationOf(slot).segment));
  }

  /** The word of a bucket's class. */
  #classOf(a: number): number {
    return this.slots * SLOT_WORDS + (a & this.#mask & (CLASSES - 1));
  }

  /** Whether another URL uses the slot. */
  #isUsedByOther(slot: number, b: number, oldest: number): boolean {
    const tag = this.#words[slot * SLOT_WORDS];
    return tag !== 0 && tag !== (b | 0) && this.locationOf(slot).segment >= oldest;
  }

  /** Number of used slots. An estimate from a sample, because statistics read it often. */
  count(oldest: number): number {
    // An odd step visits all positions of a bucket: the first ones are used most.
    const step = Math.floor(this.slots / 16_384) | 1;
    let used = 0;
    let seen = 0;
    for (let slot = 0; slot < this.slots; slot += step, seen++)
      if (this.#words[slot * SLOT_WORDS] !== 0 && this.#words[slot * SLOT_WORDS + 1] >>> 0 >= oldest) used++;
    return Math.round((used * this.slots) / seen);
  }

  /** The slot of the URL, else an empty slot, else the slot with the oldest segment. */
  #slotFor(a: number, b: number, oldest: number): number {
    const existing = this.find(a, b);
    if (existing >= 0) return existing;
    const first = (a & this.#mask) * BUCKET_SLOTS;
    let best = first;
    let bestSegment = Number.POSITIVE_INFINITY;
    for (let slot = first; slot < first + BUCKET_SLOTS; slot++) {
      const segment = this.#words[slot * SLOT_WORDS] === 0 ? 0 : this.#words[slot * SLOT_WORDS + 1] >>> 0;
      if (segment < oldest) return slot;
      if (segment < bestSegment) {
        best = slot;
        bestSegment = segment;
      }
    }
    return best;
  }
}

/**
 * Hash of a URL ─► where the newest of its entries lies on disk: a table in shared memory, written and read by all threads without locks. It may forget: a bucket of
 * eight slots that is full gives up the one in the oldest segment, and a slot that two threads wrote at once is emptied. A reader takes what it has read twice alike; what
 * lies where it points says its own place and URL, and what does not fit is a miss.
 *
 *     slot   b of the hash (0: empty) · segment · offset / 8 · bytes of the first read; the top bit: the URL has this entry alone, for all requests
 *     behind all slots, for classes of buckets: the newest segment with an entry that was forgotten. It lies there still, and would be found after a restart, so who
 *     removes a URL has to know of it
 */
import type { DiskPlace } from './entry.ts';

const SLOT = 4;
const BUCKET = 8;
const ALONE = 0x80000000;
const CLASSES = 65_536;

export class DiskIndex {
  readonly slots: number;
  readonly #words: Int32Array;
  readonly #mask: number;

  constructor(memory: SharedArrayBuffer) {
    this.#words = new Int32Array(memory);
    this.slots = (this.#words.length - CLASSES) / SLOT;
    this.#mask = this.slots / BUCKET - 1;
  }

  /** For a disk of so many bytes: a slot for each KB. */
  static share(limit: number): SharedArrayBuffer {
    const slots = 2 ** Math.max(10, Math.min(27, Math.ceil(Math.log2(limit / 1024))));
    return new SharedArrayBuffer((slots * SLOT + CLASSES) * 4);
  }

  /** The slot of a URL, or -1. */
  find(a: number, b: number): number {
    const first = (a & this.#mask) * BUCKET;
    for (let slot = first; slot < first + BUCKET; slot++)
      if (Atomics.load(this.#words, slot * SLOT) === (b | 0)) return slot;
    return -1;
  }

  place(slot: number): DiskPlace {
    const at = slot * SLOT;
    const words = this.#words;
    return {
      segment: Atomics.load(words, at + 1) >>> 0,
      offset: (Atomics.load(words, at + 2) >>> 0) * 8,
      length: (Atomics.load(words, at + 3) & ~ALONE) >>> 0,
    };
  }

  /** Where the newest entry of a URL lies; undefined: nowhere. Entries in segments below `oldest` are gone. */
  get(a: number, b: number, oldest: number): DiskPlace | undefined {
    const slot = this.find(a, b);
    if (slot < 0) return undefined;
    const place = this.place(slot);
    if (place.segment < oldest || !this.#holds(slot, b, place)) return undefined;
    return place;
  }

  /** Whether a slot has this place, as a whole: another thread may be writing it. */
  #holds(slot: number, b: number, { segment, offset, length }: DiskPlace): boolean {
    if (Atomics.load(this.#words, slot * SLOT) !== (b | 0)) return false;
    const now = this.place(slot);
    return now.segment === segment && now.offset === offset && now.length === length;
  }

  /** Whether a URL has one entry, which answers all requests, or none: who writes another like it has no siblings to look for. */
  isAlone(a: number, b: number, oldest: number): boolean {
    const slot = this.find(a, b);
    if (slot < 0 || Atomics.load(this.#words, slot * SLOT + 1) >>> 0 < oldest) return true;
    return (Atomics.load(this.#words, slot * SLOT + 3) & ALONE) !== 0;
  }

  /** Where the bucket is full, in place of the oldest. */
  set(a: number, b: number, place: DiskPlace, isAlone: boolean, oldest: number): void {
    const slot = this.#slotFor(a, b, oldest);
    if (this.#isOther(slot, b, oldest)) this.#forgot(a, this.place(slot).segment);
    if (!this.#write(slot, b, place, isAlone)) this.#forgotSlot(a, slot, place);
  }

  /** Only where nothing has to go for it. Returns the slot, or -1. */
  add(a: number, b: number, place: DiskPlace, isAlone: boolean, oldest: number): number {
    const slot = this.#slotFor(a, b, oldest);
    if (this.#isOther(slot, b, oldest)) {
      this.#forgot(a, place.segment);
      return -1;
    }
    if (this.#write(slot, b, place, isAlone)) return slot;
    this.#forgotSlot(a, slot, place);
    return -1;
  }

  /** False: another thread wrote the slot at the same time. */
  #write(slot: number, b: number, place: DiskPlace, isAlone: boolean): boolean {
    const at = slot * SLOT;
    const words = this.#words;
    // Empty while it is written: a reader then finds nothing sooner than something mixed.
    Atomics.store(words, at, 0);
    Atomics.store(words, at + 1, place.segment);
    Atomics.store(words, at + 2, place.offset / 8);
    Atomics.store(words, at + 3, place.length | (isAlone ? ALONE : 0));
    Atomics.store(words, at, b);
    if (this.#holds(slot, b, place)) return true;
    Atomics.compareExchange(words, at, b | 0, 0);
    return false;
  }

  /** Forgets a URL of which nothing is to be found any more; with `where` only if its entry lies there. */
  delete(a: number, b: number, where?: { readonly segment: number; readonly offset: number }): void {
    const slot = this.find(a, b);
    if (slot < 0) return;
    const { segment, offset } = this.place(slot);
    if (where === undefined || (segment === where.segment && offset === where.offset))
      Atomics.store(this.#words, slot * SLOT, 0);
  }

  /** Forgets an entry that cannot be read; older ones of its URL may be there still. */
  lose(a: number, b: number, place: DiskPlace): void {
    this.#forgot(a, place.segment);
    this.delete(a, b, place);
  }

  /** The newest segment that may have an entry of a URL which is not found here; 0: none has. */
  forgottenIn(a: number, oldest: number): number {
    const segment = Atomics.load(this.#words, this.#classOf(a)) >>> 0;
    return segment < oldest ? 0 : segment;
  }

  #forgot(a: number, segment: number): void {
    const at = this.#classOf(a);
    for (;;) {
      const before = Atomics.load(this.#words, at);
      if (before >>> 0 >= segment || Atomics.compareExchange(this.#words, at, before, segment) === before) return;
    }
  }

  /** The entry of either thread that wrote a slot. */
  #forgotSlot(a: number, slot: number, { segment }: DiskPlace): void {
    this.#forgot(a, Math.max(segment, this.place(slot).segment));
  }

  /** All URLs of a bucket are of one class. */
  #classOf(a: number): number {
    return this.slots * SLOT + (a & this.#mask & (CLASSES - 1));
  }

  /** Whether a slot is in use, for another URL. */
  #isOther(slot: number, b: number, oldest: number): boolean {
    const tag = this.#words[slot * SLOT];
    return tag !== 0 && tag !== (b | 0) && this.place(slot).segment >= oldest;
  }

  /** Slots in use, of so many buckets. An estimate from a sample, since it is asked for often. */
  count(oldest: number): number {
    // Odd, so that all places in a bucket have their turn: the first are used most.
    const step = Math.floor(this.slots / 16_384) | 1;
    let used = 0;
    let seen = 0;
    for (let slot = 0; slot < this.slots; slot += step, seen++)
      if (this.#words[slot * SLOT] !== 0 && this.#words[slot * SLOT + 1] >>> 0 >= oldest) used++;
    return Math.round((used * this.slots) / seen);
  }

  /** Where it stands already, else an empty slot, else the one with the oldest entry. */
  #slotFor(a: number, b: number, oldest: number): number {
    const found = this.find(a, b);
    if (found >= 0) return found;
    const first = (a & this.#mask) * BUCKET;
    let best = first;
    let bestSegment = Number.POSITIVE_INFINITY;
    for (let slot = first; slot < first + BUCKET; slot++) {
      const segment = this.#words[slot * SLOT] === 0 ? 0 : this.#words[slot * SLOT + 1] >>> 0;
      if (segment < oldest) return slot;
      if (segment < bestSegment) {
        best = slot;
        bestSegment = segment;
      }
    }
    return best;
  }
}

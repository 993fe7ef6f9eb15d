/**
 * The zones that are answered with SERVFAIL: secondary zones that were never transferred or have
 * expired (RFC 1035 section 4.3.5), and large deleted zones whose answers are not all deleted. An
 * open-addressing table of pairs of 32-bit words in shared memory. Each node expires zones on its
 * own, even without a quorum, so the table is not part of the journal.
 *
 *   first word   the hash of the apex that the index uses (0: never used, 1: removed)
 *   second word  a second hash of the apex, so that two zones are not confused
 *
 * Hot path: a query reads header[UNAVAILABLE], and looks its zone up only if that is not 0.
 */

import { LOWER } from '../../dns/wire/name.ts';

const SLOTS = 1 << 18;
const MASK = SLOTS - 1;
export const UNAVAILABLE_BYTES = SLOTS * 8;
/**
 * Maximum number of used slots, including REMOVED ones. Further zones are served with their last
 * content, which is better than a full table.
 */
const MAX_USED_SLOTS = SLOTS / 2;
const NEVER_USED = 0;
const REMOVED = 1;

/** FNV-1a over a name, in lower case. */
function secondHash(bytes: Uint8Array, from: number, end: number): number {
  let h = 0x811c9dc5;
  for (let i = from; i < end; i++) h = Math.imul(h ^ LOWER[bytes[i]], 0x01000193);
  return h;
}

/** Maps a sum to a hash that is neither NEVER_USED nor REMOVED. */
const firstHash = (sum: number): number => (sum === NEVER_USED || sum === REMOVED ? sum - 2 : sum);

/** Whether the apex at bytes[from, end) is in the table. `sum`: its nameSum in the index. */
export function isListed(slots: Int32Array, bytes: Uint8Array, from: number, end: number, sum: number): boolean {
  const first = firstHash(sum);
  for (let i = Math.imul(sum, 0x9e3779b1) >>> 14; ; i = (i + 1) & MASK) {
    const word = Atomics.load(slots, i * 2);
    if (word === NEVER_USED) return false;
    if (word === first && Atomics.load(slots, i * 2 + 1) === secondHash(bytes, from, end)) return true;
  }
}

/** The only writer of the table. */
export class UnavailableZones {
  readonly #slots: Int32Array;
  readonly #sumOf: (apex: Uint8Array) => number;
  readonly #onCount: (count: number) => void;
  #count = 0;
  #removed = 0;

  constructor(shared: SharedArrayBuffer, sumOf: (apex: Uint8Array) => number, onCount: (count: number) => void) {
    this.#slots = new Int32Array(shared);
    this.#sumOf = sumOf;
    this.#onCount = onCount;
  }

  get count(): number {
    return this.#count;
  }

  has(apex: Uint8Array): boolean {
    return isListed(this.#slots, apex, 0, apex.length, this.#sumOf(apex));
  }

  /** Lists a zone, or removes it from the list. */
  set(apex: Uint8Array, isUnavailable: boolean): void {
    const slots = this.#slots;
    const sum = this.#sumOf(apex);
    const first = firstHash(sum);
    const second = secondHash(apex, 0, apex.length);
    let free = -1;
    let i = Math.imul(sum, 0x9e3779b1) >>> 14;
    for (; slots[i * 2] !== NEVER_USED; i = (i + 1) & MASK) {
      if (slots[i * 2] === REMOVED && free < 0) free = i;
      if (slots[i * 2] !== first || slots[i * 2 + 1] !== second) continue;
      if (isUnavailable) return;
      // The last slot of a probe run needs no REMOVED mark.
      const isLast = slots[((i + 1) & MASK) * 2] === NEVER_USED;
      Atomics.store(slots, i * 2, isLast ? NEVER_USED : REMOVED);
      if (!isLast) this.#removed++;
      this.#adjustCount(-1);
      return;
    }
    if (!isUnavailable || (free < 0 && this.#count + this.#removed >= MAX_USED_SLOTS)) return;
    if (free >= 0) this.#removed--;
    const at = free < 0 ? i : free;
    Atomics.store(slots, at * 2 + 1, second);
    Atomics.store(slots, at * 2, first);
    this.#adjustCount(1);
  }

  #adjustCount(by: number): void {
    this.#count += by;
    this.#onCount(this.#count);
  }
}

/**
 * The places of all addresses, as ranges in memory that threads share. One thread writes: it fills
 * the half that is not in use, and then switches. Readers search without locks or allocation, and
 * get the length of the prefix with the same place, which a DNS response states as its scope.
 *
 * IPv6 addresses count by their first 64 bits.
 */

/** Ranges of a family. A database of countries has 300,000 of each. Memory is used when written. */
const CAPACITY = 1 << 20;
const HEADER = 16;
/** Words of the header: the half in use (0: none), and the ranges of each half by family. */
const ACTIVE = 0;
const COUNTS = 2;
const HALVES = [1, 2] as const;

interface Half {
  /** First addresses; the highest bit is inverted, so that comparing sorts them as unsigned. */
  readonly starts4: Int32Array;
  readonly high6: Int32Array;
  readonly low6: Int32Array;
  readonly places4: Uint16Array;
  readonly places6: Uint16Array;
}

const WORDS = 3 * CAPACITY;
const HALF_BYTES = WORDS * 4 + 2 * CAPACITY * 2;

export const sharePlaces = (): SharedArrayBuffer => new SharedArrayBuffer(HEADER * 4 + 2 * HALF_BYTES);

function halfOf(shared: SharedArrayBuffer, half: number): Half {
  const at = HEADER * 4 + (half - 1) * HALF_BYTES;
  const words = (i: number): Int32Array => new Int32Array(shared, at + i * CAPACITY * 4, CAPACITY);
  const places = (i: number): Uint16Array => new Uint16Array(shared, at + WORDS * 4 + i * CAPACITY * 2, CAPACITY);
  return { starts4: words(0), high6: words(1), low6: words(2), places4: places(0), places6: places(1) };
}

const SIGN = 0x80000000;

export class Places {
  /** Of the last address: the bits of the longest prefix around it that has one place. */
  bits = 0;
  readonly #header: Int32Array;
  readonly #halves: readonly Half[];

  constructor(shared: SharedArrayBuffer) {
    this.#header = new Int32Array(shared, 0, HEADER);
    this.#halves = HALVES.map((half) => halfOf(shared, half));
  }

  /** The place of the address of `length` (4 or 16) bytes at bytes[at]; 0: unknown. Hot. */
  find(bytes: Uint8Array, at: number, length: number): number {
    this.bits = 0;
    const half = Atomics.load(this.#header, ACTIVE);
    if (half === 0) return 0;
    const high = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    const count = this.#header[COUNTS * half + (length === 4 ? 0 : 1)];
    if (count === 0) return 0;
    if (length === 4) return this.#find4(this.#halves[half - 1], count, high);
    const low = (bytes[at + 4] << 24) | (bytes[at + 5] << 16) | (bytes[at + 6] << 8) | bytes[at + 7];
    return this.#find6(this.#halves[half - 1], count, high, low);
  }

  #find4({ starts4, places4 }: Half, count: number, address: number): number {
    const key = address ^ SIGN;
    let from = 0;
    for (let to = count; to - from > 1; ) {
      const middle = (from + to) >>> 1;
      if (starts4[middle] <= key) from = middle;
      else to = middle;
    }
    // A prefix of one more bit than the address shares with its neighbour excludes the neighbour.
    let bits = 0;
    if (from > 0) bits = Math.clz32(key ^ (starts4[from] - 1)) + 1;
    if (from + 1 < count) bits = Math.max(bits, Math.clz32(key ^ starts4[from + 1]) + 1);
    this.bits = bits;
    return places4[from];
  }

  #find6({ high6, low6, places6 }: Half, count: number, high: number, low: number): number {
    const h = high ^ SIGN;
    const l = low ^ SIGN;
    let from = 0;
    for (let to = count; to - from > 1; ) {
      const middle = (from + to) >>> 1;
      const start = high6[middle];
      if (start < h || (start === h && low6[middle] <= l)) from = middle;
      else to = middle;
    }
    let bits = 0;
    if (from > 0) {
      const isBorrowed = low6[from] === (SIGN | 0);
      bits = commonBits(h, l, isBorrowed ? high6[from] - 1 : high6[from], (low6[from] - 1) | 0) + 1;
    }
    if (from + 1 < count) bits = Math.max(bits, commonBits(h, l, high6[from + 1], low6[from + 1]) + 1);
    this.bits = bits;
    return places6[from];
  }
}

const commonBits = (h: number, l: number, h2: number, l2: number): number =>
  h === h2 ? 32 + Math.clz32(l ^ l2) : Math.clz32(h ^ h2);

/** Fills the half that is not in use. Ranges are added in ascending order, the first at zero. */
export class PlacesWriter {
  readonly #header: Int32Array;
  readonly #half: Half;
  readonly #number: number;
  #count4 = 0;
  #count6 = 0;

  constructor(shared: SharedArrayBuffer) {
    this.#header = new Int32Array(shared, 0, HEADER);
    this.#number = Atomics.load(this.#header, ACTIVE) === 1 ? 2 : 1;
    this.#half = halfOf(shared, this.#number);
  }

  add4(start: number, place: number): void {
    const { starts4, places4 } = this.#half;
    const at = this.#count4;
    if (at > 0 && places4[at - 1] === place) return;
    if (at === CAPACITY) throw tooLarge();
    starts4[at] = start ^ SIGN;
    places4[at] = place;
    this.#count4++;
  }

  add6(high: number, low: number, place: number): void {
    const { high6, low6, places6 } = this.#half;
    const at = this.#count6;
    if (at > 0 && places6[at - 1] === place) return;
    if (at === CAPACITY) throw tooLarge();
    high6[at] = high ^ SIGN;
    low6[at] = low ^ SIGN;
    places6[at] = place;
    this.#count6++;
  }

  /** From now on readers use what was added. */
  publish(): void {
    this.#header[COUNTS * this.#number] = this.#count4;
    this.#header[COUNTS * this.#number + 1] = this.#count6;
    Atomics.store(this.#header, ACTIVE, this.#number);
  }
}

const tooLarge = (): Error =>
  new Error(`it has more than ${CAPACITY} ranges of addresses with different countries; use a database of countries`);

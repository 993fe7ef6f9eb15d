/**
 * The segments of the disk, in shared memory: the next number, the total size, and the oldest
 * readable segment. A number is not reused while its file may still exist. A segment below the
 * oldest is discarded, even if its file still exists.
 *
 *     words   0 next   1 oldest   2 pages of all segments   3 first segment of this process
 *             4 whether a thread loads the index   5 whether the index is loaded
 *             6 pages withheld from the limit   7 whether writes are paused
 *             8… pages of each segment, by its number modulo 65,536
 */
const NEXT = 0;
const OLDEST = 1;
const PAGES = 2;
const FIRST = 3;
const LOADER = 4;
const LOADED = 5;
const WITHHELD = 6;
const PAUSED = 7;
const TABLE = 8;
const MAX_SEGMENTS = 65_536;
/** The unit of sizes in the table. */
const PAGE_BYTES = 4096;

const pagesOf = (bytes: number): number => Math.ceil(bytes / PAGE_BYTES);

export class SegmentTable {
  readonly #words: Int32Array;
  readonly #limit: number;

  constructor(memory: SharedArrayBuffer, limit: number) {
    this.#words = new Int32Array(memory);
    this.#limit = pagesOf(limit);
  }

  /** Allocates the table for existing files, sorted by number. */
  static share(existing: readonly { readonly number: number; readonly bytes: number }[]): SharedArrayBuffer {
    const memory = new SharedArrayBuffer((TABLE + MAX_SEGMENTS) * 4);
    const words = new Int32Array(memory);
    const last = existing.at(-1)?.number ?? 0;
    words[NEXT] = last + 1;
    words[FIRST] = last + 1;
    words[OLDEST] = Math.max(existing[0]?.number ?? 1, last - MAX_SEGMENTS + 16);
    for (const { number, bytes } of existing) {
      if (number < words[OLDEST]) continue;
      words[TABLE + (number % MAX_SEGMENTS)] = pagesOf(bytes);
      words[PAGES] += pagesOf(bytes);
    }
    return memory;
  }

  get bytes(): number {
    return Atomics.load(this.#words, PAGES) * PAGE_BYTES;
  }

  get next(): number {
    return Atomics.load(this.#words, NEXT);
  }

  get oldest(): number {
    return Atomics.load(this.#words, OLDEST);
  }

  /** The first segment of this process. */
  get first(): number {
    return this.#words[FIRST];
  }

  isLive(number: number): boolean {
    return number >= this.oldest && number < this.next;
  }

  /**
   * Whether a segment is in the oldest quarter of a disk that is at least half full. Its requested
   * entries should be written again.
   */
  isOld(number: number): boolean {
    const { oldest, next } = this;
    return this.bytes > (this.#limit * PAGE_BYTES) / 2 && (number - oldest) * 4 < next - oldest;
  }

  /** Allocates a segment, and reserves `bytes` for it. */
  allocate(bytes: number): number {
    const number = Atomics.add(this.#words, NEXT, 1);
    Atomics.store(this.#words, TABLE + (number % MAX_SEGMENTS), pagesOf(bytes));
    Atomics.add(this.#words, PAGES, pagesOf(bytes));
    return number;
  }

  /** Corrects the size of a segment. */
  resize(number: number, bytes: number): void {
    const slot = TABLE + (number % MAX_SEGMENTS);
    const before = Atomics.load(this.#words, slot);
    // A discarded segment is not counted.
    if (before === 0 || !this.isLive(number)) return;
    if (Atomics.compareExchange(this.#words, slot, before, pagesOf(bytes)) === before)
      Atomics.add(this.#words, PAGES, pagesOf(bytes) - before);
  }

  /**
   * Discards the oldest segments until the disk is within its limit. No thread uses them after the
   * call; the caller deletes their files.
   */
  evictOldest(): number[] {
    const words = this.#words;
    const evicted: number[] = [];
    const limit = this.#limit - Atomics.load(words, WITHHELD);
    for (;;) {
      const { oldest, next } = this;
      const isOverLimit = Atomics.load(words, PAGES) > limit || next - oldest > MAX_SEGMENTS - 16;
      if (!isOverLimit || oldest >= next - 1) return evicted;
      if (Atomics.compareExchange(words, OLDEST, oldest, oldest + 1) !== oldest) continue;
      Atomics.sub(words, PAGES, Atomics.exchange(words, TABLE + (oldest % MAX_SEGMENTS), 0));
      evicted.push(oldest);
    }
  }

  /** Bytes of the limit that must stay unused. */
  withhold(bytes: number): void {
    Atomics.store(this.#words, WITHHELD, Math.min(this.#limit, pagesOf(bytes)));
  }

  /** Whether writes are paused, because the file system is almost full. */
  get isPaused(): boolean {
    return Atomics.load(this.#words, PAUSED) === 1;
  }

  set isPaused(isPaused: boolean) {
    Atomics.store(this.#words, PAUSED, isPaused ? 1 : 0);
  }

  /** Whether all segments of earlier processes are indexed. */
  get isLoaded(): boolean {
    return Atomics.load(this.#words, LOADED) === 1;
  }

  setLoaded(): void {
    Atomics.store(this.#words, LOADED, 1);
  }

  /** True for exactly one thread of the process. */
  claimLoad(): boolean {
    return Atomics.compareExchange(this.#words, LOADER, 0, 1) === 0;
  }
}

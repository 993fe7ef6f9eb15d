/**
 * The segments of the disk, in shared memory: who takes a new one, how much all take, and which is the oldest that may be read. Numbers are never used again while
 * files with them may lie there; a segment below the oldest is gone, whether or not its file is.
 *
 *     words   0 next   1 oldest   2 pages in all   3 the first of this process   4 who loads   5 whether that is done   · then for each number (modulo 65,536): its pages
 */
const NEXT = 0;
const OLDEST = 1;
const PAGES = 2;
const FIRST = 3;
const LOADER = 4;
const LOADED = 5;
const TABLE = 8;
const MOST = 65_536;
/** Bytes that are counted as one. */
const PAGE = 4096;

const pagesOf = (bytes: number): number => Math.ceil(bytes / PAGE);

export class SegmentTable {
  readonly #words: Int32Array;
  readonly #limit: number;

  constructor(memory: SharedArrayBuffer, limit: number) {
    this.#words = new Int32Array(memory);
    this.#limit = pagesOf(limit);
  }

  /** Of the files that were found, in order. */
  static share(found: readonly { readonly number: number; readonly bytes: number }[]): SharedArrayBuffer {
    const memory = new SharedArrayBuffer((TABLE + MOST) * 4);
    const words = new Int32Array(memory);
    const last = found.at(-1)?.number ?? 0;
    words[NEXT] = last + 1;
    words[FIRST] = last + 1;
    words[OLDEST] = Math.max(found[0]?.number ?? 1, last - MOST + 16);
    for (const { number, bytes } of found) {
      if (number < words[OLDEST]) continue;
      words[TABLE + (number % MOST)] = pagesOf(bytes);
      words[PAGES] += pagesOf(bytes);
    }
    return memory;
  }

  get bytes(): number {
    return Atomics.load(this.#words, PAGES) * PAGE;
  }

  get next(): number {
    return Atomics.load(this.#words, NEXT);
  }

  get oldest(): number {
    return Atomics.load(this.#words, OLDEST);
  }

  /** Segments from here on were made by this process. */
  get first(): number {
    return this.#words[FIRST];
  }

  isLive(number: number): boolean {
    return number >= this.oldest && number < this.next;
  }

  /** Whether it is in the older part of the log, and what is still asked for had better be written anew. */
  isOld(number: number): boolean {
    const { oldest, next } = this;
    return this.bytes > (this.#limit * PAGE) / 2 && (number - oldest) * 4 < next - oldest;
  }

  /** A new segment of so many bytes at most. */
  take(bytes: number): number {
    const number = Atomics.add(this.#words, NEXT, 1);
    Atomics.store(this.#words, TABLE + (number % MOST), pagesOf(bytes));
    Atomics.add(this.#words, PAGES, pagesOf(bytes));
    return number;
  }

  /** What a segment takes has become known, or more. */
  resize(number: number, bytes: number): void {
    const slot = TABLE + (number % MOST);
    const before = Atomics.load(this.#words, slot);
    // Given up meanwhile: it counts no more.
    if (before === 0 || !this.isLive(number)) return;
    if (Atomics.compareExchange(this.#words, slot, before, pagesOf(bytes)) === before)
      Atomics.add(this.#words, PAGES, pagesOf(bytes) - before);
  }

  /** The numbers that have to go for the limit to hold; they are gone for all threads when this returns, and their files are the caller's to remove. */
  giveUp(): number[] {
    const words = this.#words;
    const gone: number[] = [];
    for (;;) {
      const { oldest, next } = this;
      const isOver = Atomics.load(words, PAGES) > this.#limit || next - oldest > MOST - 16;
      if (!isOver || oldest >= next - 1) return gone;
      if (Atomics.compareExchange(words, OLDEST, oldest, oldest + 1) !== oldest) continue;
      Atomics.sub(words, PAGES, Atomics.exchange(words, TABLE + (oldest % MOST), 0));
      gone.push(oldest);
    }
  }

  /** Whether what earlier processes left has been read. */
  get isLoaded(): boolean {
    return Atomics.load(this.#words, LOADED) === 1;
  }

  setLoaded(): void {
    Atomics.store(this.#words, LOADED, 1);
  }

  /** True for one thread of the process. */
  takeLoad(): boolean {
    return Atomics.compareExchange(this.#words, LOADER, 0, 1) === 0;
  }
}

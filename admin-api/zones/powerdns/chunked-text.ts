/**
 * Collects a long text as bytes, a chunk at a time: joining and encoding megabytes in one step
 * would block the event loop.
 */

/** Characters of a chunk. */
const CHUNK = 64 * 1024;

export class ChunkedText {
  readonly #chunks: Buffer[] = [];
  #parts: string[] = [];
  #length = 0;

  constructor(private readonly separator: string) {}

  add(part: string): void {
    this.#parts.push(part);
    this.#length += part.length;
    if (this.#length < CHUNK) return;
    // The separator to the next part.
    this.#parts.push('');
    this.#flush();
  }

  /** The parts with separators between them, `start` before and `end` after them. */
  toBuffer(start: string, end: string): Buffer {
    // A full chunk ends with a separator, which is removed if no part follows.
    const isTrailing = this.#parts.length === 0 && this.#chunks.length > 0;
    if (isTrailing) {
      const last = this.#chunks[this.#chunks.length - 1];
      this.#chunks[this.#chunks.length - 1] = last.subarray(0, last.length - this.separator.length);
    }
    this.#flush();
    return Buffer.concat([Buffer.from(start), ...this.#chunks, Buffer.from(end)]);
  }

  #flush(): void {
    if (this.#parts.length > 0) this.#chunks.push(Buffer.from(this.#parts.join(this.separator)));
    this.#parts = [];
    this.#length = 0;
  }
}

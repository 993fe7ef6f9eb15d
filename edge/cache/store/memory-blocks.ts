/** The blocks that entries in memory are packed in. A place is bytes / 8 from the begin of block 0, as if they lay one behind the other. */
export class MemoryBlocks {
  /** Bytes of a block, a power of two. */
  readonly size: number;
  readonly #shift: number;
  readonly #blocks: Buffer[] = [];
  readonly #words: Uint32Array[] = [];
  /** Numbers of blocks that wait to be used again, and of those that were given back to the system. */
  readonly #free: number[] = [];
  readonly #spare: number[] = [];

  constructor(size: number) {
    this.size = size;
    this.#shift = 31 - Math.clz32(size / 8);
  }

  /** Bytes that are taken of the system. */
  get bytes(): number {
    return (this.#blocks.length - this.#spare.length) * this.size;
  }

  blockOf(place: number): Buffer {
    return this.#blocks[place >>> this.#shift];
  }

  wordsOf(place: number): Uint32Array {
    return this.#words[place >>> this.#shift];
  }

  /** Where in its block a place is, in bytes. */
  at(place: number): number {
    return (place & (this.size / 8 - 1)) * 8;
  }

  place(block: number, at: number): number {
    return block * (this.size / 8) + at / 8;
  }

  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const block = Buffer.allocUnsafeSlow(this.size);
    const number = this.#spare.pop() ?? this.#blocks.length;
    this.#blocks[number] = block;
    this.#words[number] = new Uint32Array(block.buffer, 0, this.size / 4);
    return number;
  }

  release(block: number): void {
    this.#free.push(block);
  }

  /** Gives blocks that wait back to the system, as long as more than so many bytes are taken. */
  trim(bytes: number): void {
    while (this.#free.length > 0 && this.bytes > bytes) {
      const number = this.#free.pop()!;
      this.#blocks[number] = NO_BLOCK;
      this.#words[number] = NO_WORDS;
      this.#spare.push(number);
    }
  }
}

const NO_BLOCK = Buffer.alloc(0);
const NO_WORDS = new Uint32Array(0);

/**
 * The memory blocks that hold packed entries. An address is bytes / 8 from the start of block 0, as
 * if all blocks were contiguous.
 */
export class MemoryBlocks {
  /** Bytes of a block, a power of two. */
  readonly size: number;
  readonly #shift: number;
  readonly #blocks: Buffer[] = [];
  readonly #words: Uint32Array[] = [];
  /** Numbers of free blocks, and of blocks whose memory was released to the system. */
  readonly #free: number[] = [];
  readonly #released: number[] = [];

  constructor(size: number) {
    this.size = size;
    this.#shift = 31 - Math.clz32(size / 8);
  }

  /** Bytes allocated from the system. */
  get bytes(): number {
    return (this.#blocks.length - this.#released.length) * this.size;
  }

  blockOf(address: number): Buffer {
    return this.#blocks[address >>> this.#shift];
  }

  wordsOf(address: number): Uint32Array {
    return this.#words[address >>> this.#shift];
  }

  /** The offset of an address in its block, in bytes. */
  offsetOf(address: number): number {
    return (address & (this.size / 8 - 1)) * 8;
  }

  addressOf(block: number, offset: number): number {
    return block * (this.size / 8) + offset / 8;
  }

  allocate(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    const block = Buffer.allocUnsafeSlow(this.size);
    const number = this.#released.pop() ?? this.#blocks.length;
    this.#blocks[number] = block;
    this.#words[number] = new Uint32Array(block.buffer, 0, this.size / 4);
    return number;
  }

  release(block: number): void {
    this.#free.push(block);
  }

  /** Releases free blocks to the system while more than `bytes` are allocated. */
  trim(bytes: number): void {
    while (this.#free.length > 0 && this.bytes > bytes) {
      const number = this.#free.pop()!;
      this.#blocks[number] = NO_BLOCK;
      this.#words[number] = NO_WORDS;
      this.#released.push(number);
    }
  }
}

const NO_BLOCK = Buffer.alloc(0);
const NO_WORDS = new Uint32Array(0);

/**
 * Allocates the arena: blocks of 8 bytes and up, freed ones reused by size once no reader can still
 * hold them.
 */
import { FIRST_NODE } from './layout.ts';

interface Retired {
  readonly offset: number;
  readonly size: number;
  readonly epoch: number;
}

/**
 * Exact sizes up to this many bytes have a free list each; larger ones are kept by power of two.
 */
const EXACT = 4096;
/** Freed entries that the queue of retired blocks may still hold. */
const KEPT = 1024;

export class Arena {
  #next = FIRST_NODE;
  /** The bound: nodes are before it. */
  readonly end: number;
  readonly #exact: number[][] = Array.from({ length: EXACT / 8 + 1 }, () => []);
  readonly #large: { offset: number; size: number }[][] = Array.from({ length: 33 }, () => []);
  /** A queue: what was retired first stands at `firstRetired`. */
  #retired: Retired[] = [];
  #firstRetired = 0;
  #freeBytes = 0;

  constructor(bytes: number) {
    this.end = bytes;
  }

  /** Bytes that hold nodes, or will be free when the last reader has left them. */
  get used(): number {
    return this.#next - FIRST_NODE - this.#freeBytes;
  }

  get capacity(): number {
    return this.end - FIRST_NODE;
  }

  /** Others have filled an empty arena up to `next`. */
  adopt(next: number): void {
    this.#next = next;
  }

  /** Offset of a block, or 0 when nothing is left. */
  allocate(bytes: number): number {
    const size = (bytes + 7) & ~7;
    const reused = size <= EXACT ? this.#exact[size >> 3].pop() : this.#fromLarge(size);
    if (reused !== undefined) {
      this.#freeBytes -= size;
      return reused;
    }
    if (this.#next + size > this.end) return size <= EXACT ? this.#split(size) : 0;
    const offset = this.#next;
    this.#next += size;
    return offset;
  }

  /** The block goes back once every reader that entered at or before `epoch` has left. */
  retire(offset: number, bytes: number, epoch: number): void {
    this.#retired.push({ offset, size: (bytes + 7) & ~7, epoch });
  }

  /** Frees what was retired before `oldest`, the oldest epoch that a reader is in. */
  reclaim(oldest: number): void {
    while (this.#firstRetired < this.#retired.length && isBefore(this.#retired[this.#firstRetired].epoch, oldest)) {
      const { offset, size } = this.#retired[this.#firstRetired++];
      this.free(offset, size);
    }
    if (this.#firstRetired > KEPT && this.#firstRetired * 2 > this.#retired.length) {
      this.#retired = this.#retired.slice(this.#firstRetired);
      this.#firstRetired = 0;
    }
  }

  /** A block that nobody can hold any more. */
  free(offset: number, size: number): void {
    if (size <= 0) return;
    this.#freeBytes += size;
    if (size <= EXACT) this.#exact[size >> 3].push(offset);
    else this.#large[31 - Math.clz32(size)].push({ offset, size });
  }

  #fromLarge(size: number): number | undefined {
    for (let bin = 31 - Math.clz32(size); bin < 32; bin++) {
      const list = this.#large[bin];
      for (let i = list.length - 1; i >= 0 && i >= list.length - 16; i--) {
        const block = list[i];
        if (block.size < size) continue;
        list[i] = list[list.length - 1];
        list.pop();
        this.#freeBytes -= block.size - size;
        this.free(block.offset + size, block.size - size);
        return block.offset;
      }
    }
    return undefined;
  }

  /** A small block cut from a larger free one, when the arena has no fresh space. */
  #split(size: number): number {
    for (let s = size >> 3; s < this.#exact.length; s++) {
      const offset = this.#exact[s].pop();
      if (offset === undefined) continue;
      this.#freeBytes -= s << 3;
      this.free(offset + size, (s << 3) - size);
      return offset;
    }
    const offset = this.#fromLarge(size);
    if (offset === undefined) return 0;
    this.#freeBytes -= size;
    return offset;
  }
}

/** Order of epochs, which go around. */
export function isBefore(a: number, b: number): boolean {
  return ((a - b) | 0) < 0;
}

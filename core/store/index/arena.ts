/**
 * Allocates blocks of the arena: 8 bytes or more. Freed blocks are reused by size once no reader
 * can still use them. Decides which nodes are still admitted when the arena is nearly full.
 */
import { NODE_APEX, NODE_CNAME, NODE_DELEGATION, NODE_DNAME, NODE_FLAGS_AT, NODE_HAS_BELOW } from '../answers.ts';
import { FIRST_NODE } from './layout.ts';

/** Share of the arena beyond which leaves are read from the store. */
export const LEAF_SHARE = 0.9;

const STRUCTURAL = NODE_APEX | NODE_DELEGATION | NODE_DNAME | NODE_CNAME | NODE_HAS_BELOW;

interface Retired {
  readonly offset: number;
  readonly size: number;
  readonly epoch: number;
}

/**
 * Each block size up to this many bytes has its own free list. Larger blocks are grouped by power
 * of two.
 */
const EXACT = 4096;
/** Reclaimed entries at the front of the retired queue before the queue is compacted. */
const COMPACT_AFTER = 1024;

export class Arena {
  #next = FIRST_NODE;
  /** Offset of the first byte after the arena. */
  readonly end: number;
  readonly #exact: number[][] = Array.from({ length: EXACT / 8 + 1 }, () => []);
  readonly #large: { offset: number; size: number }[][] = Array.from({ length: 33 }, () => []);
  /** A queue, oldest first. It begins at index `firstRetired`. */
  #retired: Retired[] = [];
  #firstRetired = 0;
  #freeBytes = 0;

  constructor(bytes: number) {
    this.end = bytes;
  }

  /** Bytes of blocks in use, including retired blocks that readers may still use. */
  get used(): number {
    return this.#next - FIRST_NODE - this.#freeBytes;
  }

  get capacity(): number {
    return this.end - FIRST_NODE;
  }

  /** Sets the first free offset after the scan threads filled an empty arena. */
  adopt(next: number): void {
    this.#next = next;
  }

  /** Returns the offset of a block, or 0 if the arena is full. */
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

  /** Frees the block once every reader that entered at or before `epoch` has left. */
  retire(offset: number, bytes: number, epoch: number): void {
    this.#retired.push({ offset, size: (bytes + 7) & ~7, epoch });
  }

  /** Frees the blocks retired before `oldest`, the oldest epoch of an active reader. */
  reclaim(oldest: number): void {
    while (this.#firstRetired < this.#retired.length && isBefore(this.#retired[this.#firstRetired].epoch, oldest)) {
      const { offset, size } = this.#retired[this.#firstRetired++];
      this.free(offset, size);
    }
    if (this.#firstRetired > COMPACT_AFTER && this.#firstRetired * 2 > this.#retired.length) {
      this.#retired = this.#retired.slice(this.#firstRetired);
      this.#firstRetired = 0;
    }
  }

  /** Frees a block that no reader can use. */
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

  /** Cuts a small block from a larger free block, when the arena has no fresh space. */
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

/** Whether epoch `a` is before epoch `b`. Epochs wrap around at 32 bits. */
export function isBefore(a: number, b: number): boolean {
  return ((a - b) | 0) < 0;
}

/**
 * Whether only queries for its own name need the node. Queries for missing names also read the
 * other nodes, so these are admitted until the arena is full.
 */
export function isLeaf(node: Uint8Array): boolean {
  return (node[NODE_FLAGS_AT] & STRUCTURAL) === 0;
}

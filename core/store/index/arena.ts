/** Allocates the arena: blocks of 8 bytes and up, freed ones reused by size once no reader can still hold them. */
import { FIRST_NODE, RESERVE } from './layout.ts';

interface Retired {
  readonly offset: number;
  readonly size: number;
  readonly epoch: number;
}

/** Exact sizes up to this many bytes have a free list each; larger ones are kept by power of two. */
const EXACT = 4096;

export class Arena {
  private next = FIRST_NODE;
  /** The bound: nodes lie before it, unless they must. */
  readonly end: number;
  private readonly exact: number[][] = Array.from({ length: EXACT / 8 + 1 }, () => []);
  private readonly large: { offset: number; size: number }[][] = Array.from({ length: 33 }, () => []);
  private retired: Retired[] = [];
  private freeBytes = 0;

  constructor(bytes: number) {
    this.end = bytes - RESERVE;
  }

  /** Bytes that hold nodes, or will be free when the last reader has left them. */
  get used(): number {
    return this.next - FIRST_NODE - this.freeBytes;
  }

  get capacity(): number {
    return this.end - FIRST_NODE;
  }

  /** Others have filled an empty arena up to `next`. */
  adopt(next: number): void {
    this.next = next;
  }

  /** Offset of a block, or 0 when nothing is left. `must`: the block may come from the reserve behind the bound. */
  allocate(bytes: number, must = false): number {
    const size = (bytes + 7) & ~7;
    const reused = size <= EXACT ? this.exact[size >> 3].pop() : this.fromLarge(size);
    if (reused !== undefined) {
      this.freeBytes -= size;
      return reused;
    }
    if (this.next + size > (must ? this.end + RESERVE : this.end)) return size <= EXACT ? this.split(size) : 0;
    const offset = this.next;
    this.next += size;
    return offset;
  }

  /** The block goes back once every reader that entered at or before `epoch` has left. */
  retire(offset: number, bytes: number, epoch: number): void {
    this.retired.push({ offset, size: (bytes + 7) & ~7, epoch });
  }

  /** Frees what was retired before `oldest`, the oldest epoch that a reader is in. */
  reclaim(oldest: number): void {
    let kept = 0;
    for (; kept < this.retired.length && this.retired[kept].epoch < oldest; kept++)
      this.free(this.retired[kept].offset, this.retired[kept].size);
    if (kept > 0) this.retired = this.retired.slice(kept);
  }

  /** A block that nobody can hold any more. */
  free(offset: number, size: number): void {
    if (size <= 0) return;
    this.freeBytes += size;
    if (size <= EXACT) this.exact[size >> 3].push(offset);
    else this.large[31 - Math.clz32(size)].push({ offset, size });
  }

  private fromLarge(size: number): number | undefined {
    for (let bin = 31 - Math.clz32(size); bin < 32; bin++) {
      const list = this.large[bin];
      for (let i = list.length - 1; i >= 0 && i >= list.length - 16; i--) {
        const block = list[i];
        if (block.size < size) continue;
        list[i] = list[list.length - 1];
        list.pop();
        this.freeBytes -= block.size - size;
        this.free(block.offset + size, block.size - size);
        return block.offset;
      }
    }
    return undefined;
  }

  /** A small block cut from a larger free one, when the arena has no fresh space. */
  private split(size: number): number {
    for (let s = size >> 3; s < this.exact.length; s++) {
      const offset = this.exact[s].pop();
      if (offset === undefined) continue;
      this.freeBytes -= s << 3;
      this.free(offset + size, (s << 3) - size);
      return offset;
    }
    const offset = this.fromLarge(size);
    if (offset === undefined) return 0;
    this.freeBytes -= size;
    return offset;
  }
}

/**
 * Memory of the process: large pages for the index, the return of unused memory, and no core dumps.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import koffi from 'koffi';

const MADV_HUGEPAGE = 14;
/** The largest base page size of Linux on the processors that Node supports. */
const PAGE = 65_536;
/** Minimum bytes for large pages; smaller memory does not benefit. */
const LARGE = 4 << 20;

/** Returns 0 for success. Null: the call is unavailable; only Linux has this advice. */
const madvise = process.platform === 'linux' ? koffi.load(null).func('int madvise(uintptr_t, size_t, int)') : null;

/**
 * Allocates large shared memory for random reads, in pages of 2 MB. With pages of 4 KB, nearly
 * every read of an index of several hundred megabytes misses the TLB. The page table walk, in a
 * virtual machine also through the tables of the host, then costs more than the read. madvise(2)
 * with MADV_HUGEPAGE requests large pages, which most distributions allow. Queries for 1,500,000
 * names in random order take 15 % less CPU. Returns zeroed memory. Pages are allocated on first
 * access, of 2 MB if the system has them.
 */
export function largeMemory(bytes: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer(bytes);
  if (madvise === null || bytes < LARGE) return buffer;
  const begin = Number(koffi.address(new Uint8Array(buffer)));
  const from = Math.ceil(begin / PAGE) * PAGE;
  // The result is ignored: the memory works without large pages too.
  madvise(from, begin + bytes - from, MADV_HUGEPAGE);
  return buffer;
}

let trim: ((pad: number) => number) | null | undefined;
let collect: (() => void) | undefined;

/** malloc_trim(3) of glibc; null: another libc. */
function mallocTrim(): ((pad: number) => number) | null {
  try {
    return koffi.load(null).func('int malloc_trim(size_t)');
  } catch {
    return null;
  }
}

/** The garbage collector of V8, which only this flag exposes. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/**
 * Returns unused memory to the system. V8 collects garbage only when a thread allocates more, which
 * an idle thread does not. malloc keeps freed memory in the heaps of its threads. Blocks the thread
 * for 10 to 50 ms: only for idle threads.
 */
export function releaseMemory(): void {
  collect ??= collector();
  collect();
  trimMalloc();
}

/**
 * Returns freed memory in malloc's heaps of all threads to the system. Takes one or two
 * milliseconds.
 */
export function trimMalloc(): void {
  if (trim === undefined) trim = mallocTrim();
  trim?.(0);
}

const PR_SET_DUMPABLE = 4;

/**
 * Disables core dumps of this process: its memory contains private keys. From now on no core dump
 * is written, and other processes of the same user cannot read the memory. False: the system does
 * not support it.
 */
export function disableCoreDumps(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    return koffi.load(null).func('int prctl(int, ulong, ulong, ulong, ulong)')(PR_SET_DUMPABLE, 0, 0, 0, 0) === 0;
  } catch {
    return false;
  }
}

/**
 * Returns unused memory to the system. V8 collects garbage only when a thread allocates more, which
 * an idle thread does not. malloc keeps freed memory in the heaps of its threads.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import koffi from 'koffi';

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

/** Blocks the thread for 10 to 50 ms: only for idle threads. */
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

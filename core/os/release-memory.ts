/**
 * Gives memory that nobody uses back to the system. V8 collects what a thread no longer holds when
 * it allocates more, which an idle thread does not; and malloc keeps what was freed in the heaps of
 * its threads.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import koffi from 'koffi';

let trim: ((pad: number) => number) | null | undefined;
let collect: (() => void) | undefined;

/** Of a libc that has it (glibc); null elsewhere. */
function mallocTrim(): ((pad: number) => number) | null {
  try {
    return koffi.load(null).func('int malloc_trim(size_t)');
  } catch {
    return null;
  }
}

/** V8's collector, which is visible only under this flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as () => void;
}

/** Stops the thread for some 10 to 50 ms: for one that has little to do. */
export function releaseMemory(): void {
  collect ??= collector();
  collect();
  trimMalloc();
}

/** What was freed in malloc's heaps of all threads returns to the system: a millisecond or two. */
export function trimMalloc(): void {
  if (trim === undefined) trim = mallocTrim();
  trim?.(0);
}

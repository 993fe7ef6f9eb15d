/**
 * A smaller heap for the main thread. V8 fixes its size when Node starts, before the settings and
 * the control group are known. So with little memory, Node runs the same command once more with
 * other options, in the same process: execve(2) keeps its id, control group and standard streams.
 */
import koffi from 'koffi';
import { MAIN_HEAP, SMALL_MAIN_HEAP } from '../base/main-heap.ts';

/**
 * malloc returns freed memory to the system at once, and has few areas. Adaptive limits of glibc
 * would keep what a burst has used.
 */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

const nameOf = (option: string): string => option.replace(/=.*/, '');
const HEAP_OPTIONS: ReadonlySet<string> = new Set([...MAIN_HEAP, SMALL_MAIN_HEAP].map(nameOf));

/** Node's options with a small heap; null: `options` have it already. */
export function smallHeapOptions(options: readonly string[]): string[] | null {
  if (options.includes(SMALL_MAIN_HEAP)) return null;
  return [...options.filter((option) => !HEAP_OPTIONS.has(nameOf(option))), SMALL_MAIN_HEAP];
}

/** Does not return if it succeeds. Null: the heap is small already. Otherwise why it failed. */
export function restartWithSmallHeap(): string | null {
  const options = smallHeapOptions(process.execArgv);
  if (options === null) return null;
  const environment = { ...MALLOC, ...process.env };
  const args = [process.execPath, ...options, ...process.argv.slice(1)];
  return runInstead(
    process.execPath,
    args,
    Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  );
}

const F_SETFD = 2;
const STANDARD_STREAMS = [0, 1, 2];

/** Runs a program in this process. Returns only if that fails: the reason. */
function runInstead(program: string, args: readonly string[], environment: readonly string[]): string {
  try {
    const libc = koffi.load(null);
    const fcntl = libc.func('int fcntl(int, int, ...)');
    const execve = libc.func('int execve(const char *, const char **, const char **)');
    // Node marks them as to be closed.
    for (const stream of STANDARD_STREAMS) fcntl(stream, F_SETFD, 'int', 0);
    execve(program, [...args, null], [...environment, null]);
    return `execve failed with error ${koffi.errno()}`;
  } catch (error) {
    return (error as Error).message;
  }
}

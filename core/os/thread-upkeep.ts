/**
 * Keeps the memory of a long-running thread flat. V8 collects the old generation of a thread when
 * it reaches some hundred megabytes. A thread that promotes little reaches that after days, and its
 * garbage keeps memory outside the heap (buffers, TLS sessions).
 */
import { getHeapSpaceStatistics } from 'node:v8';
import koffi from 'koffi';
import { beat } from './pulse.ts';

/** Milliseconds between checks of the heap. */
const INTERVAL = 5 * 60_000;
/** Minimum growth of the old generation in bytes that is worth the pause of a collection. */
const MIN_GROWTH = 2 << 20;
/** `v8::MemoryPressureLevel::kModerate`. */
const MODERATE = 1;
const OLD_SPACES = new Set(['old_space', 'large_object_space', 'code_space', 'trusted_space']);

/** Bytes of objects in the old generation of this thread, including garbage. */
function oldBytes(): number {
  let bytes = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    if (OLD_SPACES.has(space_name)) bytes += space_used_size;
  return bytes;
}

/** Starts a collection when memory has grown since the last collection. */
export class HeapGrowth {
  /** The lowest size since the last requested collection. */
  #least = Number.POSITIVE_INFINITY;

  /** `measure`: bytes. */
  constructor(
    private readonly measure: () => number,
    private readonly collect: () => void,
    private readonly growth = MIN_GROWTH,
  ) {}

  /** A collection takes a while, so the check after it only measures. */
  look(): void {
    const bytes = this.measure();
    this.#least = Math.min(this.#least, bytes);
    if (bytes - this.#least < this.growth) return;
    this.#least = Number.POSITIVE_INFINITY;
    this.collect();
  }
}

/**
 * Returns a function that starts a collection of all generations of this thread. Marking runs in
 * small steps and on other threads; the final pause takes some milliseconds. Null: the symbols of
 * V8 are missing.
 */
export function collection(): (() => void) | null {
  try {
    const library = koffi.load(null);
    const isolate = library.func('uintptr_t _ZN2v87Isolate10GetCurrentEv()')() as number;
    const notify = library.func(
      'void _ZN2v87Isolate26MemoryPressureNotificationENS_19MemoryPressureLevelE(uintptr_t, int)',
    );
    return () => void notify(isolate, MODERATE);
  } catch {
    return null;
  }
}

/** Call it at the start of each worker thread: starts its heartbeat and its collections. */
export function maintainThread(pulse: SharedArrayBuffer): void {
  const collect = collection();
  beat(pulse, collect ?? undefined);
  if (collect === null) return;
  const growth = new HeapGrowth(oldBytes, collect);
  setInterval(() => growth.look(), INTERVAL).unref();
}

/**
 * Keeps the memory of a thread that runs for months flat. V8 collects the old generation of a
 * thread when it reaches a limit of some hundred megabytes; a thread that promotes little gets
 * there after days, and what its garbage holds outside the heap (buffers, TLS sessions) stays too.
 */
import { getHeapSpaceStatistics } from 'node:v8';
import koffi from 'koffi';
import { beat } from './pulse.ts';
import { trimMalloc } from './release-memory.ts';

/** Milliseconds. */
const INTERVAL = 5 * 60_000;
/** Bytes by which the old generation has grown, from which a collection is worth its pause. */
const MIN_GROWTH = 2 << 20;
/** `v8::MemoryPressureLevel::kModerate`. */
const MODERATE = 1;
const OLD_SPACES = new Set(['old_space', 'large_object_space', 'code_space', 'trusted_space']);

/** Bytes of objects in the old generation of this thread, dead ones included. */
function oldBytes(): number {
  let bytes = 0;
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    if (OLD_SPACES.has(space_name)) bytes += space_used_size;
  return bytes;
}

/** Tells when to collect: when the old generation has grown since the last collection. */
export class HeapGrowth {
  readonly #oldBytes: () => number;
  readonly #collect: () => void;
  /** Least bytes since the last collection that was asked for. */
  #least = Number.POSITIVE_INFINITY;

  constructor(measure: () => number, collect: () => void) {
    this.#oldBytes = measure;
    this.#collect = collect;
  }

  /** A collection takes a while, so the look after it is the first that may ask for another. */
  look(): void {
    const bytes = this.#oldBytes();
    this.#least = Math.min(this.#least, bytes);
    if (bytes - this.#least < MIN_GROWTH) return;
    this.#least = Number.POSITIVE_INFINITY;
    this.#collect();
  }
}

/**
 * What begins a collection of all generations of this thread: marked in small steps and by other
 * threads, and ended by a pause of some milliseconds. Null: V8's symbols are missing.
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

/** For each worker thread, at its start: it beats, and is collected as it grows. */
export function maintainThread(pulse: SharedArrayBuffer): void {
  beat(pulse);
  const collect = collection();
  if (collect === null) return;
  const growth = new HeapGrowth(oldBytes, collect);
  setInterval(() => growth.look(), INTERVAL).unref();
}

/** For the main thread: what was freed in malloc's heaps of all threads returns to the system. */
export function trimRegularly(): void {
  setInterval(trimMalloc, 2 * INTERVAL).unref();
}

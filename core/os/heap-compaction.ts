/**
 * Keeps the old generation of the main thread compact. Ordinary collections of V8 move few objects,
 * since pages that are half empty are used again; but objects in flight that a collection promotes
 * die soon and leave holes, and the old generation grows: in the soak by 0.4 MB a minute, of which
 * nothing was in use. V8's memory reducer would compact it, but run several times in a row, and is
 * off (core/base/main-heap.ts).
 */
import { getHeapSpaceStatistics } from 'node:v8';
import koffi from 'koffi';
import { Periodic } from '../base/periodic.ts';

/** Milliseconds. */
const INTERVAL = 10 * 60_000;
/** Bytes of the old generation that nothing uses, from which compaction is worth its pause. */
const MIN_UNUSED = 8 << 20;
/** `v8::MemoryPressureLevel::kModerate`. */
const MODERATE = 1;

/** `stop` ends it. Where V8 cannot be asked nothing is compacted. */
export function startHeapCompaction(): Periodic {
  const compact = compaction();
  const work = (): void => {
    if (compact !== null && unusedBytes() >= MIN_UNUSED) compact();
  };
  const periodic = new Periodic(work, { interval: INTERVAL, onEnd: () => {} });
  periodic.start();
  return periodic;
}

/** Bytes of the old generation's pages without an object, alive or not. */
export function unusedBytes(): number {
  const old = getHeapSpaceStatistics().find((space) => space.space_name === 'old_space');
  return old === undefined ? 0 : old.space_size - old.space_used_size;
}

/**
 * What begins a collection in small steps that ends with a compaction: a pause of 10 to 50 ms, as
 * of other collections of all generations. Null: V8's symbols are missing.
 */
export function compaction(): (() => void) | null {
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

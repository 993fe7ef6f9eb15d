/** Sums the cache statistics of the threads for the metrics. */
import type { Registry } from '../../core/base/metrics/index.ts';
import type { CacheStats } from '../cache/store/cache-store.ts';

type SummedStats = Omit<CacheStats, 'hits'>;

/** Fields that are summed over the threads. */
const SUMMED: readonly (readonly [kind: 'counter' | 'gauge', name: string, field: keyof SummedStats, help: string])[] =
  [
    ['gauge', 'memory_objects', 'memoryObjects', 'Responses in memory.'],
    ['gauge', 'memory_bytes', 'memoryBytes', 'Memory of the cached responses and their index.'],
    ['gauge', 'memory_limit_bytes', 'memoryLimit', 'Limit of memory_bytes.'],
    ['counter', 'misses_total', 'misses', 'Lookups without a stored response.'],
    ['counter', 'stored_total', 'stored', 'Responses stored.'],
    ['counter', 'evicted_total', 'evicted', 'Responses evicted from memory to make room.'],
    ['counter', 'purged_total', 'purged', 'Responses dropped because of a purge or an unsafe request.'],
    ['counter', 'damaged_total', 'damaged', 'Entries on disk that were unreadable or failed their checksum.'],
    ['counter', 'unwritten_total', 'unwritten', 'Responses not written because the disk was too slow or failed.'],
  ];
/** Fields of the disk, which threads share: each thread reports the same value. */
const NODE_FIELDS: readonly (readonly [name: string, field: keyof SummedStats, help: string])[] = [
  ['disk_objects', 'diskObjects', 'Responses on disk.'],
  ['disk_bytes', 'diskBytes', 'Disk space of the cached responses.'],
  ['disk_limit_bytes', 'diskLimit', 'Limit of disk_bytes.'],
];

/**
 * Milliseconds without a report after which a thread counts as ended. Running threads report every
 * few seconds.
 */
const SILENT_MS = 60_000;

export class CacheTotals {
  readonly #latest = new Map<number, { readonly stats: CacheStats; readonly at: number }>();
  /** Counters of ended threads. */
  readonly #before = new Map<keyof SummedStats, number>();
  readonly #hitsBefore = { memory: 0, disk: 0 };

  /** Stores the report of a thread. `worker`: never reused after the thread has ended. */
  take(worker: number, stats: CacheStats, now = performance.now()): void {
    this.#latest.set(worker, { stats, at: now });
    for (const [other, { stats: last, at }] of this.#latest) {
      if (now - at < SILENT_MS) continue;
      this.#latest.delete(other);
      this.#keep(last);
    }
  }

  /** Registers the metrics. Must be called once. */
  expose(registry: Registry): void {
    for (const [kind, name, field, help] of SUMMED)
      registry.read(kind, `waypost_edge_cache_${name}`, help, [], (emit) =>
        emit(this.#sum(field) + (kind === 'counter' ? (this.#before.get(field) ?? 0) : 0)),
      );
    for (const [name, field, help] of NODE_FIELDS)
      registry.read('gauge', `waypost_edge_cache_${name}`, help, [], (emit) =>
        emit(Math.max(0, ...[...this.#latest.values()].map(({ stats }) => stats[field]))),
      );
    registry.read('counter', 'waypost_edge_cache_hits_total', 'Lookups with a stored response.', ['from'], (emit) => {
      for (const from of ['memory', 'disk'] as const) {
        const now = [...this.#latest.values()].reduce((sum, { stats }) => sum + stats.hits[from], 0);
        emit(now + this.#hitsBefore[from], from);
      }
    });
  }

  #sum(field: keyof SummedStats): number {
    let sum = 0;
    for (const { stats } of this.#latest.values()) sum += stats[field];
    return sum;
  }

  #keep(last: CacheStats): void {
    for (const [kind, , field] of SUMMED)
      if (kind === 'counter') this.#before.set(field, (this.#before.get(field) ?? 0) + last[field]);
    this.#hitsBefore.memory += last.hits.memory;
    this.#hitsBefore.disk += last.hits.disk;
  }
}

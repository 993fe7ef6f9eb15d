/** Sizes of the store and of the index, and where the journal is. */
import type { Registry } from '../base/metrics/registry.ts';

/** What LMDB says of a table, and, asked of the root, of the whole file (lmdb's `getStats`). */
export interface Counted {
  getStats(): object;
}

/** Takes in core/store's Environment. */
export interface StoreSource {
  readonly root: Counted;
  /** By name. */
  readonly tables: ReadonlyMap<string, Counted>;
}

/** Takes in core/store's IndexWriter. */
export interface IndexSource {
  readonly stats: {
    readonly names: number;
    readonly inStore: number;
    readonly slots: number;
    readonly arenaUsed: number;
    readonly arenaCapacity: number;
  };
}

/** A number of lmdb's statistics, which are not typed. 0 where it is missing. */
function numberOf(counted: Counted, name: string): number {
  const value: unknown = (counted.getStats() as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : 0;
}

export function storeMetrics(registry: Registry, { root, tables }: StoreSource): void {
  registry.read('gauge', 'waypost_store_entries', 'Entries of each table of the store.', ['table'], (emit) => {
    for (const [name, table] of tables) emit(numberOf(table, 'entryCount'), name);
  });
  registry.read(
    'gauge',
    'waypost_store_map_bytes',
    'Address space that the store is mapped to; it grows.',
    [],
    (emit) => emit(numberOf(root, 'mapSize')),
  );
  registry.read(
    'gauge',
    'waypost_store_used_bytes',
    'The store up to its last page, free pages before it included.',
    [],
    (emit) => emit((numberOf(root, 'lastPageNumber') + 1) * numberOf(root, 'pageSize')),
  );
  registry.read('gauge', 'waypost_store_readers', 'Readers of the store, one a thread that has it open.', [], (emit) =>
    emit(numberOf(root, 'numReaders')),
  );
}

export function indexMetrics(registry: Registry, index: IndexSource): void {
  const gauge = (name: string, help: string, of: (stats: IndexSource['stats']) => number): void =>
    registry.read('gauge', `waypost_index_${name}`, help, [], (emit) => emit(of(index.stats)));
  gauge('names', 'Names that the index knows.', (stats) => stats.names);
  gauge(
    'names_in_store',
    'Names whose answers the arena has no room for; they are read from the store.',
    (stats) => stats.inStore,
  );
  gauge('slots', 'Slots of the hash table.', (stats) => stats.slots);
  gauge('arena_used_bytes', 'Bytes of answers in shared memory.', (stats) => stats.arenaUsed);
  gauge('arena_size_bytes', 'The bound of that memory.', (stats) => stats.arenaCapacity);
}

export function journalHeadMetrics(registry: Registry, journal: { readonly head: number }): void {
  registry.read('gauge', 'waypost_journal_sequence', 'The last journal entry that is applied here.', [], (emit) =>
    emit(journal.head),
  );
}

export function readinessMetrics(registry: Registry, ready: () => { readonly ok: boolean }): void {
  registry.read('gauge', 'waypost_ready', '1 when all parts serve, else 0, as /readyz says.', [], (emit) =>
    emit(ready().ok ? 1 : 0),
  );
}

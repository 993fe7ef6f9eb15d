/** Metrics of the store, the index, the journal position and readiness. */
import type { Registry } from '../base/metrics/registry.ts';
import type { Environment } from './environment.ts';
import { TABLES } from './rows.ts';

/** Statistics of a table or, from the root, of the whole file (`getStats` of lmdb). */
interface Counted {
  getStats(): object;
}

/** The root of the Environment, and its tables. */
interface StoreSource {
  readonly root: Counted;
  /** By name. */
  readonly tables: ReadonlyMap<string, Counted>;
}

const DERIVED = ['lookups', 'answers', 'targets', 'aliases', 'zones', 'sites', 'nsec3', 'history', 'journal'] as const;

/** The tables of the store by name. */
export function tablesOf(environment: Environment): Map<string, Counted> {
  const tables = new Map<string, Counted>();
  for (const [number, { name }] of TABLES) tables.set(name, environment.rows.get(number)!);
  for (const name of DERIVED) tables.set(name, environment[name]);
  return tables;
}

/** Satisfied by IndexWriter. */
interface IndexSource {
  /** Null: the index is complete. */
  readonly filling: object | null;
  readonly stats: {
    readonly names: number;
    readonly inStore: number;
    readonly slots: number;
    readonly arenaUsed: number;
    readonly arenaCapacity: number;
  };
}

/** Reads a number of the untyped statistics of lmdb. 0: it is missing. */
function numberOf(counted: Counted, name: string): number {
  const value: unknown = (counted.getStats() as Readonly<Record<string, unknown>>)[name];
  return typeof value === 'number' ? value : 0;
}

export function storeMetrics(registry: Registry, { root, tables }: StoreSource): void {
  registry.read(
    'gauge',
    'waypost_store_entries',
    'Number of entries in each table of the store.',
    ['table'],
    (emit) => {
      for (const [name, table] of tables) emit(numberOf(table, 'entryCount'), name);
    },
  );
  registry.read(
    'gauge',
    'waypost_store_map_bytes',
    'Address space mapped for the store; it grows automatically.',
    [],
    (emit) => emit(numberOf(root, 'mapSize')),
  );
  registry.read(
    'gauge',
    'waypost_store_used_bytes',
    'Size of the store up to its last page, including free pages.',
    [],
    (emit) => emit((numberOf(root, 'lastPageNumber') + 1) * numberOf(root, 'pageSize')),
  );
  registry.read(
    'gauge',
    'waypost_store_readers',
    'Readers of the store: one for each thread that has it open.',
    [],
    (emit) => emit(numberOf(root, 'numReaders')),
  );
}

export function indexMetrics(registry: Registry, index: IndexSource): void {
  const gauge = (name: string, help: string, of: (stats: IndexSource['stats']) => number): void =>
    registry.read('gauge', `waypost_index_${name}`, help, [], (emit) => emit(of(index.stats)));
  registry.read(
    'gauge',
    'waypost_index_complete',
    '1 if answers come from the index; 0 while it is filled after a start and they come from the store.',
    [],
    (emit) => emit(index.filling === null ? 1 : 0),
  );
  gauge('names', 'Names in the index.', (stats) => stats.names);
  gauge(
    'names_in_store',
    'Names whose answers do not fit the arena and are read from the store.',
    (stats) => stats.inStore,
  );
  gauge('slots', 'Slots of the hash table.', (stats) => stats.slots);
  gauge('arena_used_bytes', 'Bytes of answers in shared memory.', (stats) => stats.arenaUsed);
  gauge('arena_size_bytes', 'Maximum size of that memory.', (stats) => stats.arenaCapacity);
}

export function journalHeadMetrics(registry: Registry, journal: { readonly head: number }): void {
  registry.read(
    'gauge',
    'waypost_journal_sequence',
    'Sequence number of the last journal entry applied on this node.',
    [],
    (emit) => emit(journal.head),
  );
}

export function readinessMetrics(registry: Registry, ready: () => { readonly ok: boolean }): void {
  registry.read('gauge', 'waypost_ready', '1 if the node is ready, 0 if not, as reported by /readyz.', [], (emit) =>
    emit(ready().ok ? 1 : 0),
  );
}

/** The accounts and zones that store the most, for metrics and for `waypost doctor`. */
import { setImmediate } from 'node:timers/promises';
import type { Logger } from '../base/log/index.ts';
import type { Registry } from '../base/metrics/registry.ts';
import type { Tasks } from '../base/tasks.ts';
import { formatHost } from '../dns/wire/name.ts';
import type { Binary } from './environment.ts';
import { type Id, idAt } from './keys.ts';
import type { StoreReader } from './store-reader.ts';
import { decodeUsage, decodeZoneState } from './zone-state.ts';

export interface LargeAccount {
  readonly accountId: Id;
  readonly records: number;
  readonly bytes: number;
}

export interface LargeZone {
  readonly domainId: Id;
  readonly domain: string;
  readonly accountId: Id;
  readonly records: number;
  readonly bytes: number;
}

interface Largest {
  /** In descending order of bytes. */
  readonly accounts: readonly LargeAccount[];
  readonly zones: readonly LargeZone[];
}

/** Rows read between two yields to the event loop. */
const PAGE_SIZE = 2000;

/** Finds the `count` largest accounts and zones. Reads all rows of both tables. */
export async function findLargest(reader: StoreReader, count: number): Promise<Largest> {
  const { usage, zones: states } = reader.environment;
  const accounts = new Top<LargeAccount>(count);
  await forEachRow(usage, (key, value) => {
    const { records, bytes } = decodeUsage(value);
    if (accounts.admits(bytes)) accounts.add({ accountId: idAt(key), records, bytes });
  });
  const zones = new Top<{ readonly domainId: Id; readonly bytes: number }>(count);
  await forEachRow(states, (key, value) => {
    const { bytes } = decodeZoneState(value);
    const domainId = idAt(key);
    // Deleted domains have a state, too, until they are deleted for good.
    if (zones.admits(bytes) && reader.domain(domainId) !== undefined) zones.add({ domainId, bytes });
  });
  return {
    accounts: accounts.rows,
    zones: zones.rows.flatMap(({ domainId, bytes }) => {
      const row = reader.domain(domainId);
      // The domain may have been deleted meanwhile.
      if (row === undefined) return [];
      const { recordCount } = reader.zoneState(domainId);
      return [{ domainId, domain: formatHost(row.apex), accountId: row.accountId, records: recordCount, bytes }];
    }),
  };
}

async function forEachRow(table: Binary, visit: (key: Uint8Array, value: Buffer) => void): Promise<void> {
  let start: Buffer | undefined;
  for (let isAtEnd = false; !isAtEnd; ) {
    let left = PAGE_SIZE;
    for (const { key, value } of table.getRange({ start, limit: PAGE_SIZE })) {
      visit(key, value);
      start = Buffer.concat([key, Uint8Array.of(0)]);
      left--;
    }
    isAtEnd = left > 0;
    if (!isAtEnd) await setImmediate();
  }
}

/** The rows with the most bytes, in descending order. */
class Top<Row extends { readonly bytes: number }> {
  readonly rows: Row[] = [];
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  admits(bytes: number): boolean {
    return this.rows.length < this.#count || bytes > this.rows[this.rows.length - 1].bytes;
  }

  add(row: Row): void {
    if (this.rows.length === this.#count) this.rows.pop();
    const at = this.rows.findIndex(({ bytes }) => bytes < row.bytes);
    this.rows.splice(at < 0 ? this.rows.length : at, 0, row);
  }
}

/** Number of accounts and of zones in the metrics. */
const SHOWN = 10;
/** Milliseconds between two scans. */
const INTERVAL = 60_000;

/** Updates the metrics of the largest accounts and zones periodically, from `start` on. */
export function watchLargest(
  { metrics: registry, tasks, log }: { metrics: Registry; tasks: Tasks; log: Logger },
  reader: StoreReader,
): { start(): void; stop(): Promise<void> } {
  let largest: Largest = { accounts: [], zones: [] };
  const scans = tasks.add({
    name: 'largest-accounts',
    owner: 'node',
    due: INTERVAL,
    first: 0,
    log,
    // A failed scan keeps the previous figures.
    run: async () => {
      largest = await findLargest(reader, SHOWN);
    },
  });
  registry.read(
    'gauge',
    'waypost_account_stored_bytes',
    'Bytes that the ten largest accounts store.',
    ['account'],
    (emit) => {
      for (const { accountId, bytes } of largest.accounts) emit(bytes, String(accountId));
    },
  );
  registry.read('gauge', 'waypost_account_records', 'Records of the ten largest accounts.', ['account'], (emit) => {
    for (const { accountId, records } of largest.accounts) emit(records, String(accountId));
  });
  registry.read('gauge', 'waypost_zone_stored_bytes', 'Bytes that the ten largest zones store.', ['zone'], (emit) => {
    for (const { domain, bytes } of largest.zones) emit(bytes, domain);
  });
  registry.read('gauge', 'waypost_zone_records', 'Records of the ten largest zones.', ['zone'], (emit) => {
    for (const { domain, records } of largest.zones) emit(records, domain);
  });
  return scans;
}

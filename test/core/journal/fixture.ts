/** A store with a journal, and rows for tests. */

import { MessageChannel } from 'node:worker_threads';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { openEmbeddedJournal } from '../../../core/journal/embedded-journal.ts';
import type { ClusterLevel } from '../../../core/journal/feature-level.ts';
import type { Journal } from '../../../core/journal/journal.ts';
import { LmdbNodeStore } from '../../../core/nameserver/node-store.ts';
import { type Environment, openEnvironment } from '../../../core/store/environment.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import {
  type Account,
  type Domain,
  PRIMARY,
  type ProxyConfig,
  type RecordRow,
  TABLES as TABLES_OF_ROWS,
} from '../../../core/store/rows.ts';
import { StoreReader } from '../../../core/store/store-reader.ts';
import type { ZoneSettings } from '../../../core/zone/compile/settings.ts';
import { CLUSTER } from '../../reference/proxy.ts';
import { newId } from '../../support/ids.ts';
import { QueryPath } from '../../support/in-process.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

export const DEFAULTS: ZoneSettings = {
  nameservers: ['ns1.waypost.test', 'ns2.waypost.test'],
  hostmaster: 'hostmaster.waypost.test',
  refresh: 3600,
  retry: 600,
  expire: 86_400,
  minimum: 60,
  soaTtl: 240,
  nsTtl: 300,
  cluster: CLUSTER,
};

export interface Store {
  readonly folder: string;
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly reader: StoreReader;
  journal: Journal;
}

export interface StoreOptions {
  readonly history?: number;
  readonly arenaBytes?: number;
  /** All multipliers of the index's hash are zero, so that all names have the same hash. */
  readonly collide?: boolean;
  /** As for IndexWriter. */
  readonly isComplete?: boolean;
}

export type JournalFactory = (store: Omit<Store, 'journal'>, history: number) => Journal | Promise<Journal>;

export const embedded = (
  { environment, index }: Omit<Store, 'journal'>,
  history: number,
  clusterLevel?: () => ClusterLevel,
): Journal => openEmbeddedJournal({ environment, index, zoneSettings: DEFAULTS, history, clusterLevel });

/** Runs `work` on an empty store and closes it. */
export async function withStore(
  factory: JournalFactory,
  work: (store: Store) => Promise<void>,
  { history = 1000, arenaBytes = 4 << 20, collide = false, isComplete = true }: StoreOptions = {},
): Promise<void> {
  const folder = temporaryFolder('journal');
  const environment = openEnvironment(folder);
  const index = new IndexWriter(arenaBytes, 0, isComplete);
  if (collide) {
    const { port1 } = new MessageChannel();
    new Int32Array(index.share(port1).multipliers).fill(0);
    index.unshare(port1, 2);
    port1.close();
  }
  const base = { folder, environment, index, reader: new StoreReader(environment) };
  const store = { ...base, journal: await factory(base, history) };
  try {
    await work(store);
  } finally {
    await store.journal.close();
    await environment.close();
    removeFolder(folder);
  }
}

/** The query path over a store, with the answers that are in LMDB. */
export function queryPath({ index, folder }: Store): { answer: QueryPath['answer']; close(): Promise<void> } {
  const nodes = new LmdbNodeStore(folder);
  const { answer } = new QueryPath(index, nodes);
  return { answer, close: () => nodes.close() };
}

/**
 * Throws unless two stores have the same entries; says only what differs. `ignoresEntries`: the
 * stores may have other entries of the journal, and other sequences.
 */
export function checkAlike(environment: Environment, other: Environment, { ignoresEntries = false } = {}): void {
  const [all, others] = [environment, other].map(
    (store) => new Set(ignoresEntries ? dump(store).flatMap(withoutSequence) : dump(store)),
  );
  const missing = [...others].filter((entry) => !all.has(entry));
  const surplus = [...all].filter((entry) => !others.has(entry));
  const first = (entries: string[]): string[] => entries.slice(0, 10).map((entry) => entry.slice(0, 500));
  assert.equal({ missing: first(missing), surplus: first(surplus) }, { missing: [], surplus: [] });
}

/** An entry of a table as text, without the sequence in its key or value. */
function withoutSequence(line: string): string[] {
  const [table, key, value] = line.split(' ');
  if (table === 'journal' || table === 'meta') return [];
  // The sequence is the last part of the key of a change, and the revision of a zone.
  if (table === 'history') return [`${table} ${key.slice(0, 16)} ${value}`];
  if (table === 'zones') return [`${table} ${key} ${value.slice(0, 8)} ${value.slice(20)}`];
  return [line];
}

/** Every entry of every table as text. */
export function dump(environment: Environment, tables: readonly string[] = TABLES): string[] {
  environment.root.resetReadTxn();
  const out: string[] = [];
  for (const name of tables) {
    const table = name.startsWith('rows')
      ? environment.rows.get(Number(name.slice(4)))!
      : environment[name as 'answers'];
    for (const { key, value } of table.getRange({}))
      out.push(`${name} ${Buffer.from(key).toString('hex')} ${value.toString('hex')}`);
  }
  return out;
}
const TABLES = [
  ...[...TABLES_OF_ROWS.keys()].map((number) => `rows${number}`),
  ...['lookups', 'answers', 'targets', 'aliases', 'zones', 'usage', 'orders', 'sites', 'history', 'journal', 'meta'],
];

export function newAccount(plan = '0'): Account {
  const id = newId();
  return {
    id,
    username: `user-${id}`,
    email: `${id}@example.com`,
    role: 'user',
    plan,
    passwordHash: '',
    apiEnabled: true,
    createdAt: 1,
    updatedAt: 1,
  };
}

export function newDomain(apex: string, kept: Domain['kept'] = null): Domain {
  return { id: newId(), accountId: 0, apex: parseName(apex), createdAt: 1, kept, ...PRIMARY };
}

export function newProxy(domain: Domain, enabled = true): ProxyConfig {
  return {
    domainId: domain.id,
    enabled,
    originHost: null,
    originPort: 443,
    originProtocol: 'https',
    sslStatus: 'none',
    sslIssuedAt: null,
    sslExpiresAt: null,
    sslError: null,
    orderRequestedAt: null,
    createdAt: 1,
    updatedAt: 1,
  };
}

export function newRecord(domain: Domain, name: string, type: number, rdata: Uint8Array, ttl = 300): RecordRow {
  return {
    id: newId(),
    domainId: domain.id,
    name: parseName(name, domain.apex),
    type,
    ttl,
    rdata,
    proxied: null,
    createdAt: 1,
    updatedAt: 1,
  };
}

export const addressRecord = (domain: Domain, name: string, last = 1): RecordRow =>
  newRecord(domain, name, TYPE.A, Uint8Array.of(192, 0, 2, last));

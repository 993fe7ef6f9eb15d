/**
 * Fills the index from the answers table when the daemon starts. Threads read a share of the table each and write the nodes into the arena;
 * the calling thread puts the slots.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Environment } from '../environment.ts';
import { idAt, idKey } from '../keys.ts';
import { entryOf, isListedOnly } from '../nsec3-entries.ts';
import { domains } from '../rows.ts';
import { FIRST_NODE } from './layout.ts';
import type { ScanData, Scanned } from './scan-worker.ts';
import { IndexWriter } from './writer.ts';

/** Names for which another thread is worth its start. */
const NAMES_PER_THREAD = 50_000;
const MAX_THREADS = 8;

/** Reads every node once. `directory`: of the environment. `arenaBytes`: see IndexWriter. */
export async function buildIndex(
  environment: Environment,
  directory: string,
  arenaBytes: number,
): Promise<IndexWriter> {
  const { entryCount } = environment.answers.getStats() as { entryCount: number };
  const index = new IndexWriter(arenaBytes, entryCount);
  const threads = Math.min(MAX_THREADS, availableParallelism(), Math.ceil(entryCount / NAMES_PER_THREAD));
  if (threads === 0) return index;
  const { shared, end } = index.building;
  const cursor = new SharedArrayBuffer(4);
  new Int32Array(cursor)[0] = FIRST_NODE / 8;
  const unused: number[] = [];
  const bounds = splitKeys(environment, entryCount, threads);
  const scans = Array.from({ length: bounds.length + 1 }, (_, i) => {
    const data: ScanData = { directory, shared, cursor, from: bounds[i - 1] ?? null, to: bounds[i] ?? null, end };
    return scan(data, (scanned) => {
      index.adopt(scanned.slots, scanned.maxLabels);
      unused.push(...scanned.unused);
    });
  });
  await Promise.all(scans);
  index.built(Atomics.load(new Int32Array(cursor), 0) * 8, unused);
  loadDenial(environment, index);
  return index;
}

/** Puts the NSEC3 entries of all signed zones into the index. */
function loadDenial(environment: Environment, index: IndexWriter): void {
  let entries: Buffer[] = [];
  let domainId = 0;
  const put = (): void => {
    const row = environment.rows.get(domains.number)!.get(idKey(domainId));
    if (row !== undefined) index.denial.replaceAll(domainId, domains.decode(idKey(domainId), row).apex, entries);
    entries = [];
  };
  for (const { key, value } of environment.nsec3.getRange({})) {
    const id = idAt(key);
    if (id !== domainId && entries.length > 0) put();
    domainId = id;
    if (!isListedOnly(value)) entries.push(entryOf(value));
  }
  if (entries.length > 0) put();
  index.publish();
}

function scan(data: ScanData, onBatch: (scanned: Scanned) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./scan-worker.js', import.meta.url), { workerData: data, name: 'index scan' });
    let done = false;
    worker.on('message', (scanned: Scanned) => {
      onBatch(scanned);
      done = scanned.done;
    });
    worker.on('error', reject);
    worker.on('exit', (code) =>
      done ? resolve() : reject(new Error(`A thread that reads the answers table exited early (code ${code}).`)),
    );
  });
}

/** Keys that cut the answers table into parts of about the same number of names. */
function splitKeys(environment: Environment, entries: number, parts: number): Uint8Array[] {
  const keys: Uint8Array[] = [];
  for (let part = 1; part < parts; part++)
    for (const key of environment.answers.getKeys({ offset: Math.floor((entries * part) / parts), limit: 1 }))
      keys.push(Uint8Array.from(key));
  return keys;
}

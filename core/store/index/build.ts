/**
 * Fills the index from the answers and nsec3 tables when the daemon starts. Each thread scans a
 * share of the tables and writes nodes and NSEC3 entries into the arena. The calling thread inserts
 * the slots and the directories.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Binary, Environment } from '../environment.ts';
import { idKey } from '../keys.ts';
import { domains } from '../rows.ts';
import { decodeReadable, type OnDamaged } from '../scan.ts';
import type { Pair } from './denial-writer.ts';
import { FIRST_NODE } from './layout.ts';
import type { KeyBounds, ScanData, Scanned, ScannedChunk } from './scan-worker.ts';
import { IndexWriter } from './writer.ts';

/** Names for each thread: with fewer, starting another thread costs more than it saves. */
const NAMES_PER_THREAD = 50_000;
const MAX_THREADS = 8;

/**
 * Reads every node and NSEC3 entry once. `directory`: the data folder of the environment.
 * `arenaBytes`: see IndexWriter.
 */
export async function buildIndex(
  environment: Environment,
  directory: string,
  arenaBytes: number,
  namesPerThread = NAMES_PER_THREAD,
  onDamaged?: OnDamaged,
): Promise<IndexWriter> {
  const countOf = (table: Binary): number => (table.getStats() as { entryCount: number }).entryCount;
  const names = countOf(environment.answers);
  const entries = countOf(environment.nsec3);
  const index = new IndexWriter(arenaBytes, names);
  const threads = Math.min(MAX_THREADS, availableParallelism(), Math.ceil((names + entries) / namesPerThread));
  if (threads === 0) return index;
  const { shared, end } = index.building;
  const cursor = new SharedArrayBuffer(4);
  new Int32Array(cursor)[0] = FIRST_NODE / 8;
  const unused: number[] = [];
  const answers = shareKeys(environment.answers, names, threads);
  // Shares are split by the first 32 bits of a hash, so equal prefixes stay in one share.
  const nsec3 = shareKeys(environment.nsec3, entries, threads, 12);
  const chunks: ScannedChunk[][] = [];
  const scans = Array.from({ length: threads }, (_, i) => {
    chunks.push([]);
    const data: ScanData = { directory, shared, cursor, answers: answers[i], nsec3: nsec3[i], end };
    return scan(data, (scanned) => {
      index.adopt(scanned.slots, scanned.maxLabels);
      unused.push(...scanned.unused);
      chunks[i].push(...scanned.chunks);
    });
  });
  await Promise.all(scans);
  index.built(Atomics.load(new Int32Array(cursor), 0) * 8, unused);
  adoptChunks(environment, index, chunks.flat(), onDamaged);
  index.publish();
  return index;
}

/** Inserts the directories of all signed zones. `scanned`: in the order of the table. */
function adoptChunks(
  environment: Environment,
  index: IndexWriter,
  scanned: readonly ScannedChunk[],
  onDamaged: OnDamaged | undefined,
): void {
  const table = environment.rows.get(domains.number)!;
  for (let i = 0, end = 0; i < scanned.length; i = end) {
    const { domainId } = scanned[i];
    while (end < scanned.length && scanned[end].domainId === domainId) end++;
    const key = idKey(domainId);
    const row = table.get(key);
    const domain = row && decodeReadable(domains, key, row, onDamaged);
    if (domain === undefined) continue;
    const chunks = scanned.slice(i, end).map(({ first, reference }): Pair => [first, reference]);
    index.denial.adopt(domainId, domain.apex, chunks);
  }
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

/**
 * Splits a table into ranges with about the same number of entries. `length`: bytes of the keys
 * that separate them; omitted: whole keys. Null: an empty range.
 */
function shareKeys(table: Binary, entries: number, parts: number, length?: number): (KeyBounds | null)[] {
  const keys: Uint8Array[] = [];
  if (entries >= parts)
    for (let part = 1; part < parts; part++)
      for (const key of table.getKeys({ offset: Math.floor((entries * part) / parts), limit: 1 }))
        keys.push(Uint8Array.from(key as Uint8Array).subarray(0, length));
  return Array.from({ length: parts }, (_, i) =>
    i > keys.length ? null : { from: keys[i - 1] ?? null, to: keys[i] ?? null },
  );
}

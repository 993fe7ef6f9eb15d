/**
 * Fills the index from the answers and nsec3 tables, while the nameserver answers from the store.
 * Threads scan a share of the tables each and write nodes and NSEC3 entries into the arena. The
 * calling thread inserts the slots and the directories, then the changes since the scan began.
 */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { Binary, Environment } from '../environment.ts';
import { afterPrefix, apexKey, type Id, idKey, nameKey, nsec3Key } from '../keys.ts';
import { entryOf, isListedOnly } from '../nsec3-entries.ts';
import { domains } from '../rows.ts';
import { decodeReadable, type OnDamaged } from '../scan.ts';
import type { Pair } from './denial-writer.ts';
import type { Filling } from './filling.ts';
import { FIRST_NODE, SCAN_NEXT, SCAN_STOP } from './layout.ts';
import type { ScanData, Scanned, ScannedChunk } from './scan-worker.ts';
import { IndexWriter } from './writer.ts';

/** Names for each thread: with fewer, starting another thread costs more than it saves. */
const NAMES_PER_THREAD = 50_000;
const MAX_THREADS = 8;
/** Milliseconds of work on the main thread between two turns of its event loop. */
const STEP_MS = 5;

interface FillOptions {
  /** The data folder of the environment. */
  readonly directory: string;
  readonly namesPerThread?: number;
  readonly onDamaged?: OnDamaged;
  readonly signal?: AbortSignal;
}

const countOf = (table: Binary): number => (table.getStats() as { entryCount: number }).entryCount;

/** An index that `fillIndex` is to fill; it is complete if the store has no names. */
export function openIndex({ answers, nsec3 }: Environment, arenaBytes: number): IndexWriter {
  const names = countOf(answers);
  return new IndexWriter(arenaBytes, names, names + countOf(nsec3) === 0);
}

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
  const index = openIndex(environment, arenaBytes);
  await fillIndex(index, environment, { directory, namesPerThread, onDamaged });
  return index;
}

/**
 * Resolves when the index is complete and the readers read it. After a rejection, also with the
 * reason of `signal`, they read the store.
 */
export async function fillIndex(index: IndexWriter, environment: Environment, options: FillOptions): Promise<void> {
  const { filling } = index;
  if (filling === null) return;
  try {
    const chunks = await scanStore(index, environment, filling, options);
    await inSteps(adoptChunks(environment, index, chunks, options.onDamaged), options.signal);
    await applyChanges(index, environment, filling, options.signal);
  } catch (error) {
    filling.stopRecording();
    throw error;
  }
}

/** Returns the chunks of all signed zones, in the order of the nsec3 table. */
async function scanStore(
  index: IndexWriter,
  { answers, nsec3 }: Environment,
  filling: Filling,
  { directory, namesPerThread = NAMES_PER_THREAD, signal }: FillOptions,
): Promise<ScannedChunk[]> {
  const entries = countOf(answers) + countOf(nsec3);
  const parts = Math.max(1, Math.min(MAX_THREADS, availableParallelism(), Math.ceil(entries / namesPerThread)));
  const { shared, end } = index.building;
  const control = new SharedArrayBuffer(8);
  const words = new Int32Array(control);
  words[SCAN_NEXT] = FIRST_NODE / 8;
  const onAbort = (): void => void Atomics.store(words, SCAN_STOP, 1);
  signal?.addEventListener('abort', onAbort);
  const unused: number[] = [];
  const scans = Array.from({ length: parts }, (_, part) => {
    const data: ScanData = { directory, shared, control, part, parts, end };
    return new Scan(data, (scanned) => {
      index.adopt(scanned.slots, scanned.maxLabels);
      unused.push(...scanned.unused);
    });
  });
  const finished = Promise.all(scans.map((scan) => scan.finished));
  try {
    await Promise.race([finished, Promise.all(scans.map((scan) => scan.opened))]);
    await filling.betweenCommits(async () => {
      filling.startRecording();
      for (const scan of scans) scan.start();
      await Promise.race([finished, Promise.all(scans.map((scan) => scan.started))]);
    });
    await finished;
  } finally {
    onAbort();
    // Threads that still wait for it end, too.
    for (const scan of scans) scan.start();
    await Promise.allSettled(scans.map((scan) => scan.finished));
    signal?.removeEventListener('abort', onAbort);
  }
  signal?.throwIfAborted();
  index.built(Atomics.load(words, SCAN_NEXT) * 8, unused);
  return scans.flatMap(({ chunks }) => chunks);
}

/** A scan thread. */
class Scan {
  readonly chunks: ScannedChunk[] = [];
  readonly opened: Promise<unknown>;
  /** Resolves when the thread has its snapshot. */
  readonly started: Promise<unknown>;
  /** Resolves when the thread has ended. */
  readonly finished: Promise<void>;
  readonly #worker: Worker;

  constructor(data: ScanData, onBatch: (scanned: Scanned) => void) {
    const worker = new Worker(new URL('./scan-worker.js', import.meta.url), { workerData: data, name: 'index scan' });
    this.#worker = worker;
    const events = new EventTarget();
    const seen = (kind: string): Promise<unknown> => once(events, kind);
    this.opened = seen('opened');
    this.started = seen('started');
    this.finished = new Promise((resolve, reject) => {
      let isDone = false;
      worker.on('message', (message: Scanned | 'opened' | 'started') => {
        if (typeof message === 'string') {
          events.dispatchEvent(new Event(message));
          return;
        }
        onBatch(message);
        for (const chunk of message.chunks) this.chunks.push(chunk);
        isDone = message.done;
      });
      worker.on('error', reject);
      worker.on('exit', (code) =>
        isDone ? resolve() : reject(new Error(`A thread that reads the answers table exited early (code ${code}).`)),
      );
    });
  }

  start(): void {
    this.#worker.postMessage('start');
  }
}

/** Inserts the directories of all signed zones. `scanned`: in the order of the table. */
function* adoptChunks(
  environment: Environment,
  index: IndexWriter,
  scanned: readonly ScannedChunk[],
  onDamaged: OnDamaged | undefined,
): Generator<void> {
  for (let i = 0, end = 0; i < scanned.length; i = end) {
    const { domainId } = scanned[i];
    while (end < scanned.length && scanned[end].domainId === domainId) end++;
    const apex = apexOf(environment, index, domainId, onDamaged);
    if (apex === undefined) continue;
    const chunks = scanned.slice(i, end).map(({ first, reference }): Pair => [first, reference]);
    index.denial.adopt(domainId, apex, chunks);
    yield;
  }
}

function apexOf({ rows }: Environment, { filling }: IndexWriter, domainId: Id, onDamaged: OnDamaged | undefined) {
  // A domain that was deleted since the scan began: its entries are removed with the other changes.
  const changed = filling?.zones.get(domainId);
  if (changed !== undefined) return changed.apex;
  const key = idKey(domainId);
  const row = rows.get(domains.number)!.get(key);
  return row && decodeReadable(domains, key, row, onDamaged)?.apex;
}

/** Applies what has changed since the scan began, until nothing is left: the index is complete. */
async function applyChanges(
  index: IndexWriter,
  environment: Environment,
  filling: Filling,
  signal: AbortSignal | undefined,
): Promise<void> {
  while (index.filling !== null) {
    await setImmediate();
    signal?.throwIfAborted();
    await filling.betweenCommits(() => {
      environment.root.resetReadTxn();
      const end = performance.now() + STEP_MS;
      index.applyCollected(() => {
        for (const _ of changesOf(index, environment, filling)) if (performance.now() > end) return;
      });
      if (filling.isEmpty) index.finishFilling();
    });
  }
}

/** Applies a change with each step. The store has the state that the index is to have. */
function* changesOf(index: IndexWriter, environment: Environment, { names, zones }: Filling): Generator<void> {
  const { answers, nsec3 } = environment;
  for (const [id, wasStored] of names) {
    names.delete(id);
    const name = Buffer.from(id, 'latin1');
    // The root has no labels, and a key has at least one byte.
    const node = answers.get(apexKey(name)) ?? (name.length > 1 ? answers.get(nameKey(name)) : undefined);
    if (node !== undefined) index.put(node, wasStored);
    else if (wasStored) index.remove(name);
    yield;
  }
  for (const [domainId, { apex, hashes }] of zones) {
    if (hashes === null) {
      zones.delete(domainId);
      index.denial.replaceAll(domainId, apex, entriesOf(environment, domainId));
      yield;
      continue;
    }
    for (const [id, wasStored] of hashes) {
      hashes.delete(id);
      const hash = Buffer.from(id, 'latin1');
      const entry = nsec3.get(nsec3Key(domainId, hash));
      if (entry !== undefined && !isListedOnly(entry)) index.denial.put(domainId, apex, entryOf(entry), wasStored);
      else if (wasStored) index.denial.remove(domainId, apex, hash);
      yield;
    }
    zones.delete(domainId);
  }
}

function entriesOf({ nsec3 }: Environment, domainId: Id): Buffer[] {
  const start = idKey(domainId);
  const entries: Buffer[] = [];
  for (const { value } of nsec3.getRange({ start, end: afterPrefix(start) }))
    if (!isListedOnly(value)) entries.push(entryOf(value));
  return entries;
}

async function inSteps(work: Generator<void>, signal: AbortSignal | undefined): Promise<void> {
  let end = performance.now() + STEP_MS;
  for (const _ of work) {
    if (performance.now() < end) continue;
    await setImmediate();
    signal?.throwIfAborted();
    end = performance.now() + STEP_MS;
  }
}

/**
 * A thread that fills the arena after the daemon has started. It scans its share of the answers and
 * nsec3 tables and writes nodes, entries and chunks into blocks that it reserves in the arena. It
 * reports the references to the writer, the only thread that changes slots and directories.
 *
 * It reports `opened`, waits for a message, and reports `started` when it has its snapshot. The
 * snapshots of all threads are equal, so the shares are the same ranges for all.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { NAME_LENGTH_AT, nameOffset } from '../answers.ts';
import { type Binary, openEnvironment } from '../environment.ts';
import { type Id, idAt } from '../keys.ts';
import { ENTRY_HASH_AT, entryOf, isListedOnly } from '../nsec3-entries.ts';
import { isLeaf, LEAF_SHARE } from './arena.ts';
import { chunkSize, FILL, type Pair, prefixOf, writeChunk } from './denial-writer.ts';
import {
  countLabels,
  FIRST_NODE,
  finishHash,
  IN_STORE,
  nameSum,
  SCAN_NEXT,
  SCAN_STOP,
  type SharedIndex,
} from './layout.ts';

export interface ScanData {
  readonly directory: string;
  readonly shared: Pick<SharedIndex, 'arena' | 'multipliers'>;
  /** See SCAN_NEXT. */
  readonly control: SharedArrayBuffer;
  /** The thread reads share `part` of `parts`, from 0. */
  readonly part: number;
  readonly parts: number;
  /** Offset of the first byte after the arena. */
  readonly end: number;
}

/** A chunk of NSEC3 entries; reference 0: it did not fit. */
export interface ScannedChunk {
  readonly domainId: Id;
  readonly first: number;
  readonly reference: number;
}

export interface Scanned {
  /** Pairs of hash and reference. */
  readonly slots: Int32Array;
  readonly maxLabels: number;
  /** Pairs of offset and size of the unused parts of blocks. */
  readonly unused: readonly number[];
  /** In the order of the nsec3 table. */
  readonly chunks: readonly ScannedChunk[];
  readonly done: boolean;
}

/** Bytes reserved in the arena at a time. */
const BLOCK = 1 << 20;
/** Names in each message to the writer. */
const BATCH = 16384;

const data = workerData as ScanData;
const control = new Int32Array(data.control);
const arena = new Uint8Array(data.shared.arena);
const arenaWords = new Int32Array(data.shared.arena, 0, Math.floor(arena.length / 4));
const arenaView = new DataView(data.shared.arena);
const multipliers = new Int32Array(data.shared.multipliers);
const environment = openEnvironment(data.directory);

const slots = new Int32Array(BATCH * 2);
let count = 0;
let maxLabels = 0;
let unused: number[] = [];
let chunks: ScannedChunk[] = [];
let next = 0;
let blockEnd = 0;

function postScanned(done: boolean): void {
  const message: Scanned = { slots: slots.slice(0, count * 2), maxLabels, unused, chunks, done };
  parentPort?.postMessage(message, [message.slots.buffer as ArrayBuffer]);
  count = 0;
  unused = [];
  chunks = [];
}

/**
 * Reserves `length` bytes and returns their offset. 0: the arena is full, or no longer admits
 * leaves.
 */
function reserve(length: number, forLeaf: boolean): number {
  const size = (length + 7) & ~7;
  const used = Atomics.load(control, SCAN_NEXT) * 8;
  if (forLeaf && used - FIRST_NODE > (data.end - FIRST_NODE) * LEAF_SHARE) return 0;
  if (next + size > blockEnd && !takeBlock(size)) return 0;
  const offset = next;
  next += size;
  return offset;
}

/**
 * Reserves a block for the next nodes. Returns false if the arena has no room for `least` bytes.
 * Two threads may try to take the last bytes: the cursor never passes the end, not even for a
 * moment.
 */
function takeBlock(least: number): boolean {
  for (;;) {
    const cursor = Atomics.load(control, SCAN_NEXT);
    const words = Math.floor(Math.min(BLOCK, data.end - cursor * 8) / 8);
    if (words * 8 < least) return false;
    if (Atomics.compareExchange(control, SCAN_NEXT, cursor, cursor + words) !== cursor) continue;
    if (blockEnd > next) unused.push(next, blockEnd - next);
    next = cursor * 8;
    blockEnd = next + words * 8;
    return true;
  }
}

const isStopped = (): boolean => Atomics.load(control, SCAN_STOP) !== 0;

function* entriesBetween(table: Binary, start: Uint8Array | undefined, end: Uint8Array | undefined) {
  for (const entry of table.getRange({ start, end })) {
    yield entry as { key: Buffer; value: Buffer };
    if (isStopped()) return;
  }
}

/**
 * Iterates over this thread's share of a table with `total` entries. `length`: bytes of the keys
 * that separate shares; omitted: whole keys.
 */
function readShare(table: Binary, total: number, length?: number): Iterable<{ key: Buffer; value: Buffer }> {
  const { part, parts } = data;
  const boundOf = (share: number): Uint8Array | undefined => {
    for (const key of table.getKeys({ offset: Math.floor((total * share) / parts), limit: 1 }))
      return Uint8Array.from(key as Uint8Array).subarray(0, length);
    return undefined;
  };
  return entriesBetween(
    table,
    part === 0 ? undefined : boundOf(part),
    part === parts - 1 ? undefined : boundOf(part + 1),
  );
}

const countOf = (table: Binary): number => (table.getStats() as { entryCount: number }).entryCount;

function scanAnswers(table: Binary, names: number): void {
  for (const { value } of readShare(table, names)) {
    const offset = reserve(value.length, isLeaf(value));
    if (offset !== 0) arena.set(value, offset);
    const nameAt = nameOffset(value, 0);
    slots[count * 2] = finishHash(nameSum(multipliers, value, nameAt, value[NAME_LENGTH_AT]));
    slots[count * 2 + 1] = offset === 0 ? IN_STORE : offset / 8;
    maxLabels = Math.max(maxLabels, countLabels(value, nameAt));
    if (++count === BATCH) postScanned(false);
  }
}

/** Entries of the next chunk. */
let entries: Pair[] = [];
let domainId = 0;

function endChunk(): void {
  if (entries.length === 0) return;
  const offset = reserve(chunkSize(entries.length), false);
  chunks.push({ domainId, first: entries[0][0], reference: offset / 8 });
  if (offset !== 0) writeChunk(arena, arenaWords, offset, entries);
  else
    for (const [, reference] of entries)
      if (reference !== IN_STORE) unused.push(reference * 8, (arenaView.getUint32(reference * 8) + 7) & ~7);
  entries = [];
}

function scanEntries(table: Binary, total: number): void {
  // Shares are separated by the first 32 bits of a hash, so equal prefixes stay in one share.
  for (const { key, value } of readShare(table, total, 12)) {
    if (isListedOnly(value)) continue;
    const id = idAt(key);
    const prefix = prefixOf(value, ENTRY_HASH_AT);
    // Equal prefixes are in one chunk.
    if (id !== domainId || (entries.length >= FILL && entries[entries.length - 1][0] !== prefix)) endChunk();
    domainId = id;
    const entry = entryOf(value);
    const offset = reserve(entry.length, true);
    if (offset !== 0) arena.set(entry, offset);
    entries.push([prefix, offset === 0 ? IN_STORE : offset / 8]);
  }
  endChunk();
}

/** The snapshot is kept until the event loop turns. */
function scan(): void {
  const { root, answers, nsec3 } = environment;
  root.resetReadTxn();
  const names = countOf(answers);
  const proofs = countOf(nsec3);
  parentPort?.postMessage('started');
  scanAnswers(answers, names);
  scanEntries(nsec3, proofs);
  if (blockEnd > next) unused.push(next, blockEnd - next);
  postScanned(true);
  void environment.close();
}

parentPort?.once('message', scan);
parentPort?.postMessage('opened');

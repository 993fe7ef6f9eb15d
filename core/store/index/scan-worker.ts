/**
 * A thread that fills the arena when the daemon starts: it reads its share of the answers table and writes the nodes into blocks that it takes
 * from the arena. Where each lies, or that it is in the store, goes to the writer, which alone changes the slots.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { NAME_LENGTH_AT, nameOffset } from '../answers.ts';
import { openEnvironment } from '../environment.ts';
import { isLeaf, LEAF_SHARE } from './admission.ts';
import { countLabels, FIRST_NODE, finishHash, IN_STORE, nameSum, type SharedIndex } from './layout.ts';

export interface ScanData {
  readonly directory: string;
  readonly shared: Pick<SharedIndex, 'arena' | 'multipliers'>;
  /** Word 0: the next free byte of the arena, in units of 8 bytes. */
  readonly cursor: SharedArrayBuffer;
  /** Keys of the answers table, from ≤ key < to. Null: no bound. */
  readonly from: Uint8Array | null;
  readonly to: Uint8Array | null;
  /** The arena's bound: offset of the first byte behind it. */
  readonly end: number;
}

export interface Scanned {
  /** Pairs of hash and reference. */
  readonly slots: Int32Array;
  readonly maxLabels: number;
  /** Pairs of offset and size of what is left of blocks. */
  readonly unused: readonly number[];
  readonly done: boolean;
}

/** Bytes taken from the arena at a time. */
const BLOCK = 1 << 20;
/** Names told at a time. */
const BATCH = 16384;

const data = workerData as ScanData;
const cursor = new Int32Array(data.cursor);
const arena = new Uint8Array(data.shared.arena);
const multipliers = new Int32Array(data.shared.multipliers);
const environment = openEnvironment(data.directory);

const slots = new Int32Array(BATCH * 2);
let count = 0;
let maxLabels = 0;
let unused: number[] = [];
let next = 0;
let blockEnd = 0;

function tell(done: boolean): void {
  const message: Scanned = { slots: slots.slice(0, count * 2), maxLabels, unused, done };
  parentPort?.postMessage(message, [message.slots.buffer as ArrayBuffer]);
  count = 0;
  unused = [];
}

/** Offset of a place for the node, or 0 when it has to stay in the store. */
function place(node: Uint8Array): number {
  const size = (node.length + 7) & ~7;
  const used = Atomics.load(cursor, 0) * 8;
  if (isLeaf(node) && used - FIRST_NODE > (data.end - FIRST_NODE) * LEAF_SHARE) return 0;
  if (next + size > blockEnd && !takeBlock(Math.min(BLOCK, data.end - used), size)) return 0;
  const offset = next;
  next += size;
  return offset;
}

/** Makes `bytes` the block that nodes are placed in, unless the arena has no room for `least` any more. */
function takeBlock(bytes: number, least: number): boolean {
  if (bytes < least) return false;
  const words = Math.floor(bytes / 8);
  const start = Atomics.add(cursor, 0, words) * 8;
  // Another thread can have taken the last of it in between.
  if (start + words * 8 > data.end) {
    Atomics.sub(cursor, 0, words);
    return false;
  }
  if (blockEnd > next) unused.push(next, blockEnd - next);
  next = start;
  blockEnd = start + words * 8;
  return true;
}

const range = { start: data.from ?? undefined, end: data.to ?? undefined };
for (const { value } of environment.answers.getRange(range)) {
  const offset = place(value);
  if (offset !== 0) arena.set(value, offset);
  const nameAt = nameOffset(value, 0);
  slots[count * 2] = finishHash(nameSum(multipliers, value, nameAt, value[NAME_LENGTH_AT]));
  slots[count * 2 + 1] = offset === 0 ? IN_STORE : offset / 8;
  maxLabels = Math.max(maxLabels, countLabels(value, nameAt));
  if (++count === BATCH) tell(false);
}
if (blockEnd > next) unused.push(next, blockEnd - next);
tell(true);
await environment.close();

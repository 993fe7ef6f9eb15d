/**
 * The shared index: every existing name in one open-addressing table, its node in one arena, both
 * in shared memory, one for all threads. One thread writes (writer.ts), any number read (the query
 * path).
 *
 *   slots   pairs of 32-bit words: hash of the name (0: never used), reference
 *           reference > 0: the node is at reference × 8 in the arena; 0: the name has gone;
 *           IN_STORE: the node is in the answers table
 *   arena   scratch space of each reader, then nodes at multiples of 8 bytes
 *   header  counters below, then a cache line for each reader with the epoch in which it reads,
 *           0 while it reads nothing
 *
 * A change appends the new node, then swaps the slot's reference; what the old one took is reused
 * when no reader is left that entered before. The order on both sides is that of Atomics
 * (sequentially consistent): a reader announces itself before it loads a reference, the writer
 * looks at the readers after it has stored one.
 *
 * A name of a signed zone and its NSEC3 record are changed one after the other. So the writer marks
 * the zone, changes both, raises header[COMMITS], and removes the mark. A reader whose answer has
 * proofs looks at both words last: see IndexReader.isDisturbed.
 */

import { randomFillSync } from 'node:crypto';
import { largeMemory } from '../../os/large-memory.ts';
import { MAX_NODE } from '../answers.ts';
import { UNAVAILABLE_BYTES } from './unavailable-zones.ts';

/**
 * header[GENERATION]: rises when the slots have moved to a new buffer, which waits on each reader's
 * port.
 */
export const GENERATION = 0;
/**
 * header[EPOCH]: rises with each publication, goes around, and is never 0. Epochs are compared by
 * their difference.
 */
export const EPOCH = 1;
/** header[COMMITS]: rises when the answers table has a new state that readers of it must see. */
export const COMMITS = 2;
/**
 * header[MAX_LABELS]: no name in the table has more labels; names asked with more need no probe
 * above.
 */
export const MAX_LABELS = 3;
/** header[STOPPING]: 1 tells the readers to end. */
export const STOPPING = 4;
/** header[COMMITTING]: 1 while the tables may have changes that the index does not have. */
export const COMMITTING = 5;

/** header[UNAVAILABLE]: number of zones that are answered SERVFAIL (unavailable-zones.ts). */
export const UNAVAILABLE = 6;
/** header[HAS_SECONDARIES]: 1 while there are secondary zones, so that NOTIFY may be for us. */
export const HAS_SECONDARIES = 7;

/** Readers are numbered from 1, so that no node is at offset 0. */
export const READERS = 272;
const FIRST_READER = 16;
/** Words from one reader's epoch to the next: a cache line. */
const READER_STRIDE = 16;
export const readerWord = (reader: number): number => FIRST_READER + reader * READER_STRIDE;
/** Words after those of the readers: 1 while a signed zone among those of the word is changed. */
const CHANGING_WORDS = 64;
/** `sum`: of the apex (see nameSum). */
export const changingWord = (sum: number): number =>
  FIRST_READER + READERS * READER_STRIDE + (sum & (CHANGING_WORDS - 1));

export const IN_STORE = -1;

/**
 * Bytes at the start of the arena that belong to one reader, for what it fetches from the store:
 * two nodes of a query, a name's and its apex's, and an NSEC3 entry.
 */
export const ENTRY_SCRATCH = 8192;
export const SCRATCH = 2 * MAX_NODE + ENTRY_SCRATCH;
export const FIRST_NODE = READERS * SCRATCH;
export interface SharedIndex {
  readonly header: SharedArrayBuffer;
  /** One random odd multiplier for each byte of a name, counted from its end. */
  readonly multipliers: SharedArrayBuffer;
  readonly arena: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  /** See unavailable-zones.ts. */
  readonly unavailable: SharedArrayBuffer;
  /** header[GENERATION] that the slots belong to. */
  readonly generation: number;
}

/** Bytes of an arena with room for `nodes` bytes of nodes. */
function arenaSize(nodes: number): number {
  return Math.min(MAX_ARENA, FIRST_NODE + nodes);
}

/** Most bytes that one array can view. */
const MAX_ARENA = 2 ** 32 - 8;

export function createShared(arenaBytes: number, slotCount: number): SharedIndex {
  const multipliers = new SharedArrayBuffer(256 * 4);
  const secret = randomFillSync(new Int32Array(256));
  new Int32Array(multipliers).set(secret.map((r) => r | 1));
  const header = new SharedArrayBuffer((FIRST_READER + READERS * READER_STRIDE + CHANGING_WORDS) * 4);
  new Int32Array(header)[EPOCH] = 1;
  // The system hands out the pages of the arena only as they are touched.
  return {
    header,
    multipliers,
    arena: largeMemory(arenaSize(arenaBytes)),
    slots: largeMemory(slotCount * 8),
    unavailable: new SharedArrayBuffer(UNAVAILABLE_BYTES),
    generation: 0,
  };
}

/**
 * Hash of a name from the sum Σ multiplier[distance from the end] × byte. The sum is a universal
 * hash (two names chosen without knowing the multipliers collide with probability 2^-25 or less),
 * and its partial sums from the right are those of every suffix. What follows spreads it over all
 * bits. Never 0.
 */
export function finishHash(sum: number): number {
  let h = sum;
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  h ^= h >>> 16;
  return h === 0 ? 1 : h;
}

/** Sum over a whole lower-case name. */
export function nameSum(multipliers: Int32Array, name: Uint8Array, from: number, length: number): number {
  let sum = 0;
  const last = from + length - 1;
  for (let i = 0; i < length; i++) sum = (sum + Math.imul(multipliers[i], name[last - i])) | 0;
  return sum;
}

export function countLabels(name: Uint8Array, from: number): number {
  let labels = 0;
  for (let p = from; name[p] !== 0; p += name[p] + 1) labels++;
  return labels;
}

/**
 * The shared index: an open-addressing hash table of all existing names, and an arena of their
 * nodes. All threads share both. One thread writes (writer.ts); any number of threads read (the
 * query path).
 *
 *   slots   pairs of 32-bit words: hash of the name (0: never used), reference
 *           reference > 0: the node is at reference × 8 in the arena; 0: the name was removed;
 *           IN_STORE: the node is in the answers table
 *   arena   scratch space of each reader, then nodes at multiples of 8 bytes
 *   header  counters below, then a cache line for each reader with its current epoch (0: it is not
 *           reading), then the words that mark zones as changing
 *
 * A change allocates the new node, then swaps the slot's reference. The old block is reused after
 * all readers that entered before have left. Atomics are sequentially consistent: a reader stores
 * its epoch before it loads a reference, and the writer loads the epochs after it stores one.
 *
 * A name of a signed zone and its NSEC3 record cannot change in one step. So the writer marks the
 * zone, changes both, increments header[COMMITS], and clears the mark. A reader whose answer has
 * proofs checks both words at the end: see IndexReader.isDisturbed.
 */

import { randomFillSync } from 'node:crypto';
import { largeMemory } from '../../os/memory.ts';
import { MAX_NODE } from '../answers.ts';
import { UNAVAILABLE_BYTES } from './unavailable-zones.ts';

/**
 * header[GENERATION]: incremented when the slots have moved to a new buffer. Each reader receives
 * the buffer on its port. FILLING: the index is not complete; readers read the store.
 */
export const GENERATION = 0;
export const FILLING = -1;
/**
 * header[EPOCH]: incremented by each publication. It wraps around and is never 0. Epochs are
 * compared by their difference.
 */
export const EPOCH = 1;
/**
 * header[COMMITS]: incremented after a commit, so that readers renew their snapshot of the store.
 */
export const COMMITS = 2;
/**
 * header[MAX_LABELS]: upper bound of the labels of all names. Longer suffixes of a query name need
 * no probe.
 */
export const MAX_LABELS = 3;
/** header[STOPPING]: 1 asks the reading threads to stop. */
export const STOPPING = 4;
/** header[COMMITTING]: 1 while the tables may have changes that are not yet in the index. */
export const COMMITTING = 5;

/** header[UNAVAILABLE]: number of zones answered with SERVFAIL (unavailable-zones.ts). */
export const UNAVAILABLE = 6;
/** header[HAS_SECONDARIES]: 1 while secondary zones exist, for which NOTIFY may arrive. */
export const HAS_SECONDARIES = 7;

/** Readers are numbered from 1, so that no node is at offset 0. */
export const READERS = 272;
const FIRST_READER = 16;
/** Words between the epochs of two readers: a cache line. */
const READER_STRIDE = 16;
export const readerWord = (reader: number): number => FIRST_READER + reader * READER_STRIDE;
/** Words that mark signed zones as changing (1). Several zones share a word. */
const CHANGING_WORDS = 64;
/** Returns the header word that marks a zone as changing. `sum`: nameSum of its apex. */
export const changingWord = (sum: number): number =>
  FIRST_READER + READERS * READER_STRIDE + (sum & (CHANGING_WORDS - 1));

export const IN_STORE = -1;

/**
 * Scratch bytes of each reader at the start of the arena, for nodes read from the store. A query
 * needs at most two nodes (of a name and of its apex) and an NSEC3 entry.
 */
export const ENTRY_SCRATCH = 8192;
export const SCRATCH = 2 * MAX_NODE + ENTRY_SCRATCH;
export const FIRST_NODE = READERS * SCRATCH;

/** Words of the memory that scan threads share: the next free 8 bytes of the arena; 1 to stop. */
export const SCAN_NEXT = 0;
export const SCAN_STOP = 1;

export interface SharedIndex {
  readonly header: SharedArrayBuffer;
  /** A random odd multiplier for each byte of a name, counted from the end of the name. */
  readonly multipliers: SharedArrayBuffer;
  readonly arena: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  /** See unavailable-zones.ts. */
  readonly unavailable: SharedArrayBuffer;
  /** The value of header[GENERATION] for which `slots` is current. */
  readonly generation: number;
}

/** Bytes of an arena with room for `nodes` bytes of nodes. */
function arenaSize(nodes: number): number {
  return Math.min(MAX_ARENA, FIRST_NODE + nodes);
}

/** Maximum bytes that one typed array can view. */
const MAX_ARENA = 2 ** 32 - 8;

export function createShared(arenaBytes: number, slotCount: number): SharedIndex {
  const multipliers = new SharedArrayBuffer(256 * 4);
  const secret = randomFillSync(new Int32Array(256));
  new Int32Array(multipliers).set(secret.map((r) => r | 1));
  const header = new SharedArrayBuffer((FIRST_READER + READERS * READER_STRIDE + CHANGING_WORDS) * 4);
  new Int32Array(header)[EPOCH] = 1;
  // The system allocates pages of the arena on first use.
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
 * Returns the hash of a name from the sum Σ multiplier[distance from the end] × byte. The sum is a
 * universal hash: two names chosen without the multipliers collide with probability 2^-25 or less.
 * Its partial sums from the right are the sums of all suffixes. This function mixes the sum into
 * all bits. Never 0.
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

/** Returns the sum of a whole lower-case name. */
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

/** The only writer of the index. Inserts, replaces and removes nodes while the query path reads. */

import type { MessagePort } from 'node:worker_threads';
import { isProven, NAME_LENGTH_AT, NODE_APEX, NODE_FLAGS_AT, NODE_HEADER, nameOffset } from '../answers.ts';
import { Arena, isBefore, isLeaf, LEAF_SHARE } from './arena.ts';
import { APEX_PROVEN, APEX_WORD, directoryStart } from './denial-layout.ts';
import { DenialWriter, directoryName } from './denial-writer.ts';
import { Filling } from './filling.ts';
import {
  COMMITS,
  COMMITTING,
  changingWord,
  countLabels,
  createShared,
  EPOCH,
  FILLING,
  finishHash,
  GENERATION,
  HAS_SECONDARIES,
  IN_STORE,
  MAX_LABELS,
  nameSum,
  READERS,
  readerWord,
  type SharedIndex,
  STOPPING,
  UNAVAILABLE,
} from './layout.ts';
import { SlotTable } from './slot-table.ts';
import { UnavailableZones } from './unavailable-zones.ts';

export class IndexWriter {
  #shared: SharedIndex;
  readonly #header: Int32Array;
  readonly #multipliers: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #arena: Arena;
  readonly #table: SlotTable;
  #names = 0;
  #inStore = 0;
  readonly #ports: MessagePort[] = [];
  /** The zones answered with SERVFAIL. */
  readonly unavailable: UnavailableZones;
  /** The NSEC3 entries of signed zones. */
  readonly denial: DenialWriter;
  /** Hashes of the names passed to isAmbiguous since the last publication. */
  readonly #checkedHashes = new Set<number>();
  /** Words of the header that currently mark zones as changing. */
  readonly #changing = new Set<number>();
  /** Null: the index is complete. */
  #filling: Filling | null;

  /**
   * `arenaBytes`: maximum bytes of all nodes. `expectedNames`: number of names to reserve slots
   * for. `isComplete` false: the store has names, and readers read it until `finishFilling`.
   */
  constructor(arenaBytes: number, expectedNames = 0, isComplete = true) {
    this.#shared = createShared(arenaBytes, SlotTable.sizeFor(expectedNames + 1024));
    this.#header = new Int32Array(this.#shared.header);
    this.#multipliers = new Int32Array(this.#shared.multipliers);
    this.#bytes = new Uint8Array(this.#shared.arena);
    this.#words = new Int32Array(this.#shared.arena, 0, Math.floor(this.#bytes.length / 4));
    this.#arena = new Arena(this.#bytes.length);
    this.#table = new SlotTable(this.#shared.slots, (slots) => this.#shareSlots(slots));
    this.#filling = isComplete ? null : new Filling();
    if (!isComplete) this.#header[GENERATION] = FILLING;
    this.unavailable = new UnavailableZones(
      this.#shared.unavailable,
      (apex) => nameSum(this.#multipliers, apex, 0, apex.length),
      (count) => Atomics.store(this.#header, UNAVAILABLE, count),
    );
    const currentFilling = (): Filling | null => this.#filling;
    this.denial = new DenialWriter({
      get filling() {
        return currentFilling();
      },
      bytes: this.#bytes,
      words: this.#words,
      allocate: (bytes, forLeaf) => this.#allocate(bytes, forLeaf),
      retire: (offset) => this.#release(offset / 8),
      putDirectory: (node) => this.#putDirectory(node),
      removeDirectory: (name) => this.#removeDirectory(name),
    });
  }

  get stats(): { names: number; inStore: number; slots: number; arenaUsed: number; arenaCapacity: number } {
    return {
      names: this.#names,
      inStore: this.#inStore,
      slots: this.#table.size,
      arenaUsed: this.#arena.used,
      arenaCapacity: this.#arena.capacity,
    };
  }

  /**
   * Returns the data that a reading thread starts with. `port`: the writer's end of the channel on
   * which new slot buffers are sent.
   */
  share(port: MessagePort): SharedIndex {
    this.#ports.push(port);
    return this.#shared;
  }

  unshare(port: MessagePort, reader: number): void {
    const at = this.#ports.indexOf(port);
    if (at >= 0) this.#ports.splice(at, 1);
    Atomics.store(this.#header, readerWord(reader), 0);
  }

  /** Sets whether secondary zones exist, for which NOTIFY may arrive. */
  setSecondaries(exist: boolean): void {
    Atomics.store(this.#header, HAS_SECONDARIES, exist ? 1 : 0);
  }

  /** Asks every reading thread to stop. */
  stopReaders(): void {
    Atomics.store(this.#header, STOPPING, 1);
  }

  /**
   * Inserts or replaces the node of a name, and copies `node`. `wasStored`: whether the answers
   * table already had a node of this name. It matters only if `isAmbiguous` returned true: the hash
   * alone then does not tell this name from another name whose node is in the store.
   */
  put(node: Uint8Array, wasStored = true): void {
    const nameAt = nameOffset(node, 0);
    const nameLength = node[NAME_LENGTH_AT];
    if (this.#filling !== null) {
      this.#filling.addName(node.subarray(nameAt, nameAt + nameLength), wasStored);
      return;
    }
    const slot = this.#find(node, nameAt, nameLength, wasStored);
    const reference = this.#store(node);
    const old = slot >= 0 ? this.#table.reference(slot) : 0;
    if (slot >= 0) this.#table.set(slot, reference);
    else this.#add(node, nameAt, nameLength, reference);
    if ((node[NODE_FLAGS_AT] & NODE_APEX) !== 0 || this.#isApex(old))
      this.#linkApex(node.subarray(nameAt, nameAt + nameLength), reference);
    this.#release(old);
  }

  /** The changes to apply before `finishFilling`. Null: the index is complete. */
  get filling(): Filling | null {
    return this.#filling;
  }

  /** A commit must wait for this before it begins. Null: it may begin at once. */
  get held(): Promise<void> | null {
    return this.#filling?.held ?? null;
  }

  /** Runs `work`, which applies collected changes. */
  applyCollected(work: () => void): void {
    const filling = this.#filling;
    this.#filling = null;
    try {
      work();
    } finally {
      this.#filling = filling;
    }
  }

  /** From now on, readers read the index. */
  finishFilling(): void {
    this.#filling = null;
    Atomics.store(this.#header, GENERATION, this.#shared.generation);
  }

  /** The arena and its end, for the threads that fill an empty index. */
  get building(): { shared: SharedIndex; end: number } {
    return { shared: this.#shared, end: this.#arena.end };
  }

  /** Takes over names that a thread wrote into the arena: pairs of hash and reference. */
  adopt(slots: Int32Array, maxLabels: number): void {
    this.#table.reserve(slots.length / 2);
    for (let i = 0; i < slots.length; i += 2) {
      if (slots[i + 1] === IN_STORE) this.#inStore++;
      this.#table.insert(slots[i], slots[i + 1]);
    }
    this.#names += slots.length / 2;
    this.#header[MAX_LABELS] = Math.max(this.#header[MAX_LABELS], maxLabels);
  }

  /**
   * Ends the initial scan. `next`: offset of the first free byte. `unused`: pairs of offset and
   * size of free parts before it.
   */
  built(next: number, unused: readonly number[]): void {
    this.#arena.adopt(next);
    for (let i = 0; i < unused.length; i += 2) this.#arena.free(unused[i], unused[i + 1]);
  }

  /**
   * Whether the hash alone may not identify this name in `put`. Either a slot of a node in the
   * store has the same hash. Or a name checked since the last publication has it, and its node may
   * be put into the store first.
   */
  isAmbiguous(name: Uint8Array): boolean {
    const hash = finishHash(nameSum(this.#multipliers, name, 0, name.length));
    if (this.#checkedHashes.has(hash)) return true;
    this.#checkedHashes.add(hash);
    if (this.#filling !== null) return true;
    for (let slot = this.#table.find(hash); slot >= 0; slot = this.#table.find(hash, slot + 1))
      if (this.#table.reference(slot) === IN_STORE) return true;
    return false;
  }

  /** Removes a name, which must exist. */
  remove(name: Uint8Array): void {
    if (this.#filling !== null) {
      this.#filling.addName(name, true);
      return;
    }
    const slot = this.#find(name, 0, name.length, true);
    if (slot < 0) return;
    const old = this.#table.reference(slot);
    this.#table.set(slot, 0);
    if (this.#isApex(old)) this.#linkApex(name, 0);
    this.#release(old);
    this.#names--;
  }

  #isApex(reference: number): boolean {
    return reference > 0 && (this.#bytes[reference * 8 + NODE_FLAGS_AT] & NODE_APEX) !== 0;
  }

  /** Writes the reference of an apex into the directory of its zone, if it exists. */
  #linkApex(apex: Uint8Array, reference: number): void {
    if (!this.denial.hasDirectories) return;
    const slot = this.#find(directoryName(apex), 0, apex.length + 1, false);
    if (slot < 0) return;
    const word = this.#table.reference(slot) * 2 + directoryStart(apex.length + 1) / 4 + APEX_WORD;
    Atomics.store(this.#words, word, this.#apexWord(reference));
  }

  #apexWord(reference: number): number {
    if (!this.#isApex(reference)) return 0;
    return isProven(this.#bytes, reference * 8) ? reference | APEX_PROVEN : reference;
  }

  /**
   * Inserts a directory into the hash table. Directories are not counted as names, nor in
   * MAX_LABELS.
   */
  #putDirectory(node: Buffer): number {
    const offset = this.#arena.allocate(node.length);
    if (offset === 0) return 0;
    this.#bytes.set(node, offset);
    const length = node[NAME_LENGTH_AT];
    const apex = this.#find(node, NODE_HEADER + 1, length - 1, false);
    if (apex >= 0)
      this.#words[(offset + directoryStart(length)) / 4 + APEX_WORD] = this.#apexWord(this.#table.reference(apex));
    const slot = this.#find(node, NODE_HEADER, length, false);
    if (slot >= 0) {
      const old = this.#table.reference(slot);
      this.#table.set(slot, offset / 8);
      this.#release(old);
    } else {
      this.#table.insert(finishHash(nameSum(this.#multipliers, node, NODE_HEADER, length)), offset / 8);
    }
    return offset;
  }

  #removeDirectory(name: Uint8Array): void {
    const slot = this.#find(name, 0, name.length, false);
    if (slot < 0) return;
    const old = this.#table.reference(slot);
    this.#table.set(slot, 0);
    this.#release(old);
  }

  /**
   * Marks that a group of changes is being committed to the store, until `publish` or
   * `cancelCommit`.
   */
  beginCommit(): void {
    if (this.#filling !== null) this.#filling.isCommitting = true;
    Atomics.store(this.#header, COMMITTING, 1);
  }

  cancelCommit(): void {
    this.#endCommit();
  }

  #endCommit(): void {
    Atomics.store(this.#header, COMMITTING, 0);
    this.#filling?.endCommit();
  }

  /**
   * Marks a signed zone as changing until the next publication: its names and NSEC3 records may not
   * match.
   */
  markChanging(apex: Uint8Array): void {
    const word = changingWord(nameSum(this.#multipliers, apex, 0, apex.length));
    if (this.#changing.has(word)) return;
    this.#changing.add(word);
    Atomics.store(this.#header, word, 1);
  }

  /**
   * Ends a group of changes. Readers of the store take a new snapshot, and blocks that no reader
   * can use are freed.
   */
  publish(): void {
    this.#checkedHashes.clear();
    Atomics.add(this.#header, COMMITS, 1);
    // COMMITS is incremented before the marks are cleared, so a reader always notices the change.
    for (const word of this.#changing) Atomics.store(this.#header, word, 0);
    this.#changing.clear();
    this.#endCommit();
    let oldest = (this.#header[EPOCH] + 1) | 0 || 1;
    Atomics.store(this.#header, EPOCH, oldest);
    for (let reader = 0; reader < READERS; reader++) {
      const epoch = Atomics.load(this.#header, readerWord(reader));
      if (epoch !== 0 && isBefore(epoch, oldest)) oldest = epoch;
    }
    this.#arena.reclaim(oldest);
  }

  #add(node: Uint8Array, nameAt: number, nameLength: number, reference: number): void {
    this.#table.insert(finishHash(nameSum(this.#multipliers, node, nameAt, nameLength)), reference);
    this.#names++;
    const labels = countLabels(node, nameAt);
    if (labels > this.#header[MAX_LABELS]) Atomics.store(this.#header, MAX_LABELS, labels);
  }

  /** Returns the offset of a block. 0: the arena is full, or no longer admits leaves. */
  #allocate(bytes: number, forLeaf: boolean): number {
    const { used, capacity } = this.#arena;
    return forLeaf && used + bytes > capacity * LEAF_SHARE ? 0 : this.#arena.allocate(bytes);
  }

  #store(node: Uint8Array): number {
    const offset = this.#allocate(node.length, isLeaf(node));
    if (offset === 0) {
      this.#inStore++;
      return IN_STORE;
    }
    this.#bytes.set(node, offset);
    return offset / 8;
  }

  #release(reference: number): void {
    if (reference === IN_STORE) this.#inStore--;
    else if (reference > 0) {
      const offset = reference * 8;
      const b = this.#bytes;
      const size = ((b[offset] << 24) | (b[offset + 1] << 16) | (b[offset + 2] << 8) | b[offset + 3]) >>> 0;
      this.#arena.retire(offset, size, this.#header[EPOCH]);
    }
  }

  /**
   * Returns the slot of a name (lower case), or -1. Slots of names in the store differ only by
   * their hash. If the name was stored and is not in the arena, any such slot of its hash serves.
   */
  #find(bytes: Uint8Array, from: number, length: number, wasStored: boolean): number {
    const hash = finishHash(nameSum(this.#multipliers, bytes, from, length));
    let stored = -1;
    for (let slot = this.#table.find(hash); slot >= 0; slot = this.#table.find(hash, slot + 1)) {
      const reference = this.#table.reference(slot);
      if (reference > 0 && this.#sameName(reference * 8, bytes, from, length)) return slot;
      if (reference === IN_STORE && wasStored) stored = slot;
    }
    return stored;
  }

  #sameName(node: number, name: Uint8Array, from: number, length: number): boolean {
    if (this.#bytes[node + NAME_LENGTH_AT] !== length) return false;
    const at = nameOffset(this.#bytes, node);
    for (let i = 0; i < length; i++) if (this.#bytes[at + i] !== name[from + i]) return false;
    return true;
  }

  /** Readers use a larger table from now on. */
  #shareSlots(slots: SharedArrayBuffer): void {
    this.#shared = { ...this.#shared, slots, generation: this.#shared.generation + 1 };
    for (const port of this.#ports) port.postMessage(slots);
    if (this.#header[GENERATION] !== FILLING) Atomics.store(this.#header, GENERATION, this.#shared.generation);
  }
}

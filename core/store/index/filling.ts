/**
 * An index that is being filled from the store: readers read the store until it is complete
 * (IndexReader), and the changes that are published meanwhile are collected here. Each scan thread
 * reads a snapshot, which all of them take between the same two commits. When the snapshots are in
 * the index, the collected names and entries are read again (build.ts).
 */
import type { Id } from '../keys.ts';

interface ChangedZone {
  readonly apex: Uint8Array;
  /** Whether each hash had an entry in the snapshot. Null: all entries were replaced. */
  hashes: Map<string, boolean> | null;
}

/** The changes since the snapshot. Bytes are in latin1. */
export class Filling {
  /** Whether each changed name had a node in the snapshot. */
  readonly names = new Map<string, boolean>();
  readonly zones = new Map<Id, ChangedZone>();
  /** A commit must wait for this before it begins. Null: it may begin at once. */
  held: Promise<void> | null = null;
  isCommitting = false;
  #isRecording = false;
  #onCommitEnd = (): void => {};

  get isEmpty(): boolean {
    return this.names.size === 0 && this.zones.size === 0;
  }

  endCommit(): void {
    this.isCommitting = false;
    this.#onCommitEnd();
  }

  /** Runs `work` between two commits: the store has what is published, and no more. */
  async betweenCommits<T>(work: () => T | Promise<T>): Promise<T> {
    let release = (): void => {};
    this.held = new Promise((resolve) => {
      release = resolve;
    });
    try {
      while (this.isCommitting)
        await new Promise<void>((resolve) => {
          this.#onCommitEnd = resolve;
        });
      return await work();
    } finally {
      this.held = null;
      release();
    }
  }

  /** Earlier changes are in the snapshot. */
  startRecording(): void {
    this.#isRecording = true;
  }

  /** The fill has failed: the readers read the store until the next start. */
  stopRecording(): void {
    this.#isRecording = false;
    this.names.clear();
    this.zones.clear();
  }

  addName(name: Uint8Array, wasStored: boolean): void {
    if (!this.#isRecording) return;
    const id = latin1(name);
    if (!this.names.has(id)) this.names.set(id, wasStored);
  }

  addEntry(domainId: Id, apex: Uint8Array, hash: Uint8Array, wasStored: boolean): void {
    if (!this.#isRecording) return;
    const { hashes } = this.#zone(domainId, apex);
    const id = latin1(hash);
    if (hashes !== null && !hashes.has(id)) hashes.set(id, wasStored);
  }

  addZone(domainId: Id, apex: Uint8Array): void {
    if (this.#isRecording) this.#zone(domainId, apex).hashes = null;
  }

  #zone(domainId: Id, apex: Uint8Array): ChangedZone {
    let zone = this.zones.get(domainId);
    if (zone === undefined) {
      zone = { apex: Uint8Array.from(apex), hashes: new Map() };
      this.zones.set(domainId, zone);
    }
    return zone;
  }
}

const latin1 = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

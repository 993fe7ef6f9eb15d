/**
 * Groups of the log that the node has read but not applied yet, in order. Their size is limited;
 * the rest waits in etcd.
 */

import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import { decodeEntry, hashEntry } from '../entry-codec.ts';
import type { LoggedGroup } from './shared-log.ts';

/** Maximum bytes of entries. The last read may exceed it. */
const MAX_BYTES = 8 << 20;
/** Maximum number of groups applied in one transaction. */
const MAX_GROUPS = 64;

export class Backlog {
  readonly #groups: LoggedGroup[] = [];
  /** Bytes of entries. */
  bytes = 0;
  #waiters: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.#groups.length === 0;
  }

  get isFull(): boolean {
    return this.bytes >= MAX_BYTES;
  }

  /** The number of groups. */
  get count(): number {
    return this.#groups.length;
  }

  /** The sequence of the first entry; undefined if there is none. */
  get first(): number | undefined {
    return this.#groups[0]?.first;
  }

  /** The sequence of the last entry; undefined if there is none. */
  get last(): number | undefined {
    const last = this.#groups.at(-1);
    return last && last.first + last.entries.length - 1;
  }

  /** The groups to apply next in one transaction. They stay here until `removeFirst`. */
  get front(): readonly LoggedGroup[] {
    return this.#groups.slice(0, MAX_GROUPS);
  }

  add(group: LoggedGroup): void {
    this.#groups.push(group);
    this.bytes += sizeOf(group);
  }

  /** Puts a group in front of all others. */
  putBefore(group: LoggedGroup): void {
    this.#groups.unshift(group);
    this.bytes += sizeOf(group);
  }

  /** Removes the first groups, which are applied. They may have been cleared already. */
  removeFirst(count: number): void {
    for (const group of this.#groups.splice(0, count)) this.bytes -= sizeOf(group);
    if (!this.isFull) this.releaseWaiters();
  }

  clear(): void {
    this.removeFirst(this.#groups.length);
  }

  /** Resolves when there is room, or when `releaseWaiters` is called. */
  async waitForRoom(): Promise<void> {
    if (this.isFull) await new Promise<void>((done) => this.#waiters.push(done));
  }

  /** Resolves all calls of `waitForRoom` now. */
  releaseWaiters(): void {
    for (const done of this.#waiters.splice(0)) done();
  }
}

export interface Continuation {
  readonly links: readonly Link[];
  readonly head: Head;
  /** The sequence of the first entry that does not belong to the same history; null: none. */
  readonly mismatch: number | null;
}

/**
 * Returns the entries of `groups` that follow a head and are not applied yet. Throws Error for an
 * unreadable entry.
 */
export function continueFrom(from: Head, groups: readonly LoggedGroup[]): Continuation {
  const links: Link[] = [];
  let head = from;
  for (const { first, entries } of groups) {
    if (first + entries.length <= from.sequence + 1) continue;
    for (const bytes of entries) {
      const entry = decodeEntry(bytes);
      if (entry.sequence <= from.sequence) continue;
      const isNext = entry.sequence === head.sequence + 1 && entry.previousHash.equals(head.hash);
      if (!isNext) return { links, head, mismatch: entry.sequence };
      head = { sequence: entry.sequence, hash: hashEntry(bytes) };
      links.push({ applied: { entry }, bytes });
    }
  }
  return { links, head, mismatch: null };
}

const sizeOf = ({ entries }: LoggedGroup): number => entries.reduce((sum, { length }) => sum + length, 0);

/**
 * How far this node is behind the log: the groups that it has read and not applied yet, the callers
 * that wait for them, and since when it may be behind.
 */
import { withTimeout } from '../../base/timers.ts';
import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import { isImportEnd } from '../apply/import-entries.ts';
import { changesOf, decodeEntry, hashEntry } from '../entry-codec.ts';
import type { LoggedGroup } from './shared-log.ts';

/** Maximum bytes of entries. The last read may exceed it. */
const MAX_BYTES = 8 << 20;
/** Maximum number of groups applied in one transaction. */
const MAX_GROUPS = 64;

/**
 * Groups of the log that the node has read but not applied yet, in order. Their size is limited;
 * the rest waits in etcd.
 */
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

  /**
   * The groups to apply next in one transaction. They stay here until `removeFirst`. The end of an
   * import, which is a group of its own, gets its own transaction.
   */
  get front(): readonly LoggedGroup[] {
    const groups = this.#groups.slice(0, MAX_GROUPS);
    const end = groups.findIndex(({ entries }) => isImportEnd(changesOf(entries[0])));
    return end < 0 ? groups : groups.slice(0, Math.max(1, end));
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

/** Promises that resolve when an entry of the log is applied on this node. */
export class AppliedWaiters {
  #waiting: { readonly to: number; resolve(): void; reject(error: Error): void }[] = [];

  /** Resolves when the entry is applied. Rejects with the error given to `rejectAll`. */
  waitFor(sequence: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.push({ to: sequence, resolve, reject }));
  }

  /** Like `waitFor`, but rejects with `late` after a timeout. */
  waitWithTimeout(sequence: number, milliseconds: number, late: Error): Promise<void> {
    return withTimeout(this.waitFor(sequence), milliseconds, () => {
      throw late;
    });
  }

  /** All entries up to `head` are applied. */
  resolveUpTo(head: number): void {
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ to }) => to > head);
    for (const { to, resolve } of waiting) if (to <= head) resolve();
  }

  /** No further entry will be applied. */
  rejectAll(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}

/**
 * Tracks since when the applied state of this node may be older than that of other nodes. Times are
 * milliseconds of performance.now().
 */
export class Freshness {
  /** Start of the last successful read of the log; null: none since the start. */
  lookedAt: number | null = null;
  /** All entries known at this time are applied here; null: never since the start. */
  currentAt: number | null = null;
  /** The first known entry that is not applied yet. */
  #ahead: { readonly sequence: number; readonly at: number } | null = null;

  /**
   * A linearizable read of the log that started at `at` returned `last` as its end; `applied` was
   * applied here at that time. A read overrides earlier reports.
   */
  noteRead(at: number, last: number, applied: number): void {
    this.lookedAt = at;
    if (last <= applied) this.#ahead = null;
    this.noteReport(at, last, applied);
  }

  /**
   * Another node reported at `at` that it had applied no more than `last`. A report cannot clear a
   * known missing entry.
   */
  noteReport(at: number, last: number, applied: number): void {
    this.noteApplied(applied);
    // Keeps the earliest missing entry: under continuous writes, other nodes are always slightly
    // ahead.
    if (last > applied) this.#ahead ??= { sequence: last, at };
    else if (this.#ahead === null) this.currentAt = Math.max(at, this.currentAt ?? at);
  }

  noteApplied(sequence: number): void {
    if (this.#ahead === null || sequence < this.#ahead.sequence) return;
    this.currentAt = this.#ahead.at;
    this.#ahead = null;
  }
}

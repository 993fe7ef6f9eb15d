/**
 * The queue of commits. Commits that arrive while a group is written form the next group (group
 * commit): one transaction and one sync for all of them.
 */
import { ConflictError } from '../../base/errors.ts';
import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import { isImportEnd } from '../apply/import-entries.ts';
import { encodeEntry, hashEntry } from '../entry-codec.ts';
import type { CommitClock, CommitRequest, Committed } from '../journal.ts';
import type { RecentWrites } from './recent-writes.ts';

export interface PendingCommit {
  readonly request: CommitRequest;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: Error) => void;
  /** A time of performance.now(). */
  readonly queuedAt: number;
  /** Set if another node forwarded the commit; then this node tries to append it only once. */
  readonly mandate?: { readonly node: string; readonly revision: number };
}

/** Called for every group of commits. */
export interface JournalObserver {
  observeCommit(entries: number, seconds: number): void;
  observeConflict(): void;
  observeFailure(): void;
}

/** Limits of a group: number of requests and bytes of changes. The next group takes the rest. */
const GROUP_REQUESTS = 1024;
const GROUP_BYTES = 256 << 10;

export class CommitQueue {
  #pending: PendingCommit[] = [];
  #wait: { readonly size: number; readonly reached: () => void } | null = null;

  get size(): number {
    return this.#pending.length;
  }

  get isEmpty(): boolean {
    return this.#pending.length === 0;
  }

  add(request: CommitRequest, more: Pick<PendingCommit, 'mandate'> = {}): Promise<Committed> {
    return new Promise((resolve, reject) => {
      const commit = { request, resolve, reject, queuedAt: performance.now(), ...more };
      this.#pending.splice(this.#placeOf(request), 0, commit);
      if (this.#wait !== null && this.size >= this.#wait.size) this.#wait.reached();
    });
  }

  /** Urgent commits are at the front, then retries, then all others. */
  #placeOf({ isUrgent = false, isRetry = false }: CommitRequest): number {
    const pending = this.#pending;
    if (!isUrgent && !isRetry) return pending.length;
    const place = pending.findIndex(({ request }) => !request.isUrgent && (isUrgent || !request.isRetry));
    return place < 0 ? pending.length : place;
  }

  /** Resolves when `size` commits are pending. Only one caller may wait at a time. */
  hasReached(size: number): Promise<void> {
    if (this.size >= size) return Promise.resolve();
    return new Promise((reached) => {
      this.#wait = { size, reached };
    });
  }

  /** Takes out the commits that were queued before `time`. */
  takeBefore(time: number): PendingCommit[] {
    return this.#takeWhere(({ queuedAt }) => queuedAt < time);
  }

  /** Takes out the commits that other nodes forwarded. */
  takeForwarded(): PendingCommit[] {
    return this.#takeWhere(({ mandate }) => mandate !== undefined);
  }

  take(): PendingCommit[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#pending.length && count < GROUP_REQUESTS && bytes < GROUP_BYTES) {
      const { changes } = this.#pending[count].request;
      const isAlone = isImportEnd(changes);
      if (isAlone && count > 0) break;
      bytes += changes.length;
      count++;
      if (isAlone) break;
    }
    const group = this.#pending.slice(0, count);
    this.#pending = this.#pending.slice(count);
    return group;
  }

  #takeWhere(isWanted: (commit: PendingCommit) => boolean): PendingCommit[] {
    const removed = this.#pending.filter(isWanted);
    if (removed.length > 0) this.#pending = this.#pending.filter((commit) => !isWanted(commit));
    return removed;
  }

  /** Puts a group in front of all other commits. */
  putBack(group: readonly PendingCommit[]): void {
    this.#pending = [...group, ...this.#pending];
  }
}

/** The accepted commits of a group, as the entries that follow a head. */
export interface Group {
  readonly accepted: readonly PendingCommit[];
  readonly links: readonly Link[];
  /** The hash of the last entry. */
  readonly hash: Buffer;
}

/**
 * Builds entries from pending commits. Rejects commits that conflict with later writes, or whose
 * changes are unreadable. If the clock is not trusted, rejects all commits, since serials follow
 * it. Adds the writes of accepted commits to `recent`.
 */
export function buildGroup(
  waiting: readonly PendingCommit[],
  head: Head,
  recent: RecentWrites,
  clock: Pick<CommitClock, 'now'>,
  observer?: JournalObserver,
): Group {
  const accepted: PendingCommit[] = [];
  const links: Link[] = [];
  let { hash } = head;
  let time: number;
  try {
    time = clock.now();
  } catch (error) {
    for (const { reject } of waiting) reject(error as Error);
    return { accepted, links, hash };
  }
  for (const commit of waiting) {
    const { reads, changes, by, compiled } = commit.request;
    try {
      if (recent.hasConflict(reads)) {
        observer?.observeConflict();
        throw new ConflictError();
      }
      const sequence = head.sequence + links.length + 1;
      const entry = { sequence, time, by, previousHash: hash, changes };
      const bytes = encodeEntry(entry);
      recent.add(sequence, changes);
      hash = hashEntry(bytes);
      links.push({ applied: { entry, compiled }, bytes });
      accepted.push(commit);
    } catch (error) {
      // The rest of the group continues.
      commit.reject(error as Error);
    }
  }
  return { accepted, links, hash };
}

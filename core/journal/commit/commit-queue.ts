/** Commits that wait. Those that arrive while a group is on its way share the next one (group commit): one transaction, one sync, one answer each. */
import { ConflictError } from '../../base/errors.ts';
import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import { encodeEntry, hashEntry } from '../entry-codec.ts';
import type { CommitRequest, Committed } from '../journal.ts';
import type { RecentWrites } from './recent-writes.ts';

export interface Waiting {
  readonly request: CommitRequest;
  readonly resolve: (committed: Committed) => void;
  readonly reject: (error: Error) => void;
  /** In the time of performance.now(). */
  readonly since: number;
  /** Another node has forwarded it, and this one tries only once to append it. */
  readonly mandate?: { readonly node: string; readonly revision: number };
}

/** Is told of every group of commits. */
export interface JournalObserver {
  committed(entries: number, seconds: number): void;
  conflict(): void;
  failed(): void;
}

/** A group takes this many requests, or this many bytes of changes, and leaves the rest to the next. */
const GROUP_REQUESTS = 1024;
const GROUP_BYTES = 256 << 10;

export class CommitQueue {
  #waiting: Waiting[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  add(request: CommitRequest, mandate?: Waiting['mandate']): Promise<Committed> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject, since: performance.now(), mandate });
    });
  }

  /** Those that came before a time, which wait no longer. */
  takeBefore(time: number): Waiting[] {
    return this.#takeWhere(({ since }) => since < time);
  }

  /** Those of other nodes. */
  takeForwarded(): Waiting[] {
    return this.#takeWhere(({ mandate }) => mandate !== undefined);
  }

  take(): Waiting[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#waiting.length && count < GROUP_REQUESTS && bytes < GROUP_BYTES)
      bytes += this.#waiting[count++].request.changes.length;
    const group = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return group;
  }

  #takeWhere(isWanted: (one: Waiting) => boolean): Waiting[] {
    const taken = this.#waiting.filter(isWanted);
    if (taken.length > 0) this.#waiting = this.#waiting.filter((one) => !isWanted(one));
    return taken;
  }

  /** Before all others. */
  putBack(group: readonly Waiting[]): void {
    this.#waiting = [...group, ...this.#waiting];
  }
}

/** Those of a group that nothing speaks against, as the entries that follow a head. */
export interface Group {
  readonly accepted: readonly Waiting[];
  readonly links: readonly Link[];
  /** Of the last. */
  readonly hash: Buffer;
}

/** Rejects what conflicts with what was written since it was read, or cannot be read; what is left counts as written in `recent`. */
export function chain(
  waiting: readonly Waiting[],
  head: Head,
  recent: RecentWrites,
  observer?: JournalObserver,
): Group {
  const accepted: Waiting[] = [];
  const links: Link[] = [];
  const time = Date.now();
  let { hash } = head;
  for (const one of waiting) {
    const { reads, changes, by, compiled } = one.request;
    try {
      if (recent.conflicts(reads)) {
        observer?.conflict();
        throw new ConflictError();
      }
      const sequence = head.sequence + links.length + 1;
      const entry = { sequence, time, by, previousHash: hash, changes };
      const bytes = encodeEntry(entry);
      recent.add(sequence, changes);
      hash = hashEntry(bytes);
      links.push({ applied: { entry, compiled }, bytes });
      accepted.push(one);
    } catch (error) {
      // The others of the group go on.
      one.reject(error as Error);
    }
  }
  return { accepted, links, hash };
}

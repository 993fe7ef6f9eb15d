/** Groups of the log that a node has read and is still to apply, in order. No more of them are held than a bound lets in; the rest waits in etcd. */

import type { Head } from '../applied-head.ts';
import type { Link } from '../apply/applier.ts';
import { decodeEntry, hashEntry } from '../entry-codec.ts';
import type { LoggedGroup } from './shared-log.ts';

/** Bytes of entries, but for the rest of one look. */
const BOUND = 8 << 20;
/** Groups applied in one transaction. */
const GROUPS = 64;

export class Backlog {
  readonly #groups: LoggedGroup[] = [];
  /** Of entries. */
  bytes = 0;
  #untilRoom: (() => void)[] = [];

  get isEmpty(): boolean {
    return this.#groups.length === 0;
  }

  get isFull(): boolean {
    return this.bytes >= BOUND;
  }

  /** Groups. */
  get count(): number {
    return this.#groups.length;
  }

  /** The sequence of the first entry; undefined: there is none. */
  get first(): number | undefined {
    return this.#groups[0]?.first;
  }

  /** The sequence of the last entry; undefined: there is none. */
  get last(): number | undefined {
    const last = this.#groups.at(-1);
    return last && last.first + last.entries.length - 1;
  }

  /** What is to be applied together next. It stays here until it is `passed`. */
  get front(): readonly LoggedGroup[] {
    return this.#groups.slice(0, GROUPS);
  }

  add(group: LoggedGroup): void {
    this.#groups.push(group);
    this.bytes += sizeOf(group);
  }

  /** Before all others. */
  putBefore(group: LoggedGroup): void {
    this.#groups.unshift(group);
    this.bytes += sizeOf(group);
  }

  /** So many groups of the front are applied. Where all are gone meanwhile, that is no matter. */
  passed(count: number): void {
    for (const group of this.#groups.splice(0, count)) this.bytes -= sizeOf(group);
    if (!this.isFull) this.makeRoom();
  }

  clear(): void {
    this.passed(this.#groups.length);
  }

  /** Resolves when there is room, or somebody is let in all the same. */
  async room(): Promise<void> {
    if (this.isFull) await new Promise<void>((done) => this.#untilRoom.push(done));
  }

  /** Lets in who waits for room now. */
  makeRoom(): void {
    for (const done of this.#untilRoom.splice(0)) done();
  }
}

export interface Following {
  readonly links: readonly Link[];
  readonly head: Head;
  /** Sequence of an entry that belongs to another history. */
  readonly stranger: number | null;
}

/** What of `groups` is not applied yet, as it follows a head. Throws for what cannot be read. */
export function follow(from: Head, groups: readonly LoggedGroup[]): Following {
  const links: Link[] = [];
  let head = from;
  for (const { first, entries } of groups) {
    if (first + entries.length <= from.sequence + 1) continue;
    for (const bytes of entries) {
      const entry = decodeEntry(bytes);
      if (entry.sequence <= from.sequence) continue;
      const isNext = entry.sequence === head.sequence + 1 && entry.previousHash.equals(head.hash);
      if (!isNext) return { links, head, stranger: entry.sequence };
      head = { sequence: entry.sequence, hash: hashEntry(bytes) };
      links.push({ applied: { entry }, bytes });
    }
  }
  return { links, head, stranger: null };
}

const sizeOf = ({ entries }: LoggedGroup): number => entries.reduce((sum, { length }) => sum + length, 0);

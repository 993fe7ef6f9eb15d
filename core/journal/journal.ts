/**
 * The journal: the one way in which rows change. An entry is a list of puts and deletes with final values. Entries are numbered without
 * gaps, and each has the hash of the one before it. A write takes these steps:
 *
 *   1. draft     A service reads and changes rows in a draft, which remembers what it read (draft/draft.ts).
 *   2. commit    The draft becomes a CommitRequest and waits in the queue. The read set is checked against the writes since then; a
 *                conflict sends the service back to step 1 (local-journal.ts, commit/commit-queue.ts, commit/recent-writes.ts).
 *   3. group     Requests that wait together become one group: entries with their sequences and hashes (commit/commit-queue.ts).
 *   4. append    One node: nothing to do, step 5 stores the entries with the rows (embedded-journal.ts). Several nodes: the group is
 *                rehearsed (commit/rehearsal.ts) and appended to the log in etcd (etcd/appender.ts); each node follows the log
 *                (etcd/follower.ts).
 *   5. apply     One LMDB transaction writes entries, rows, zone state and answers (apply/applier.ts, apply/apply-entries.ts).
 *   6. publish   The shared index gets the new answers, listeners are called, and the commit resolves (apply/applier.ts).
 */
import type { Domain, Purge } from '../store/rows.ts';
import { latin1 } from '../wire/latin1.ts';
import type { Name } from '../wire/name.ts';

/** Table number and key bounds, start ≤ key < end (no end: to the last key of the table). Table 0 is the lookups table. */
export interface KeyRange {
  readonly table: number;
  readonly start: Uint8Array;
  readonly end: Uint8Array | undefined;
  /** The same in Latin-1, which orders as the bytes do, when it is at hand. */
  readonly text?: KeyText;
}

export interface KeyText {
  readonly table: number;
  readonly start: string;
  readonly end: string | undefined;
}

export function textOf(table: number, start: Uint8Array, end: Uint8Array | undefined): KeyText {
  return { table, start: latin1(start), end: end && latin1(end) };
}

export interface ReadSet {
  /** The head when the first read was made, or an earlier one. */
  readonly at: number;
  readonly ranges: readonly KeyRange[];
}

export interface CommitRequest {
  readonly reads: ReadSet;
  /** See changes.ts. */
  readonly changes: Buffer;
  /** Who: an account id or a part of the service. */
  readonly by: string;
  /**
   * Nodes of one zone, already compiled, when the changes replace all its records. Only a hint that saves work: it is not part of the
   * entry and other nodes compile for themselves.
   */
  readonly compiled?: CompiledZone;
}

export interface CompiledZone {
  readonly domainId: string;
  /** Pairs of name key and node, all but the apex: see core/zone/bulk.ts. */
  readonly nodes: Uint8Array;
}

/** `present`: the domain came, else it went. */
export type DomainListener = (domain: Domain, present: boolean) => void;

/** What a group of entries has changed in what is answered. */
export interface AnswerChanges {
  /** Names with other answers, with none any more, or with new ones. */
  readonly names: Iterable<Name>;
  /** Apexes below which any name may lead elsewhere, those without an answer of their own among them: the DNAME there is another, or the whole zone. */
  readonly apexes: Iterable<Name>;
  /** Targets of ALIAS records that came or went, and the domains in which they did. */
  readonly aliasTargets: Iterable<{ readonly target: Name; readonly domainIds: ReadonlySet<string> }>;
}

/** What a group of entries has changed for the edge. */
export interface EdgeChanges {
  /**
   * Domains that came or went, whose proxy or certificates were written, or, while the proxy is on, whose records were. What lies above or below such a domain may lead
   * elsewhere, too, when it came or went: `onDomain` says that before.
   */
  readonly domainIds: ReadonlySet<string>;
  /** That came, in their order. */
  readonly purges: readonly Purge[];
  /** The keys of session tickets were written. */
  readonly hasTicketKeys: boolean;
}

export interface Committed {
  readonly sequence: number;
}

export interface Journal {
  /** Sequence of the last entry that is applied here. 0: none. */
  readonly head: number;
  /**
   * Appends and applies. Resolves when the entry is on disk, its rows can be read and its answers are served. Rejects with
   * ConflictError when something in the read set was written after `reads.at`; then nothing has changed.
   */
  commit(request: CommitRequest): Promise<Committed>;
  /**
   * Resolves with the sequence of the last entry that any node had appended when this was called, once it is applied here. Rejects with UnavailableError when that
   * cannot be found out, or takes too long.
   */
  latest(): Promise<number>;
  /** Calls `listener` for every domain that comes or goes, once its entry is applied, in order. */
  onDomain(listener: DomainListener): void;
  /** Calls `listener` when accounts or tokens have changed, before the commit is answered. */
  onCredentials(listener: () => void): void;
  /** Calls `listener` for every group of entries, once they are applied and served. */
  onAnswers(listener: (changes: AnswerChanges) => void): void;
  /** Calls `listener` when a group of entries has changed something of the edge, once they are applied and served. */
  onEdge(listener: (changes: EdgeChanges) => void): void;
  /** Waits for what is under way, then takes nothing more. */
  close(): Promise<void>;
}

/**
 * The journal: the only way to change rows. An entry is a list of puts and deletes with final
 * values. Entries are numbered without gaps, and each contains the hash of the previous entry. A
 * write takes these steps:
 *
 *   1. draft     A service reads and changes rows in a draft, which records its read set
 *                (draft/draft.ts).
 *   2. commit    The draft becomes a CommitRequest and waits in the queue. Its read set is checked
 *                against later writes; a conflict returns the service to step 1
 *                (local-journal.ts, commit/commit-queue.ts, commit/recent-writes.ts). Its growth is
 *                compared with the quotas of the account (commit/quotas.ts).
 *   3. group     Requests that wait at the same time become one group: entries with their sequences
 *                and hashes (commit/commit-queue.ts).
 *   4. append    One node: nothing to do, step 5 stores the entries with the rows
 *                (embedded-journal.ts). Several nodes: the group is rehearsed (apply/applier.ts)
 *                and appended to the log in etcd (etcd/appender.ts); each node follows the log
 *                (etcd/follower.ts).
 *   5. apply     One LMDB transaction writes entries, rows, zone state and answers
 *                (apply/applier.ts, apply/apply-entries.ts).
 *   6. publish   The shared index receives the new answers, listeners are called, and the commit
 *                resolves (apply/applier.ts).
 */
import type { WaypostError } from '../base/errors.ts';
import { latin1 } from '../dns/wire/latin1.ts';
import type { Name } from '../dns/wire/name.ts';
import type { Id } from '../store/keys.ts';
import type { Domain, ImportRow, Purge, Table } from '../store/rows.ts';

/**
 * A table number and key bounds: start ≤ key < end. Without an end, the range reaches the last key
 * of the table. Table 0 is the lookups table.
 */
export interface KeyRange {
  readonly table: number;
  readonly start: Uint8Array;
  readonly end: Uint8Array | undefined;
  /**
   * The same bounds in Latin-1, which has the order of the bytes, if they were computed already.
   */
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
  /** The head at the time of the first read, or an earlier head. */
  readonly at: number;
  readonly ranges: readonly KeyRange[];
}

export interface CommitRequest {
  readonly reads: ReadSet;
  /** In the format of entry-codec.ts. */
  readonly changes: Buffer;
  /** The author: an account id, or the name of a part of the service. */
  readonly by: string;
  /**
   * Compiled nodes of one zone, if the changes replace all its records. They only save work: they
   * are not part of the entry, and other nodes compile the zone themselves.
   */
  readonly compiled?: CompiledZone;
  /** Called when this node has applied the entry, and waits for other nodes. */
  readonly onApplied?: () => void;
  /**
   * The commit goes ahead of other commits that wait on this node, such as the end of a session.
   */
  readonly isUrgent?: boolean;
  /** The commit has conflicted before. It goes ahead of others that are not urgent. */
  readonly isRetry?: boolean;
}

export interface CompiledZone {
  readonly domainId: Id;
  /** Pairs of name key and node, without the apex: see core/zone/compile/bulk.ts. */
  readonly nodes: Uint8Array;
  /** Not part of the changes. Omitted: the records are in the changes. */
  readonly rows?: ImportedRows;
  /** The deletes of all records of before, with `rows`. Not part of the changes either. */
  readonly deletions?: Buffer;
  /** Written while the import is staged. */
  readonly progress?: ImportProgress;
}

/**
 * The phases of a large import (commit/importer.ts). `waiting`: for another import; `records`:
 * writes the records; `answers`: writes the answers; `serving`: passes the answers to the
 * nameserver; `cleanup`: deletes the records of before.
 */
export type ImportPhase = 'waiting' | 'records' | 'answers' | 'serving' | 'cleanup';

export interface ImportProgress {
  /** `total`: the records, bytes of answers, or names, of the phase; 0: unknown. */
  begin(phase: ImportPhase, total: number): void;
  /** How many of the total are done. The journal counts up from the 0 of `begin`. */
  done: number;
}

/** The puts of all records of a zone. */
export interface ImportedRows {
  readonly changes: Buffer;
  readonly apex: Name;
  /** The ids are consecutive, in the order of the puts. */
  readonly firstId: Id;
  readonly count: number;
}

/** `present`: the domain was added; otherwise it was deleted. */
export type DomainListener = (domain: Domain, present: boolean) => void;

/** The changes of a group of entries to DNS answers. */
export interface AnswerChanges {
  /** Names whose answers were added, changed or deleted. */
  readonly names: Iterable<Name>;
  /**
   * Apexes below which any name may have changed, including names without a node of their own: the
   * DNAME at the apex has changed, or the whole zone.
   */
  readonly apexes: Iterable<Name>;
  /** Targets of added or deleted ALIAS records, with the domains of these records. */
  readonly aliasTargets: Iterable<{ readonly target: Name; readonly domainIds: ReadonlySet<Id> }>;
}

/** The changes of a group of entries that concern the edge. */
export interface EdgeChanges {
  /**
   * Domains that were added or deleted, or whose proxy or certificates were written, or whose
   * records were written while the proxy is on. An added or deleted domain can also change the site
   * of hosts above or below it; `onDomain` is called for it first.
   */
  readonly domainIds: ReadonlySet<Id>;
  /** New purges, in order. */
  readonly purges: readonly Purge[];
  /** The keys of session tickets were written. */
  readonly hasTicketKeys: boolean;
}

export interface Committed {
  readonly sequence: number;
}

/** The ids that this node may assign to new rows: see ids/id-leases.ts. */
export interface IdPool {
  /**
   * Returns the first of `count` consecutive new ids of a table; undefined: they must be leased.
   */
  take(table: number, count: number): Id | undefined;
  /** Like `take`, but leases if necessary. Rejects like a commit. */
  lease(table: number, count: number): Promise<Id>;
  /** Returns taken ids that no row has to the pool. */
  release(table: number, ids: { readonly start: Id; readonly end: Id }): void;
}

/** The limits of an account and of each of its zones; 0: no limit. */
export interface AccountQuota {
  /** The name of the plan, as in the settings of its quotas. */
  readonly plan: string;
  readonly zoneRecords: number;
  readonly records: number;
  /** Bytes of rows: see core/store/row-owner.ts. */
  readonly zoneSize: number;
  readonly size: number;
}

/** Decides which commits are accepted while the disk is almost full. */
export interface StorageGuard {
  /** Nothing may be written. */
  readonly isFull: boolean;
  /** The error of a commit by this author; null: it is accepted. */
  refusalOf(author: string): WaypostError | null;
}

/** The clock of commits: core/journal/clock/guard.ts. */
export interface CommitClock {
  /** Milliseconds since 1970. Throws UnavailableError while the clock is not trusted. */
  now(): number;
  /** The error of commits; null: they are accepted. */
  refusal(): WaypostError | null;
}

export interface Journal {
  readonly ids: IdPool;
  /** Sequence of the last entry that this node has applied. 0: none. */
  readonly head: number;
  /**
   * Appends and applies. Resolves when the entry is on disk, its rows can be read and its answers
   * are served. Rejects with ConflictError if a key of the read set was written after `reads.at`;
   * then nothing has changed.
   */
  commit(request: CommitRequest): Promise<Committed>;
  /**
   * Waits until this node has applied every entry that any node had appended at the time of the
   * call. Resolves with the sequence of the last one. Rejects with UnavailableError if that
   * sequence cannot be determined, or after a timeout.
   */
  latest(): Promise<number>;
  /**
   * Whether every node of the cluster can store rows of the table. False also while the agreed
   * level is unknown.
   */
  canStore(table: Pick<Table<unknown>, 'level'>): boolean;
  /** Whether this node makes the import of the row now. */
  isImporting(row: ImportRow): boolean;
  /** Calls `listener` for every added or deleted domain, in order, once its entry is applied. */
  onDomain(listener: DomainListener): void;
  /** Calls `listener` when accounts or tokens have changed, before the commit is answered. */
  onCredentials(listener: () => void): void;
  /** Calls `listener` for every group of entries, once they are applied and served. */
  onAnswers(listener: (changes: AnswerChanges) => void): void;
  /**
   * Calls `listener` for every group of entries that concerns the edge, once they are applied and
   * served.
   */
  onEdge(listener: (changes: EdgeChanges) => void): void;
  /** Calls `listener` with domains whose signing row has changed. */
  onSigning(listener: (domainIds: ReadonlySet<Id>) => void): void;
  /** Calls `listener` with domains whose row of a secondary zone was written or deleted. */
  onSecondaries(listener: (domainIds: ReadonlySet<Id>) => void): void;
  /** Calls `listener` with the ids of apps, in lower case, that were added, changed or deleted. */
  onApps(listener: (appIds: ReadonlySet<string>) => void): void;
  /**
   * Calls `listener` after every group of entries, from this node or others, once they are applied
   * and served: `head` has moved. Also when the answers of a large import are served.
   */
  onApplied(listener: () => void): void;
  /** Stops accepting commits. Resolves when the pending work is finished. */
  close(): Promise<void>;
}

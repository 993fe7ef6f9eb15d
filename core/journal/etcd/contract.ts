/** The options of a journal over etcd, its interface, and the errors of its commits. */
import { UnavailableError, WaypostError } from '../../base/errors.ts';
import { EtcdDamaged, EtcdFull, EtcdRefused, EtcdUnavailable } from '../etcd-client/errors.ts';
import type { EtcdGateway } from '../etcd-client/gateway.ts';
import type { JournalOptions, LocalJournal } from '../local-journal.ts';
import type { Freshness } from './backlog.ts';

export interface EtcdJournalOptions extends JournalOptions {
  readonly gateway: EtcdGateway;
  /** The prefix of all keys in etcd; it ends with a slash. */
  readonly prefix: string;
  /**
   * Milliseconds after which a commit is rejected if etcd does not respond or other nodes always
   * append first.
   */
  readonly deadline: number;
  /** Milliseconds between reads of the log that do not depend on the watch. */
  readonly interval: number;
  readonly events?: EtcdJournalEvents;
  /**
   * Resolves when all present nodes have applied an entry, or after a timeout. The commit is
   * answered then.
   */
  readonly waitForPeers?: (sequence: number) => Promise<unknown>;
  /** Resolves when all present nodes serve an entry, or after a timeout: for a large import. */
  readonly waitForServed?: (sequence: number, signal: AbortSignal) => Promise<unknown>;
  /** Returns the number of other nodes that may write. */
  readonly countOthers?: () => number;
  /** Undefined: this node appends its own writes. */
  readonly sequencing?: Sequencing;
  /** Whether a copy of another node's store is faster than applying this number of entries. */
  readonly isSnapshotFaster?: (entries: number) => Promise<boolean>;
}

/** Which node appends for all: see forwarding.ts. */
export interface Sequencing {
  /** The unique name of this node. */
  readonly node: string;
  /** The current sequencer; null: this node. */
  sequencer(): Sequencer | null;
  /** Milliseconds for which a sequencer is avoided after it did not respond. */
  readonly avoidFor?: number;
}

/** Another node that appends commits for this node. */
export interface Sequencer {
  /** Resolves with the response. Rejects if there is none; the commits may be appended anyway. */
  forward(commits: Buffer): Promise<Buffer>;
}

interface EtcdJournalEvents {
  /**
   * The node does not follow the log: etcd is unreachable, or an entry cannot be applied here.
   * Null: it follows again.
   */
  onTrouble(error: unknown): void;
  /**
   * The node cannot follow the log now. `isCurable`: a snapshot of another node helps. The log is
   * read again with growing pauses.
   */
  onLost(reason: string, isCurable: boolean): void;
  /** It follows the log again. */
  onFound?(): void;
}

export interface EtcdJournal extends LocalJournal {
  /** The number of known entries of the log that are not applied here yet. */
  readonly lag: number;
  /** Since when this node may be behind. */
  readonly freshness: Freshness;
  /** The reason why this node does not follow the log; null: it follows. */
  readonly lost: string | null;
  /** The log was read at least once. */
  readonly isSynced: boolean;
  /**
   * The next entry of the log cannot be applied here, for example because the disk is full. It is
   * retried.
   */
  readonly isStuck: boolean;
  /** Bytes of the log that are not applied yet. */
  readonly backlog: number;
  /** Resolves when all entries that the log has now are applied. Rejects if that is impossible. */
  catchUp(): Promise<void>;
  /**
   * Stops following the log and accepting commits, which are rejected with the reason; null:
   * follows it again.
   */
  hold(reason: string | null): void;
  /**
   * Appends commits that another node forwarded, together with this node's own. Resolves with the
   * outcome of each once the log has them: see forward-codec.ts. Rejects with UnavailableError, or
   * with Error for unreadable commits; then none is appended.
   */
  commitForwarded(node: string, commits: Buffer): Promise<Buffer>;
  /** Deletes entries before `floor` from the log. Only whole groups are deleted. */
  truncate(floor: number): Promise<void>;
}

export const noQuorum = (reason: string): UnavailableError =>
  new UnavailableError('no_quorum', `Writes are unavailable: ${reason}. Existing data is still served; retry later.`);

export const busy = (): UnavailableError =>
  new UnavailableError('busy', 'Lost the race to other nodes too many times; nothing was written. Retry later.');

export const wentBack = (own: number, last: number): string =>
  `this node is at entry ${own}, but the log in etcd ends at ${last}: etcd has lost entries, for example because an older backup was restored. Restore a newer backup; or stop all nodes, delete all keys below etcd.prefix (etcdctl del --prefix) and run "waypost cluster init" on the node with the highest entry`;

export const otherHistory = (sequence: number): string =>
  `entry ${sequence} of the log in etcd does not follow the last entry of this node: etcd was restored from an older backup and has new writes, or belongs to another cluster. To discard the data of this node, move waypost.mdb out of its data folder and restart it`;

/** Converts the error of an append. */
export function refusalFor(error: unknown): Error {
  if (error instanceof EtcdFull)
    return new UnavailableError(
      'etcd_full',
      'Writes are unavailable: the database of etcd has reached its quota. Contact the operator; "waypost cluster status" shows what to do.',
    );
  if (error instanceof EtcdRefused)
    return new UnavailableError('log_refused', `etcd rejects writes: ${error.message}. Contact the operator.`);
  if (error instanceof EtcdUnavailable)
    return noQuorum(
      error.mayHappen
        ? 'etcd did not respond in time, so it is unknown whether the change was written'
        : 'etcd has no quorum',
    );
  if (error instanceof EtcdDamaged) return noQuorum(error.message);
  return error instanceof Error ? error : new WaypostError('internal', String(error));
}

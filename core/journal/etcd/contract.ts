/** The options of a journal over etcd, and its interface. */
import type { EtcdGateway } from '../etcd-client/gateway.ts';
import type { JournalOptions, LocalJournal } from '../local-journal.ts';
import type { ForwardingOptions } from './forwarding.ts';
import type { Freshness } from './freshness.ts';

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
  /** Returns the number of other nodes that may write. */
  readonly countOthers?: () => number;
  /** Undefined: this node appends its own writes. */
  readonly sequencing?: Pick<ForwardingOptions, 'node' | 'sequencer' | 'avoidFor'>;
  /** Whether a copy of another node's store is faster than applying this number of entries. */
  readonly isSnapshotFaster?: (entries: number) => Promise<boolean>;
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

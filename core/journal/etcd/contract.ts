/** What a journal over etcd is given, and what it is beside a journal. */
import type { EtcdGateway } from '../../etcd/gateway.ts';
import type { JournalOptions, LocalJournal } from '../local-journal.ts';
import type { ForwardingOptions } from './forwarding.ts';
import type { Freshness } from './freshness.ts';

export interface EtcdJournalOptions extends JournalOptions {
  readonly gateway: EtcdGateway;
  /** Of all keys in etcd; ends with a slash. */
  readonly prefix: string;
  /** Milliseconds for which a commit waits for etcd, and for others that are sooner. */
  readonly deadline: number;
  /** Milliseconds between looks at the log beside the watch. */
  readonly interval: number;
  readonly events?: EtcdJournalEvents;
  /** Resolves when the nodes that are there have applied an entry, or it was waited for long enough. A commit is answered then. */
  readonly acknowledged?: (sequence: number) => Promise<unknown>;
  /** Other nodes that may write. */
  readonly others?: () => number;
  /** Undefined: this node appends what it writes itself. */
  readonly sequencing?: Pick<ForwardingOptions, 'node' | 'sequencer' | 'shunned'>;
  /** Whether a copy of another node's store is sooner here than so many entries of the log. */
  readonly isFar?: (entries: number) => Promise<boolean>;
}

export interface EtcdJournalEvents {
  /** It does not follow: etcd cannot be reached, or an entry cannot be applied here. Null: it follows again. */
  trouble(error: unknown): void;
  /** Once: it cannot follow any more. `isCurable`: a snapshot of another node helps. */
  lost(why: string, isCurable: boolean): void;
}

export interface EtcdJournal extends LocalJournal {
  /** Entries that the log had more at the last look. */
  readonly lag: number;
  /** Since when it may be behind. */
  readonly freshness: Freshness;
  /** Why it follows no more. */
  readonly lost: string | null;
  /** It has looked at the log once. */
  readonly isSynced: boolean;
  /** What comes next in the log could not be applied here, as with a full disk; that is tried again and again. */
  readonly isStuck: boolean;
  /** Bytes of the log that wait to be applied. */
  readonly backlog: number;
  /** Resolves when all that the log holds now is applied. Rejects when that cannot be. */
  caughtUp(): Promise<void>;
  /** It is not to follow any more, nor to take commits: `why` is what those are told. */
  leave(why: string): void;
  /**
   * Appends what another node has forwarded, among its own. Resolves with what becomes of each once the log holds it: see forwarded.ts. Rejects with UnavailableError, and with Error for
   * what is unreadable: then nothing becomes of any.
   */
  commitForwarded(node: string, commits: Buffer): Promise<Buffer>;
  /** Takes entries before `floor` out of the log, but whole groups only. */
  forget(floor: number): Promise<void>;
}

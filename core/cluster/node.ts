/** This node: its journal, and where it stands among the others. */
import type { Logger } from '../base/log/index.ts';
import type { Config } from '../config/index.ts';
import type { CommitClock, Journal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/local-journal.ts';
import type { Statistics } from '../observe/statistics/statistics.ts';
import type { RequestTail, WatchRequests } from '../observe/tail/request-tail.ts';
import type { Sync } from './acknowledgements.ts';
import type { BlobSource, BlobStore } from './blobs/store.ts';
import type { NodeClock, UsageChannel } from './cluster.ts';
import type { EdgeAddress } from './edge-address.ts';
import type { ClusterView } from './overview.ts';
import type { OwnLogState, ReadLogStates } from './peer-logs.ts';
import type { ReadRuleCounts, RuleCountersOf } from './peer-rule-counts.ts';
import type { ReadOwn, ReadStatistics } from './peer-statistics.ts';
import type { Standing } from './standing.ts';

export interface Node {
  readonly journal: Journal;
  readonly isAlone: boolean;
  /** Whether this node does the work that one of all does: it serves, and is the first by name. */
  readonly isFirst: () => boolean;
  /** The same among the nodes of its region. */
  readonly isFirstOfRegion: () => boolean;
  /** Those of all nodes. */
  readonly blobs: BlobSource;
  /** The requests of a domain that any node serves. */
  readonly watchRequests: WatchRequests;
  /** Who serves a change. */
  readonly sync: (sequence: number) => Sync;
  /**
   * Resolves when every node that is there serves a change, however long one of them takes, or with
   * the signal.
   */
  readonly served: (sequence: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Resolves when the store of another node is there to take the place of this one's: the service
   * is to restart.
   */
  readonly replaced: Promise<void>;
  readonly isReplaced: boolean;
  /** Names of the nodes that are there, this one among them, in order. */
  readonly present: () => readonly string[];
  /** All nodes, as they report themselves now. */
  readonly describe: () => Promise<ClusterView>;
  /** Null: it is alone. */
  readonly standing: (() => Standing) | null;
  /** Adds up the statistics of all nodes. Never rejects. */
  readonly readStatistics: ReadStatistics;
  /** The states of a domain's logs on all nodes. Never rejects. */
  readonly readLogStates: ReadLogStates;
  /** The counters of a domain's rules, added up over all nodes. Never rejects. */
  readonly readRuleCounts: ReadRuleCounts;
  /** Calls `listener` with the edges of the other nodes that serve: now, and when they change. */
  readonly followEdges: (listener: (edges: readonly EdgeAddress[]) => void) => void;
  /** Null: it is alone. */
  readonly usage: UsageChannel | null;
  /** Why this node is not to be asked; empty when it is. */
  faults(): string[];
  /** What does not keep it from serving; empty when all is well. */
  warnings(): string[];
  /** Takes no more commits, and leaves the others. */
  close(): Promise<void>;
}

export interface NodeOptions extends JournalOptions {
  readonly config: Pick<Config, 'cluster' | 'edge' | 'etcd' | 'peer' | 'packages' | 'nodeName' | 'dataDir'>;
  /** Of this node. */
  readonly blobs: BlobStore;
  /** Null: this node keeps none. */
  readonly statistics: Pick<Statistics, 'read'> | null;
  readonly version: string;
  /** Judges the clock of this node. */
  readonly clock: NodeClock & CommitClock & { warnings(): string[] };
  /** The requests that this node serves. */
  readonly tail: RequestTail;
  /** Delivers the logs of domains. */
  readonly logs: { readonly stateOf: OwnLogState };
  /** What the rules of domains have matched on this node. */
  readonly ruleCounters: RuleCountersOf;
  /** The process runs out of memory or descriptors. */
  readonly isOverloaded?: () => boolean;
  readonly log: Logger;
}

/** Undefined: this node keeps no statistics. */
export function ownStatistics({ statistics }: Pick<NodeOptions, 'statistics'>): ReadOwn | undefined {
  return statistics === null ? undefined : (query) => statistics.read(query);
}

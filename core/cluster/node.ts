/** This node: its journal, and its state in the cluster. */
import type { Logger } from '../base/log/index.ts';
import type { Ownership, Tasks } from '../base/tasks.ts';
import type { Config } from '../config/index.ts';
import type { CommitClock, Journal } from '../journal/journal.ts';
import type { JournalOptions } from '../journal/local-journal.ts';
import type { Statistics } from '../observe/statistics/statistics.ts';
import type { RequestTail, WatchRequests } from '../observe/tail/request-tail.ts';
import type { Sync } from './acknowledgements.ts';
import type { BlobSource, BlobStore } from './blobs/store.ts';
import type { NodeClock, UsageChannel } from './cluster.ts';
import type { ClusterState } from './cluster-state.ts';
import type { EdgeAddress } from './edge-address.ts';
import type { Standing } from './lag.ts';
import type {
  OwnLogState,
  ReadLogStates,
  ReadOwn,
  ReadRuleCounts,
  ReadStatistics,
  RuleCountersOf,
} from './peer-queries.ts';

export interface Node {
  readonly journal: Journal;
  readonly isAlone: boolean;
  /** Which background tasks this node does for the cluster. */
  readonly ownership: Ownership;
  /** Blobs of this node and of its peers. */
  readonly blobs: BlobSource;
  /** Watches the requests of a domain on all nodes. */
  readonly watchRequests: WatchRequests;
  /** The nodes that serve a change, and those that do not yet. */
  readonly sync: (sequence: number) => Sync;
  /**
   * Resolves when every live node serves a change, without a deadline, or when the signal aborts.
   */
  readonly served: (sequence: number, signal?: AbortSignal) => Promise<void>;
  /**
   * Resolves when a fetched store is ready to replace the store of this node: the service must
   * restart.
   */
  readonly replaced: Promise<void>;
  readonly isReplaced: boolean;
  /** Requests the current reports of all nodes. */
  readonly describe: () => Promise<ClusterState>;
  /** Null: a single node without a cluster. */
  readonly standing: (() => Standing) | null;
  /** Adds up the statistics of all nodes. Never rejects. */
  readonly readStatistics: ReadStatistics;
  /** The states of a domain's logs on all nodes. Never rejects. */
  readonly readLogStates: ReadLogStates;
  /** The counters of a domain's rules, added up over all nodes. Never rejects. */
  readonly readRuleCounts: ReadRuleCounts;
  /** Calls `listener` with the edges of the other nodes that serve: now, and when they change. */
  readonly followEdges: (listener: (edges: readonly EdgeAddress[]) => void) => void;
  /** Null: a single node without a cluster. */
  readonly usage: UsageChannel | null;
  /** Reasons why this node is not ready; empty if it is. */
  faults(): string[];
  /** Problems that do not prevent serving; empty if there are none. */
  warnings(): string[];
  /** Stops accepting commits, and leaves the cluster. */
  close(): Promise<void>;
}

export interface NodeOptions extends JournalOptions {
  readonly config: Pick<Config, 'cluster' | 'edge' | 'etcd' | 'peer' | 'packages' | 'nodeName' | 'dataDir'>;
  /** The blobs of this node. */
  readonly blobs: BlobStore;
  /** Null: this node keeps no statistics. */
  readonly statistics: Pick<Statistics, 'read'> | null;
  readonly version: string;
  /** Judges the clock of this node. */
  readonly clock: NodeClock & CommitClock & { warnings(): string[] };
  /** The requests that this node serves. */
  readonly tail: RequestTail;
  /** Delivers the logs of domains. */
  readonly logs: { readonly stateOf: OwnLogState };
  /** Counters of the rules of domains on this node. */
  readonly ruleCounters: RuleCountersOf;
  /** Whether the process is running out of memory or descriptors. */
  readonly isOverloaded?: () => boolean;
  readonly tasks: Tasks;
  readonly log: Logger;
}

/** Undefined: this node keeps no statistics. */
export function ownStatistics({ statistics }: Pick<NodeOptions, 'statistics'>): ReadOwn | undefined {
  return statistics === null ? undefined : (query) => statistics.read(query);
}

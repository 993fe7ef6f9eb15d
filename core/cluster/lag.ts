/**
 * The lag of this node, from the reports of etcd and of the other nodes, and its effect on
 * readiness.
 */
import type { EtcdJournal } from '../journal/etcd/contract.ts';
import type { Cluster } from './cluster.ts';
import type { ClusterState, OwnState } from './cluster-state.ts';

/** The state of a node in its cluster, as the node itself determines it. */
export interface Standing extends Pick<ClusterState, 'agreedLevel' | 'etcd'> {
  readonly state: OwnState;
  /** Changes that the log or another node has and this node has not applied. */
  readonly lagEntries: number;
  /**
   * Maximum staleness of this node: seconds since it had applied everything that the log, or
   * another node, reported. Without etcd it grows only while no other node responds, or a node is
   * known to be ahead. Counts from the start if this node has never been current.
   */
  readonly lagSeconds: number;
  /** Seconds since the last response of etcd; null: none since the start. */
  readonly etcdSeconds: number | null;
  /** Values in etcd that are damaged now. */
  readonly damagedValues: number;
  /** Names of the nodes that have not applied all changes of this node, sorted. */
  readonly pending: readonly string[];
}

interface LagOptions {
  readonly journal: Pick<EtcdJournal, 'head' | 'lag' | 'freshness' | 'lost' | 'isStuck' | 'isSynced'>;
  readonly cluster: Pick<Cluster, 'furthest' | 'heardAt' | 'isOnly' | 'of'>;
  /** Whether the store of another node is being fetched. */
  readonly isFetching: () => boolean;
  /** Maximum staleness in seconds at which this node is ready. */
  readonly maxLag: number;
}

/** Lag in entries at which writes no longer wait for a node. */
const MAX_LIVE_LAG = 1000;
/**
 * Milliseconds without a response of etcd, or a report of a peer, after which they count as silent.
 */
const SILENCE_MS = 5000;

export class Lag {
  readonly #opened = performance.now();

  constructor(private readonly options: LagOptions) {}

  /** Whether writes of other nodes may wait for this node. */
  get isServing(): boolean {
    const { lost, isSynced, isStuck, lag } = this.options.journal;
    return lost === null && isSynced && !isStuck && lag < MAX_LIVE_LAG;
  }

  /**
   * Updates the freshness of the journal. Must be called after each report of a peer and
   * periodically: a single node is never behind.
   */
  heard(): void {
    const { journal, cluster } = this.options;
    const at = cluster.isOnly ? performance.now() : cluster.heardAt;
    if (at !== null) journal.freshness.noteReport(at, cluster.furthest, journal.head);
  }

  standing(): Omit<Standing, 'etcd' | 'agreedLevel' | 'damagedValues'> {
    const { journal, cluster } = this.options;
    const now = performance.now();
    const { lookedAt, currentAt } = journal.freshness;
    return {
      state: this.#stateAt(now),
      lagEntries: Math.max(journal.lag, cluster.furthest - journal.head, 0),
      lagSeconds: (now - (currentAt ?? this.#opened)) / 1000,
      etcdSeconds: lookedAt === null ? null : (now - lookedAt) / 1000,
      pending: cluster.of(journal.head).pending,
    };
  }

  /** Reasons why this node is not ready; empty if it is. */
  faults(): string[] {
    const { journal, maxLag } = this.options;
    if (journal.lost !== null) return [`lost the log of the cluster: ${journal.lost}`];
    if (!journal.isSynced && journal.freshness.currentAt === null)
      return ['the log of the cluster has not been read yet, and no other node is reachable'];
    if (journal.isStuck) return ['cannot apply the writes of other nodes'];
    if (journal.lag >= MAX_LIVE_LAG) return [`${journal.lag} changes behind the cluster`];
    const { lagSeconds, state } = this.standing();
    if (lagSeconds <= maxLag) return [];
    const why = state === 'cut_off' ? ': neither etcd nor another node is reachable' : '';
    return [`up to ${Math.floor(lagSeconds)} seconds behind the cluster${why}`];
  }

  /** Problems that do not prevent serving; empty if there are none. */
  warnings(): string[] {
    const { state, etcdSeconds } = this.standing();
    if (state !== 'without_etcd' && state !== 'cut_off') return [];
    const since = etcdSeconds === null ? 'since the start' : `for ${Math.floor(etcdSeconds)} seconds`;
    return [`etcd has not responded ${since}: writes fail until it does`];
  }

  #stateAt(now: number): OwnState {
    const { journal, cluster, isFetching } = this.options;
    const isSilent = (at: number | null): boolean => now - (at ?? this.#opened) > SILENCE_MS;
    if (isFetching()) return 'fetching';
    if (journal.lost !== null) return 'lost';
    if (journal.isStuck) return 'stuck';
    // While it applies so many entries, it does not read the head of the log.
    if (journal.lag >= MAX_LIVE_LAG) return 'catching_up';
    if (isSilent(journal.freshness.lookedAt))
      return !cluster.isOnly && isSilent(cluster.heardAt) ? 'cut_off' : 'without_etcd';
    return journal.isSynced ? 'following' : 'starting';
  }
}

/** Describes the standing for operators: `following, 0 changes and 0.4 s behind`. */
export function describeStanding({ state, lagEntries, lagSeconds, etcdSeconds, pending }: Standing): string {
  const etcd =
    etcdSeconds === null ? 'no response from etcd yet' : `last response from etcd ${etcdSeconds.toFixed(1)} s ago`;
  const behind = `${lagEntries} ${lagEntries === 1 ? 'change' : 'changes'} and ${lagSeconds.toFixed(1)} s behind`;
  const others = pending.length === 0 ? '' : `, waiting for ${pending.join(', ')}`;
  return `${state.replaceAll('_', ' ')}, ${behind}, ${etcd}${others}`;
}

/**
 * How far this node is behind, by what etcd and the other nodes have reported, and what follows for
 * those who ask whether it serves.
 */
import type { EtcdJournal } from '../journal/etcd/contract.ts';
import type { Cluster } from './cluster.ts';
import type { Standing } from './standing.ts';

interface LagOptions {
  readonly journal: Pick<EtcdJournal, 'head' | 'lag' | 'freshness' | 'lost' | 'isStuck' | 'isSynced'>;
  readonly cluster: Pick<Cluster, 'furthest' | 'heardAt' | 'isOnly' | 'of'>;
  /** The store of another node is being fetched. */
  readonly isFetching: () => boolean;
  /** Seconds for which this node may serve what is out of date. */
  readonly maxLag: number;
}

/** Entries that a node may be behind and still be waited for. */
const CLOSE = 1000;
/**
 * Milliseconds without an answer of etcd, or a word of other nodes, after which they count as not
 * heard.
 */
const SILENCE = 5000;

export class Lag {
  readonly #options: LagOptions;
  readonly #opened = performance.now();

  constructor(options: LagOptions) {
    this.#options = options;
  }

  /** Others may wait for this node. */
  get isServing(): boolean {
    const { lost, isSynced, isStuck, lag } = this.#options.journal;
    return lost === null && isSynced && !isStuck && lag < CLOSE;
  }

  /**
   * To be called when another node has said how far it is, and from time to time: who is the only
   * one has all that anybody has.
   */
  heard(): void {
    const { journal, cluster } = this.#options;
    const at = cluster.isOnly ? performance.now() : cluster.heardAt;
    if (at !== null) journal.freshness.noteReport(at, cluster.furthest, journal.head);
  }

  standing(): Omit<Standing, 'storage' | 'agreedLevel' | 'damagedValues'> {
    const { journal, cluster } = this.#options;
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

  /** Reasons why this node is not ready; empty when it is. */
  faults(): string[] {
    const { journal, maxLag } = this.#options;
    if (journal.lost !== null) return [`lost the log of the cluster: ${journal.lost}`];
    if (!journal.isSynced && journal.freshness.currentAt === null)
      return ['the log of the cluster has not been read yet, and no other node is reachable'];
    if (journal.isStuck) return ['cannot apply the writes of other nodes'];
    if (journal.lag >= CLOSE) return [`${journal.lag} changes behind the cluster`];
    const { lagSeconds, state } = this.standing();
    if (lagSeconds <= maxLag) return [];
    const why = state === 'cut_off' ? ': neither etcd nor another node is reachable' : '';
    return [`up to ${Math.floor(lagSeconds)} seconds behind the cluster${why}`];
  }

  /** Problems that do not make it unready; empty when there are none. */
  warnings(): string[] {
    const { state, etcdSeconds } = this.standing();
    if (state !== 'without_etcd' && state !== 'cut_off') return [];
    const since = etcdSeconds === null ? 'since the start' : `for ${Math.floor(etcdSeconds)} seconds`;
    return [`etcd has not responded ${since}: writes fail until it does`];
  }

  #stateAt(now: number): Standing['state'] {
    const { journal, cluster, isFetching } = this.#options;
    const isSilent = (at: number | null): boolean => now - (at ?? this.#opened) > SILENCE;
    if (isFetching()) return 'fetching';
    if (journal.lost !== null) return 'lost';
    if (journal.isStuck) return 'stuck';
    // With so much to apply it does not look at the log.
    if (journal.lag >= CLOSE) return 'catching_up';
    if (isSilent(journal.freshness.lookedAt))
      return !cluster.isOnly && isSilent(cluster.heardAt) ? 'cut_off' : 'without_etcd';
    return journal.isSynced ? 'following' : 'starting';
  }
}

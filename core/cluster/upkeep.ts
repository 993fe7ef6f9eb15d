/**
 * Background tasks of a node in a cluster: updates its serving state, truncates the log, compacts
 * etcd, and measures the size of etcd's database.
 */

import type { Logger } from '../base/log/index.ts';
import type { Task, Tasks } from '../base/tasks.ts';
import type { EtcdJournal } from '../journal/etcd/contract.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type EtcdStorage, range } from '../journal/etcd-client/messages.ts';
import type { Cluster } from './cluster.ts';
import type { Lag } from './lag.ts';

/**
 * Compacts etcd, which otherwise keeps every version of every key. The head alone has one version
 * for each group of entries.
 */
export class Compaction {
  readonly #key: string;
  /** Revision at the previous turn; 0: none yet. */
  #revision = 0;

  /** `key`: any key, to read the current revision. */
  constructor(
    private readonly gateway: EtcdGateway,
    key: string,
  ) {
    this.#key = key;
  }

  /**
   * Deletes versions that were replaced before the previous turn: a watch that lags less than a
   * turn misses no event. Rejects with EtcdUnavailable and EtcdRefused.
   */
  async turn(): Promise<void> {
    const { revision } = await this.gateway.transaction([], [range(this.#key, undefined, { keysOnly: true })]);
    // A lower revision: etcd was restored from an older backup.
    if (this.#revision > 0 && this.#revision <= revision) await this.gateway.compact(this.#revision);
    this.#revision = revision;
  }
}

export interface UpkeepOptions {
  readonly gateway: EtcdGateway;
  readonly journal: Pick<EtcdJournal, 'head' | 'oldest' | 'truncate'>;
  readonly cluster: Pick<Cluster, 'isServing' | 'serving' | 'settled' | 'isBeingJoined'>;
  readonly lag: Pick<Lag, 'heard' | 'isServing'>;
  readonly prefix: string;
  /** Whether the nodes compact etcd. */
  readonly compacts: boolean;
  /** Number of entries that stay in the log; fewer if their size exceeds its limit. */
  readonly history: number;
  readonly onTrouble: (error: unknown) => void;
  readonly tasks: Tasks;
  readonly log: Logger;
}

/**
 * Milliseconds between updates of the serving state, between compactions, and between measurements
 * of etcd.
 */
const SERVING_MS = 1000;
const COMPACT_MS = 60_000;
const MEASURE_MS = 15_000;
/**
 * Factor by which the log keeps more entries for a node that is catching up: its copied store may
 * be older than the history when the copy is complete.
 */
const JOINING_FACTOR = 20;

export class Upkeep {
  readonly #compaction: Compaction;
  readonly #tasks: readonly Task[];
  /** First entry of the log after the last truncation that was requested. */
  #floor = 1;
  /** Null: etcd has not reported it. */
  storage: EtcdStorage | null = null;

  constructor(private readonly options: UpkeepOptions) {
    this.#compaction = new Compaction(options.gateway, options.prefix);
    const { tasks, log, onTrouble } = options;
    const report = (error: unknown): void => {
      if (error !== null) onTrouble(error);
    };
    const common = { log, report };
    this.#tasks = [
      tasks.add({
        name: 'serving-state',
        owner: 'node',
        due: SERVING_MS,
        run: () => this.#updateServing(),
        ...common,
      }),
      tasks.add({
        name: 'etcd-compaction',
        owner: 'first',
        due: COMPACT_MS,
        run: () => this.#compact(),
        ...common,
      }),
      tasks.add({
        name: 'etcd-size',
        owner: 'node',
        due: MEASURE_MS,
        first: 0,
        run: () => this.#measure(),
        ...common,
      }),
    ];
  }

  start(): void {
    for (const task of this.#tasks) task.start();
  }

  /** Does not wait for pending work. */
  stop(): void {
    for (const task of this.#tasks) void task.stop();
  }

  #updateServing(): void {
    const { lag, cluster } = this.options;
    lag.heard();
    const { isServing } = lag;
    if (isServing !== cluster.isServing) cluster.serving(isServing).catch(() => {});
    this.#truncateLog();
  }

  #truncateLog(): void {
    const { journal, cluster, history, onTrouble } = this.options;
    const kept = history * (cluster.isBeingJoined ? JOINING_FACTOR : 1);
    const byNumber = journal.head - kept;
    // This node has already deleted these entries because of their size.
    const bySize = cluster.isBeingJoined ? 0 : journal.oldest - 1;
    const next = Math.min(cluster.settled, Math.max(byNumber, bySize)) + 1;
    if (next <= this.#floor || (bySize <= byNumber && next < this.#floor + (history >> 3))) return;
    this.#floor = next;
    journal.truncate(next).catch(onTrouble);
  }

  async #compact(): Promise<void> {
    const { compacts, cluster } = this.options;
    // 0: another node has not reported what it has applied.
    if (compacts && cluster.settled > 0) await this.#compaction.turn();
  }

  async #measure(): Promise<void> {
    this.storage = await this.options.gateway.storage().catch(() => null);
  }
}

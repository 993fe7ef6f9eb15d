/**
 * What a node of several does from time to time: it says whether it serves, takes out of the log
 * what all have, compacts etcd, and looks at how full that is.
 */

import { Periodic } from '../base/periodic.ts';
import type { EtcdJournal } from '../journal/etcd/contract.ts';
import type { EtcdGateway } from '../journal/etcd-client/gateway.ts';
import { type EtcdStorage, range } from '../journal/etcd-client/messages.ts';
import type { Cluster } from './cluster.ts';
import type { Lag } from './lag.ts';

/**
 * etcd keeps each version of each key until a client says that nobody needs it: the head alone has
 * one for each group of entries.
 */
export class Compaction {
  readonly #gateway: EtcdGateway;
  readonly #key: string;
  /** Of the turn before; 0: there was none. */
  #revision = 0;

  /** `key`: any, for reading. */
  constructor(gateway: EtcdGateway, key: string) {
    this.#gateway = gateway;
    this.#key = key;
  }

  /**
   * Deletes what was replaced before the last turn: a watch that is behind by less than one
   * misses nothing. Rejects with EtcdUnavailable and EtcdRefused.
   */
  async turn(): Promise<void> {
    const { revision } = await this.#gateway.transaction([], [range(this.#key, undefined, { keysOnly: true })]);
    // Less: of an older backup.
    if (this.#revision > 0 && this.#revision <= revision) await this.#gateway.compact(this.#revision);
    this.#revision = revision;
  }
}

export interface UpkeepOptions {
  readonly gateway: EtcdGateway;
  readonly journal: Pick<EtcdJournal, 'head' | 'oldest' | 'truncate'>;
  readonly cluster: Pick<Cluster, 'isServing' | 'serving' | 'settled' | 'isBeingJoined'>;
  readonly lag: Pick<Lag, 'heard' | 'isServing'>;
  readonly prefix: string;
  /** Whether etcd is compacted by the nodes. */
  readonly compacts: boolean;
  /** Entries that stay in the log. */
  readonly history: number;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Milliseconds between looks at whether this node serves, between compactions, and between looks at
 * how full etcd is.
 */
const LOOK = 1000;
const COMPACTION = 60_000;
const MEASURE = 15_000;
/**
 * So many times as much of the log is kept for a node that is not caught up, such as one that
 * copies a store which is older than the history by the time it is there.
 */
const JOINING = 20;

export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #compaction: Compaction;
  readonly #kept: readonly Periodic[];
  /** The log was asked to begin there. */
  #floor = 1;
  /** Null: etcd has not said. */
  storage: EtcdStorage | null = null;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#compaction = new Compaction(options.gateway, options.prefix);
    const onEnd = (error: unknown): void => {
      if (error !== null) options.onTrouble(error);
    };
    this.#kept = [
      new Periodic(() => this.#look(), { interval: LOOK, onEnd }),
      new Periodic(() => this.#compact(), { interval: COMPACTION, onEnd }),
      new Periodic(() => this.#measure(), { interval: MEASURE, runsImmediately: true, onEnd }),
    ];
  }

  start(): void {
    for (const periodic of this.#kept) periodic.start();
  }

  /** What is pending ends by itself. */
  stop(): void {
    for (const periodic of this.#kept) void periodic.stop();
  }

  #look(): void {
    const { lag, cluster } = this.#options;
    lag.heard();
    const { isServing } = lag;
    if (isServing !== cluster.isServing) cluster.serving(isServing).catch(() => {});
    this.#tidy();
  }

  #tidy(): void {
    const { journal, cluster, history, onTrouble } = this.#options;
    const kept = history * (cluster.isBeingJoined ? JOINING : 1);
    const byNumber = journal.head - kept;
    // This node has deleted them for their size already.
    const bySize = cluster.isBeingJoined ? 0 : journal.oldest - 1;
    const next = Math.min(cluster.settled, Math.max(byNumber, bySize)) + 1;
    if (next <= this.#floor || (bySize <= byNumber && next < this.#floor + (history >> 3))) return;
    this.#floor = next;
    journal.truncate(next).catch(onTrouble);
  }

  async #compact(): Promise<void> {
    const { compacts, cluster } = this.#options;
    // One of all does it.
    if (compacts && cluster.settled > 0) await this.#compaction.turn();
  }

  async #measure(): Promise<void> {
    this.storage = await this.#options.gateway.storage().catch(() => null);
  }
}

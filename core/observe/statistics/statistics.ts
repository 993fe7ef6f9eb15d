/** The side of the main thread of the statistics; see worker.ts. */
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import type { Registry } from '../../base/metrics/index.ts';
import type { Config } from '../../config/index.ts';
import { TRANSPORT_NAMES } from '../../net/address/client.ts';
import { diskSpace } from '../../os/disk-space.ts';
import { type BackOff, type StartReport, SupervisedThread } from '../../os/supervised-thread.ts';
import { reserveLockFile } from '../../store/environment.ts';
import type { FromStatistics, StatisticsData, StatisticsFigures, ToStatistics } from './messages.ts';
import type { NodeStatistics, StatisticsQuery } from './query.ts';
import { createSampleRing, type SampleRing } from './sample-ring.ts';
import { STATISTICS_FILE } from './tiers.ts';

const BACK_OFF: BackOff = { first: 250, factor: 4, maximum: 60_000, settledAfter: 60_000 };
/**
 * Samples are short-lived. A small young generation stays in the CPU cache without evicting data of
 * the DNS threads.
 */
const HEAP = { maxYoungGenerationSizeMb: 3 };
/** Deadline in milliseconds for the thread to store its counts. */
const STOP_MS = 5000;
/** Timeout of an answer in milliseconds. */
const READ_MS = 5000;
/** Maximum number of pending queries. */
const MAX_READS = 64;

/** Counts of the sites of an edge thread. */
interface SiteCounts {
  /** See Collector.addSites. */
  readonly counts: Float64Array;
  /** One 32-bit word, which is increased when the counts were added. */
  readonly added: SharedArrayBuffer;
}

interface StatisticsOptions {
  readonly config: Pick<Config, 'dataDir' | 'dns' | 'statistics'>;
  /** Omitted: the disk is not watched. */
  readonly protection?: { readonly readOnly: SharedArrayBuffer };
  /** A wrong clock must not delete counts. Omitted: the clock is right. */
  readonly clock?: { readonly error: SharedArrayBuffer };
  readonly metrics: Registry;
  readonly log: Logger;
}

interface Read {
  readonly resolve: (answer: NodeStatistics) => void;
  readonly reject: (error: Error) => void;
}

/** Free bytes that are required to create or open the file. */
const SPACE = 1 << 20;

/** Null if `statistics.enabled` is off. */
export function openStatistics(options: StatisticsOptions): Statistics | null {
  return options.config.statistics.enabled ? new Statistics(options) : null;
}

export class Statistics {
  /** One for each UDP thread, then for TCP, TLS and DNS over HTTPS. */
  readonly rings: readonly SampleRing[];
  readonly #thread: SupervisedThread<ToStatistics, Exclude<FromStatistics, StartReport>>;
  readonly #adding = new Map<number, SharedArrayBuffer>();
  readonly #reads = new Map<number, Read>();
  #lastNumber = 0;
  /** The file cannot be opened on a full disk. */
  #isOff = false;
  /** Of the threads that have ended, and of the current one. */
  #samplesBefore = 0;
  #figures: StatisticsFigures = { samples: 0, droppedSamples: 0, diskBytes: 0, fault: null };

  constructor(private readonly options: StatisticsOptions) {
    const { config, protection, clock, metrics, log } = options;
    const readOnly = protection?.readOnly ?? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const clockError = clock?.error ?? new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const { sampling, maxDisk } = config.statistics;
    this.rings = Array.from({ length: config.dns.workers + TRANSPORT_NAMES.length - 1 }, () =>
      createSampleRing(sampling),
    );
    const faults = new FaultLog(log, 'statistics are incomplete', 'statistics are written again');
    this.#thread = new SupervisedThread({
      log,
      role: 'Statistics',
      name: '1',
      file: new URL('./worker.js', import.meta.url),
      backOff: BACK_OFF,
      heap: HEAP,
      prepare: () => ({
        data: { directory: config.dataDir, rings: this.rings, maxBytes: maxDisk, readOnly, clockError } satisfies Omit<
          StatisticsData,
          'pulse'
        >,
        release: () => this.#release(),
      }),
      failure: (message) =>
        new ConfigError(
          'no_statistics',
          `Cannot open counts.mdb in ${config.dataDir}: ${message}. Move the file away, or set statistics.enabled to false.`,
        ),
      onMessage: (message) => this.#receive(message, faults),
      onRestart() {},
    });
    this.#expose(metrics);
  }

  /**
   * Until then the rings keep the samples. If the file cannot be opened on a full disk, the node
   * keeps no statistics: DNS matters more. Throws ConfigError.
   */
  async start(): Promise<void> {
    const { config, log } = this.options;
    const file = join(config.dataDir, STATISTICS_FILE);
    try {
      reserveLockFile(file);
      await this.#thread.start();
    } catch (error) {
      if ((diskSpace(config.dataDir)?.free ?? SPACE) >= SPACE) throw error;
      this.#isOff = true;
      log.warn('the disk is full: no statistics until a restart', { file, reason: (error as Error).message });
    }
  }

  /** Adds the counts of an edge thread. */
  addSites({ counts, added }: SiteCounts): void {
    const number = ++this.#lastNumber;
    this.#adding.set(number, added);
    if (this.#isOff) this.#settle(number);
    this.#thread.send({ kind: 'sites', number, counts });
  }

  /** Rejects if the thread does not answer in time. */
  async read(query: StatisticsQuery): Promise<NodeStatistics> {
    if (this.#isOff) throw new Error('this node keeps no statistics, since its disk was full at the start');
    if (this.#reads.size >= MAX_READS) throw new Error('too many queries of statistics are pending');
    const number = ++this.#lastNumber;
    let timer: NodeJS.Timeout | undefined;
    try {
      return await new Promise<NodeStatistics>((resolve, reject) => {
        this.#reads.set(number, { resolve, reject });
        timer = setTimeout(() => reject(new Error('timeout: the statistics thread does not answer')), READ_MS);
        this.#thread.send({ kind: 'read', number, query });
      });
    } finally {
      clearTimeout(timer);
      this.#reads.delete(number);
    }
  }

  /** Writes the counts of the current minute. */
  async stop(): Promise<void> {
    this.#thread.send({ kind: 'stop' });
    await this.#thread.stop(STOP_MS);
  }

  #receive(message: Exclude<FromStatistics, StartReport>, faults: FaultLog): void {
    switch (message.kind) {
      case 'added':
        this.#settle(message.number);
        break;
      case 'answer': {
        const read = this.#reads.get(message.number);
        if (message.answer === null) read?.reject(new Error('the statistics cannot be read'));
        else read?.resolve(message.answer);
        break;
      }
      case 'figures':
        this.#figures = message.figures;
        faults.report(message.figures.fault === null ? null : new Error(message.figures.fault));
        break;
      default:
        message satisfies never;
    }
  }

  /** Frees the memory of an ended thread. Unstored counts are lost. */
  #release(): void {
    for (const number of [...this.#adding.keys()]) this.#settle(number);
    for (const { reject } of this.#reads.values()) reject(new Error('the statistics thread has ended'));
    this.#samplesBefore += this.#figures.samples;
    this.#figures = { ...this.#figures, samples: 0 };
  }

  #settle(number: number): void {
    const added = this.#adding.get(number);
    this.#adding.delete(number);
    if (added !== undefined) Atomics.add(new Int32Array(added), 0, 1);
  }

  #expose(metrics: Registry): void {
    metrics.read('counter', 'waypost_statistics_samples_total', 'DNS queries sampled for statistics.', [], (emit) =>
      emit(this.#samplesBefore + this.#figures.samples),
    );
    metrics.read(
      'counter',
      'waypost_statistics_samples_dropped_total',
      'Samples missing from the statistics because the thread was too slow.',
      [],
      (emit) => emit(this.#figures.droppedSamples),
    );
    metrics.read('gauge', 'waypost_statistics_disk_bytes', 'Approximate disk space of the statistics.', [], (emit) =>
      emit(this.#figures.diskBytes),
    );
  }
}

/**
 * The statistics thread: reads the samples of the DNS threads and the counts of the edge, stores
 * them each minute, and answers queries. A separate thread, so that this work does not delay the
 * main thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { maintainThread } from '../../os/thread-upkeep.ts';
import { openEnvironment } from '../../store/environment.ts';
import { StoreReader } from '../../store/store-reader.ts';
import { Collector } from './collector.ts';
import type { FromStatistics, StatisticsData, ToStatistics } from './messages.ts';
import { SampleReader } from './sample-ring.ts';
import { StatisticsStore } from './store.ts';
import { openStatisticsFile } from './tiers.ts';

/**
 * Milliseconds between reads of the rings: long with few samples, since each read evicts CPU cache
 * of the DNS threads; short if a ring may fill up.
 */
const DRAIN_MS = 250;
const SOON_MS = 10;
/** Samples of a read above which the interval is short: an eighth of a ring. */
const MANY = 512;
const LOOK_MS = 1000;
const MINUTE_MS = 60_000;

const post = (message: FromStatistics): void => parentPort?.postMessage(message);
const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

function start({ directory, rings, maxBytes, readOnly, clockError, pulse }: StatisticsData): void {
  const readOnlyWord = new Int32Array(readOnly);
  const errorWord = new Int32Array(clockError);
  const isReadOnly = (): boolean => Atomics.load(readOnlyWord, 0) === 1;
  maintainThread(pulse);
  const environment = openEnvironment(directory);
  const store = new StatisticsStore(openStatisticsFile(directory));
  const readers = rings.map((ring) => new SampleReader(ring));
  const collector = new Collector({
    store,
    reader: new StoreReader(environment),
    rings: readers,
    maxBytes,
    now: () => Math.floor((Date.now() - Atomics.load(errorWord, 0) * 1000) / MINUTE_MS),
  });
  let isStopping = false;
  let tidying: Promise<void> | null = null;

  let fault: string | null = null;
  /** Logs errors: a full disk must not end the thread. */
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      fault = reasonOf(error);
    }
  };
  const tidy = (): void => {
    tidying ??= collector
      .tidy(() => isStopping)
      .catch((error: unknown) => {
        fault = reasonOf(error);
      })
      .finally(() => {
        tidying = null;
      });
  };
  const look = (): void => {
    attempt(() => {
      // On a full disk, counts stay in memory until there is space.
      if (isReadOnly() || !collector.startMinute()) return;
      fault = null;
      tidy();
    });
    const droppedSamples = readers.reduce((sum, { dropped }) => sum + dropped, 0);
    post({ kind: 'figures', figures: { samples: collector.samples, droppedSamples, diskBytes: store.bytes, fault } });
  };
  const drain = (): void => attempt(() => collector.drain());
  let drainTimer: NodeJS.Timeout;
  let periodEnd = 0;
  const drainLater = (milliseconds: number): void => {
    drainTimer = setTimeout(() => {
      const before = collector.samples;
      drain();
      const now = performance.now();
      if (now >= periodEnd) {
        periodEnd = now + DRAIN_MS;
        for (const reader of readers) reader.startPeriod();
      }
      drainLater(collector.samples - before > MANY ? SOON_MS : DRAIN_MS);
    }, milliseconds);
  };
  drainLater(DRAIN_MS);
  const lookTimer = setInterval(look, LOOK_MS);

  const stop = async (): Promise<void> => {
    isStopping = true;
    clearTimeout(drainTimer);
    clearInterval(lookTimer);
    await tidying;
    drain();
    if (!isReadOnly()) attempt(() => collector.flush());
    await store.close();
    await environment.close();
    process.exit();
  };

  parentPort?.on('message', (message: ToStatistics) => {
    if (message.kind === 'stop') void stop();
    else if (message.kind === 'sites') {
      attempt(() => collector.addSites(message.counts));
      post({ kind: 'added', number: message.number });
    } else {
      // The answer includes all queries that were answered before.
      drain();
      let answer = null;
      attempt(() => {
        answer = collector.read(message.query);
      });
      post({ kind: 'answer', number: message.number, answer });
    }
  });
  tidy();
  post({ kind: 'listening' });
}

try {
  start(workerData as StatisticsData);
} catch (error) {
  post({ kind: 'failed', message: reasonOf(error) });
}

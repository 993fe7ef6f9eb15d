/**
 * The statistics thread: takes the samples of the DNS threads and the counts of the edge, writes
 * them each minute, and answers queries. The work must not delay the main thread.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { maintainThread } from '../../os/thread-upkeep.ts';
import { openEnvironment } from '../../store/environment.ts';
import { StoreReader } from '../../store/reader.ts';
import { Collector } from './collector.ts';
import { openStatisticsFile } from './files.ts';
import type { FromStatistics, StatisticsData, ToStatistics } from './messages.ts';
import { SampleReader } from './sample-ring.ts';
import { StatisticsStore } from './store.ts';

/**
 * Milliseconds between two looks at the rings: few while there is little, since each look takes the
 * processor's cache from the DNS threads; soon if a ring may fill up.
 */
const DRAIN_MS = 250;
const SOON_MS = 10;
/** An eighth of a ring. */
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
  /** A full disk must not end the thread. */
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
      // The counts go on in memory, and are written when there is space again.
      if (isReadOnly() || !collector.startMinute()) return;
      fault = null;
      tidy();
    });
    const droppedSamples = readers.reduce((sum, { dropped }) => sum + dropped, 0);
    post({ kind: 'figures', figures: { samples: collector.samples, droppedSamples, diskBytes: store.bytes, fault } });
  };
  const drain = (): void => attempt(() => collector.drain());
  let drainTimer: NodeJS.Timeout;
  const drainLater = (milliseconds: number): void => {
    drainTimer = setTimeout(() => {
      const before = collector.samples;
      drain();
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
      // The counts of queries that were answered before are part of the answer.
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

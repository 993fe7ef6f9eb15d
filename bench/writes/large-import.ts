/** One import of many records next to writers of other zones: what it takes from them. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { ServerProcess } from '../dns/process.ts';
import type { AdminApi, DomainRef } from './api.ts';
import { measureCreations } from './writers.ts';

/** Milliseconds of each creation of the other writers, and of each request for /healthz. */
interface Waits {
  readonly writes: readonly number[];
  readonly health: readonly number[];
}

export interface LargeImport {
  readonly seconds: number;
  /** The same writers before the import: the import causes the difference. */
  readonly alone: Waits;
  readonly during: Waits;
  /** Bytes of resident memory before the import, and the most during it. */
  readonly memory: { readonly before: number; readonly most: number };
}

const PROBE_MS = 5;
const SAMPLE_MS = 50;
const ALONE_MS = 5000;

/** `count` address records, each with a name of its own. */
export function largeZoneFile(count: number): Buffer {
  const parts: Buffer[] = [];
  const lines = 10_000;
  for (let first = 0; first < count; first += lines) {
    let text = '';
    for (let i = first; i < Math.min(count, first + lines); i++) text += `n${i} 300 A 192.0.2.${i % 250}\n`;
    parts.push(Buffer.from(text));
  }
  return Buffer.concat(parts);
}

/** Imports `file` into `zone` while `writers` create records in `domains`. */
export async function measureLargeImport(
  { api, url, daemon }: { readonly api: AdminApi; readonly url: string; readonly daemon: ServerProcess },
  zone: DomainRef,
  file: Buffer,
  domains: readonly DomainRef[],
  writers: number,
): Promise<LargeImport> {
  const memory = { before: daemon.memory().rss, most: 0 };
  let isSampled = false;
  const sample = async (): Promise<void> => {
    for (; !isSampled; await sleep(SAMPLE_MS)) memory.most = Math.max(memory.most, daemon.memory().rss);
  };
  const beside = async (label: string, work: () => Promise<unknown>): Promise<Waits> => {
    const writes: number[] = [];
    let isOver = false;
    const write = async (): Promise<void> => {
      for (let round = 0; !isOver; round++) {
        const { milliseconds, refused } = await measureCreations(api, domains, writers, 0.2, `${label}-${round}`);
        if (refused.size > 0) throw new Error(`Writes were refused: ${[...refused.keys()].join()}`);
        for (const took of milliseconds) writes.push(took);
      }
    };
    const probe = new Worker(new URL(import.meta.url), { workerData: url });
    const others = write();
    try {
      await work();
      isOver = true;
      await others;
    } catch (error) {
      isOver = true;
      await probe.terminate();
      throw error;
    }
    const health = once(probe, 'message');
    probe.postMessage('stop');
    return { writes, health: ((await health) as [number[]])[0] };
  };
  const alone = await beside('alone', () => sleep(ALONE_MS));
  const sampled = sample();
  const begin = performance.now();
  const during = await beside('import', () => api.importZone(zone.id, file));
  const seconds = (performance.now() - begin) / 1000;
  isSampled = true;
  await sampled;
  return { seconds, alone, during, memory };
}

// The probe has a thread of its own, so that its figures have no waits for the writers' thread.
if (!isMainThread) {
  const health: number[] = [];
  let isOver = false;
  parentPort?.once('message', () => {
    isOver = true;
  });
  for (; !isOver; await sleep(PROBE_MS)) {
    const sent = performance.now();
    await (await fetch(`${workerData}/healthz`)).arrayBuffer();
    health.push(performance.now() - sent);
  }
  parentPort?.postMessage(health);
}

/** One import of many records next to writers of other zones: what it takes from them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerProcess } from '../dns/process.ts';
import type { AdminApi, DomainRef } from './api.ts';
import { measureCreations } from './writers.ts';

export interface LargeImport {
  readonly seconds: number;
  /** Milliseconds of each creation of the other writers during the import. */
  readonly writes: readonly number[];
  /** Milliseconds of each request for /healthz during the import. */
  readonly health: readonly number[];
  /** Bytes of resident memory before the import, and the most during it. */
  readonly memory: { readonly before: number; readonly most: number };
}

const PROBE_MS = 5;
const SAMPLE_MS = 50;

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
  const writes: number[] = [];
  const health: number[] = [];
  const before = daemon.memory().rss;
  let most = before;
  let isOver = false;
  const write = async (): Promise<void> => {
    for (let round = 0; !isOver; round++) {
      const { milliseconds, refused } = await measureCreations(api, domains, writers, 0.2, `import-${round}`);
      if (refused.size > 0) throw new Error(`Writes were refused: ${[...refused.keys()].join()}`);
      for (const took of milliseconds) writes.push(took);
    }
  };
  const probe = async (): Promise<void> => {
    for (; !isOver; await sleep(PROBE_MS)) {
      const sent = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      health.push(performance.now() - sent);
    }
  };
  const sample = async (): Promise<void> => {
    for (; !isOver; await sleep(SAMPLE_MS)) most = Math.max(most, daemon.memory().rss);
  };
  const others = [write(), probe(), sample()];
  const begin = performance.now();
  try {
    await api.importZone(zone.id, file);
  } finally {
    isOver = true;
    await Promise.all(others);
  }
  return { seconds: (performance.now() - begin) / 1000, writes, health, memory: { before, most } };
}

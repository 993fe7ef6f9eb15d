/** What the nodes of a soak have in use, read every few seconds. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { SoakNode } from './rig.ts';

export interface Sample {
  /** Seconds since the soak began. */
  readonly at: number;
  readonly node: string;
  readonly pid: number;
  /** Bytes; the first is the sum of the next two. */
  readonly resident: number;
  /** Memory of the process itself. */
  readonly anonymous: number;
  /** Pages of mapped files, above all of the database. */
  readonly mapped: number;
  readonly heapUsed: number;
  /** The young generation of the main thread, which V8 enlarges as it sees fit. */
  readonly young: number;
  /** Outside the heap of the main thread. */
  readonly external: number;
  readonly descriptors: number;
  readonly threads: number;
  /** Of the database file, in bytes on the disk. */
  readonly store: number;
  /** Of all threads since the start, in seconds. */
  readonly cpu: number;
  /** Longest delay of the main thread's loop in the last 15 s, in milliseconds. */
  readonly lag: number;
}

export const COLUMNS = [
  ...['at', 'node', 'pid', 'resident', 'anonymous', 'mapped', 'heapUsed', 'young', 'external'],
  ...['descriptors', 'threads', 'store', 'cpu', 'lag'],
] as readonly (keyof Sample)[];

export async function sample({ name, daemon }: SoakNode, at: number): Promise<Sample> {
  const { pid } = daemon.child;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0);
  const response = await fetch(`http://127.0.0.1:${daemon.adminPort}/metrics`, {
    headers: { authorization: `Bearer ${daemon.api.token}` },
    signal: AbortSignal.timeout(10_000),
  });
  const metrics = await response.text();
  const metric = (key: string): number =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(`${key} `))
        ?.split(' ')[1] ?? 0,
    );
  return {
    ...{ at: Math.round(at), node: name, pid },
    resident: field('VmRSS') * 1024,
    anonymous: (field('RssAnon') + field('RssShmem')) * 1024,
    mapped: field('RssFile') * 1024,
    heapUsed: metric('nodejs_heap_size_bytes{state="used"}'),
    young: metric('nodejs_heap_space_size_bytes{space="new"}'),
    external: metric('nodejs_external_memory_bytes'),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    threads: field('Threads'),
    store: statSync(join(daemon.dataDir, 'waypost.mdb')).blocks * 512,
    cpu: metric('process_cpu_seconds_total'),
    lag: metric('nodejs_eventloop_lag_max_seconds') * 1000,
  };
}

export const csv = (samples: readonly Sample[]): string =>
  `${[COLUMNS.join(','), ...samples.map((sampled) => COLUMNS.map((column) => sampled[column]).join(','))].join('\n')}\n`;

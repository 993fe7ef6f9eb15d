/**
 * Many clients that each create one record after another, and the disk's own limit next to them.
 */
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { AdminApi, DomainRef } from './api.ts';

export interface Creations {
  readonly perSecond: number;
  /** Milliseconds of each creation, request to answer. */
  readonly milliseconds: number[];
  /** Answers other than 200, by status and code. */
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * `writers` at a time for `seconds`; writer i writes to domain i modulo their number. `label`
 * begins the names, so that two runs don't meet.
 */
export async function measureCreations(
  api: AdminApi,
  domains: readonly DomainRef[],
  writers: number,
  seconds: number,
  label: string,
): Promise<Creations> {
  const milliseconds: number[] = [];
  const refused = new Map<string, number>();
  const begin = performance.now();
  const end = begin + seconds * 1000;
  const write = async (_: unknown, writer: number): Promise<void> => {
    const { id } = domains[writer % domains.length];
    for (let i = 0; performance.now() < end; i++) {
      const askedAt = performance.now();
      const reply = await api.createAddress(id, `${label}-${writer}-${i}`);
      if (reply.status === 200) milliseconds.push(performance.now() - askedAt);
      else {
        const what = `${reply.status} ${reply.code}`;
        refused.set(what, (refused.get(what) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  return { perSecond: (milliseconds.length * 1000) / (performance.now() - begin), milliseconds, refused };
}

export interface WriteLoad {
  readonly domains: readonly DomainRef[];
  /** Begins the names. */
  readonly label: string;
}

export interface Turns {
  /** Creations a second in each turn. */
  readonly perSecond: readonly number[];
  readonly milliseconds: readonly number[];
  /** CPU time of the daemon for each creation. */
  readonly cpuMicros: number;
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * Loads in turns of a second, `count` for each, with `writers` at a time. `cpuSeconds`: of the
 * daemon so far.
 */
export async function measureInTurns(
  api: AdminApi,
  loads: readonly WriteLoad[],
  writers: number,
  count: number,
  cpuSeconds: () => number,
): Promise<Turns[]> {
  const all = loads.map(() => ({
    perSecond: [] as number[],
    milliseconds: [] as number[],
    cpuMicros: 0,
    refused: new Map<string, number>(),
  }));
  for (let turn = 0; turn < count; turn++)
    for (const [i, { domains, label }] of loads.entries()) {
      const before = cpuSeconds();
      const creations = await measureCreations(api, domains, writers, 1, `${label}-${turn}`);
      const own = all[i];
      own.cpuMicros += ((cpuSeconds() - before) * 1e6) / creations.milliseconds.length / count;
      own.perSecond.push(creations.perSecond);
      own.milliseconds.push(...creations.milliseconds);
      for (const [what, times] of creations.refused) own.refused.set(what, (own.refused.get(what) ?? 0) + times);
    }
  return all;
}

/**
 * How many 4 KiB writes, each followed by fdatasync, one file in `folder` takes a second: what a
 * commit that is synced cannot beat.
 */
export function measureSync(folder: string, seconds: number): number {
  const path = join(folder, 'sync-probe');
  const file = openSync(path, 'w');
  const page = Buffer.alloc(4096, 1);
  const begin = performance.now();
  let count = 0;
  for (; performance.now() - begin < seconds * 1000; count++) {
    writeSync(file, page, 0, page.length, (count % 256) * page.length);
    fdatasyncSync(file);
  }
  const perSecond = (count * 1000) / (performance.now() - begin);
  closeSync(file);
  rmSync(path);
  return perSecond;
}

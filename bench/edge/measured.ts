/** What one measurement tells, and who takes it. */
import { readFileSync } from 'node:fs';
import type { Contender } from './contender.ts';

export interface Measured {
  readonly perSecond: number;
  /** User and kernel time of all the server's threads, for each request. */
  readonly cpuMicros: number;
  /** Share of a core that each had. */
  readonly serverBusy: number;
  readonly loadBusy: number;
  /** Requests without the right answer. */
  readonly wrong: number;
}

/** What a generator says of itself. */
export interface Driven {
  readonly requests: number;
  readonly wrong: number;
}

/** Share of its core that server or generator must have had: less, and something else ran there. */
export const UNDISTURBED = 0.94;

/**
 * Both are watched from the begin of `drive` to its end. The generator is a child of this process
 * that has ended by then.
 */
export async function measure(server: Contender, drive: () => Promise<Driven>): Promise<Measured> {
  const cpu = server.process.cpuSeconds();
  const load = childSeconds();
  const begin = performance.now();
  const { requests, wrong } = await drive();
  const seconds = (performance.now() - begin) / 1000;
  server.process.assertAlive();
  const used = server.process.cpuSeconds() - cpu;
  return {
    perSecond: requests / seconds,
    cpuMicros: (used / requests) * 1e6,
    serverBusy: used / seconds,
    loadBusy: (childSeconds() - load) / seconds,
    wrong,
  };
}

export const isDisturbed = ({ serverBusy, loadBusy }: Measured): boolean =>
  Math.max(serverBusy, loadBusy) < UNDISTURBED;

/**
 * User and kernel seconds of children that have ended (proc(5): cutime and cstime, in ticks of 10
 * ms).
 */
function childSeconds(): number {
  const fields = readFileSync('/proc/self/stat', 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

/**
 * What each attack of this folder shares: `node dist/bench/attacks/NAME.js [--main FILE] [--seconds
 * N]` starts a daemon, probes another tenant's service without and with the attack, and prints a
 * row of Markdown. `--main`: main.js of another revision, for comparing.
 *
 * Probes are sent at a fixed interval, whether earlier ones were answered or not: a service that
 * stands still is seen by each of them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { quantile } from '../../test/system/scenario/attack-stage.ts';
import { readOptions } from '../options.ts';

export interface AttackOptions {
  /** main.js of the attacked daemon; undefined: this revision. */
  readonly main?: string;
  /** Seconds of each measurement. */
  readonly seconds: number;
}

/** Reads the command line of `node dist/bench/attacks/NAME.js`. `about`: a sentence. */
export function attackOptions(name: string, about: string, seconds = 10): AttackOptions {
  const read = readOptions({
    command: `node dist/bench/attacks/${name}.js`,
    about,
    options: {
      main: { kind: 'text', value: 'FILE', help: 'main.js of another revision' },
      seconds: { kind: 'number', help: `of each measurement, without and with the attack; ${seconds} by default` },
    },
  });
  return { main: read.main, seconds: read.seconds ?? seconds };
}

export interface Probed {
  /** Milliseconds of each answered probe. */
  readonly times: readonly number[];
  readonly sent: number;
}

/** `probe` rejects if it gets no right answer. Probes without an answer in `patienceMs` failed. */
export async function probeFor(
  seconds: number,
  probe: (n: number) => Promise<unknown>,
  { intervalMs = 50, patienceMs = 10_000 } = {},
): Promise<Probed> {
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const count = Math.ceil((seconds * 1000) / intervalMs);
  const start = performance.now();
  for (let n = 0; n < count; n++) {
    const due = start + n * intervalMs;
    await sleep(Math.max(0, due - performance.now()));
    // From the time at which it was due: a late probe is part of what is measured.
    pending.push(
      probe(n).then(
        () => void times.push(performance.now() - due),
        () => {},
      ),
    );
  }
  const patience = new AbortController();
  await Promise.race([Promise.all(pending), sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => {})]);
  patience.abort();
  return { times: [...times], sent: count };
}

/** Resident megabytes and open descriptors of a process. */
export function processFigures(pid: number): { readonly megabytes: number; readonly descriptors: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const megabytes = Math.round(Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024);
  return { megabytes, descriptors: readdirSync(`/proc/${pid}/fd`).length };
}

const ms = (value: number): string => (Number.isFinite(value) ? value.toFixed(1) : 'none');

export function shown({ times, sent }: Probed): string {
  if (times.length === 0) return `0 of ${sent}`;
  return `${times.length} of ${sent}, p50 ${ms(quantile(times, 0.5))} ms, p99 ${ms(quantile(times, 0.99))} ms`;
}

/** Prints a row: what was measured, without the attack, with it, and the daemon's figures. */
export function printRow(what: string, without: Probed, attacked: Probed, more: readonly string[] = []): void {
  process.stdout.write(`| ${[what, shown(without), shown(attacked), ...more].join(' | ')} |\n`);
}

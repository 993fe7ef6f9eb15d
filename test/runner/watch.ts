/** Ends a test process when a test takes too long, and says which. */
import { readdirSync, readFileSync } from 'node:fs';
import { slowdown } from './stress.ts';

/** In milliseconds, of one test, or of what a file does before its first. */
export interface Limits {
  /** While it waits, which is what a test does that never ends. */
  readonly idle: number;
  /** While it works, or waits for the processor: a slow machine is no fault of the test. */
  readonly busy: number;
}

const MINUTE = 60_000;
const UNIT: Limits = { idle: MINUTE, busy: 10 * MINUTE };
/** Daemons and peers wait for timers and for each other. Their longest tests take three minutes. */
const SYSTEM: Limits = { idle: 10 * MINUTE, busy: 10 * MINUTE };
/** To end after the last file: a failed test may have left a server running. */
const GRACE: Limits = { idle: MINUTE / 2, busy: 10 * MINUTE };
/** Upgrades, disasters, and generated cases at full depth: until the limit of the process. */
const NONE: Limits = { idle: Number.POSITIVE_INFINITY, busy: Number.POSITIVE_INFINITY };

/** `file`: path relative to dist/test. */
export function limitsOf(file: string): Limits {
  if (file.startsWith('release/') || process.env.WAYPOST_DEPTH === 'full') return NONE;
  return scaled(file.startsWith('system/') ? SYSTEM : UNIT);
}

/**
 * Milliseconds after which a process is killed, and its current file fails. Some files take half an
 * hour at full depth on a third of a core.
 */
export const processLimitOf = (files: readonly string[]): number =>
  files.some((file) => limitsOf(file) === NONE) ? 4 * 60 * MINUTE : 25 * MINUTE * slowdown();

/** Of a process after its last file. */
export const graceLimits = (): Limits => scaled(GRACE);

const scaled = ({ idle, busy }: Limits): Limits => ({ idle: idle * slowdown(), busy: busy * slowdown() });

/** A part of the limit: the last of these decide whether the test waits or works. */
const LOOKS = 6;
/** In succession: a machine that was stopped for a moment looks like a test that waits. */
const IDLE_LOOKS = 2;
/** Of the time between two looks, from which on the test works. */
const BUSY_SHARE = 0.1;

export class TestWatch {
  readonly #group: number;
  readonly #end: (limit: number) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `group`: number of the process group. `end` is called with the limit that was reached. */
  constructor(group: number, end: (limit: number) => void) {
    this.#group = group;
    this.#end = end;
  }

  /** The process has begun something new. */
  restart(limits: Limits): void {
    this.stop();
    if (limits.idle === Number.POSITIVE_INFINITY) return;
    const interval = limits.idle / LOOKS;
    const first = limits.idle - IDLE_LOOKS * interval;
    this.#lookAfter(first, interval, limits, { elapsed: first, idleLooks: 0 });
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** `elapsed`: after the wait. `before`: runnable time at the last look. */
  #lookAfter(wait: number, interval: number, limits: Limits, { elapsed, idleLooks, before }: Looked): void {
    this.#timer = setTimeout(() => {
      const now = runnableMs(this.#group);
      const isIdle = before !== undefined && now - before < interval * BUSY_SHARE;
      const idle = isIdle ? idleLooks + 1 : 0;
      if (elapsed >= limits.idle && idle >= IDLE_LOOKS) return this.#end(limits.idle);
      if (elapsed >= limits.busy) return this.#end(isIdle ? limits.idle : limits.busy);
      this.#lookAfter(interval, interval, limits, { elapsed: elapsed + interval, idleLooks: idle, before: now });
    }, wait);
  }
}

interface Looked {
  readonly elapsed: number;
  readonly idleLooks: number;
  readonly before?: number;
}

const NS_PER_MS = 1e6;

/**
 * Milliseconds for which the threads of a process group ran or waited for the processor (schedstat
 * in the kernel's documentation of the scheduler). 0: this system does not have it.
 */
function runnableMs(group: number): number {
  let total = 0;
  for (const pid of list('/proc')) {
    if (groupOf(pid) !== group) continue;
    for (const thread of list(`/proc/${pid}/task`)) {
      const [ran, waited] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ');
      total += (Number(ran) + Number(waited ?? 0)) / NS_PER_MS;
    }
  }
  return total;
}

/** proc_pid_stat(5): the group is the third field behind the name, which is in parentheses. */
function groupOf(pid: string): number {
  const stat = read(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
}

/** Numbers in a folder. */
function list(path: string): string[] {
  try {
    return readdirSync(path).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** Empty if the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

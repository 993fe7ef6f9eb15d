/**
 * Back-off of a daemon that crashes at every start. A file in the data folder stores the times of
 * starts without a shutdown. After several within a few minutes the next start waits: an immediate
 * restart would only load the machine, or the supervisor would give up. DNS answers meanwhile.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/log/index.ts';
import { writeFileSync } from '../../base/write-file.ts';

const FILE = 'starts.json';
/** Milliseconds after which a start no longer counts. */
const WINDOW = 600_000;
/** Starts without a shutdown that do not delay the next one. */
const FREE = 2;
/** Milliseconds of the first delay, which doubles. */
const FIRST = 2000;
/** Maximum number of stored starts. */
const KEPT = 20;
const STOPPING = ['SIGTERM', 'SIGINT'] as const;

/** Milliseconds that a start waits after `failed` starts within the window, at most `maximum`. */
export function startDelay(failed: number, maximum: number): number {
  return failed <= FREE ? 0 : Math.min(maximum, FIRST * 2 ** Math.min(failed - FREE - 1, 20));
}

interface Start {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the nameserver answered before the process ended. */
  readonly hasServed: boolean;
}

export class StartRecord {
  readonly #file: string;
  #failed: readonly Start[] = [];
  #at = 0;
  /** Milliseconds that remain to be waited, once the nameserver answers. */
  #delay = 0;
  #hasBegun = false;

  /** `maximum`: milliseconds; 0: starts never wait. */
  constructor(
    folder: string,
    private readonly maximum: number,
    private readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown> = (ms, signal) =>
      sleep(ms, undefined, { signal }),
  ) {
    this.#file = join(folder, FILE);
  }

  /**
   * Records this start. Waits only if the last one failed before the nameserver answered: the delay
   * then keeps no answer back. Otherwise `served` waits. A second call does nothing.
   */
  async begin(log: Logger): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#failed = this.#read(Date.now());
    this.#delay = startDelay(this.#failed.length, this.maximum);
    if (this.#delay > 0)
      log.warn('previous starts failed; delaying this start', {
        failed: this.#failed.length,
        seconds: this.#delay / 1000,
      });
    if (this.#failed.at(-1)?.hasServed !== true) await this.#pause();
    this.#at = Date.now();
    this.#write([...this.#failed, { at: this.#at, hasServed: false }]);
  }

  /** Call it when the nameserver answers; all other parts start after it. */
  async served(): Promise<void> {
    this.#write([...this.#failed, { at: this.#at, hasServed: true }]);
    await this.#pause();
  }

  /** Call it after an orderly shutdown. */
  end(): void {
    rmSync(this.#file, { force: true });
  }

  /** A signal ends the process during the wait, which is no failure of this start. */
  async #pause(): Promise<void> {
    const delay = this.#delay;
    this.#delay = 0;
    if (delay === 0) return;
    const stop = new AbortController();
    const onSignal = (signal: NodeJS.Signals): void => {
      if (this.#at > 0) this.#write(this.#failed);
      stop.abort();
      for (const name of STOPPING) process.off(name, onSignal);
      process.kill(process.pid, signal);
    };
    for (const name of STOPPING) process.on(name, onSignal);
    try {
      await this.wait(delay, stop.signal);
    } finally {
      for (const name of STOPPING) process.off(name, onSignal);
    }
  }

  /** Without a folder, or on a full disk, the start is not recorded. */
  #write(starts: readonly Start[]): void {
    try {
      writeFileSync(this.#file, JSON.stringify(starts.slice(-KEPT)), { mode: 0o600 });
    } catch {}
  }

  /** The starts within the window; a damaged file counts as none. */
  #read(now: number): Start[] {
    try {
      const stored = JSON.parse(readFileSync(this.#file, 'utf8')) as unknown;
      if (!Array.isArray(stored)) return [];
      return stored
        .map((each: Partial<Start> | null) => ({ at: Number(each?.at), hasServed: each?.hasServed === true }))
        .filter(({ at }) => Math.abs(now - at) < WINDOW);
    } catch {
      return [];
    }
  }
}

/**
 * Back-off of a daemon that crashes at every start. A file in the data folder stores the times of
 * starts without a shutdown. After several within a few minutes the next start waits: an immediate
 * restart would only load the machine, or the supervisor would give up.
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

/** Milliseconds that a start waits after `failed` starts within the window, at most `maximum`. */
export function startDelay(failed: number, maximum: number): number {
  return failed <= FREE ? 0 : Math.min(maximum, FIRST * 2 ** Math.min(failed - FREE - 1, 20));
}

export class StartRecord {
  readonly #file: string;
  #hasBegun = false;

  /** `maximum`: milliseconds; 0: starts never wait. */
  constructor(
    folder: string,
    private readonly maximum: number,
  ) {
    this.#file = join(folder, FILE);
  }

  /** Waits if earlier starts have failed, and records this one. A second call does nothing. */
  async begin(log: Logger, wait: (ms: number) => Promise<unknown> = sleep): Promise<void> {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const failed = this.#read(Date.now());
    const delay = startDelay(failed.length, this.maximum);
    if (delay > 0) {
      log.warn('previous starts failed; delaying this start', { failed: failed.length, seconds: delay / 1000 });
      await wait(delay);
    }
    // The folder does not exist before the first start, or the disk is full: the start is not
    // recorded.
    try {
      writeFileSync(this.#file, JSON.stringify([...failed, Date.now()].slice(-KEPT)), { mode: 0o600 });
    } catch {}
  }

  /** Call it after an orderly shutdown. */
  end(): void {
    rmSync(this.#file, { force: true });
  }

  /** The starts within the window; a damaged file counts as none. */
  #read(now: number): number[] {
    try {
      const times = JSON.parse(readFileSync(this.#file, 'utf8')) as unknown;
      if (!Array.isArray(times)) return [];
      return times.filter((time): time is number => typeof time === 'number' && Math.abs(now - time) < WINDOW);
    } catch {
      return [];
    }
  }
}

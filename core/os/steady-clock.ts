/**
 * Milliseconds since the machine was started, with the time in which it was suspended: a clock that
 * is never set. /proc/uptime has it in hundredths of a second (proc(5)).
 */
import { closeSync, openSync, readSync } from 'node:fs';

const LENGTH = 64;
/** Milliseconds after which the file is read again. */
const FRESH_MS = 1000;
/** Milliseconds by which the clock of the machine may leave the monotonic one in that time. */
const STEP_MS = 50;

export class SteadyClock {
  readonly #file: number | null = open();
  readonly #bytes = Buffer.alloc(LENGTH);
  /** When the file was read, by the monotonic clock and by that of the machine. */
  #readAt = Number.NEGATIVE_INFINITY;
  #readOn = 0;
  #value = 0;

  /**
   * Every write asks, so the file is read only from time to time, and when the clock of the machine
   * has leapt: then it was set, or the machine was suspended. Where there is no such file, without
   * the time in which the machine was suspended.
   */
  read(): number {
    const now = performance.now();
    if (this.#file === null) return now;
    const passed = now - this.#readAt;
    const time = Date.now();
    if (passed < FRESH_MS && Math.abs(time - this.#readOn - passed) < STEP_MS) return this.#value + passed;
    const length = readSync(this.#file, this.#bytes, 0, LENGTH, 0);
    this.#value = Number.parseFloat(this.#bytes.toString('latin1', 0, length)) * 1000;
    this.#readAt = now;
    this.#readOn = time;
    return this.#value;
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
  }
}

function open(): number | null {
  try {
    return openSync('/proc/uptime', 'r');
  } catch {
    return null;
  }
}

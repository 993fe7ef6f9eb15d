/**
 * A clock that is never set: milliseconds since boot, including suspended time. /proc/uptime
 * reports it in hundredths of a second (proc(5)).
 */
import { closeSync, openSync, readSync } from 'node:fs';

const LENGTH = 64;
/** Milliseconds after which the file is read again. */
const FRESH_MS = 1000;
/**
 * Maximum difference in milliseconds between the system clock and the monotonic clock until the
 * file is read again.
 */
const STEP_MS = 50;

export class SteadyClock {
  readonly #file: number | null = open();
  readonly #bytes = Buffer.alloc(LENGTH);
  /** Time of the last read of the file, by the monotonic clock and by the system clock. */
  #readAt = Number.NEGATIVE_INFINITY;
  #readOn = 0;
  #value = 0;

  /**
   * Every write calls it, so the file is read at most once a second, and after a jump of the system
   * clock: the clock was set, or the machine was suspended. Without the file, suspended time is not
   * included.
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

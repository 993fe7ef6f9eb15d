/**
 * Milliseconds since the machine was started, with the time in which it was suspended: a clock that
 * nobody sets. /proc/uptime has it in hundredths of a second (proc(5)).
 */
import { closeSync, openSync, readSync } from 'node:fs';

const LENGTH = 64;

export class SteadyClock {
  readonly #file: number | null = open();
  readonly #bytes = Buffer.alloc(LENGTH);

  /** Where there is no such file, without the time in which the machine was suspended. */
  read(): number {
    if (this.#file === null) return performance.now();
    const length = readSync(this.#file, this.#bytes, 0, LENGTH, 0);
    return Number.parseFloat(this.#bytes.toString('latin1', 0, length)) * 1000;
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

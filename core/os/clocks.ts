/** The clock of the kernel and its state, and a clock that is never set. */
import { closeSync, openSync, readSync } from 'node:fs';
import { endianness } from 'node:os';
import koffi from 'koffi';

export interface KernelClock {
  /** A time service synchronises the clock. */
  readonly isSynchronised: boolean;
  /** Maximum error in milliseconds, as estimated by the time service. */
  readonly maxErrorMs: number;
  /** Milliseconds since 1970. */
  readonly time: number;
}

/** Offsets in `struct timex` of 64-bit Linux, and its size. */
const MAX_ERROR = 24;
const SECONDS = 72;
const MICROSECONDS = 80;
const LENGTH = 208;
/**
 * Milliseconds: without a time service the estimate grows up to here. The flag STA_UNSYNC also
 * depends on whether the service sets the hardware clock.
 */
const UNSYNCHRONISED_MS = 16_000;

let adjtimex: ((timex: Buffer) => number) | undefined;

/**
 * Reads the state of the kernel clock (adjtimex(2)) without changing it. Null: the call or its
 * structure is unknown, or the call is prohibited.
 */
export function readKernelClock(): KernelClock | null {
  if (process.platform !== 'linux' || endianness() !== 'LE' || !['x64', 'arm64'].includes(process.arch)) return null;
  adjtimex ??= koffi.load(null).func('int adjtimex(void*)') as unknown as (timex: Buffer) => number;
  // All zeros: without a mode the call changes nothing.
  const timex = Buffer.alloc(LENGTH);
  if (adjtimex(timex) < 0) return null;
  const maxErrorMs = Number(timex.readBigInt64LE(MAX_ERROR)) / 1000;
  const time = Number(timex.readBigInt64LE(SECONDS)) * 1000 + Number(timex.readBigInt64LE(MICROSECONDS)) / 1000;
  return { isSynchronised: maxErrorMs < UNSYNCHRONISED_MS, maxErrorMs, time };
}

/** Maximum bytes of /proc/uptime. */
const UPTIME_LENGTH = 64;
/** Milliseconds after which the file is read again. */
const FRESH_MS = 1000;
/**
 * Maximum difference in milliseconds between the system clock and the monotonic clock until the
 * file is read again.
 */
const STEP_MS = 50;

/**
 * A clock that is never set: milliseconds since boot, including suspended time. /proc/uptime
 * reports it in hundredths of a second (proc(5)).
 */
export class SteadyClock {
  readonly #file: number | null = open();
  readonly #bytes = Buffer.alloc(UPTIME_LENGTH);
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
    const length = readSync(this.#file, this.#bytes, 0, UPTIME_LENGTH, 0);
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

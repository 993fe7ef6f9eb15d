/** Reads the state of the kernel clock (adjtimex(2)) without changing it. */
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

/** Null: the call or its structure is unknown, or the call is prohibited. */
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

/** What the kernel reports about its clock (adjtimex(2)). It is only read. */
import { endianness } from 'node:os';
import koffi from 'koffi';

export interface KernelClock {
  /** A time service keeps the clock in step. */
  readonly isSynchronised: boolean;
  /** Upper limit of the error, in milliseconds, as the time service estimates it. */
  readonly maxErrorMs: number;
}

/** Offsets in `struct timex` of 64-bit Linux, and its size. */
const MAX_ERROR = 24;
const STATUS = 40;
const LENGTH = 208;
const STA_UNSYNC = 0x40;

/** Null where the call or its structure is not known. */
export function readKernelClock(): KernelClock | null {
  if (process.platform !== 'linux' || endianness() !== 'LE' || !['x64', 'arm64'].includes(process.arch)) return null;
  // Zeros: no mode is set, so nothing is changed.
  const timex = Buffer.alloc(LENGTH);
  const state = koffi.load(null).func('int adjtimex(void*)')(timex) as number;
  if (state < 0) return null;
  return {
    isSynchronised: (timex.readInt32LE(STATUS) & STA_UNSYNC) === 0,
    maxErrorMs: Number(timex.readBigInt64LE(MAX_ERROR)) / 1000,
  };
}

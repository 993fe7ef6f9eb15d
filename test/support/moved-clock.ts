/**
 * A clock for child processes that a test sets (libfaketime). Intervals remain real. Daemons accept
 * any clock offset unless a test overrides the limit.
 */
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPeer } from './peers.ts';
import { temporaryFolder } from './temp.ts';

export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1';

/** Null: libfaketime is installed. If it is missing, WAYPOST_REQUIRE_PEERS=1 throws. */
export function whyNotMovedClock(): string | null {
  if (existsSync(FAKETIME)) return null;
  return missingPeer('faketime is not installed');
}

export class MovedClock {
  readonly #file = join(temporaryFolder('clock'), 'offset');
  /** Seconds. */
  #offset = 0;

  constructor() {
    this.#write();
  }

  /** Environment of processes that use this clock. */
  get env(): Record<string, string> {
    return {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
      WAYPOST_CLOCK_MAX_OFFSET: '0',
    };
  }

  /**
   * Like `env`, for programs of BIND, whose allocator needs the time before libfaketime is ready.
   */
  get envOfBind(): Record<string, string> {
    return { ...this.env, LD_PRELOAD: `${FAKETIME}:libc.so.6` };
  }

  /** Seconds since 1970. */
  now(): number {
    return Math.floor(Date.now() / 1000) + this.#offset;
  }

  advance(seconds: number): void {
    this.set(this.#offset + seconds);
  }

  /** `offset`: seconds by which the clock is ahead; negative: behind. */
  set(offset: number): void {
    this.#offset = offset;
    this.#write();
  }

  #write(): void {
    const file = `${this.#file}.new`;
    writeFileSync(file, `${this.#offset < 0 ? '' : '+'}${this.#offset}\n`);
    renameSync(file, this.#file);
  }
}

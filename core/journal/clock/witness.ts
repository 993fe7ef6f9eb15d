/**
 * The clock file in the data folder. It stores until when the clock was trusted, and since when it
 * had run steadily. It also stores the steady time and the boot id of the machine: the steady time
 * counts from that boot. The file has a fixed length and is overwritten in place, so it needs no
 * space on a full disk.
 */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Witnessed } from './guard.ts';

const FILE = 'clock';
/** Digits of a time in milliseconds. */
const DIGITS = 15;
const LINE = /^(\d{15}) (\d{15}) (\d{15}) ([\w-]{36})\n$/;
const BOOT_ID = '/proc/sys/kernel/random/boot_id';
const UNKNOWN = '-'.repeat(36);

export class ClockFile {
  readonly #path: string;
  readonly #boot: string;
  #file: number | null = null;

  /** `boot`: the boot id of the machine. */
  constructor(dataDir: string, boot = bootId()) {
    this.#path = join(dataDir, FILE);
    this.#boot = boot;
  }

  /** Null: the file is missing or unreadable. */
  read(): Witnessed | null {
    try {
      const [, from, to, steady, boot] = LINE.exec(readFileSync(this.#path, 'latin1')) ?? [];
      if (boot === undefined) return null;
      const isSameBoot = boot !== UNKNOWN && boot === this.#boot;
      return { from: Number(from), to: Number(to), ...(isSameBoot && { steady: Number(steady) }) };
    } catch {
      return null;
    }
  }

  /** Throws the errors of the file system. */
  write({ from, to, steady = 0 }: Witnessed): void {
    this.#file ??= this.#open();
    const numbers = [from, to, steady].map((time) => String(Math.max(0, Math.floor(time))).padStart(DIGITS, '0'));
    writeSync(this.#file, `${[...numbers, this.#boot].join(' ')}\n`, 0, 'latin1');
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Opens the file without truncation: a crash before the write leaves it unchanged. */
  #open(): number {
    try {
      return openSync(this.#path, 'r+');
    } catch {
      return openSync(this.#path, 'w', 0o600);
    }
  }
}

function bootId(): string {
  try {
    const id = readFileSync(BOOT_ID, 'latin1').trim();
    return id.length === UNKNOWN.length ? id : UNKNOWN;
  } catch {
    return UNKNOWN;
  }
}

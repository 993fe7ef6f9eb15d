/**
 * The file in the data folder that says until when the clock was trusted, and since when it had
 * gone on steadily. It has always the same length and is overwritten in place, so it needs no space
 * on a full disk.
 */
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Witnessed } from './guard.ts';

const FILE = 'clock';
/** Digits of milliseconds since 1970. */
const DIGITS = 15;

export class ClockFile {
  readonly #path: string;
  #file: number | null = null;

  constructor(dataDir: string) {
    this.#path = join(dataDir, FILE);
  }

  /** Null: there is none, or it cannot be read. */
  read(): Witnessed | null {
    try {
      const [, from, to] = /^(\d{15}) (\d{15})\n$/.exec(readFileSync(this.#path, 'latin1')) ?? [];
      return to === undefined ? null : { from: Number(from), to: Number(to) };
    } catch {
      return null;
    }
  }

  /** Throws what the file system does. */
  write({ from, to }: Witnessed): void {
    this.#file ??= this.#open();
    const text = [from, to].map((time) => String(Math.max(0, Math.floor(time))).padStart(DIGITS, '0')).join(' ');
    writeSync(this.#file, `${text}\n`, 0, 'latin1');
  }

  remove(): void {
    this.close();
    rmSync(this.#path, { force: true });
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Without truncation: a crash before the write leaves the file as it is. */
  #open(): number {
    try {
      return openSync(this.#path, 'r+');
    } catch {
      return openSync(this.#path, 'w', 0o600);
    }
  }
}

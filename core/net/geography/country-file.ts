/** The file with the countries of addresses, in MaxMind's format, of the operator. */
import { readFileSync, statSync } from 'node:fs';
import type { Logger } from '../../base/log/index.ts';

/** Milliseconds between two checks of the file, for the task of its owner. */
export const CHECK_INTERVAL_MS = 60_000;
/** Databases with cities and several languages have about 60 MB. */
const MAX_BYTES = 512 * 1024 * 1024;

interface CountryFileOptions {
  readonly log: Logger;
  /** Throws for a file in another format. */
  readonly check: (content: SharedArrayBuffer) => void;
}

/** Loads the country database at startup, and again when `look` finds the file changed. */
export class CountryFile {
  /** The content, in memory that threads can share. Null: no file, or never readable. */
  content: SharedArrayBuffer | null = null;
  readonly #log: Logger;
  readonly #check: (content: SharedArrayBuffer) => void;
  /** Size and modification time of the last file that was read. */
  #version = '';
  /** The last logged failure, so it is not logged at each check. Empty: none. */
  #failure = '';

  /** `onChange`: called with each new content after the first. */
  constructor(
    private readonly path: string | undefined,
    { log, check }: CountryFileOptions,
    private readonly onChange: (content: SharedArrayBuffer) => void,
  ) {
    this.#log = log;
    this.#check = check;
    if (path !== undefined) this.#read();
  }

  /** Reads the file again if it has changed. */
  look(): void {
    if (this.path !== undefined && this.#read()) this.onChange(this.content!);
  }

  /** Returns whether it read new content. Keeps the previous content if the file is unusable. */
  #read(): boolean {
    const path = this.path!;
    try {
      const { size, mtimeMs } = statSync(path);
      const version = `${size} ${mtimeMs}`;
      if (version === this.#version) return false;
      this.#version = version;
      if (size > MAX_BYTES) throw new Error(`${size} bytes are more than ${MAX_BYTES}`);
      const bytes = readFileSync(path);
      const content = new SharedArrayBuffer(bytes.length);
      Buffer.from(content).set(bytes);
      this.#check(content);
      this.content = content;
      this.#failure = '';
      this.#log.info('country file read', { file: path, bytes: bytes.length });
      return true;
    } catch (error) {
      const reason = (error as Error).message;
      if (reason !== this.#failure)
        this.#log.warn('cannot use the country file; keeping the previous one', { file: path, reason });
      this.#failure = reason;
      return false;
    }
  }
}

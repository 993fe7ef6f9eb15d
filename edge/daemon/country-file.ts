/** Loads the country database at startup, and again after each change of the file. */
import { readFileSync, statSync } from 'node:fs';
import type { Logger } from '../../core/base/log/index.ts';
import type { Task, Tasks } from '../../core/base/tasks.ts';
import { Countries } from '../policy/rules/countries.ts';

/** Milliseconds between two checks of the file. */
const CHECK_INTERVAL_MS = 60_000;
/** Databases with cities and several languages have about 60 MB. */
const MAX_BYTES = 512 * 1024 * 1024;

export class CountryFile {
  /** The content, in memory that all threads share. Null: no file, or never readable. */
  content: SharedArrayBuffer | null = null;
  readonly #log: Logger;
  readonly #task: Task | undefined;
  /** Size and modification time of the last file that was read. */
  #version = '';
  /** The last logged failure, so it is not logged at each check. Empty: none. */
  #failure = '';

  /** `onChange`: called with each new content after the first. */
  constructor(
    private readonly path: string | undefined,
    { tasks, log }: { readonly tasks: Tasks; readonly log: Logger },
    private readonly onChange: (content: SharedArrayBuffer) => void,
  ) {
    this.#log = log;
    if (path === undefined) return;
    this.#read();
    this.#task = tasks.add({
      name: 'country-file',
      owner: 'node',
      due: CHECK_INTERVAL_MS,
      log,
      run: () => this.look(),
    });
    this.#task.start();
  }

  /** Reads the file again if it has changed. */
  look(): void {
    if (this.path !== undefined && this.#read()) this.onChange(this.content!);
  }

  close(): void {
    void this.#task?.stop();
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
      new Countries().load(content);
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

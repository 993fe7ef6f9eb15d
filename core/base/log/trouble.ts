/** Says once that something is wrong, and once that it is over. */
import type { Logger } from './index.ts';

export class Trouble {
  readonly #log: Logger;
  readonly #wrong: string;
  readonly #over: string;
  readonly #fields: Readonly<Record<string, string>>;
  #isSaid = false;

  constructor(log: Logger, wrong: string, over: string, fields: Readonly<Record<string, string>> = {}) {
    this.#log = log;
    this.#wrong = wrong;
    this.#over = over;
    this.#fields = fields;
  }

  /** Null: it is over. */
  say(error: unknown): void {
    if (this.#isSaid === (error !== null)) return;
    this.#isSaid = error !== null;
    if (error === null) this.#log.info(this.#over, this.#fields);
    else this.#log.warn(this.#wrong, { ...this.#fields, reason: (error as Error).message });
  }
}

/** Asks directories when certificates are to be renewed (RFC 9773 4.3): a few at a time, accounts in turns, each once. */
import { FairQueue } from '../../core/base/fair-queue.ts';

export interface RenewalsOptions {
  /** Resolves with the seconds until it is asked again. Never rejects. */
  ask(domainId: string): Promise<number>;
  /** It has been asked. */
  asked(domainId: string, seconds: number): void;
}

const AT_ONCE = 2;

export class Renewals {
  readonly #options: RenewalsOptions;
  readonly #waiting = new FairQueue<string>();
  readonly #running = new Set<string>();

  constructor(options: RenewalsOptions) {
    this.#options = options;
  }

  /** Those that are not asked yet. */
  get size(): number {
    return this.#waiting.size;
  }

  put(domainId: string, accountId: string): void {
    if (!this.#running.has(domainId)) this.#waiting.put(domainId, accountId);
  }

  /** Asks as many as there is room for. */
  begin(track: (work: Promise<void>) => void): void {
    while (this.#running.size < AT_ONCE) {
      const id = this.#waiting.take();
      if (id === undefined) return;
      this.#running.add(id);
      track(this.#run(id));
    }
  }

  async #run(id: string): Promise<void> {
    try {
      const seconds = await this.#options.ask(id);
      this.#running.delete(id);
      this.#options.asked(id, seconds);
    } finally {
      this.#running.delete(id);
    }
  }
}

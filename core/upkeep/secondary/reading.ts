/** Reads whole zones: small ones on the calling thread, larger ones in worker threads. */
import { Piscina } from 'piscina';
import { FairSlots } from '../../base/fair-slots.ts';
import { readWholeZone, type WholeZone, type ZoneInput } from './content.ts';

/** Bytes of messages that the calling thread reads: a few milliseconds. */
const MAX_INLINE_BYTES = 32 * 1024;
const IDLE_TIMEOUT = 30_000;
const MAX_THREADS = 2;
/** Never reached: it is above the limit of concurrent transfers. */
const MAX_QUEUE = 10_000;

export class ZoneReading {
  #pool: Piscina | undefined;
  readonly #slots = new FairSlots({ slots: MAX_THREADS, queue: MAX_QUEUE });

  /** Rejects with InvalidError. */
  async read(input: ZoneInput, account: string): Promise<WholeZone> {
    const bytes = input.messages.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= MAX_INLINE_BYTES) return readWholeZone(input);
    const pool = this.#open();
    return this.#slots.run({ account, network: '' }, () => pool.run(input));
  }

  #open(): Piscina {
    this.#pool ??= new Piscina({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_TIMEOUT,
    });
    return this.#pool;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}

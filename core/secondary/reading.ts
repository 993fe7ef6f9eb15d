/** Reads whole zones: small ones on the calling thread, larger ones in worker threads. */
import { Piscina } from 'piscina';
import { readWholeZone, type WholeZone, type ZoneInput } from './content.ts';

/** Up to so many bytes of messages, reading a zone takes a few milliseconds. */
const MAX_INLINE_BYTES = 32 * 1024;
const IDLE_TIMEOUT = 30_000;
const MAX_THREADS = 2;

export class ZoneReading {
  #pool: Piscina | undefined;

  /** Rejects with InvalidError. */
  async read(input: ZoneInput): Promise<WholeZone> {
    const bytes = input.messages.reduce((sum, { length }) => sum + length, 0);
    if (bytes <= MAX_INLINE_BYTES) return readWholeZone(input);
    this.#pool ??= new Piscina({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_TIMEOUT,
    });
    return this.#pool.run(input);
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}

/** Prepares zone files: small ones on the calling thread, larger ones in worker threads. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { mayGenerate } from '../../../core/wire/master/index.ts';
import { type Prepared, type PrepareInput, prepareZone } from './prepare.ts';

/**
 * Up to this size, preparing a file (under 2 ms) is faster than sending it to a thread and back,
 * unless it has a `$GENERATE`.
 */
const MAX_INLINE_BYTES = 16 * 1024;
const IDLE_TIMEOUT = 30_000;

export class PreparePool {
  #pool: Piscina<PrepareInput, Prepared> | undefined;

  async prepare(input: PrepareInput): Promise<Prepared> {
    if (input.bytes.length <= MAX_INLINE_BYTES && !mayGenerate(input.bytes)) return prepareZone(input);
    // Created on first use, so that no thread runs without an import.
    this.#pool ??= new Piscina<PrepareInput, Prepared>({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
      idleTimeout: IDLE_TIMEOUT,
    });
    const bytes = ownBytes(input.bytes);
    return this.#pool.run({ ...input, bytes }, { transferList: [bytes.buffer] });
  }

  async close(): Promise<void> {
    await this.#pool?.close();
  }
}

function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  return buffer instanceof ArrayBuffer && buffer.byteLength === bytes.length
    ? new Uint8Array(buffer)
    : new Uint8Array(bytes);
}

/** Prepares zone files: small ones on the calling thread, larger ones in worker threads. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { mayGenerate } from '../../../../core/dns/wire/master/index.ts';
import { type CompareInput, type Comparison, compareZone } from './compare.ts';
import { type Prepared, type PrepareInput, prepareZone } from './prepare.ts';

/**
 * Up to this size, preparing a file (under 2 ms) is faster than sending it to a thread and back,
 * unless it has a `$GENERATE`.
 */
const MAX_INLINE_BYTES = 16 * 1024;
const IDLE_TIMEOUT = 30_000;

export class PreparePool {
  #pool: Piscina | undefined;

  async prepare(input: PrepareInput): Promise<Prepared> {
    if (input.bytes.length <= MAX_INLINE_BYTES && !mayGenerate(input.bytes)) return prepareZone(input);
    const bytes = ownBytes(input.bytes);
    return this.#threads().run({ ...input, bytes }, { transferList: [bytes.buffer] });
  }

  async compare(input: CompareInput): Promise<Comparison> {
    const size = input.bytes.length + input.stored.length;
    if (size <= MAX_INLINE_BYTES && !mayGenerate(input.bytes)) return compareZone(input);
    const bytes = ownBytes(input.bytes);
    const stored = ownBytes(input.stored);
    const transferList = [bytes.buffer, stored.buffer];
    return this.#threads().run({ ...input, bytes, stored }, { transferList, name: 'compare' });
  }

  /** Created on first use, so that no thread runs without an import. */
  #threads(): Piscina {
    this.#pool ??= new Piscina({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
      idleTimeout: IDLE_TIMEOUT,
    });
    return this.#pool;
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

/** Prepares zone files: small ones at once, larger ones in worker threads. */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { type Prepared, type PrepareInput, prepareZone } from './prepare.ts';

/** Below this a file is ready (under 2 ms) before it would have reached a thread and come back. */
const SMALL = 16 * 1024;
const IDLE = 30_000;

export class PreparePool {
  #pool: Piscina<PrepareInput, Prepared> | undefined;

  async prepare(input: PrepareInput): Promise<Prepared> {
    if (input.bytes.length <= SMALL) return prepareZone(input);
    // No thread before it is needed.
    this.#pool ??= new Piscina<PrepareInput, Prepared>({
      filename: new URL('./worker.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: Math.max(1, Math.min(4, availableParallelism() - 1)),
      idleTimeout: IDLE,
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

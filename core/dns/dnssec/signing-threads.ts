/**
 * Threads that sign, so that the main thread does other work meanwhile. They are there only while
 * there is something to sign.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import { SIGNATURE_LENGTH, type SigningInput, SigningKey, type SigningTask } from './keys.ts';

const IDLE_MS = 30_000;
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Signatures of a task: more are not cheaper. */
const TASK = 256;
/** Signatures that take as long as a thread needs to answer at least. */
export const OWN_SHARE = 24;

export class SigningThreads {
  #pool: Piscina<SigningTask, Uint8Array> | undefined;

  /**
   * Signatures in the order of the inputs, 64 bytes each. The calling thread makes the first few
   * meanwhile, at once.
   */
  async sign(inputs: readonly SigningInput[]): Promise<Uint8Array[]> {
    const rest = inputs.slice(OWN_SHARE);
    const others = rest.length > 0 ? this.#signInThreads(rest) : [];
    const own = SigningKey.signAll(inputs.slice(0, OWN_SHARE));
    // Fails if there is no memory for a thread, or the process is stopping.
    return own.concat(await Promise.resolve(others).catch(() => SigningKey.signAll(rest)));
  }

  async #signInThreads(inputs: readonly SigningInput[]): Promise<Uint8Array[]> {
    this.#pool ??= new Piscina<SigningTask, Uint8Array>({
      filename: new URL('./signing-thread.js', import.meta.url).href,
      minThreads: 0,
      maxThreads: MAX_THREADS,
      idleTimeout: IDLE_MS,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 8 },
    });
    const tasks: Promise<Uint8Array>[] = [];
    for (let i = 0; i < inputs.length; i += TASK) {
      const task = SigningKey.taskOf(inputs.slice(i, i + TASK));
      const transferList = [task.numbers.buffer, task.lengths.buffer, task.data.buffer];
      tasks.push(this.#pool.run(task, { transferList }));
    }
    const signatures: Uint8Array[] = [];
    for (const made of await Promise.all(tasks))
      for (let at = 0; at < made.length; at += SIGNATURE_LENGTH) signatures.push(made.slice(at, at + SIGNATURE_LENGTH));
    return signatures;
  }

  async close(): Promise<void> {
    await this.#pool?.destroy();
  }
}

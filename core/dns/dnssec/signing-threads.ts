/**
 * Signs in threads, so that the main thread is free for other work. Idle threads stop after
 * IDLE_MS.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Name } from '../wire/name.ts';
import { SIGNATURE_LENGTH, type SigningInput, SigningKey, type SigningTask } from './keys.ts';

const IDLE_MS = 30_000;
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Signatures in a task. Larger tasks are not cheaper. */
const TASK = 256;
/**
 * Signatures that the calling thread makes itself: they take as long as the minimum latency of a
 * thread.
 */
export const OWN_SHARE = 24;

export class SigningThreads {
  #pool: Piscina<SigningTask, Uint8Array> | undefined;

  /**
   * Signatures in the order of the inputs, 64 bytes each. The calling thread makes the first
   * OWN_SHARE signatures.
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

export interface SigningFault {
  /** Of the zone. */
  readonly apex: Name;
  readonly keyTag: number;
  /** A sentence. */
  readonly reason: string;
}

/** Reports wrong keys and signatures that were detected before publication. */
export class SigningFaults {
  /** Number of reports. */
  count = 0;
  /** Called for each. */
  listener: (fault: SigningFault) => void = () => {};

  report(fault: SigningFault): void {
    this.count++;
    this.listener(fault);
  }
}

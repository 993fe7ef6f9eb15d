/**
 * Signs in threads, so that the main thread is free for other work. Idle threads stop after
 * IDLE_MS.
 */
import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { Name } from '../wire/name.ts';
import { type SigningInput, SigningKey, type SigningTask } from './keys.ts';

const IDLE_MS = 30_000;
const MAX_THREADS = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Cost of the signatures in a task, in those of P-256. Larger tasks are not cheaper. */
const TASK = 256;
/**
 * Cost of the signatures that the calling thread makes itself: they take as long as the minimum
 * latency of a thread.
 */
export const OWN_SHARE = 24;

/** The end of the inputs from `start` whose cost is at most `budget`, in signatures of P-256. */
export function endOfShare(inputs: readonly SigningInput[], start: number, budget: number): number {
  let end = start;
  for (let cost = 0; end < inputs.length; end++) {
    cost += inputs[end].key.cost;
    if (cost > budget) break;
  }
  return end;
}

export class SigningThreads {
  #pool: Piscina<SigningTask, Uint8Array> | undefined;

  /**
   * Signatures in the order of the inputs. The calling thread makes the first ones, of the cost
   * OWN_SHARE.
   */
  async sign(inputs: readonly SigningInput[]): Promise<Uint8Array[]> {
    const share = endOfShare(inputs, 0, OWN_SHARE);
    const rest = inputs.slice(share);
    const others = rest.length > 0 ? this.#signInThreads(rest) : [];
    const own = SigningKey.signAll(inputs.slice(0, share));
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
    for (let i = 0, end: number; i < inputs.length; i = end) {
      end = Math.max(i + 1, endOfShare(inputs, i, TASK));
      const task = SigningKey.taskOf(inputs.slice(i, end));
      const transferList = [task.numbers.buffer, task.lengths.buffer, task.data.buffer];
      tasks.push(this.#pool.run(task, { transferList }));
    }
    const signatures: Uint8Array[] = [];
    for (const made of await Promise.all(tasks))
      for (let at = 0; at < made.length; ) {
        const { signatureLength } = inputs[signatures.length].key;
        signatures.push(made.slice(at, at + signatureLength));
        at += signatureLength;
      }
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

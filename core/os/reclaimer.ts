/**
 * Returns memory that the process does not use to the system. Idle threads keep garbage, and malloc
 * keeps what was freed.
 */
import type { Logger } from '../base/log/index.ts';
import type { Task, Tasks } from '../base/tasks.ts';
import { trimMalloc } from './memory.ts';
import { collectThreads } from './supervised-thread.ts';
import { collection, HeapGrowth } from './thread-upkeep.ts';

/** Milliseconds between returns of freed memory. */
const TRIM_INTERVAL = 10 * 60_000;
/** With little memory: milliseconds between checks of its growth, and bytes worth a collection. */
const GROWTH_INTERVAL = 15_000;
const MIN_GROWTH = 8 << 20;
/** Milliseconds after which threads have collected their garbage. */
const COLLECTED_MS = 5000;

interface ReclaimerOptions {
  readonly tasks: Tasks;
  readonly log: Logger;
  /** Also watch the growth of the process, and collect the garbage of its start. */
  readonly hasLittleMemory: boolean;
  /** Bytes of memory of the process; null: unknown. */
  readonly measure: () => number | null;
}

/** Of the main thread. */
export class Reclaimer {
  readonly #collect = collection();
  readonly #tasks: readonly Task[];
  #trimming: NodeJS.Timeout | undefined;

  constructor({ tasks, log, hasLittleMemory, measure }: ReclaimerOptions) {
    const growth = new HeapGrowth(() => measure() ?? 0, this.reclaim, MIN_GROWTH);
    let isFirst = true;
    const trim = tasks.add({ name: 'malloc-trim', owner: 'node', due: TRIM_INTERVAL, log, run: trimMalloc });
    const watch = tasks.add({
      name: 'memory-growth',
      owner: 'node',
      due: GROWTH_INTERVAL,
      log,
      run: () => {
        if (isFirst) this.reclaim();
        else growth.look();
        isFirst = false;
      },
    });
    this.#tasks = hasLittleMemory ? [trim, watch] : [trim];
    for (const task of this.#tasks) task.start();
  }

  /**
   * Collects the garbage of all threads, in small steps, and then returns freed memory. Takes some
   * seconds, and CPU for each object in use.
   */
  readonly reclaim = (): void => {
    this.#collect?.();
    collectThreads();
    clearTimeout(this.#trimming);
    this.#trimming = setTimeout(trimMalloc, COLLECTED_MS).unref();
  };

  async stop(): Promise<void> {
    clearTimeout(this.#trimming);
    await Promise.all(this.#tasks.map((task) => task.stop()));
  }
}

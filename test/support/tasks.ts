/** Background tasks for tests: of a single node, of a cluster node, and on a virtual clock. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { Registry } from '../../core/base/metrics/index.ts';
import { SINGLE_NODE, type TaskClock, Tasks } from '../../core/base/tasks.ts';
import { clusterOwnership } from '../../core/cluster/ownership.ts';

/** A clock that only moves on `advance`. */
export class VirtualClock implements TaskClock {
  #steady = 0;
  #date: number;
  readonly #calls = new Set<{ readonly at: number; readonly call: () => void }>();

  /** `date`: milliseconds since 1970. */
  constructor(date = 1e12) {
    this.#date = date;
  }

  date(): number {
    return this.#date;
  }

  steady(): number {
    return this.#steady;
  }

  after(milliseconds: number, call: () => void): () => void {
    const entry = { at: this.#steady + milliseconds, call };
    this.#calls.add(entry);
    return () => void this.#calls.delete(entry);
  }

  /** Moves the date forward or back. */
  jump(milliseconds: number): void {
    this.#date += milliseconds;
  }

  /**
   * Advances the time. Work that only awaits resolved promises finishes before the next timer
   * fires.
   */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#steady + milliseconds;
    await yieldToOthers();
    for (let entry = this.#next(end); entry !== null; entry = this.#next(end)) {
      this.#calls.delete(entry);
      this.#passTo(Math.max(entry.at, this.#steady));
      entry.call();
      await yieldToOthers();
    }
    this.#passTo(end);
  }

  #next(end: number): { readonly at: number; readonly call: () => void } | null {
    const [first = null] = [...this.#calls].sort((a, b) => a.at - b.at);
    return first !== null && first.at <= end ? first : null;
  }

  #passTo(steady: number): void {
    this.#date += steady - this.#steady;
    this.#steady = steady;
  }
}

/** Real intervals, with a date from the test. `date`: milliseconds since 1970. */
export const datedClock = (date: () => number): TaskClock => ({
  date,
  steady: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
});

/** The background tasks of a node without a cluster. */
export const singleNodeTasks = (clock?: TaskClock): Tasks =>
  new Tasks({ metrics: new Registry(), ownership: SINGLE_NODE, clock });

/** Tasks of a cluster node that is not the first. `live`: names of the live nodes. */
export function clusterTasks(nodeName: string, live: () => Iterable<string>, clock?: TaskClock): Tasks {
  const cluster = {
    isFirst: false,
    isFirstOfRegion: false,
    get members() {
      return { live: new Set(live()) } as never;
    },
  };
  const ownership = clusterOwnership({ nodeName, cluster });
  return new Tasks({ metrics: new Registry(), ownership, clock });
}

/**
 * Nodes that are there and not caught up, as one that copies the store of another: what it is to go
 * on from must not be taken out of the log meanwhile.
 */
import type { Members } from './members.ts';

/**
 * Milliseconds for which a node is waited for since it was first seen so. In that time it may be
 * gone for a while, as when its service restarts with what it has copied.
 */
const HELD = 30 * 60_000;

export class Joining {
  readonly #self: string;
  /**
   * When each was first seen so; of performance.now(). Who has had its time gets none again before
   * it is caught up.
   */
  readonly #since = new Map<string, number>();

  constructor(self: string) {
    this.#self = self;
  }

  changed({ nodes, live, there }: Members, now = performance.now()): void {
    for (const name of this.#since.keys()) if (live.has(name) || !nodes.has(name)) this.#since.delete(name);
    for (const name of there)
      if (name !== this.#self && nodes.has(name) && !live.has(name) && !this.#since.has(name))
        this.#since.set(name, now);
  }

  /** Whether one of them is to be waited for. */
  isAny(now = performance.now()): boolean {
    return [...this.#since.values()].some((since) => now - since < HELD);
  }
}

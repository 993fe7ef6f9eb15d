/**
 * Running nodes that are not caught up, such as a node that copies the store of another. The log
 * must keep the entries from which they continue.
 */
import type { Members } from './members.ts';

/**
 * Milliseconds, after such a node was first seen, for which the log keeps its entries. The node may
 * be offline meanwhile, such as during the restart after the copy.
 */
const KEEP_MS = 30 * 60_000;

export class Joining {
  /**
   * Time when each node was first seen, by performance.now(). The time is not renewed before the
   * node has caught up.
   */
  readonly #since = new Map<string, number>();

  constructor(private readonly self: string) {}

  changed({ nodes, live, there }: Members, now = performance.now()): void {
    for (const name of this.#since.keys()) if (live.has(name) || !nodes.has(name)) this.#since.delete(name);
    for (const name of there)
      if (name !== this.self && nodes.has(name) && !live.has(name) && !this.#since.has(name))
        this.#since.set(name, now);
  }

  /** Whether the log must keep entries for a node. */
  isAny(now = performance.now()): boolean {
    return [...this.#since.values()].some((since) => now - since < KEEP_MS);
  }
}

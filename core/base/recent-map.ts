/**
 * A map that forgets: what is used stays, and of the rest so much that the memory is bounded.
 * Two generations: when the young one is full it becomes the old one, and the old one goes. A hit
 * in the young one, which is what hot keys get, costs one look-up and writes nothing.
 */
export class RecentMap<V, K = string> {
  readonly #most: number;
  readonly #forgotten: ((value: V) => void) | undefined;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /**
   * At most twice so many are kept, and at least the last so many that were asked for. `forgotten`:
   * receives each that goes by itself.
   */
  constructor(most: number, forgotten?: (value: V) => void) {
    this.#most = most;
    this.#forgotten = forgotten;
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: K): V | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.set(key, old);
    }
    return old;
  }

  set(key: K, value: V): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#most && !this.#young.has(key)) {
      if (this.#forgotten !== undefined) for (const gone of this.#old.values()) this.#forgotten(gone);
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/** A limit on concurrent work. Work above the limit waits in order. */
export class Semaphore {
  #inUse = 0;
  /** A Set keeps the order, and an aborted caller can be removed immediately. */
  readonly #waiting = new Set<() => void>();

  constructor(private readonly limit: number) {}

  /** Slots in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Callers that wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes a slot if one is free; returns whether it did. The caller must release the slot. */
  tryAcquire(): boolean {
    if (this.#inUse >= this.limit) return false;
    this.#inUse++;
    return true;
  }

  /**
   * Resolves to true with a slot, which the caller must release. Resolves to false without a slot
   * if `signal` aborts first.
   */
  acquire(signal?: AbortSignal): Promise<boolean> {
    if (signal?.aborted) return Promise.resolve(false);
    if (this.tryAcquire()) return Promise.resolve(true);
    return new Promise((resolve) => {
      const grant = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.#waiting.delete(grant);
        resolve(false);
      };
      this.#waiting.add(grant);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Passes the slot to the caller that has waited longest. */
  release(): void {
    const [grant] = this.#waiting;
    if (grant === undefined) {
      this.#inUse--;
      return;
    }
    this.#waiting.delete(grant);
    grant();
  }

  /** Runs `work` with a slot. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
    }
  }
}

/** A limit on concurrent work: what goes past it waits in order. */
export class Semaphore {
  readonly #limit: number;
  #inUse = 0;
  /** A Set keeps the order, and one that is aborted leaves it at once. */
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Slots in use. */
  get inUse(): number {
    return this.#inUse;
  }

  /** Callers that wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whether a slot was free. The caller has it then, and releases it. */
  tryAcquire(): boolean {
    if (this.#inUse >= this.#limit) return false;
    this.#inUse++;
    return true;
  }

  /** Resolves to true with a slot, which the caller releases; to false without one when `signal` aborts first. */
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

  /** Hands the slot to the caller that has waited longest. */
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

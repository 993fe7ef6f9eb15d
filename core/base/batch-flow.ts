/**
 * Batches from a thread to the main thread, of which few may be unprocessed: the queue between
 * threads has no limit of its own. The receiver increments the number in `processed` afterwards.
 */
interface BatchFlowOptions {
  /** Milliseconds that the first item of a batch waits for more. */
  readonly delayMs: number;
  /** Batches that may be unprocessed; by default two. */
  readonly maxInFlight?: number;
  /** Sends what has been collected, if there is any, with the memory of `next`. */
  flush(): void;
}

export class BatchFlow {
  readonly #delayMs: number;
  readonly #maxInFlight: number;
  readonly #flush: () => void;
  readonly #processed = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  #sent = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ delayMs, maxInFlight = 2, flush }: BatchFlowOptions) {
    this.#delayMs = delayMs;
    this.#maxInFlight = maxInFlight;
    this.#flush = flush;
  }

  /** Whether the main thread keeps up. */
  get isOpen(): boolean {
    return this.#sent - Atomics.load(this.#processed, 0) < this.#maxInFlight;
  }

  /** Flushes after the delay, or later, when the main thread keeps up. */
  schedule(): void {
    this.#timer ??= setTimeout(() => this.#onTimeout(), this.#delayMs).unref();
  }

  /** Flushes now, in place of what is scheduled. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flush();
  }

  /** Counts a batch, and returns the memory that it must carry. */
  next(): SharedArrayBuffer {
    this.#sent++;
    return this.#processed.buffer as SharedArrayBuffer;
  }

  #onTimeout(): void {
    this.#timer = null;
    if (this.isOpen) this.#flush();
    else this.schedule();
  }
}

/**
 * Flow control for batches from a thread to the main thread: limits the unprocessed batches, since
 * the message queue between threads has no limit. The receiver increments the counter in the memory
 * of `next` after each batch.
 */
interface BatchFlowOptions {
  /** Milliseconds that the first item of a batch waits for more. */
  readonly delayMs: number;
  /** Maximum of unprocessed batches; default 2. */
  readonly maxInFlight?: number;
  /** Sends the collected items, if any, with the memory of `next`. */
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

  /** Whether another batch may be sent. */
  get isOpen(): boolean {
    return this.#sent - Atomics.load(this.#processed, 0) < this.#maxInFlight;
  }

  /** Flushes after the delay, or later if the limit is reached. */
  schedule(): void {
    this.#timer ??= setTimeout(() => this.#onTimeout(), this.#delayMs).unref();
  }

  /** Flushes now and cancels the scheduled flush. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#flush();
  }

  /** Counts a batch. Returns the memory to send with it. */
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

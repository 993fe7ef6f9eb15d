/**
 * Sends the finished spans of a thread to the main thread in batches. If the main thread cannot
 * keep up, spans are dropped and counted, because the queue between the threads has no limit.
 */
import type { FinishedSpan } from '../../core/traces/span.ts';

/** Milliseconds that a span waits for more. */
const FLUSH_DELAY_MS = 200;
/** Spans at which a batch is sent immediately, and the maximum that may wait. */
const BATCH_SPANS = 128;
export const MAX_SPANS = 1024;
/** Batches that the main thread has not taken yet. Beyond this number, spans wait in the thread. */
const MAX_IN_FLIGHT = 4;

export interface SpanSenderOptions {
  /** The receiver increments the number in `taken` afterwards. */
  send(spans: readonly FinishedSpan[], taken: SharedArrayBuffer): void;
  onDropped(spans: number): void;
}

export class SpanSender {
  readonly #options: SpanSenderOptions;
  readonly #taken = new Int32Array(new SharedArrayBuffer(4));
  #sent = 0;
  #spans: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SpanSenderOptions) {
    this.#options = options;
  }

  add(span: FinishedSpan): void {
    if (this.#spans.length >= MAX_SPANS) {
      this.#options.onDropped(1);
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length >= BATCH_SPANS && this.#keepsUp) this.#send();
    else this.#timer ??= setTimeout(() => this.#flush(), FLUSH_DELAY_MS).unref();
  }

  /** Sends the remaining spans. */
  close(): void {
    this.#send();
  }

  get #keepsUp(): boolean {
    return this.#sent - Atomics.load(this.#taken, 0) < MAX_IN_FLIGHT;
  }

  #flush(): void {
    this.#timer = null;
    if (this.#keepsUp) this.#send();
    else this.#timer = setTimeout(() => this.#flush(), FLUSH_DELAY_MS).unref();
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#spans.length === 0) return;
    this.#sent++;
    this.#options.send(this.#spans, this.#taken.buffer as SharedArrayBuffer);
    this.#spans = [];
  }
}

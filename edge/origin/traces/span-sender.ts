/**
 * Sends the finished spans of a thread to the main thread in batches. If the main thread cannot
 * keep up, spans are dropped and counted, because the queue between the threads has no limit.
 */
import { BatchFlow } from '../../../core/base/batch-flow.ts';
import type { FinishedSpan } from '../../../core/observe/traces/span.ts';

/** Milliseconds that a span waits for further spans. */
const FLUSH_DELAY_MS = 200;
/** Spans at which a batch is sent immediately, and the maximum that may wait. */
const BATCH_SPANS = 128;
export const MAX_SPANS = 1024;
/** Batches that the main thread has not taken yet. Beyond this number, spans wait in the thread. */
const MAX_IN_FLIGHT = 4;

interface SpanSenderOptions {
  /** The receiver increments the number in `taken` afterwards. */
  send(spans: readonly FinishedSpan[], taken: SharedArrayBuffer): void;
  onDropped(spans: number): void;
}

export class SpanSender {
  readonly #options: SpanSenderOptions;
  readonly #flow = new BatchFlow({
    delayMs: FLUSH_DELAY_MS,
    maxInFlight: MAX_IN_FLIGHT,
    flush: () => this.#send(),
  });
  #spans: FinishedSpan[] = [];

  constructor(options: SpanSenderOptions) {
    this.#options = options;
  }

  add(span: FinishedSpan): void {
    if (this.#spans.length >= MAX_SPANS) {
      this.#options.onDropped(1);
      return;
    }
    this.#spans.push(span);
    if (this.#spans.length >= BATCH_SPANS && this.#flow.isOpen) this.#flow.flush();
    else this.#flow.schedule();
  }

  /** Sends the remaining spans. */
  close(): void {
    this.#flow.flush();
  }

  #send(): void {
    if (this.#spans.length === 0) return;
    this.#options.send(this.#spans, this.#flow.next());
    this.#spans = [];
  }
}

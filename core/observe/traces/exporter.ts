/**
 * Exports finished spans in batches. Spans wait in a bounded queue while a batch is sent. A batch
 * that the collector does not accept within its timeout is dropped, so that a collector that is
 * gone costs neither memory nor lines in the log.
 */
import type { Logger } from '../../base/log/index.ts';
import { FaultLog } from '../../base/log/throttle.ts';
import { withTimeout } from '../../base/timers.ts';
import type { FinishedSpan } from './span.ts';

/** What a collector rejected of a batch that it accepted. */
export interface PartialSuccess {
  readonly rejected: number;
  /** For the log. */
  readonly reason: string;
}

/** Sends a batch. Rejects if the collector did not accept it. */
export type SendSpans = (spans: readonly FinishedSpan[]) => Promise<PartialSuccess>;

/** Milliseconds to collect spans for a batch. */
const DELAY = 5000;
/** Maximum spans of a batch. */
export const MAX_BATCH = 512;
/** Maximum queued spans, about 2 KB each. */
export const MAX_QUEUE = 4096;
/** Deadline in milliseconds for the last batches when the service stops. */
const STOP_TIMEOUT = 2000;

export interface ExportCounts {
  exported: number;
  /** Spans dropped because the queue was full. */
  overflowed: number;
  /** Spans that the collector did not accept: whole batches, or a part of one. */
  failed: number;
}

interface ExporterOptions {
  readonly send: SendSpans;
  /** URL of the collector, for the log. */
  readonly endpoint: string;
  readonly log: Logger;
  /** Milliseconds; omitted: DELAY. */
  readonly delay?: number;
}

export class SpanExporter {
  readonly counts: ExportCounts = { exported: 0, overflowed: 0, failed: 0 };
  readonly #send: SendSpans;
  readonly #delay: number;
  readonly #faults: FaultLog;
  #queue: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | null = null;
  /** The batch in flight; null: none. Never rejects. */
  #sending: Promise<void> | null = null;
  #isStopped = false;

  constructor({ send, endpoint, log, delay = DELAY }: ExporterOptions) {
    this.#send = send;
    this.#delay = delay;
    this.#faults = new FaultLog(log, 'cannot export traces; spans are dropped', 'traces are exported again', {
      endpoint,
    });
  }

  add(span: FinishedSpan): void {
    if (this.#isStopped || this.#queue.length >= MAX_QUEUE) {
      this.counts.overflowed++;
      return;
    }
    this.#queue.push(span);
    if (this.#queue.length >= MAX_BATCH) this.#start();
    else if (this.#sending === null) this.#timer ??= setTimeout(() => this.#start(), this.#delay).unref();
  }

  /** Sends all queued spans, within the deadline. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#clearTimer();
    await withTimeout(this.#drain(), STOP_TIMEOUT, () => {});
    this.counts.overflowed += this.#queue.length;
    this.#queue = [];
  }

  async #drain(): Promise<void> {
    while (this.#sending !== null || this.#queue.length > 0) {
      this.#start();
      await this.#sending;
    }
  }

  #start(): void {
    this.#clearTimer();
    if (this.#sending !== null || this.#queue.length === 0) return;
    const batch = this.#queue.splice(0, MAX_BATCH);
    this.#sending = this.#sendBatch(batch).then(() => {
      this.#sending = null;
      if (this.#isStopped) return;
      if (this.#queue.length >= MAX_BATCH) this.#start();
      else if (this.#queue.length > 0) this.#timer ??= setTimeout(() => this.#start(), this.#delay).unref();
    });
  }

  async #sendBatch(batch: readonly FinishedSpan[]): Promise<void> {
    try {
      const { rejected, reason } = await this.#send(batch);
      const failed = Math.min(rejected, batch.length);
      this.counts.exported += batch.length - failed;
      this.counts.failed += failed;
      this.#faults.report(failed === 0 ? null : new Error(reason));
    } catch (error) {
      this.counts.failed += batch.length;
      this.#faults.report(error);
    }
  }

  #clearTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}

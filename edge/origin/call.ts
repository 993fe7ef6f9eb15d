/**
 * One request on its way: waiting for a connection, sent, or answered with its body still to come.
 */
import type { InLine } from '../../core/base/fair-line.ts';
import type { OriginCounters } from './counters.ts';
import { OriginError, type OriginRequest, type OriginResponse, type ResponseReceiver } from './origin.ts';
import { type RequestHead, requestHead } from './request-head.ts';

/** Who has the call now. */
export interface CallHolder {
  /** Nobody waits for the response any more. The holder fails the call. */
  onCallCancelled(call: Call): void;
}

export const aborted = (): OriginError => new OriginError('aborted', 'the visitor disconnected');

const NO_HEAD: RequestHead = { before: '', lines: null, after: '' };

export class Call implements InLine {
  readonly request: OriginRequest;
  /** Request line and fields, after `prepare`. Those of HTTP/2 are written by their lanes. */
  head: RequestHead = NO_HEAD;
  /** Null before it waits and after its end. */
  holder: CallHolder | null = null;
  retries = 0;
  /** The body on its way, over one stream of HTTP/2 after the other; null: it has not begun. */
  upload: object | null = null;
  /** Of a call that waits, in the time of the clock. */
  deadline = 0;
  line: object | null = null;
  before: InLine | null = null;
  after: InLine | null = null;
  readonly #receiver: ResponseReceiver;
  readonly #counters: OriginCounters;
  readonly #signal: AbortSignal | undefined;

  constructor(
    request: OriginRequest,
    signal: AbortSignal | undefined,
    receiver: ResponseReceiver,
    counters: OriginCounters,
  ) {
    this.request = request;
    this.#signal = signal;
    this.#receiver = receiver;
    this.#counters = counters;
    if (request.cancel !== undefined) request.cancel.target = this;
    signal?.addEventListener('abort', this);
  }

  /** For HTTP/1.1. False: the request cannot be sent, and the call has failed. */
  prepare(): boolean {
    try {
      this.head = requestHead(this.request);
      return true;
    } catch (error) {
      this.fail(error as Error);
      return false;
    }
  }

  /** From an OriginCancel. */
  onCancel(): void {
    this.holder?.onCallCancelled(this);
  }

  /** From an AbortSignal. */
  handleEvent(): void {
    this.onCancel();
  }

  answer(response: OriginResponse): void {
    this.#receiver.onResponse(response);
  }

  fail(error: Error): void {
    this.end();
    if (error instanceof OriginError) this.#counters.faults[error.fault]++;
    this.#receiver.onFailure(error);
  }

  /** Nothing is left to cancel. */
  end(): void {
    this.holder = null;
    const { cancel } = this.request;
    if (cancel?.target === this) cancel.target = null;
    this.#signal?.removeEventListener('abort', this);
  }
}

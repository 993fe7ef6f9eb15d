/**
 * One pending request: it waits for a connection, is being sent, or has a response whose body is
 * incomplete.
 */
import type { InLine } from '../../core/base/fair-queue.ts';
import type { OriginLoad } from '../../core/site/pools/pool.ts';
import {
  OriginError,
  type OriginFault,
  type OriginRequest,
  type OriginResponse,
  type ResponseReceiver,
} from './origin.ts';
import { type RequestHead, requestHead } from './request-head.ts';

/** The current owner of a call: a pool, a connection or a lane. */
export interface CallHolder {
  /** The call was cancelled. The holder must fail it. */
  onCallCancelled(call: Call): void;
}

export const aborted = (): OriginError => new OriginError('aborted', 'the visitor disconnected');

const NO_HEAD: RequestHead = { before: '', lines: null, after: '' };

export class Call implements InLine {
  readonly request: OriginRequest;
  /** Request line and fields, after `prepare`. For HTTP/1.1; a lane of HTTP/2 writes its own. */
  head: RequestHead = NO_HEAD;
  /** Null before it is queued and after its end. */
  holder: CallHolder | null = null;
  retries = 0;
  /** The whole request as it was sent, if it had a body and may be retried. */
  image: Uint8Array | null = null;
  /**
   * The upload of the request body over HTTP/2, which outlives a refused stream; null: not started.
   */
  upload: object | null = null;
  /** When it was given to a carrier, in the time of the clock. */
  sentAt = 0;
  /** Deadline while it waits, in the time of the clock. */
  deadline = 0;
  line: object | null = null;
  before: InLine | null = null;
  after: InLine | null = null;
  readonly #receiver: ResponseReceiver;
  readonly #counters: OriginCounters;
  readonly #signal: AbortSignal | undefined;
  /** Null after the end, or if requests are not counted. */
  #load: OriginLoad | null;

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
    this.#load = request.origin.load ?? null;
    if (this.#load !== null) this.#load.inFlight++;
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

  /** Detaches the call from its cancellation, and from the load of its origin. */
  end(): void {
    this.holder = null;
    if (this.#load !== null) this.#load.inFlight--;
    this.#load = null;
    const { cancel } = this.request;
    if (cancel?.target === this) cancel.target = null;
    this.#signal?.removeEventListener('abort', this);
  }
}

export interface OriginCounters {
  requests: number;
  /** Requests that were sent on a reused connection. */
  reused: number;
  /** Requests that were retried on a new connection. */
  retries: number;
  /** Connections that were opened. */
  connections: number;
  /** Connections that are open or being opened now. */
  open: number;
  /** Requests that failed before a response, by fault. */
  readonly faults: Record<OriginFault, number>;
}

/** Counters of a client since its start. */
export const newCounters = (): OriginCounters => ({
  requests: 0,
  reused: 0,
  retries: 0,
  connections: 0,
  open: 0,
  faults: {
    forbidden: 0,
    unresolved: 0,
    refused: 0,
    unreachable: 0,
    'connect-timeout': 0,
    tls: 0,
    reset: 0,
    malformed: 0,
    'header-timeout': 0,
    'idle-timeout': 0,
    down: 0,
    busy: 0,
    'slow-body': 0,
    aborted: 0,
  },
});

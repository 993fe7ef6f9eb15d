/**
 * Sends a request to an origin of a pool. If that fails, retries it at another origin where this is
 * safe.
 *
 *     nothing was sent (no address, no connection, no handshake) ─► any request, any method
 *     failed before a response, or a 5xx ─► idempotent methods without a body
 *                                           (RFC 9110 section 9.2.2)
 *     failed within the response body ─► never: the visitor has received a part of it
 *
 * A retry needs an origin that was not tried, and retry budget. After a rejection by the edge's own
 * queue or limits it needs no budget, because no origin received the request. If the retry fails
 * too, the visitor receives the earlier 5xx response, or the last error.
 */
import type { FieldList } from '../http/exchange/field-list.ts';
import {
  isOfVisitor,
  OriginError,
  type OriginFault,
  type OriginRequest,
  type OriginResponse,
  type ResponseReceiver,
  type Send,
} from './origin.ts';
import type { Origin } from './origin-address.ts';
import type { PoolRoute } from './pool-route.ts';
import { IDEMPOTENT } from './retry.ts';

export interface PoolRequest extends OriginRequest {
  /** Set to the origin that is tried first. */
  origin: Origin;
}

/** Receives the response to a request to a pool. Neither method may throw. */
export interface PoolReceiver {
  /**
   * As `ResponseReceiver`. `target`: the origin that responded; `preferred`: the origin of the
   * visitor's cookie, -1: none.
   */
  onResponse(response: OriginResponse, target: number, preferred: number): void;
  /** As `ResponseReceiver`, and with PoolDownError. */
  onFailure(error: Error): void;
}

/**
 * No origin of a pool can receive the request: all are down, or the edge has no capacity for the
 * last one. The fault of a single origin is its own.
 */
export class PoolDownError extends OriginError {
  constructor(
    fault: OriginFault,
    message: string,
    /** Whether a stale response may be served (RFC 9111 section 4.2.4: disconnected). */
    readonly maySendStale: boolean,
  ) {
    super(fault, message);
  }
}

/** Faults before a byte of the request was sent: the origin cannot have acted on it. */
const NOT_SENT: ReadonlySet<OriginFault> = new Set([
  ...(['forbidden', 'unresolved', 'refused', 'unreachable', 'connect-timeout', 'tls', 'busy'] as const),
]);

/** Statuses that count as a failure of the origin, and are retried at another one. */
const FAILED: ReadonlySet<number> = new Set([500, 502, 503, 504]);

/** `visitorHeaders`: the visitor's fields, for the cookie and the hash. */
export function sendToPool(
  send: Send,
  route: PoolRoute,
  request: PoolRequest,
  visitorHeaders: FieldList,
  receiver: PoolReceiver,
): void {
  const hash = route.hashOf(request.client ?? '', request.authority, visitorHeaders);
  route.budget.countRequest();
  new PoolCall(send, route, request, hash, route.preferredOf(visitorHeaders), receiver).start();
}

/** One request to a pool. Without a retry it is the only object that is allocated. */
class PoolCall implements ResponseReceiver {
  readonly #send: Send;
  readonly #route: PoolRoute;
  readonly #request: PoolRequest;
  readonly #hash: number;
  readonly #preferred: number;
  readonly #receiver: PoolReceiver;
  #attempts = 0;
  /** A bit for each origin that was tried. */
  #tried = 0;
  #target = -1;
  /** A 5xx response and its origin, kept while another origin is tried. */
  #failed: OriginResponse | null = null;
  #failedTarget = -1;
  #error: OriginError | null = null;
  #wasSent = false;
  /** The edge had no capacity for the last attempt. */
  #wasBusy = false;

  constructor(
    send: Send,
    route: PoolRoute,
    request: PoolRequest,
    hash: number,
    preferred: number,
    receiver: PoolReceiver,
  ) {
    this.#send = send;
    this.#route = route;
    this.#request = request;
    this.#hash = hash;
    this.#preferred = preferred;
    this.#receiver = receiver;
  }

  start(): void {
    const { pool, now, origins } = this.#route;
    const target = pool.choose(0, this.#hash, this.#preferred, now());
    if (target < 0) {
      this.#giveUp();
      return;
    }
    this.#take(target);
    this.#request.origin = origins[target];
    this.#send(this.#request, this);
  }

  onResponse(response: OriginResponse): void {
    const isFailure = response.status >= 500 && FAILED.has(response.status);
    this.#route.pool.record(this.#target, isFailure, this.#route.now());
    this.#route.reportResponse(this.#target);
    this.#failed?.body.cancel();
    if (!isFailure || !isRepeatable(this.#request)) {
      this.#receiver.onResponse(response, this.#target, this.#preferred);
      return;
    }
    this.#failed = response;
    this.#failedTarget = this.#target;
    this.#wasBusy = false;
    this.#retryLater();
  }

  onFailure(error: Error): void {
    if (!(error instanceof OriginError) || isOfVisitor(error.fault)) {
      this.#failed?.body.cancel();
      this.#receiver.onFailure(error);
      return;
    }
    // A full queue or share of the edge is not a failure of the origin.
    this.#wasBusy = error.fault === 'busy';
    if (!this.#wasBusy) {
      this.#route.pool.record(this.#target, true, this.#route.now());
      this.#route.reportFault(this.#target, error.fault);
    }
    this.#error = error;
    this.#wasSent ||= !NOT_SENT.has(error.fault);
    if (this.#wasSent && !isRepeatable(this.#request)) this.#giveUp();
    else this.#retryLater();
  }

  #take(target: number): void {
    this.#attempts++;
    this.#tried |= 1 << target;
    this.#target = target;
  }

  /**
   * Not within the call that reports the failure: the connection or the read is still being
   * processed.
   */
  #retryLater(): void {
    queueMicrotask(() => this.#retry());
  }

  #retry(): void {
    const { pool, budget, attempts, origins, now, onRetry } = this.#route;
    const isLast = this.#attempts >= attempts;
    const target = isLast ? -1 : pool.choose(this.#tried, this.#hash, this.#preferred, now());
    if (target < 0 || this.#request.cancel?.isCancelled || !(this.#wasBusy || budget.takeRetry(now()))) {
      this.#giveUp();
      return;
    }
    if (!this.#wasBusy) onRetry();
    this.#take(target);
    // The connection that failed may still hold the request.
    this.#send({ ...this.#request, origin: origins[target] }, this);
  }

  /** The visitor receives the earlier 5xx response, or the last error. */
  #giveUp(): void {
    const { pool, origins, servesStaleWhenDown } = this.#route;
    const [failed, error] = [this.#failed, this.#error];
    if (failed !== null) {
      this.#receiver.onResponse(failed, this.#failedTarget, this.#preferred);
      return;
    }
    const isDown = error === null || (!this.#wasSent && !pool.hasUntried(this.#tried));
    if (error !== null && !isDown) {
      this.#receiver.onFailure(error);
      return;
    }
    const count = origins.length;
    if (error !== null && (error.fault === 'busy' || count === 1)) {
      this.#receiver.onFailure(new PoolDownError(error.fault, error.message, servesStaleWhenDown));
      return;
    }
    const names = count === 1 ? 'the origin is' : `all ${count} origins are`;
    const last = error === null ? '' : `; the last one: ${error.message}`;
    this.#receiver.onFailure(new PoolDownError('down', `${names} down${last}`, servesStaleWhenDown));
  }
}

const isRepeatable = ({ method, body, protocol }: PoolRequest): boolean =>
  body.length === 0 && protocol === '' && IDEMPOTENT.has(method);

/**
 * The request to an origin, and its response: the seam between edge/proxy, which decides what
 * is said, and edge/origin, which says it over HTTP/1.1.
 */
import type { ClientMemory } from '../http/exchange/client-memory.ts';
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { Origin } from './origin-address.ts';
import type { OriginPlace } from './place.ts';

declare const REQUEST_ID: unique symbol;
/**
 * A field value by the way it is made: letters, digits and a dash. So nobody has to look at its
 * characters again, for which V8 would first have to copy them into one piece.
 */
export type RequestId = string & { readonly [REQUEST_ID]: true };

export interface OriginRequest {
  readonly origin: Origin;
  /**
   * Host that the visitor asked for, without a port. It stands in for the origin's name in SNI and
   * verification when the origin is an address, which has none.
   */
  readonly serverName: string;
  readonly method: string;
  /** Path and query, or "*". */
  readonly path: string;
  /** The Host field, unless the origin has one of its own. */
  readonly authority: string;
  /**
   * As they are sent, in this order: without host, content-length, and what concerns a connection
   * only; those are the client's to say.
   */
  readonly headers: FieldList;
  /** X-Request-Id. It is not in `headers`, so that the same list can be used for many requests. */
  readonly id?: RequestId;
  readonly body: RequestBody;
  /**
   * The visitor's network (core/net/address/ipv6.ts), which gets its share of the connections;
   * undefined: nobody in particular.
   */
  readonly client?: string;
  /** The site whose visitor asks, which gets its share, too; undefined: none in particular. */
  readonly site?: string;
  /** It fails with `aborted` where it would take a place that a visitor's request may need. */
  readonly yields?: boolean;
  /** `websocket`: asks for an upgrade (RFC 6455); else empty. */
  readonly protocol: string;
  /** Charged for what waits for a slow reader of the response, over HTTP/2. */
  readonly memory?: ClientMemory;
  /** From now to the end of the response. For HTTP/2. */
  readonly deadlineMs?: number;
  /** Both sides may be silent for long, and speak in any order. For HTTP/2. */
  readonly isConversation?: boolean;
  /** Lets the caller cancel, instead of a signal. */
  readonly cancel?: OriginCancel;
  readonly informs?: InformReceiver;
}

/** Receives 1xx responses but 101 (RFC 9110 section 15.2). */
export interface InformReceiver {
  /** `identity`: as `OriginResponse` has it. */
  onInform(status: number, headers: FieldList, identity: OriginPlace): void;
}

export interface OriginResponse {
  readonly status: number;
  /**
   * Names in lower case, without what concerned the origin's connection (RFC 9110 section 7.6.1);
   * with `content-length` when the origin sent one that holds.
   */
  readonly headers: FieldList;
  readonly body: OriginBody;
  /** After 101: the way to the origin; `body` is the way back. Else null. */
  readonly tunnel: OriginTunnel | null;
  /**
   * Milliseconds since 1970 when the request was sent and when the head had come (RFC 9111 section
   * 4.2.3).
   */
  readonly requestTime: number;
  readonly responseTime: number;
  /**
   * With the address that the connection goes to, and those that the origin's name has had lately.
   * One object for all responses until they change.
   */
  readonly identity: OriginPlace;
}

export interface OriginBody {
  /** Bytes that are to come in all; undefined when only the end will tell. */
  readonly length: number | undefined;
  /**
   * What has already come: the next part, null at the end, undefined when one has to wait for it
   * with `read`. Throws OriginError as `read` does.
   */
  readNow(): Uint8Array | null | undefined;
  /**
   * The next part, or null at the end. One at a time. Rejects with OriginError when the body breaks
   * off, is malformed, or is too slow. The bytes are the reader's. `most`: bytes that a body which
   * has to be fetched for this call takes at most; others give what has come.
   */
  read(most?: number): Promise<Uint8Array | null>;
  /**
   * The whole body, if it has arrived and nothing of it was read. The bytes are valid during the
   * call only, so they are copied once. Undefined: the body is empty, or has to be read.
   */
  takeWhole?(): Uint8Array | undefined;
  /** Takes no more: the connection is closed, unless all has come. */
  cancel(): void;
  /**
   * Gives all that is left to `sink` as it comes, what is here already within the call, which
   * spares a copy and a promise for each part. Not while a part is being read, and nothing is read
   * after it. What arrived before a fault is given before the fault. Missing where a body has to be
   * read.
   */
  flow?(sink: BodySink): BodyFlow;
  /** After the end (RFC 9110 section 6.5). */
  readonly trailers: FieldList;
}

export interface OriginTunnel {
  /** False: wait for `onDrain`. The bytes belong to the tunnel from here on. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  onDrain(listener: () => void): void;
  /** Both ways, at once. */
  destroy(): void;
}

/**
 * Cancels one fetch, at a fraction of what an AbortSignal costs: one plain object for a request, or
 * the base of what its caller keeps of it anyway. To be used for one fetch at a time.
 */
export class OriginCancel {
  isCancelled = false;
  /** The client's, while there is something to cancel. */
  target: { onCancel(): void } | null = null;

  /**
   * Whatever the state: the socket is freed at once, the fetch or the body rejects with `aborted`.
   * More than once, or after the end, it does nothing.
   */
  cancel(): void {
    this.isCancelled = true;
    this.target?.onCancel();
  }
}

/**
 * Sends one request. Rejects with OriginError; after the head, the body does. With TypeError when
 * the request is none: a method, path or field that would be read as something else. `signal` of
 * the visitor's end: cancels, whatever the state; on the path of each request `request.cancel` is
 * the cheaper way.
 */
export type Fetch = (request: OriginRequest, signal?: AbortSignal) => Promise<OriginResponse>;

/**
 * Receives the response to a request. Neither method may throw. Either may be called before `Send`
 * returns.
 */
export interface ResponseReceiver {
  /**
   * Called while the head is read. So the part of the body that came with it need not be copied
   * (`OriginBody.takeWhole`, `flow`).
   */
  onResponse(response: OriginResponse): void;
  /** As `Fetch` rejects. */
  onFailure(error: Error): void;
}

/** `Fetch` without a promise. */
export type Send = (request: OriginRequest, receiver: ResponseReceiver) => void;

export type OriginFault =
  | 'forbidden' // no address that may be connected to
  | 'unresolved' // its name has no address now
  | 'refused' // no connection
  | 'connect-timeout'
  | 'tls' // no handshake, or a certificate that is not the origin's
  | 'reset' // the connection broke
  | 'malformed' // no HTTP/1.1, or not to be trusted to be one message
  | 'header-timeout'
  | 'idle-timeout' // began, and then nothing came
  | 'down' // all origins of a pool
  | 'busy' // too many requests wait for it already
  | 'slow-body' // by the visitor, whose request's body comes too slowly
  | 'aborted'; // by the visitor

/** Faults of visitors, not of origins. */
export type VisitorFault = 'slow-body' | 'aborted';
export const isOfVisitor = (fault: OriginFault): fault is VisitorFault => fault === 'slow-body' || fault === 'aborted';

/**
 * `message` is for the log of the operator and may name the origin's address; no visitor is shown
 * it. Without a stack: it tells nothing of an origin, and V8 takes longer to collect it than the
 * rest of a refusal takes while a site is flooded.
 */
export class OriginError extends Error {
  override readonly name = 'OriginError';
  constructor(
    readonly fault: OriginFault,
    message: string,
    /** Of a stream that the origin reset (RFC 9113 section 7); -1: it did not. */
    readonly code = -1,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

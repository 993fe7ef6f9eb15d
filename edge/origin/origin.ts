/**
 * Requests to origins and their responses: the interface between edge/proxy, which decides their
 * content, and edge/origin, which sends them over HTTP/1.1 or HTTP/2.
 */

import { randomBytes } from 'node:crypto';
import type { ClientMemory } from '../http/exchange/client-memory.ts';
import type { BodyFlow, BodySink, RequestBody } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { ProxyEndpoint } from '../http/transport/proxy-protocol.ts';
import type { Origin } from './origin-address.ts';
import type { OriginPlace } from './spellings.ts';

/**
 * Differs between threads, nodes and starts. A counter follows, because ids must be unique but not
 * secret.
 */
const PREFIX = randomBytes(6).toString('hex');
let count = 0;

declare const REQUEST_ID: unique symbol;
/**
 * A valid field value by construction: letters, digits and a dash. Validation would force V8 to
 * flatten the concatenated string first.
 */
export type RequestId = string & { readonly [REQUEST_ID]: true };

export interface OriginRequest {
  readonly origin: Origin;
  /**
   * The host of the visitor's request, without a port. It replaces the origin's name in SNI and
   * verification when the origin is an address.
   */
  readonly serverName: string;
  readonly method: string;
  /** Path and query, or "*". */
  readonly path: string;
  /** The Host field, unless the origin has a `hostHeader`. */
  readonly authority: string;
  /**
   * The fields to send, in this order. The client adds host, content-length and connection-specific
   * fields itself.
   */
  readonly headers: FieldList;
  /** X-Request-Id. It is not in `headers`, so that the same list can be used for many requests. */
  readonly id?: RequestId;
  readonly body: RequestBody;
  /**
   * The visitor's network (core/net/address/ipv6.ts), for its share of the connections; undefined:
   * no network, not limited by shares.
   */
  readonly client?: string;
  /**
   * The visitor, for an origin with `proxyProtocol`; undefined: the edge itself is the client, as
   * in a health check.
   */
  readonly source?: ProxyEndpoint;
  /** Identifies the visitor's connection among those of its network. */
  readonly visitor?: object;
  /** The site of the request, for its share of the connections; undefined: no site. */
  readonly site?: string;
  /** Whether LF alone may end a line of the response head, over HTTP/1.1. */
  readonly isLenient?: boolean;
  /**
   * Low priority: fails with `aborted` instead of using capacity that a visitor's request may need.
   */
  readonly yields?: boolean;
  /** Requests an upgrade to this protocol (RFC 9110 section 7.8); empty: no upgrade. */
  readonly protocol: string;
  /** Charged with response bytes that are buffered for a slow reader, over HTTP/2. */
  readonly memory?: ClientMemory;
  /** Milliseconds from now to the end of the response. For HTTP/2. */
  readonly deadlineMs?: number;
  /**
   * A bidirectional stream: both sides may be silent for long, and send in any order. For HTTP/2.
   */
  readonly isConversation?: boolean;
  /** Cancels the request, in place of an AbortSignal. */
  readonly cancel?: OriginCancel;
  readonly informs?: InformReceiver;
}

/** Receives 1xx responses except 101 (RFC 9110 section 15.2). */
export interface InformReceiver {
  /** `identity`: as `OriginResponse` has it. */
  onInform(status: number, headers: FieldList, identity: OriginPlace): void;
}

export interface OriginResponse {
  readonly status: number;
  /**
   * Names in lower case, without connection-specific fields (RFC 9110 section 7.6.1). Includes
   * `content-length` when the origin sent a valid one.
   */
  readonly headers: FieldList;
  readonly body: OriginBody;
  /** After 101: sends to the origin, while `body` receives from it. Null: no tunnel. */
  readonly tunnel: OriginTunnel | null;
  /**
   * When the request was sent, and when the response head was received (RFC 9111 section 4.2.3). In
   * milliseconds since 1970.
   */
  readonly requestTime: number;
  readonly responseTime: number;
  /**
   * Includes the address of the connection and recent addresses of the origin's name. The same
   * object for all responses until the addresses change.
   */
  readonly identity: OriginPlace;
}

/** A stream of events, or of messages of gRPC or gRPC-Web. */
const STREAM_TYPE = /^(?:text\/event-stream|application\/grpc)(?:$|[-+; \t])/i;

/** Whether long silence within a response is normal. `length`: of its body; undefined: unknown. */
export function isEventStream(headers: FieldList, length: number | undefined): boolean {
  if (length !== undefined) return false;
  for (let i = 0; i < headers.length; i += 2)
    if (headers[i] === 'content-type') return STREAM_TYPE.test(headers[i + 1]);
  return false;
}

export interface OriginBody {
  /** The length in bytes; undefined: unknown until the end. */
  readonly length: number | undefined;
  /**
   * Returns the next part if it has arrived, null at the end, and undefined if the caller must wait
   * with `read`. Throws OriginError as `read` does.
   */
  readNow(): Uint8Array | null | undefined;
  /**
   * Returns the next part, or null at the end. One call at a time. Rejects with OriginError when
   * the body is truncated, malformed, or too slow. The reader owns the bytes. `most`: maximum bytes
   * for a body that is fetched by this call; other bodies return what has arrived.
   */
  read(most?: number): Promise<Uint8Array | null>;
  /**
   * Returns the whole body, if it has arrived and none of it was read. The bytes are valid during
   * the call only, so they are copied once. Undefined: the body is empty, or must be read.
   */
  takeWhole?(): Uint8Array | undefined;
  /** Discards the rest. The connection is closed unless the whole body has arrived. */
  cancel(): void;
  /**
   * Streams the rest of the body to `sink`; parts that have arrived are delivered within the call.
   * This avoids a copy and a promise for each part. Do not call it during a `read`, and do not read
   * afterwards. Bytes that arrived before a fault are delivered before the fault. Undefined: the
   * body must be read.
   */
  flow?(sink: BodySink): BodyFlow;
  /** Available after the end (RFC 9110 section 6.5). */
  readonly trailers: FieldList;
}

export interface OriginTunnel {
  /** False: wait for `onDrain`. The tunnel owns the bytes from here on. */
  write(chunk: Uint8Array): boolean;
  end(): void;
  onDrain(listener: () => void): void;
  /** Closes both directions immediately. */
  destroy(): void;
}

/**
 * Cancels a fetch at a fraction of the cost of an AbortSignal. It is a plain object, or the base
 * class of the caller's state of the request. For one fetch at a time.
 */
export class OriginCancel {
  isCancelled = false;
  /** Set by the client while the fetch can be cancelled. */
  target: { onCancel(): void } | null = null;

  /**
   * Frees the socket immediately, in any state. The fetch or the body rejects with `aborted`. Does
   * nothing when called again or after the end.
   */
  cancel(): void {
    this.isCancelled = true;
    this.target?.onCancel();
  }
}

/**
 * Sends one request. Rejects with OriginError; after the head, the body does. Rejects with
 * TypeError for an invalid method, path or field, which could be parsed as another request.
 * `signal` cancels in any state. On the path of visitors' requests `request.cancel` is cheaper.
 */
export type Fetch = (request: OriginRequest, signal?: AbortSignal) => Promise<OriginResponse>;

/**
 * Receives the response to a request. Neither method may throw. Either may be called before `Send`
 * returns.
 */
export interface ResponseReceiver {
  /**
   * Called while the read that contained the head is processed. The part of the body in the same
   * read need not be copied (`OriginBody.takeWhole`, `flow`).
   */
  onResponse(response: OriginResponse): void;
  /** Receives the errors with which `Fetch` rejects. */
  onFailure(error: Error): void;
}

/** `Fetch` without a promise. */
export type Send = (request: OriginRequest, receiver: ResponseReceiver) => void;

export type OriginFault =
  | 'forbidden' // no permitted address
  | 'unresolved' // its name does not resolve
  | 'refused' // no connection could be opened
  | 'unreachable' // there is no route to any address
  | 'connect-timeout'
  | 'tls' // the handshake or the verification of the certificate failed
  | 'reset' // the connection broke
  | 'malformed' // invalid or ambiguous framing
  | 'header-timeout'
  | 'idle-timeout' // the transfer stalled
  | 'down' // all origins of a pool are down
  | 'busy' // the queue, a share or a limit of connections is exhausted
  | 'slow-body' // the visitor sends the request body too slowly
  | 'aborted'; // the visitor cancelled the request

/** Faults of visitors, not of origins. */
export type VisitorFault = 'slow-body' | 'aborted';
export const isOfVisitor = (fault: OriginFault): fault is VisitorFault => fault === 'slow-body' || fault === 'aborted';

/**
 * `message` is for the operator's log. It may contain the origin's address, so it is never shown to
 * visitors. Without a stack trace: it would not describe the origin, and while a site is flooded,
 * collecting it takes longer than the rest of the rejection.
 */
export class OriginError extends Error {
  override readonly name = 'OriginError';
  constructor(
    readonly fault: OriginFault,
    message: string,
    /** The error code of a stream that the origin reset (RFC 9113 section 7); -1: none. */
    readonly code = -1,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/**
 * The id of an exchange. It is sent to the origin, shown on error pages and written to the log.
 * Unique over all threads and nodes. It consists of letters, digits and a dash.
 */
export function requestId(): RequestId {
  count++;
  return `${PREFIX}-${count}` as RequestId;
}

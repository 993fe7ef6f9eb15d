/**
 * The interface between HTTP and the API. A transport parses a request, calls the handler, and
 * sends the response. There are two transports: uWebSockets.js if it loads, otherwise node:http.
 */
import { ConfigError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/log/index.ts';
import type { BodyMemory } from './body-memory.ts';

export interface HttpRequest {
  /** In upper case, as in HTTP/1.1. */
  readonly method: string;
  /** As received, without the query; percent escapes are not decoded. */
  readonly path: string;
  /** The text after the question mark; empty without a query. */
  readonly query: string;
  /** The IP address, without brackets or port. */
  readonly remoteAddress: string;
  /** A proxy received the request over TLS; the API itself has no TLS. */
  readonly isSecure?: boolean;
  /** Aborts with `Aborted` when the client disconnects. Created on first use. */
  readonly signal: AbortSignal;
  /**
   * `name` in lower case. For a repeated header: the first value, or all, joined by commas; all of
   * X-Forwarded-For.
   */
  header(name: string): string | undefined;
  /**
   * The whole body, in its own memory. Call this before the first await of the handler: a transport
   * does not keep a body that is not requested at once. Rejects with HttpError 413 if the body is
   * longer than `limit` bytes: by Content-Length before reading, otherwise as soon as the limit is
   * exceeded. Rejects with HttpError 408 if it arrives too slowly, with 503 if the memory limit of
   * `holder` is reached (body-memory.ts; omitted: the client's site, such as an IPv6 /48), and with
   * Aborted if the client disconnects.
   */
  body(limit: number, holder?: string): Promise<Buffer>;
  /**
   * Like `body`, piece by piece. Reading pauses while too much is unread. Throws the errors of
   * `body`. `keeps`: the reader keeps the pieces until the response.
   */
  stream(limit: number, holder?: string, keeps?: boolean): AsyncIterable<Buffer>;
}

/** The request with other parts. Its `signal` is still created on first use. */
export function withParts(request: HttpRequest, parts: Partial<Omit<HttpRequest, 'signal'>>): HttpRequest {
  const { method, path, query, remoteAddress, isSecure } = request;
  return {
    method,
    path,
    query,
    remoteAddress,
    isSecure,
    get signal() {
      return request.signal;
    },
    header: (name) => request.header(name),
    body: (limit, holder) => request.body(limit, holder),
    stream: (limit, holder, keeps) => request.stream(limit, holder, keeps),
    ...parts,
  };
}

export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface HttpResponse {
  /**
   * A 304 is sent without Content-Length, which is optional there (RFC 9110 8.6). Some clients
   * expect a body of that length: undici 7 fails, and undici 6 waits forever.
   */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
  /** Length of a streamed body in bytes, if known. The response then has Content-Length. */
  readonly length?: number;
  /** The connection is closed after the response. */
  readonly close?: boolean;
  /** Holder of the memory of unsent bytes (body-memory.ts). */
  readonly holder?: string;
}

/** Never rejects and never throws. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

export interface ListenAddress {
  readonly address: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface Listening {
  readonly port: number;
  /** Number of open connections. */
  connections(): number;
  /** Accepts no more connections, waits for requests in flight (up to the timeout), and closes. */
  close(): Promise<void>;
}

export interface Transport {
  readonly name: 'uws' | 'node';
  /** Rejects with ListenError if the address is not available. */
  listen(address: ListenAddress, handler: Handler): Promise<Listening>;
}

/**
 * Milliseconds after the start of a shutdown during which connections are still accepted.
 * Connections in the kernel's backlog are served, and each response closes its connection. A client
 * therefore does not send its next request on a closing connection (RFC 9112 section 9.6).
 */
export const CLOSING_MS = 50;

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** To receive a body, plus one second for each BODY_RATE bytes received. */
  readonly body: number;
  /**
   * To receive the header of a request: from its first byte, or from connecting if it is the first.
   */
  readonly headers: number;
  /** Without a request on a connection. uWebSockets.js has a fixed timeout of 10 s instead. */
  readonly idle: number;
  /** Without progress while a client reads a long response. */
  readonly write: number;
  /** For requests in flight when the transport closes. */
  readonly close: number;
}

/**
 * `body` is shorter than the 8 to 12 seconds after which uWebSockets.js closes a stalled connection
 * without a response. `idle` is longer than the idle timeout of proxies, so that the proxy closes
 * first.
 */
export const STANDARD_TIMEOUTS: Timeouts = { body: 7_000, headers: 10_000, idle: 75_000, write: 60_000, close: 5_000 };

/** Minimum bytes per second of a long body. A file of 64 MB may take about 17 minutes. */
export const BODY_RATE = 64 * 1024;

/**
 * Bytes of request line and header fields. RFC 9112 3 recommends 8,000 for the request line alone.
 */
export const MAX_HEADER = 16 * 1024;

/** Unsent bytes of a response up to which no memory is charged: the kernel buffers that many. */
export const SMALL_RESPONSE = 64 * 1024;

/** Header fields of a request. uWebSockets.js supports at most 98. */
export const MAX_FIELDS = 96;

export interface ConnectionLimits {
  /** Concurrent connections of all clients. */
  readonly total: number;
  /**
   * Concurrent connections of one client: an IPv4 address or an IPv6 /64, as in core/nameserver.
   */
  readonly perAddress: number;
}

export interface TransportOptions {
  readonly timeouts: Timeouts;
  readonly limits: ConnectionLimits;
  readonly memory: BodyMemory;
  readonly log: Logger;
}

/** Ends a stream that will not be read further, so that it releases its source. */
export function discard(body: ResponseBody): void {
  if (typeof body === 'string' || body instanceof Uint8Array) return;
  const iterator = body[Symbol.asyncIterator]();
  iterator.return?.().catch(() => {});
}

export class Aborted extends Error {
  constructor() {
    super('The client has closed the connection.');
    this.name = 'Aborted';
  }
}

export class ListenError extends ConfigError {
  constructor(to: ListenAddress, reason: string) {
    super(
      'listen',
      `The admin API cannot listen on ${to.address} port ${to.port}: ${reason}. Choose another address with WAYPOST_ADMIN_LISTEN.`,
    );
  }
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Visible ASCII, space and tab: both transports write these bytes unchanged. */
const VALUE = /^[\t -~]*$/;

/**
 * The response headers without the unsafe ones: no name or value may end a line or start one
 * (RFC 9110 5.5). A dropped header is logged, because it is a bug.
 */
export function safeHeaders(headers: Readonly<Record<string, string>>, log: Logger): Readonly<Record<string, string>> {
  for (const name in headers) if (!isSafe(name, headers[name])) return dropUnsafe(headers, log);
  return headers;
}

const isSafe = (name: string, value: string): boolean => VALUE.test(value) && NAME.test(name);

function dropUnsafe(headers: Readonly<Record<string, string>>, log: Logger): Record<string, string> {
  const safe: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (isSafe(name, value)) safe[name] = value;
    else log.error('response header dropped: invalid name or value', { header: name });
  }
  return safe;
}

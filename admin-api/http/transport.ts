import { ConfigError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/log/index.ts';

/**
 * The seam between HTTP and the API. A transport turns what comes over a connection into an HttpRequest, asks the handler, and sends
 * what it gives. Two stand behind it: uWebSockets.js where it loads, and node:http elsewhere.
 */
export interface HttpRequest {
  /** In upper case, as HTTP/1.1 writes it. */
  readonly method: string;
  /** As sent, percent escapes in place, without the query. */
  readonly path: string;
  /** What follows the question mark; empty when there is none. */
  readonly query: string;
  /** Without brackets or port. */
  readonly remoteAddress: string;
  /** `name` in lower case. Of a header that comes twice, the first or all joined by commas. */
  header(name: string): string | undefined;
  /**
   * The whole body, in memory of its own. To be called before the handler first yields: a transport need not keep what nobody waits for.
   * Rejects with HttpError 413 when it is longer than `limit` bytes (by Content-Length before anything is read, else as soon as it grows
   * beyond), 408 when it comes too slowly, and with Aborted when the client has gone.
   */
  body(limit: number): Promise<Buffer>;
  /** As `body`, piece by piece: the client waits while nobody takes them. What `body` rejects with is thrown to who walks it. */
  stream(limit: number): AsyncIterable<Buffer>;
}

export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array>;

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ResponseBody;
  /** The connection is not to be used again. */
  readonly close?: boolean;
}

/** Never rejects, and never throws. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>;

export interface ListenPlace {
  readonly address: string;
  /** 0: any that is free. */
  readonly port: number;
}

export interface Listening {
  readonly port: number;
  /** How many there are now. */
  connections(): number;
  /** Takes no more connections, lets what is under way end (at most some seconds), and closes. */
  close(): Promise<void>;
}

export interface Transport {
  readonly name: 'uws' | 'node';
  /** Rejects with ListenError when the address cannot be had. */
  listen(place: ListenPlace, handler: Handler): Promise<Listening>;
}

/** Milliseconds. */
export interface Timeouts {
  /** A body has this long, and a second more for each BODY_RATE bytes that have come. */
  readonly body: number;
  /** The header of a request, once it has begun, or of the first from when the client has connected. */
  readonly headers: number;
  /** A connection without a request. uWebSockets.js has 10 s of its own. */
  readonly idle: number;
  /** A client that takes nothing of a long answer for so long has gone. */
  readonly write: number;
  /** Requests under way when the transport closes. */
  readonly close: number;
}

/**
 * `body` ends before the 8 to 12 seconds after which uWebSockets.js cuts a body that stands still, without an answer. `idle` is longer than what
 * proxies keep, so that it is they who close.
 */
export const STANDARD_TIMEOUTS: Timeouts = { body: 7_000, headers: 10_000, idle: 75_000, write: 60_000, close: 5_000 };

/** Bytes a second that a body must reach after its first seconds: a 64 MB file over a slow line takes minutes, not hours. */
export const BODY_RATE = 64 * 1024;

/**
 * Bytes of the request line and the header fields together. RFC 9112 3 asks for 8,000 in the request line alone.
 */
export const MAX_HEADER = 16 * 1024;

/** Header fields of a request. uWebSockets.js cannot take more than 98. */
export const MAX_FIELDS = 96;

export interface ConnectionLimits {
  /** Connections at one time. */
  readonly total: number;
  /** Of one client, as core/nameserver counts them: an IPv4 address, an IPv6 /64. */
  readonly perAddress: number;
}

export interface TransportOptions {
  readonly timeouts: Timeouts;
  readonly limits: ConnectionLimits;
  readonly log: Logger;
}

/** Ends a stream that nobody will read, so that it frees what it reads from. */
export function discard(body: ResponseBody): void {
  if (typeof body === 'string' || body instanceof Uint8Array) return;
  const iterator = body[Symbol.asyncIterator]();
  iterator.return?.().catch(() => {});
}

/** The client has closed the connection; nobody waits for an answer. */
export class Aborted extends Error {
  constructor() {
    super('The client has closed the connection.');
    this.name = 'Aborted';
  }
}

export class ListenError extends ConfigError {
  constructor(place: ListenPlace, why: string) {
    super(
      'listen',
      `The admin API cannot listen on ${place.address} port ${place.port}: ${why}. Choose another address with WAYPOST_ADMIN_LISTEN.`,
    );
  }
}

import type { Http1Limits } from '../http1/limits.ts';
import type { Http2Limits } from '../http2/limits.ts';

/** Limits of connections before any HTTP is spoken on them, and of the end of a thread. */
export interface ServerLimits {
  /** Connections at one time, of all threads. */
  readonly maxConnections: number;
  /** Of one client: an IPv4 address, a /64 of IPv6. */
  readonly maxPerAddress: number;
  /** Bytes that the clients of one thread may hold. */
  readonly clientMemory: number;
  /** That a thread keeps ready, of the sites that were asked for last. */
  readonly maxCertificates: number;
  /**
   * Milliseconds from the connection to the end of the TLS handshake; without TLS, to the bytes
   * that tell the version of HTTP.
   */
  readonly handshakeTimeout: number;
  /** Milliseconds that pending requests have when a thread is to end. */
  readonly drainTimeout: number;
}

export const SERVER_LIMITS: ServerLimits = {
  // Some 15 KB each with TLS and HTTP/2, 45 with HTTP/1.1: 1 to 2 GB.
  maxConnections: 50_000,
  // Many people share an address behind a carrier's NAT, and a browser opens one connection with
  // HTTP/2, six with HTTP/1.1.
  maxPerAddress: 1000,
  clientMemory: 256 * 1024 * 1024,
  maxCertificates: 4000,
  handshakeTimeout: 10_000,
  drainTimeout: 30_000,
};

/**
 * Seconds. A client that has vanished without a word, with a request that is still worked on or a
 * tunnel that is silent, holds its connection until it is asked after: no limit of HTTP can tell it
 * from one that waits.
 */
export const KEEP_ALIVE = 60;

/** Of the sockets that are listened on, and so of their connections. */
export const EDGE_STREAM = {
  keepAlive: KEEP_ALIVE,
  // Four writes: what is in flight to a client that reads is not counted, so a far one gets as much
  // as ever.
  unsent: 262_144,
} as const;

export interface EdgeLimits {
  readonly server: ServerLimits;
  readonly http1: Http1Limits;
  readonly http2: Http2Limits;
}

import type { Config } from '../../../core/config/index.ts';
import type { Http1Limits } from '../http1/limits.ts';
import type { Http2Limits } from '../http2/limits.ts';

/** Limits of connections before HTTP, and of the shutdown of a thread. */
export interface ServerLimits {
  /** Maximum open connections of all threads. */
  readonly maxConnections: number;
  /** Maximum open connections of one client: an IPv4 address or an IPv6 /64. */
  readonly maxPerAddress: number;
  /** Maximum bytes held for the clients of one thread. */
  readonly clientMemory: number;
  /** Maximum certificates that a thread caches, of the most recently used sites. */
  readonly maxCertificates: number;
  /**
   * Milliseconds from the start of the connection to the end of the TLS handshake. Without TLS,
   * until the version of HTTP is detected.
   */
  readonly handshakeTimeout: number;
  /** Milliseconds that requests in flight have to complete when a thread drains. */
  readonly drainTimeout: number;
}

/**
 * Seconds until TCP keep-alive probes start. A vanished client with a pending request or a silent
 * tunnel would otherwise hold its connection. No limit of HTTP can distinguish it from a client
 * that waits.
 */
export const KEEP_ALIVE = 60;

/** Options of listening sockets. Accepted connections inherit them. */
export const EDGE_STREAM = {
  keepAlive: KEEP_ALIVE,
  // Bytes: four writes. Bytes in flight to a client that reads do not count, so a distant client
  // gets the same throughput.
  unsent: 262_144,
} as const;

export interface EdgeLimits {
  readonly server: ServerLimits;
  readonly http1: Http1Limits;
  readonly http2: Http2Limits;
}

/** The keys of `S` that begin with `P`, without it: `http2MaxHeaderCount` is `maxHeaderCount`. */
type Stripped<S, P extends string> = {
  readonly [K in keyof S & string as K extends `${P}${infer Rest}` ? Uncapitalize<Rest> : never]: S[K];
};

function strip<P extends string>(settings: Config['edge'], prefix: P): Stripped<Config['edge'], P> {
  const entries = Object.entries(settings)
    .filter(([key]) => key.startsWith(prefix))
    .map(([key, value]) => [key.charAt(prefix.length).toLowerCase() + key.slice(prefix.length + 1), value]);
  return Object.fromEntries(entries) as Stripped<Config['edge'], P>;
}

/**
 * Reads the limits from the section `edge`. The limits of a version of HTTP have the version as a
 * prefix.
 */
export function limitsFromConfig(edge: Config['edge']): EdgeLimits {
  const { streamIdleTimeout, tunnelIdleTimeout, lingerBytes, lingerDuration } = edge;
  const { bodyRate, bodyWindow, bodyPressedWindow, bodyPause } = edge;
  const ofBodies = { bodyRate, bodyWindow, bodyPressedWindow, bodyPause };
  const ofBoth = { streamIdleTimeout, tunnelIdleTimeout, lingerBytes, lingerDuration, ...ofBodies };
  const { headerOctets: headerBytes, discardedOctets: discardedBytes, ...http1 } = strip(edge, 'http1');
  return {
    server: {
      maxConnections: edge.maxConnections,
      maxPerAddress: edge.maxConnectionsPerAddress,
      clientMemory: Math.floor(edge.clientMemory / edge.workers),
      maxCertificates: edge.maxCertificates,
      handshakeTimeout: edge.handshakeTimeout,
      drainTimeout: edge.drainTimeout,
    },
    http1: { ...http1, headerBytes, discardedBytes, ...ofBoth },
    http2: { ...strip(edge, 'http2'), ...ofBoth },
  };
}

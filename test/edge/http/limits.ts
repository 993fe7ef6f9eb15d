/** The limits without settings (server/limits-from-config.test.ts). */
import type { Http1Limits } from '../../../edge/http/http1/limits.ts';
import type { ServerLimits } from '../../../edge/http/server/limits.ts';

export const SERVER_LIMITS: ServerLimits = {
  // About 15 KB each with TLS and HTTP/2, 45 KB with HTTP/1.1: 1 to 2 GB in total.
  maxConnections: 50_000,
  // Many users share an address behind a carrier-grade NAT. A browser opens one connection with
  // HTTP/2, six with HTTP/1.1.
  maxPerAddress: 1000,
  clientMemory: 256 * 1024 * 1024,
  maxCertificates: 4000,
  handshakeTimeout: 10_000,
  drainTimeout: 30_000,
};

export const DEFAULT_HTTP1_LIMITS: Http1Limits = {
  headerBytes: 32_768,
  headerFields: 128,
  targetLength: 8_192,
  headerTimeout: 10_000,
  idleTimeout: 60_000,
  bodyRate: 250,
  bodyWindow: 180_000,
  bodyPressedWindow: 10_000,
  bodyPause: 75_000,
  bodyBuffered: 65_536,
  discardedBytes: 262_144,
  writeTimeout: 30_000,
  requests: 10_000,
  pipelined: 64,
  lingerTimeout: 5_000,
  lingerBytes: 64 * 1024 * 1024,
  lingerDuration: 30_000,
  streamIdleTimeout: 300_000,
  tunnelIdleTimeout: 600_000,
};

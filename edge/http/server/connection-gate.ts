/**
 * Settings and limits for the connections of one site. The application implements it, since it
 * knows the sites.
 */
import type { Http1Limits } from '../http1/limits.ts';
import type { Http2Limits } from '../http2/limits.ts';
import type { TlsPolicy } from '../tls/policy.ts';
import type { TurnShare } from '../transport/turn-share.ts';

export interface ConnectionGate {
  /** The site that memory is charged to. */
  readonly site: string;
  /** Null: only the rules for all connections. */
  readonly policy: TlsPolicy | null;
  /** Null: those of the server. */
  readonly http1: Http1Limits | null;
  readonly http2: Http2Limits | null;
  /** The share of the event loop for its connections; null: unlimited. */
  readonly share: TurnShare | null;
  /**
   * Counts a connection. False: the site has reached its limit, and the connection is closed at
   * once.
   */
  enter(): boolean;
  /** To be called once for each connection that has entered. */
  leave(): void;
}

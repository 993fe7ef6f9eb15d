/** What holds for the connections of one site: the seam to the application, which knows sites. */
import type { Http1Limits } from '../http1/limits.ts';
import type { Http2Limits } from '../http2/limits.ts';
import type { TlsPolicy } from '../tls/policy.ts';

export const REFUSED = -1;

export interface ConnectionGate {
  /** The site that memory is charged to. */
  readonly site: string;
  /** Null: nothing beyond what holds for all. */
  readonly policy: TlsPolicy | null;
  /** Null: those of the server. */
  readonly http1: Http1Limits | null;
  readonly http2: Http2Limits | null;
  /**
   * Counts a connection. Returns the milliseconds until its handshake may begin, or REFUSED: the
   * site has its share, and the connection is closed at once.
   */
  enter(): number;
  /** Once for each connection that has entered. */
  leave(): void;
}

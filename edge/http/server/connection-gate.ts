/** What holds for the connections of one site: the seam to the application, which knows sites. */
import type { Http1Limits } from '../http1/limits.ts';
import type { Http2Limits } from '../http2/limits.ts';
import type { TlsPolicy } from '../tls/policy.ts';
import type { TurnShare } from '../transport/turn-share.ts';

export interface ConnectionGate {
  /** The site that memory is charged to. */
  readonly site: string;
  /** Null: nothing beyond what holds for all. */
  readonly policy: TlsPolicy | null;
  /** Null: those of the server. */
  readonly http1: Http1Limits | null;
  readonly http2: Http2Limits | null;
  /** Of the turns of the thread, in which its connections are served; null: they need not wait. */
  readonly share: TurnShare | null;
  /** Counts a connection. False: the site has its share, and the connection is closed at once. */
  enter(): boolean;
  /** Once for each connection that has entered. */
  leave(): void;
}

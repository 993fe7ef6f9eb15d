/** The seam to who serves what connections carry. */
import type { TurnShare } from '../transport/turn-share.ts';
import type { TlsCertificate } from './certificate.ts';
import type { TlsPolicy } from './policy.ts';

/** Whom a connection belongs to. */
export interface TlsOwner<Connection> {
  /** Its connection; before anything else. */
  begun(connection: Connection): void;
  /**
   * The certificate of a server name (in lower case, never empty), or undefined: the client gets
   * the alert unrecognized_name.
   */
  certificateFor(serverName: string): TlsCertificate | undefined;
  /**
   * Whether the handshake for `serverName` may begin. Asked first. False: the connection is closed,
   * and the owner has counted it.
   */
  admit(serverName: string): boolean;
  /** The site's share of turns, in which the connection is served; null: it need not wait. */
  readonly share: TurnShare | null;
  /** What the site asks of TLS; null: nothing. Asked after `admit`, as is `share`. */
  readonly policy: TlsPolicy | null;
  /** The certificate cannot be used: it is as if there were none. */
  certificateFailed(error: unknown): void;
  /**
   * It does not ask for HTTP by a name, or not as clients do; nothing has been taken from the
   * socket, which is the owner's from now on.
   */
  handOver(fd: number): void;
  /** The handshake is done: bytes flow once `start` is called, which has to be now. */
  secured(connection: Connection): void;
  /** There will be no handshake. `closed` follows. */
  failed(reason: 'unrecognized_name' | 'handshake_failed'): void;
  /** The descriptor is closed. Once, unless it was handed over. */
  closed(): void;
}

/** Interface between a TLS connection and the server of its protocol. */
import type { TurnShare } from '../transport/turn-share.ts';
import type { TlsCertificate } from './certificate.ts';
import type { TlsPolicy } from './policy.ts';

/** The owner of a connection. */
export interface TlsOwner<Connection> {
  /** Called first, with the new connection. */
  begun(connection: Connection): void;
  /**
   * The certificate of a server name (lower case, never empty). Undefined: the client receives the
   * alert unrecognized_name.
   */
  certificateFor(serverName: string): TlsCertificate | undefined;
  /**
   * Whether the handshake for `serverName` may start. Called before the members below. False: the
   * connection is closed, and the owner has counted it.
   */
  admit(serverName: string): boolean;
  /** The site's share of turns; null: the connection never waits for a turn. */
  readonly share: TurnShare | null;
  /** The site's TLS policy; null: none. Read after `admit`, as is `share`. */
  readonly policy: TlsPolicy | null;
  /** The certificate is unusable. The connection continues as without a certificate. */
  certificateFailed(error: unknown): void;
  /**
   * Hands over a socket whose ClientHello has no server name, requests another protocol or has an
   * unusual form. All its bytes are still unread. From now on the owner closes it.
   */
  handOver(fd: number): void;
  /** The handshake is complete. The owner has to call `start` during this call. */
  secured(connection: Connection): void;
  /** The handshake failed. `closed` follows. */
  failed(reason: 'unrecognized_name' | 'handshake_failed'): void;
  /** The descriptor is closed. Called once, but not after `handOver`. */
  closed(): void;
}

/** The SSL_CTX of a thread, with the settings of all its connections. */
import { createHash } from 'node:crypto';
import { SIGNATURE_ALGORITHMS } from '../../../core/site/tls/signature-algorithms.ts';
import type { TlsCertificate, TlsPolicy } from './certificate.ts';
import { SslContext } from './native/context.ts';
import type { Objects } from './native/ownership.ts';
import type { Ssl } from './native/ssl.ts';
import { GROUP_LISTS, MAX_IDLE_MESSAGES, PROTOCOLS, SESSION_CONTEXT, TLS12_CIPHERS, TLS13_CIPHERS } from './profile.ts';

/**
 * Tickets after a full handshake of TLS 1.3. OpenSSL's default of two is for clients that open
 * several connections at once. HTTP/2 clients open one, and each resumption brings a new ticket.
 */
const TICKETS = 1;
/** Cached session id contexts. Only names with a certificate are cached. */
const MAX_SESSION_IDS = 4096;

export class TlsContext {
  readonly ssl: SslContext;
  /** Consecutive messages without data on the current connection. */
  idleMessages = 0;
  /**
   * Whether ALPN selects HTTP/2 for the current connection; false: HTTP/1.1. The ClientHello was
   * checked before, so the client offers the protocol.
   */
  selectsHttp2 = true;
  /** The current connection and its certificate, during its handshake. */
  connection: Ssl | null = null;
  certificate: TlsCertificate | null = null;
  readonly #sessionIds = new Map<string, Buffer>();

  /**
   * `ticketLifetime`: seconds for which a session may be resumed. Throws if OpenSSL lacks a needed
   * feature.
   */
  constructor(objects: Objects, ticketLifetime: number) {
    const [http2, http1] = [PROTOCOLS.indexOf('h2'), PROTOCOLS.indexOf('http/1.1')];
    const settings = {
      tls12Ciphers: TLS12_CIPHERS,
      tls13Ciphers: TLS13_CIPHERS,
      signatureAlgorithms: SIGNATURE_ALGORITHMS,
      groupLists: GROUP_LISTS,
      protocols: PROTOCOLS,
      tickets: TICKETS,
      sessionLifetime: ticketLifetime,
    };
    this.ssl = new SslContext(objects, settings, {
      protocol: () => (this.selectsHttp2 ? http2 : http1),
      staple: (chosen) => {
        const isAlternative = chosen === this.connection?.alternative;
        return (isAlternative ? this.certificate?.alternative : this.certificate)?.staple;
      },
      message: () => ++this.idleMessages <= MAX_IDLE_MESSAGES,
    });
  }

  /**
   * Binds the sessions of a connection to its server name and its site's policy, before the
   * handshake. A ticket is resumed under the same name and policy only, also on other threads and
   * nodes; otherwise a full handshake follows. RFC 6066 section 3 requires it for TLS 1.2, where
   * OpenSSL reports no name for a resumed session. In TLS 1.3 clients are to follow it (RFC 8446
   * section 4.6.1).
   */
  bind(ssl: Ssl, serverName: string, policy: TlsPolicy | null = null): void {
    ssl.bindSessions(this.#sessionId(policy === null ? serverName : `${serverName}\0${policy.fingerprint}`));
  }

  #sessionId(boundTo: string): Buffer {
    let id = this.#sessionIds.get(boundTo);
    if (id === undefined) {
      id = createHash('sha256').update(`${SESSION_CONTEXT}\0${boundTo}`).digest();
      if (this.#sessionIds.size >= MAX_SESSION_IDS) this.#sessionIds.clear();
      this.#sessionIds.set(boundTo, id);
    }
    return id;
  }

  /** Requires that all connections are freed. */
  close(): void {
    this.ssl.free();
  }
}

/**
 * The SSL_CTX of a thread, with the settings of all its connections. It has no certificate: each
 * connection gets its own (credentials.ts).
 */
import { createHash } from 'node:crypto';
import { SIGNATURE_ALGORITHMS } from '../../../core/site/tls/signature-algorithms.ts';
import type { TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import type { TlsCertificate } from './certificate.ts';
import {
  BIO_C_SET_FD,
  CTRL,
  fixedMemory,
  INFO,
  MODE,
  OP,
  type Openssl,
  SET_STATUS_RESPONSE,
  TLS1_2,
  TLS1_3,
} from './openssl.ts';
import type { TlsPolicy } from './policy.ts';
import { GROUP_LISTS, MAX_IDLE_MESSAGES, SESSION_CONTEXT, TLS12_CIPHERS, TLS13_CIPHERS } from './profile.ts';
import { Tickets } from './tickets.ts';

const SSL_TLSEXT_ERR_OK = 0;
const SSL_TLSEXT_ERR_ALERT_FATAL = 2;
const SSL_TLSEXT_ERR_NOACK = 3;
/**
 * Tickets after a full handshake of TLS 1.3. OpenSSL's default of two is for clients that open
 * several connections at once. HTTP/2 clients open one, and each resumption brings a new ticket.
 */
const TICKETS = 1;
/** Cached session id contexts. Only names with a certificate are cached. */
const MAX_SESSION_IDS = 4096;

export class TlsContext {
  /** Address of the SSL_CTX. */
  readonly address: number;
  /** Consecutive messages without data on the current connection. */
  idleMessages = 0;
  readonly #openssl: Openssl;
  readonly #tickets: Tickets;
  /** A copy of `address`, in memory that outlives the thread (places.ts). */
  readonly #sharedAddress: Float64Array;
  /**
   * Whether ALPN selects HTTP/2 for the current connection; false: HTTP/1.1. The ClientHello was
   * checked before, so the client offers the protocol.
   */
  selectsHttp2 = true;
  /** The certificate of the current connection, during its handshake. */
  certificate: TlsCertificate | null = null;
  readonly #protocols = [protocolName('http/1.1'), protocolName('h2')] as const;
  readonly #noDescriptor = fixedMemory(4);
  readonly #sessionIds = new Map<string, Buffer>();
  readonly #select: (ssl: number, out: number, outLength: number) => number;
  readonly #status: (ssl: number) => number;
  readonly #info: (ssl: number, where: number) => void;

  /**
   * `ticketLifetime`: seconds for which a session may be resumed. Throws if OpenSSL lacks a needed
   * feature.
   */
  constructor(openssl: Openssl, ticketLifetime: number, sharedAddress: Float64Array) {
    this.#openssl = openssl;
    this.#tickets = new Tickets(openssl);
    this.#sharedAddress = sharedAddress;
    this.#select = (_ssl, out, outLength) => {
      try {
        const { pointer, length } = this.#protocols[this.selectsHttp2 ? 1 : 0];
        openssl.memcpyOut(out, pointer, 8);
        openssl.memcpyOut(outLength, length, 1);
        return SSL_TLSEXT_ERR_OK;
      } catch {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
      }
    };
    // Called only if the client requests an OCSP response.
    this.#status = (ssl) => {
      try {
        const staple = this.certificate?.staple;
        return staple !== undefined && this.#setStaple(ssl, staple) ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
      } catch {
        return SSL_TLSEXT_ERR_NOACK;
      }
    };
    this.#noDescriptor.bytes.writeInt32LE(-1);
    // Called within SSL_read, which continues while messages without data arrive. The callback
    // cannot return an error, so it replaces the descriptor by -1, and the next read fails.
    this.#info = (ssl, where) => {
      if (where !== INFO.ACCEPT_EXIT && (where & INFO.ALERT) === 0) return;
      if (++this.idleMessages <= MAX_IDLE_MESSAGES) return;
      openssl.BIO_ctrl(openssl.SSL_get_rbio(ssl), BIO_C_SET_FD, 0, this.#noDescriptor.address);
    };
    openssl.ERR_clear_error();
    this.address = openssl.SSL_CTX_new(openssl.TLS_server_method());
    this.#sharedAddress[0] = this.address;
    try {
      if (this.address === 0) throw new Error('out of memory for a TLS context');
      this.#configure(ticketLifetime);
    } catch (error) {
      this.close();
      throw error;
    } finally {
      openssl.ERR_clear_error();
    }
  }

  /**
   * Binds the sessions of a connection to its server name and its site's policy, before the
   * handshake. A ticket is resumed under the same name and policy only, also on other threads and
   * nodes; otherwise a full handshake follows. RFC 6066 section 3 requires it for TLS 1.2, where
   * OpenSSL reports no name for a resumed session. In TLS 1.3 clients are to follow it (RFC 8446
   * section 4.6.1).
   */
  bind(ssl: number, serverName: string, policy: TlsPolicy | null = null): void {
    const id = this.#sessionId(policy === null ? serverName : `${serverName}\0${policy.fingerprint}`);
    if (this.#openssl.SSL_set_session_id_context(ssl, id, id.length) !== 1)
      throw new Error('OpenSSL rejected the session context');
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

  /**
   * Limits the messages without data of a connection. Beyond MAX_IDLE_MESSAGES neither reads nor
   * writes succeed.
   */
  bound(ssl: number): void {
    this.#openssl.setInfo(ssl, this.#info);
  }

  setTickets(keys: TicketKeys): void {
    this.#tickets.set(keys);
  }

  /** Requires that all connections are closed. */
  close(): void {
    const openssl = this.#openssl;
    this.#sharedAddress[0] = 0;
    if (this.address !== 0) openssl.SSL_CTX_free(this.address);
    openssl.forget(this.#select);
    openssl.forget(this.#status);
    openssl.forget(this.#info);
    this.#tickets.close();
  }

  /** OpenSSL frees the copy together with the connection. */
  #setStaple(ssl: number, staple: Uint8Array): boolean {
    const openssl = this.#openssl;
    const copy = openssl.CRYPTO_memdup(staple, staple.length, '', 0);
    if (copy === 0) return false;
    if (openssl.SSL_ctrl(ssl, SET_STATUS_RESPONSE, staple.length, copy) === 1) return true;
    openssl.CRYPTO_free(copy, '', 0);
    return false;
  }

  #configure(ticketLifetime: number): void {
    const openssl = this.#openssl;
    const { address } = this;
    const control = (command: number, value: number, pointer = 0): number =>
      openssl.SSL_CTX_ctrl(address, command, value, pointer);
    // OpenSSL copies the list during the call.
    const setList = (command: number, list: string): boolean => {
      const text = fixedMemory(list.length + 1);
      text.bytes.write(`${list}\0`, 'latin1');
      return control(command, 0, text.address) === 1;
    };
    const isSet =
      control(CTRL.MIN_PROTO_VERSION, TLS1_2) === 1 &&
      control(CTRL.MAX_PROTO_VERSION, TLS1_3) === 1 &&
      GROUP_LISTS.some((groups) => setList(CTRL.GROUPS_LIST, groups)) &&
      setList(CTRL.SIGALGS_LIST, SIGNATURE_ALGORITHMS) &&
      openssl.SSL_CTX_set_cipher_list(address, TLS12_CIPHERS) === 1 &&
      openssl.SSL_CTX_set_ciphersuites(address, TLS13_CIPHERS) === 1 &&
      openssl.SSL_CTX_set_num_tickets(address, TICKETS) === 1;
    if (!isSet) throw new Error('OpenSSL rejected the TLS settings');
    openssl.SSL_CTX_set_timeout(address, ticketLifetime);
    // One read of the socket fetches all available bytes, instead of a record's header and then its
    // body.
    control(CTRL.READ_AHEAD, 1);
    control(CTRL.SESS_CACHE_MODE, 0);
    control(CTRL.MODE, MODE.ENABLE_PARTIAL_WRITE | MODE.ACCEPT_MOVING_WRITE_BUFFER | MODE.RELEASE_BUFFERS);
    // A certificate without a chain is sent alone. OpenSSL would otherwise search the trust store,
    // which is empty.
    control(CTRL.MODE, MODE.NO_AUTO_CHAIN);
    // With AUTO_RETRY a client that sends only KeyUpdates would keep SSL_read busy.
    control(CTRL.CLEAR_MODE, MODE.AUTO_RETRY);
    // RFC 9113 section 9.2.1 forbids renegotiation and compression. A connection may end without
    // close_notify: HTTP messages have their own length, so truncation is noticed.
    openssl.SSL_CTX_set_options(address, OP.NO_RENEGOTIATION | OP.NO_COMPRESSION | OP.IGNORE_UNEXPECTED_EOF);
    openssl.SSL_CTX_set_options(address, OP.CIPHER_SERVER_PREFERENCE | OP.PRIORITIZE_CHACHA);
    openssl.setAlpnSelect(address, this.#select);
    openssl.setStatus(address, this.#status);
    this.#tickets.serve(address);
  }
}

/**
 * An ALPN protocol name as a pointer and a length for OpenSSL. `memory` keeps the name alive.
 */
function protocolName(name: string): { memory: Buffer; pointer: Buffer; length: Buffer } {
  const { bytes: memory, address } = fixedMemory(name.length);
  memory.write(name, 'latin1');
  const pointer = Buffer.alloc(8);
  pointer.writeBigUInt64LE(BigInt(address));
  return { memory, pointer, length: Buffer.of(name.length) };
}

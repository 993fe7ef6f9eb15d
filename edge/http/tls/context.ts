/**
 * The SSL_CTX of a thread: what TLS is like for all its connections. It has no certificate: each
 * connection is given its own (credentials.ts).
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
 * Tickets after a full handshake of TLS 1.3. OpenSSL's two are for clients that open several
 * connections at once; of HTTP/2 they open one, and each session that is resumed brings the next
 * ticket.
 */
const TICKETS = 1;
/** Session id contexts that are kept; only names with a certificate get this far. */
const MAX_SESSION_IDS = 4096;

export class TlsContext {
  /** Of the SSL_CTX. */
  readonly address: number;
  /** Messages in a row that brought no data, of the connection that is worked on. */
  idleMessages = 0;
  readonly #openssl: Openssl;
  readonly #tickets: Tickets;
  /** Its address again, in memory that outlives the thread (places.ts). */
  readonly #place: Float64Array;
  /**
   * Of the connection that is worked on: HTTP/2 is chosen, else HTTP/1.1. That the client offers it
   * was seen before.
   */
  selectsHttp2 = true;
  /** Of the connection that is worked on, during its handshake. */
  certificate: TlsCertificate | null = null;
  readonly #protocols = [protocol('http/1.1'), protocol('h2')] as const;
  readonly #noDescriptor = fixedMemory(4);
  readonly #sessionIds = new Map<string, Buffer>();
  readonly #select: (ssl: number, out: number, outLength: number) => number;
  readonly #status: (ssl: number) => number;
  readonly #info: (ssl: number, where: number) => void;

  /**
   * `ticketLifetime`: seconds that a session may be resumed. Throws where OpenSSL lacks what is
   * needed.
   */
  constructor(openssl: Openssl, ticketLifetime: number, cell: Float64Array) {
    this.#openssl = openssl;
    this.#tickets = new Tickets(openssl);
    this.#place = cell;
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
    // Called only if the client requests the status of the certificate.
    this.#status = (ssl) => {
      try {
        const staple = this.certificate?.staple;
        return staple !== undefined && this.#setStaple(ssl, staple) ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
      } catch {
        return SSL_TLSEXT_ERR_NOACK;
      }
    };
    this.#noDescriptor.bytes.writeInt32LE(-1);
    // Within SSL_read, which goes on as long as such messages come. There is nothing to say no by,
    // but that there is nothing more to read.
    this.#info = (ssl, where) => {
      if (where !== INFO.ACCEPT_EXIT && (where & INFO.ALERT) === 0) return;
      if (++this.idleMessages <= MAX_IDLE_MESSAGES) return;
      openssl.BIO_ctrl(openssl.SSL_get_rbio(ssl), BIO_C_SET_FD, 0, this.#noDescriptor.address);
    };
    openssl.ERR_clear_error();
    this.address = openssl.SSL_CTX_new(openssl.TLS_server_method());
    this.#place[0] = this.address;
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
   * Binds the sessions of a connection to its server name and the policy of its site, before the
   * handshake: a ticket is resumed under these alone, also on other threads and nodes. RFC 6066
   * section 3 requires it of TLS 1.2, of whose resumed session OpenSSL reports no name; of TLS 1.3
   * clients keep to it (RFC 8446 section 4.6.1). Any other name gets a full handshake.
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
   * From now on a connection that sends too many messages without data can neither be read nor
   * written to any more.
   */
  bound(ssl: number): void {
    this.#openssl.setInfo(ssl, this.#info);
  }

  setTickets(keys: TicketKeys): void {
    this.#tickets.set(keys);
  }

  /** No connection may be left. */
  close(): void {
    const openssl = this.#openssl;
    this.#place[0] = 0;
    if (this.address !== 0) openssl.SSL_CTX_free(this.address);
    openssl.forget(this.#select);
    openssl.forget(this.#status);
    openssl.forget(this.#info);
    this.#tickets.close();
  }

  /** OpenSSL frees the copy with the connection. */
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
    // OpenSSL copies lists during the call.
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
    // A read takes all that there is, not one record's head and then its rest.
    control(CTRL.READ_AHEAD, 1);
    control(CTRL.SESS_CACHE_MODE, 0);
    control(CTRL.MODE, MODE.ENABLE_PARTIAL_WRITE | MODE.ACCEPT_MOVING_WRITE_BUFFER | MODE.RELEASE_BUFFERS);
    // A certificate that came without a chain is sent alone, in place of looking for one among
    // authorities of which there are none.
    control(CTRL.MODE, MODE.NO_AUTO_CHAIN);
    // Else a client that sends nothing but KeyUpdates is read as long as it sends.
    control(CTRL.CLEAR_MODE, MODE.AUTO_RETRY);
    // RFC 9113 section 9.2.1 forbids renegotiation and compression. An end without close_notify is
    // an end: frames tell where they end.
    openssl.SSL_CTX_set_options(address, OP.NO_RENEGOTIATION | OP.NO_COMPRESSION | OP.IGNORE_UNEXPECTED_EOF);
    openssl.SSL_CTX_set_options(address, OP.CIPHER_SERVER_PREFERENCE | OP.PRIORITIZE_CHACHA);
    openssl.setAlpnSelect(address, this.#select);
    openssl.setStatus(address, this.#status);
    this.#tickets.serve(address);
  }
}

/**
 * A name of ALPN as OpenSSL receives it: where it is, and how long it is. `memory` is to be
 * held.
 */
function protocol(name: string): { memory: Buffer; pointer: Buffer; length: Buffer } {
  const { bytes: memory, address } = fixedMemory(name.length);
  memory.write(name, 'latin1');
  const pointer = Buffer.alloc(8);
  pointer.writeBigUInt64LE(BigInt(address));
  return { memory, pointer, length: Buffer.of(name.length) };
}

/**
 * The SSL_CTX of a thread's server connections, and the functions that OpenSSL calls during their
 * handshakes. It has no certificate: each connection gets its own.
 */
import type { TicketKeys } from '../../../../core/site/tls/ticket-keys.ts';
import { type Address, C, NULL, type Pointer } from './library.ts';
import { Memory } from './memory.ts';
import { Handle, type Objects } from './ownership.ts';
import { Ssl } from './ssl.ts';
import { Tickets } from './tickets.ts';

interface ContextSettings {
  /** OpenSSL's lists, in order of preference. */
  readonly tls12Ciphers: string;
  readonly tls13Ciphers: string;
  readonly signatureAlgorithms: string;
  /** The first list of key exchange groups that OpenSSL accepts is used. */
  readonly groupLists: readonly string[];
  /** ALPN protocols. */
  readonly protocols: readonly string[];
  /** Tickets after a full handshake of TLS 1.3. */
  readonly tickets: number;
  /** Seconds for which a session may be resumed. */
  readonly sessionLifetime: number;
}

/** Called during calls of a connection's methods. If one throws, the default is used. */
interface ContextHooks {
  /** Index in `protocols`. The client must have offered the protocol. Default: the alert. */
  protocol(): number;
  /** The OCSP response for a certificate, if the client requests one. Default: none. */
  staple(certificate: Pointer<'X509'>): Uint8Array | undefined;
  /**
   * A watched connection received a message without data. False: the connection is cut off.
   * Default: it is.
   */
  message(): boolean;
}

export class SslContext extends Handle<'SSL_CTX'> {
  readonly #tickets: Tickets;
  readonly #callbacks: readonly Pointer<'callback'>[];
  readonly #onInfo: Pointer<'callback'>;
  /** Protocol names, which OpenSSL reads after the callback. */
  readonly #protocols: readonly { readonly name: Memory; readonly pointer: Memory; readonly length: Buffer }[];
  readonly #noDescriptor = new Memory(4);
  #connections = 0;
  readonly #onFree = (): void => {
    this.#connections--;
  };

  /** Throws an Error if OpenSSL lacks a feature. */
  constructor(objects: Objects, settings: ContextSettings, hooks: ContextHooks) {
    const { openssl } = objects;
    super(objects, 'SSL_CTX', openssl.SSL_CTX_new(openssl.TLS_server_method()), 'a TLS context');
    this.#protocols = settings.protocols.map((protocol) => {
      const [name, pointer] = [Memory.of(protocol), new Memory(8)];
      pointer.writePointer(0, name.address);
      return { name, pointer, length: Buffer.of(protocol.length) };
    });
    this.#noDescriptor.bytes.writeInt32LE(-1);
    const callbacks: Pointer<'callback'>[] = [];
    this.#callbacks = callbacks;
    try {
      this.#tickets = new Tickets(objects);
    } catch (error) {
      super.free();
      throw error;
    }
    try {
      const add = (callback: Pointer<'callback'>): Pointer<'callback'> => {
        callbacks.push(callback);
        return callback;
      };
      const onAlpn = add(openssl.register('alpn', (_ssl, out, length) => this.#selectProtocol(hooks, out, length)));
      const onStatus = add(openssl.register('status', (ssl) => this.#staple(hooks, ssl)));
      const onTicketKey = add(openssl.register('ticketKey', this.#tickets.callback));
      this.#onInfo = add(openssl.register('info', (ssl, where) => this.#countMessage(hooks, ssl, where)));
      this.#configure(settings);
      openssl.SSL_CTX_set_alpn_select_cb(this.pointer, onAlpn, NULL);
      openssl.SSL_CTX_callback_ctrl(this.pointer, C.SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB, onStatus);
      openssl.SSL_CTX_set_tlsext_ticket_key_evp_cb(this.pointer, onTicketKey);
    } catch (error) {
      this.free();
      throw error;
    } finally {
      // Also after success: an older OpenSSL rejects the first list of groups.
      openssl.ERR_clear_error();
    }
  }

  /** A new connection, which the caller frees. */
  createConnection(): Ssl {
    const ssl = new Ssl(this.objects, this.pointer, this.#onFree);
    this.#connections++;
    return ssl;
  }

  /** Reports the connection's messages without data to `hooks.message`. */
  watchMessages(ssl: Ssl): void {
    this.objects.openssl.SSL_set_info_callback(ssl.pointer, this.#onInfo);
  }

  /** May be called again at any time, to rotate the keys. */
  setTickets(keys: TicketKeys): void {
    this.#tickets.set(keys);
  }

  /** Throws an Error while connections exist, which could call the functions registered here. */
  override free(): void {
    if (this.isFreed) return;
    if (this.#connections > 0) throw new Error(`${this.#connections} connections use the TLS context`);
    super.free();
    for (const callback of this.#callbacks) this.objects.openssl.unregister(callback);
    this.#tickets.close();
  }

  #selectProtocol(hooks: ContextHooks, out: Address, outLength: Address): number {
    try {
      const { pointer, length } = this.#protocols[hooks.protocol()];
      this.objects.openssl.copyOut(out, pointer.bytes, 8);
      this.objects.openssl.copyOut(outLength, length, 1);
      return C.SSL_TLSEXT_ERR_OK;
    } catch {
      return C.SSL_TLSEXT_ERR_ALERT_FATAL;
    }
  }

  #staple(hooks: ContextHooks, ssl: Pointer<'SSL'>): number {
    const { openssl } = this.objects;
    try {
      const staple = hooks.staple(openssl.SSL_get_certificate(ssl));
      if (staple === undefined) return C.SSL_TLSEXT_ERR_NOACK;
      const copy = openssl.CRYPTO_memdup(staple, staple.length, '', 0);
      if (copy === NULL) return C.SSL_TLSEXT_ERR_NOACK;
      // The SSL takes the copy over.
      if (openssl.SSL_ctrl(ssl, C.SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP, staple.length, copy) === 1)
        return C.SSL_TLSEXT_ERR_OK;
      openssl.CRYPTO_free(copy, '', 0);
      return C.SSL_TLSEXT_ERR_NOACK;
    } catch {
      return C.SSL_TLSEXT_ERR_NOACK;
    }
  }

  /**
   * Called within SSL_read, which continues while messages without data arrive. It cannot return an
   * error, so it replaces the connection's descriptor by -1, and the next read fails.
   */
  #countMessage(hooks: ContextHooks, ssl: Pointer<'SSL'>, where: number): void {
    if (where !== C.SSL_CB_ACCEPT_EXIT && (where & C.SSL_CB_ALERT) === 0) return;
    let mayContinue = false;
    try {
      mayContinue = hooks.message();
    } catch {}
    if (mayContinue) return;
    const { openssl } = this.objects;
    openssl.BIO_ctrl(openssl.SSL_get_rbio(ssl), C.BIO_C_SET_FD, 0, this.#noDescriptor.address);
  }

  #configure(settings: ContextSettings): void {
    const { openssl } = this.objects;
    const { pointer } = this;
    const control = (command: number, value: number, argument: Pointer<string> = NULL): boolean =>
      openssl.SSL_CTX_ctrl(pointer, command, value, argument) === 1;
    // OpenSSL copies the list during the call.
    const setList = (command: number, list: string): boolean => control(command, 0, Memory.of(list).address);
    const isSet =
      control(C.SSL_CTRL_SET_MIN_PROTO_VERSION, C.TLS1_2_VERSION) &&
      control(C.SSL_CTRL_SET_MAX_PROTO_VERSION, C.TLS1_3_VERSION) &&
      settings.groupLists.some((groups) => setList(C.SSL_CTRL_SET_GROUPS_LIST, groups)) &&
      setList(C.SSL_CTRL_SET_SIGALGS_LIST, settings.signatureAlgorithms) &&
      openssl.SSL_CTX_set_cipher_list(pointer, settings.tls12Ciphers) === 1 &&
      openssl.SSL_CTX_set_ciphersuites(pointer, settings.tls13Ciphers) === 1 &&
      openssl.SSL_CTX_set_num_tickets(pointer, settings.tickets) === 1;
    if (!isSet) throw new Error('OpenSSL rejected the TLS settings');
    openssl.SSL_CTX_set_timeout(pointer, settings.sessionLifetime);
    // One read of the socket fetches all available bytes, instead of a record's header and then its
    // body.
    control(C.SSL_CTRL_SET_READ_AHEAD, 1);
    control(C.SSL_CTRL_SET_SESS_CACHE_MODE, C.SSL_SESS_CACHE_OFF);
    control(
      C.SSL_CTRL_MODE,
      C.SSL_MODE_ENABLE_PARTIAL_WRITE | C.SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | C.SSL_MODE_RELEASE_BUFFERS,
    );
    // A certificate without a chain is sent alone. OpenSSL would otherwise search the trust store,
    // which is empty.
    control(C.SSL_CTRL_MODE, C.SSL_MODE_NO_AUTO_CHAIN);
    // With AUTO_RETRY a client that sends only KeyUpdates would keep SSL_read busy.
    control(C.SSL_CTRL_CLEAR_MODE, C.SSL_MODE_AUTO_RETRY);
    // RFC 9113 section 9.2.1 forbids renegotiation and compression. A connection may end without
    // close_notify: HTTP messages have their own length, so truncation is noticed.
    openssl.SSL_CTX_set_options(
      pointer,
      C.SSL_OP_NO_RENEGOTIATION | C.SSL_OP_NO_COMPRESSION | C.SSL_OP_IGNORE_UNEXPECTED_EOF,
    );
    openssl.SSL_CTX_set_options(pointer, C.SSL_OP_CIPHER_SERVER_PREFERENCE | C.SSL_OP_PRIORITIZE_CHACHA);
  }
}

/** Contexts of OpenSSL for HTTP/2, one for each certificate, made when it is first asked for and freed after it. */
import type { TicketKeys } from '../../core/net/tls-tickets.ts';
import type { TlsCertificate } from './certificate.ts';
import { CTRL, fixedMemory, MODE, OP, type Openssl, TLS1_2, TLS1_3 } from './openssl.ts';
import { GROUPS, SESSION_CONTEXT, TLS12_CIPHERS, TLS13_CIPHERS } from './profile.ts';
import { Tickets } from './tickets.ts';

const SSL_TLSEXT_ERR_OK = 0;
const SSL_TLSEXT_ERR_ALERT_FATAL = 2;
/**
 * Tickets after a full handshake of TLS 1.3. OpenSSL's two are for clients that open several connections at once; of HTTP/2 they open one, and each session
 * that is resumed brings the next ticket.
 */
const TICKETS = 1;

export class Contexts {
  readonly #openssl: Openssl;
  readonly #ticketLifetime: number;
  readonly #tickets: Tickets;
  readonly #known = new WeakMap<TlsCertificate, number>();
  /** Those that are not freed yet. */
  readonly #live = new Set<number>();
  readonly #gone: FinalizationRegistry<number>;
  readonly #h2 = fixedMemory(2);
  readonly #h2Pointer = Buffer.alloc(8);
  readonly #h2Length = Buffer.of(2);
  readonly #select: (ssl: number, out: number, outLength: number) => number;

  /** `ticketLifetime`: seconds that a session may be resumed. Throws where OpenSSL lacks what is needed. */
  constructor(openssl: Openssl, ticketLifetime: number) {
    this.#openssl = openssl;
    this.#ticketLifetime = ticketLifetime;
    this.#tickets = new Tickets(openssl);
    // Connections hold their context themselves.
    this.#gone = new FinalizationRegistry((context) => this.#free(context));
    this.#h2.bytes.write('h2', 'latin1');
    this.#h2Pointer.writeBigUInt64LE(BigInt(this.#h2.address));
    // Whoever comes here has offered h2: that was looked at before.
    this.#select = (_ssl, out, outLength) => {
      try {
        openssl.memcpyOut(out, this.#h2Pointer, 8);
        openssl.memcpyOut(outLength, this.#h2Length, 1);
        return SSL_TLSEXT_ERR_OK;
      } catch {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
      }
    };
  }

  setTickets(keys: TicketKeys): void {
    this.#tickets.set(keys);
  }

  /** An SSL_CTX, which is there as long as `certificate`. Throws an Error for a certificate or a key that can't be used. */
  of(certificate: TlsCertificate): number {
    const known = this.#known.get(certificate);
    if (known !== undefined) return known;
    const context = this.#create(certificate);
    this.#known.set(certificate, context);
    this.#live.add(context);
    this.#gone.register(certificate, context);
    return context;
  }

  /** Contexts that are not freed yet. */
  get live(): number {
    return this.#live.size;
  }

  /** Frees all. Nothing may be asked for any more. */
  close(): void {
    for (const context of this.#live) this.#free(context);
    this.#tickets.close();
  }

  #free(context: number): void {
    if (this.#live.delete(context)) this.#openssl.SSL_CTX_free(context);
  }

  #create(certificate: TlsCertificate): number {
    const openssl = this.#openssl;
    openssl.ERR_clear_error();
    const context = openssl.SSL_CTX_new(openssl.TLS_server_method());
    if (context === 0) throw new Error('no memory for a TLS context');
    try {
      this.#configure(context);
      this.#useChain(context, certificate.cert);
      this.#useKey(context, certificate.key);
      return context;
    } catch (error) {
      openssl.SSL_CTX_free(context);
      throw error;
    } finally {
      openssl.ERR_clear_error();
    }
  }

  #configure(context: number): void {
    const openssl = this.#openssl;
    const control = (command: number, value: number, pointer = 0): number =>
      openssl.SSL_CTX_ctrl(context, command, value, pointer);
    const groups = fixedMemory(GROUPS.length + 1);
    groups.bytes.write(`${GROUPS}\0`, 'latin1');
    const isSet =
      control(CTRL.MIN_PROTO_VERSION, TLS1_2) === 1 &&
      control(CTRL.MAX_PROTO_VERSION, TLS1_3) === 1 &&
      control(CTRL.GROUPS_LIST, 0, groups.address) === 1 &&
      openssl.SSL_CTX_set_cipher_list(context, TLS12_CIPHERS) === 1 &&
      openssl.SSL_CTX_set_ciphersuites(context, TLS13_CIPHERS) === 1 &&
      openssl.SSL_CTX_set_session_id_context(context, SESSION_CONTEXT, SESSION_CONTEXT.length) === 1 &&
      openssl.SSL_CTX_set_num_tickets(context, TICKETS) === 1;
    if (!isSet) throw new Error('OpenSSL does not take the settings of TLS');
    openssl.SSL_CTX_set_timeout(context, this.#ticketLifetime);
    // The group list is copied by the call; a read takes all that there is, not one record's head and then its rest.
    control(CTRL.READ_AHEAD, 1);
    control(CTRL.SESS_CACHE_MODE, 0);
    control(CTRL.MODE, MODE.ENABLE_PARTIAL_WRITE | MODE.ACCEPT_MOVING_WRITE_BUFFER | MODE.RELEASE_BUFFERS);
    // Else a client that sends nothing but KeyUpdates is read as long as it sends.
    control(CTRL.CLEAR_MODE, MODE.AUTO_RETRY);
    // RFC 9113 section 9.2.1 forbids renegotiation and compression. An end without close_notify is an end: frames tell where they end.
    openssl.SSL_CTX_set_options(context, OP.NO_RENEGOTIATION | OP.NO_COMPRESSION | OP.IGNORE_UNEXPECTED_EOF);
    openssl.setAlpnSelect(context, this.#select);
    this.#tickets.serve(context);
  }

  #useChain(context: number, pem: string): void {
    const openssl = this.#openssl;
    this.#reading(pem, (bio) => {
      const own = openssl.PEM_read_bio_X509_AUX(bio, 0, 0, '');
      if (own === 0) throw new Error('the certificate is not PEM');
      const isUsed = openssl.SSL_CTX_use_certificate(context, own) === 1;
      openssl.X509_free(own);
      if (!isUsed) throw new Error('the certificate can not be used');
      for (;;) {
        const next = openssl.PEM_read_bio_X509(bio, 0, 0, '');
        if (next === 0) return;
        // SSL_CTX_add0_chain_cert: it is the context's from then on.
        if (openssl.SSL_CTX_ctrl(context, CTRL.CHAIN_CERT, 0, next) === 1) continue;
        openssl.X509_free(next);
        throw new Error('a certificate of the chain can not be used');
      }
    });
  }

  #useKey(context: number, pem: string): void {
    const openssl = this.#openssl;
    this.#reading(pem, (bio) => {
      // With an empty passphrase nobody is asked for one.
      const key = openssl.PEM_read_bio_PrivateKey(bio, 0, 0, '');
      if (key === 0) throw new Error('the private key is not PEM');
      const isUsed = openssl.SSL_CTX_use_PrivateKey(context, key) === 1;
      openssl.EVP_PKEY_free(key);
      if (!isUsed || openssl.SSL_CTX_check_private_key(context) !== 1)
        throw new Error('the private key is not that of the certificate');
    });
  }

  #reading(pem: string, read: (bio: number) => void): void {
    const length = Buffer.byteLength(pem);
    const memory = fixedMemory(length);
    memory.bytes.write(pem);
    const bio = this.#openssl.BIO_new_mem_buf(memory.address, length);
    if (bio === 0) throw new Error('no memory for a certificate');
    try {
      read(bio);
    } finally {
      this.#openssl.BIO_free(bio);
      memory.bytes.fill(0);
    }
  }
}

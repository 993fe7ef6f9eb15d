/**
 * Requests client certificates (RFC 8446 section 4.3.2). OpenSSL verifies them during the handshake
 * with the site's authorities. Such connections get no session tickets, so each handshake verifies
 * the certificate again. Resumption could skip a changed list or an expired certificate.
 */
import { RecentMap } from '../../../core/base/recent-map.ts';
import { fixedMemory, type Openssl } from './openssl.ts';
import { AUTHORITY_FIELDS, freeAuthority } from './places.ts';
import { type ClientAuthentication, clientCertField, MAX_CLIENT_CERTIFICATE } from './policy.ts';

const VERIFY_PEER = 1;
const VERIFY_FAIL_IF_NO_PEER_CERT = 2;
/** SSL_CTRL_SET_VERIFY_CERT_STORE; with 1 the connection takes a reference of its own. */
const SET_VERIFY_CERT_STORE = 106;
/** X509_V_FLAG_PARTIAL_CHAIN: intermediate certificates of the list are trust anchors, too. */
const PARTIAL_CHAIN = 0x80000;
/** SSL_OP_NO_TICKET. */
const NO_TICKET = 1 << 14;
/** Maximum number of certificates between the client's and a trust anchor. */
const MAX_DEPTH = 8;

export class ClientAuthorities {
  readonly #openssl: Openssl;
  /** X509_STORE and STACK_OF(X509) of each list, in memory that outlives the thread (places.ts). */
  readonly #places: Float64Array;
  readonly #free: number[];
  /** Indices into `#places`, by the PEM of the list. */
  readonly #kept: RecentMap<number>;
  readonly #position = fixedMemory(8);
  readonly #der = fixedMemory(MAX_CLIENT_CERTIFICATE);

  constructor(openssl: Openssl, places: Float64Array) {
    this.#openssl = openssl;
    this.#places = places;
    this.#free = Array.from({ length: places.length / AUTHORITY_FIELDS }, (_, index) => index);
    this.#kept = new RecentMap(this.#free.length - 1, (index) => {
      freeAuthority(openssl, places, index);
      this.#free.push(index);
    });
  }

  /** To be called before the handshake of `ssl`. Throws an Error if the list is unusable. */
  demand(ssl: number, { isRequired, authorities }: ClientAuthentication): void {
    const openssl = this.#openssl;
    const at = AUTHORITY_FIELDS * this.#kept.of(authorities, () => this.#read(authorities));
    const [store, list] = [this.#places[at], this.#places[at + 1]];
    openssl.SSL_set_verify(ssl, VERIFY_PEER | (isRequired ? VERIFY_FAIL_IF_NO_PEER_CERT : 0), 0);
    openssl.SSL_set_verify_depth(ssl, MAX_DEPTH);
    let isSet = openssl.SSL_ctrl(ssl, SET_VERIFY_CERT_STORE, 1, store) === 1;
    // The names of the authorities, by which browsers select a certificate.
    for (let i = 0, n = openssl.OPENSSL_sk_num(list); i < n; i++)
      isSet &&= openssl.SSL_add_client_CA(ssl, openssl.OPENSSL_sk_value(list, i)) === 1;
    isSet &&= openssl.SSL_set_num_tickets(ssl, 0) === 1;
    openssl.SSL_set_options(ssl, NO_TICKET);
    if (!isSet) throw new Error('OpenSSL rejected the authorities of clients');
  }

  /**
   * The client's verified certificate as a value of the field Client-Cert, after the handshake.
   * Empty: the client sent none. Undefined: the certificate is too large.
   */
  certificateOf(ssl: number): string | undefined {
    const openssl = this.#openssl;
    const certificate = openssl.SSL_get1_peer_certificate(ssl);
    if (certificate === 0) return '';
    try {
      const length = openssl.i2d_X509(certificate, 0);
      if (length <= 0 || length > MAX_CLIENT_CERTIFICATE) return undefined;
      this.#position.bytes.writeBigUInt64LE(BigInt(this.#der.address));
      openssl.i2d_X509(certificate, this.#position.address);
      return clientCertField(this.#der.bytes.subarray(0, length));
    } finally {
      openssl.X509_free(certificate);
      openssl.ERR_clear_error();
    }
  }

  /** Frees all lists. */
  close(): void {
    this.#kept.clear();
  }

  #read(pem: string): number {
    const openssl = this.#openssl;
    const index = this.#free.pop() as number;
    const at = AUTHORITY_FIELDS * index;
    const memory = fixedMemory(Buffer.byteLength(pem));
    memory.bytes.write(pem);
    openssl.ERR_clear_error();
    const bio = openssl.BIO_new_mem_buf(memory.address, Buffer.byteLength(pem));
    try {
      this.#places[at] = openssl.X509_STORE_new();
      this.#places[at + 1] = openssl.OPENSSL_sk_new_null();
      if (bio === 0 || this.#places[at] === 0) throw new Error('out of memory for the authorities of clients');
      openssl.X509_STORE_set_flags(this.#places[at], PARTIAL_CHAIN);
      for (;;) {
        const next = openssl.PEM_read_bio_X509(bio, 0, 0, '');
        if (next === 0) break;
        const isKept = openssl.OPENSSL_sk_push(this.#places[at + 1], next) > 0;
        if (!isKept) openssl.X509_free(next);
        if (!isKept || openssl.X509_STORE_add_cert(this.#places[at], next) !== 1)
          throw new Error('an authority of clients is unusable');
      }
      if (openssl.OPENSSL_sk_num(this.#places[at + 1]) === 0) throw new Error('there is no authority of clients');
      return index;
    } catch (error) {
      freeAuthority(openssl, this.#places, index);
      this.#free.push(index);
      throw error;
    } finally {
      if (bio !== 0) openssl.BIO_free(bio);
      openssl.ERR_clear_error();
    }
  }
}

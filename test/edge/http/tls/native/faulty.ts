/**
 * OpenSSL one of whose calls fails, and a count of the objects that are created and freed. Nothing
 * else can make most of these functions fail.
 */
import { loadOpenssl, NULL, type Openssl, type Pointer } from '../../../../../edge/http/tls/native/library.ts';
import { Memory } from '../../../../../edge/http/tls/native/memory.ts';

/** What a function returns when it fails. Functions that are not listed cannot fail. */
const FAILURES: { readonly [Name in keyof Openssl]?: number } = {
  CRYPTO_memdup: 0,
  SSL_CTX_new: 0,
  SSL_CTX_ctrl: 0,
  SSL_CTX_set_cipher_list: 0,
  SSL_CTX_set_ciphersuites: 0,
  SSL_CTX_set_num_tickets: 0,
  SSL_new: 0,
  SSL_ctrl: 0,
  SSL_use_cert_and_key: 0,
  SSL_set_session_id_context: 0,
  SSL_set_fd: 0,
  SSL_set_num_tickets: 0,
  SSL_add_client_CA: 0,
  SSL_set_alpn_protos: 1,
  SSL_accept: -1,
  SSL_connect: -1,
  SSL_read: -1,
  SSL_write: -1,
  SSL_shutdown: -1,
  SSL_get1_peer_certificate: 0,
  SSL_get1_session: 0,
  SSL_set_session: 0,
  BIO_new: 0,
  BIO_new_mem_buf: 0,
  BIO_up_ref: 0,
  BIO_ctrl: 0,
  BIO_int_ctrl: 0,
  BIO_read: -1,
  BIO_write: -1,
  PEM_read_bio_X509: 0,
  PEM_read_bio_X509_AUX: 0,
  X509_new_ex: 0,
  d2i_X509: 0,
  i2d_X509: -1,
  X509_get0_pubkey: 0,
  i2d_X509_PUBKEY: -1,
  X509_set_pubkey: 0,
  X509_check_private_key: 0,
  X509_STORE_new: 0,
  X509_STORE_add_cert: 0,
  X509_STORE_set_flags: 0,
  OPENSSL_sk_new_null: 0,
  OPENSSL_sk_push: 0,
  PEM_read_bio_PrivateKey: 0,
  OSSL_DECODER_CTX_new_for_pkey: 0,
  OSSL_DECODER_from_bio: 0,
  EVP_PKEY_new: 0,
  EVP_PKEY_assign: 0,
  EC_KEY_new: 0,
  EC_KEY_set_group: 0,
  EC_KEY_set_method: 0,
  EC_KEY_oct2key: 0,
  EC_KEY_oct2priv: 0,
  EC_KEY_METHOD_new: 0,
  EC_GROUP_new_by_curve_name: 0,
  OSSL_LIB_CTX_new: 0,
  OSSL_PROVIDER_load: 0,
  RAND_bytes: 0,
  EVP_CIPHER_fetch: 0,
  EVP_CIPHER_CTX_new: 0,
  EVP_CIPHER_CTX_ctrl: 0,
  EVP_EncryptInit_ex: 0,
  EVP_DecryptInit_ex: 0,
  EVP_DecryptUpdate: 0,
  EVP_DecryptFinal_ex: 0,
  EVP_MAC_CTX_set_params: 0,
};
export const CAN_FAIL = Object.keys(FAILURES);

/** Functions whose result the caller frees. */
const CREATE = [
  'CRYPTO_memdup',
  'SSL_CTX_new',
  'SSL_new',
  'SSL_get1_peer_certificate',
  'SSL_get1_session',
  'BIO_new',
  'BIO_new_mem_buf',
  'PEM_read_bio_X509',
  'PEM_read_bio_X509_AUX',
  'PEM_read_bio_PrivateKey',
  'X509_new_ex',
  'X509_STORE_new',
  'OPENSSL_sk_new_null',
  'OSSL_DECODER_CTX_new_for_pkey',
  'EVP_PKEY_new',
  'EC_KEY_new',
  'EVP_CIPHER_fetch',
  'EVP_CIPHER_CTX_new',
];
/** Functions that free their first argument, or take it over into an object of OpenSSL. */
const FREE = [
  'CRYPTO_free',
  'SSL_CTX_free',
  'SSL_free',
  'SSL_SESSION_free',
  'BIO_free',
  'X509_free',
  'X509_STORE_free',
  'OPENSSL_sk_free',
  'OSSL_DECODER_CTX_free',
  'EVP_PKEY_free',
  'EC_KEY_free',
  'EVP_CIPHER_free',
  'EVP_CIPHER_CTX_free',
];
/** Functions that take over arguments if they succeed. */
const TAKE: Readonly<Record<string, readonly number[]>> = { SSL_set_bio: [1, 2], EVP_PKEY_assign: [2] };
const SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP = 71;

type AnyCall = (...values: number[]) => number;

export class Faulty {
  readonly openssl: Openssl;
  /** Calls that could fail, by name. The one at index `failing` did. */
  readonly calls: string[] = [];
  /** Objects by address, with the number of references that were not freed. */
  readonly #live = new Map<number, number>();
  /** By what each was created. */
  readonly #kinds = new Map<number, string>();
  readonly #callbacks = new Set<number>();
  readonly #failing: number;
  readonly #real = loadOpenssl();
  /** Reading it as PEM leaves an error. */
  readonly #noPem = this.#real.BIO_new_mem_buf(Memory.of('none').address, 4);
  readonly #object = new Memory(8);
  /** Where a decoder stores its key. */
  #decoded = 0;

  /** `failing`: -1: none. */
  constructor(failing: number) {
    this.#failing = failing;
    const wrapped = Object.entries(this.#real).map(([name, call]) => [
      name,
      (...values: number[]) => this.#call(name as keyof Openssl, call as AnyCall, values),
    ]);
    this.openssl = Object.fromEntries(wrapped) as Openssl;
  }

  /** What is wrong: what was not freed, or freed too often; empty: nothing. */
  get faults(): string {
    const wrong = [...this.#live].filter(([, references]) => references !== 0);
    const leaks = wrong.map(([address, references]) => `${references} references of ${this.#kinds.get(address)}`);
    if (this.#callbacks.size > 0) leaks.push(`${this.#callbacks.size} callbacks`);
    return leaks.join(', ');
  }

  #call(name: keyof Openssl, call: AnyCall, values: number[]): number {
    const failure = FAILURES[name];
    if (failure !== undefined) {
      this.calls.push(name);
      if (this.calls.length - 1 === this.#failing) {
        // It frees the object that it was given.
        if (name === 'd2i_X509') this.#add(this.#pointerAt(values[0]), -1, name);
        this.#real.PEM_read_bio_X509(this.#noPem, NULL, NULL, '');
        return failure;
      }
    }
    if (FREE.includes(name) && values[0] !== 0) this.#add(values[0], -1, name);
    if (name === 'OSSL_DECODER_CTX_new_for_pkey') this.#decoded = values[0];
    const before = name === 'd2i_X509' ? this.#pointerAt(values[0]) : 0;
    const result = call(...values);
    if (CREATE.includes(name) && result !== 0) this.#add(result, 1, name);
    if (result !== 0) for (const index of TAKE[name] ?? []) this.#add(values[index], -1, name);
    if (name === 'd2i_X509' && result === 0) this.#add(before, -1, name);
    if (name === 'SSL_ctrl' && values[1] === SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP && result === 1)
      this.#add(values[3], -1, name);
    if (name === 'OSSL_DECODER_from_bio' && this.#pointerAt(this.#decoded) !== 0)
      this.#add(this.#pointerAt(this.#decoded), 1, name);
    // A buffer is freed by its owner or taken over; the socket's BIO was never counted.
    if (name === 'SSL_set0_wbio' && (this.#live.get(values[1]) ?? 0) > 0) this.#add(values[1], -1, name);
    if (name === 'register') this.#callbacks.add(result);
    if (name === 'unregister') this.#callbacks.delete(values[0]);
    return result;
  }

  #add(address: number, references: number, by: string): void {
    const now = (this.#live.get(address) ?? 0) + references;
    this.#live.set(address, now);
    if (references > 0) this.#kinds.set(address, by);
    if (now < 0) throw new Error(`${by} frees what is free already`);
  }

  #pointerAt(address: number): number {
    this.#real.copyIn(this.#object.bytes, address as Parameters<Openssl['copyIn']>[1], 8);
    return this.#object.readPointer(0);
  }

  /** Frees what this itself has. */
  close(): void {
    this.#real.BIO_free(this.#noPem as Pointer<'BIO'>);
    this.#real.ERR_clear_error();
  }
}

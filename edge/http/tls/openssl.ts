/**
 * Node's own OpenSSL through koffi: the node executable exports the library's functions. Only
 * functions of OpenSSL 3's public headers are used. Pointers are opaque and plain numbers, so a
 * call allocates nothing. The receiver of an object frees it once.
 */
import koffi from 'koffi';

export const SSL_ERROR = { SSL: 1, WANT_READ: 2, WANT_WRITE: 3, SYSCALL: 5, ZERO_RETURN: 6 } as const;
export const TLS1_2 = 0x0303;
export const TLS1_3 = 0x0304;

/** Commands of SSL_CTX_ctrl. OpenSSL documents them as macros. */
export const CTRL = {
  MODE: 33,
  READ_AHEAD: 41,
  SESS_CACHE_MODE: 44,
  CLEAR_MODE: 78,
  GROUPS_LIST: 92,
  SIGALGS_LIST: 98,
  STATUS_CALLBACK: 63,
  MIN_PROTO_VERSION: 123,
  MAX_PROTO_VERSION: 124,
} as const;
export const MODE = {
  ENABLE_PARTIAL_WRITE: 1,
  ACCEPT_MOVING_WRITE_BUFFER: 2,
  AUTO_RETRY: 4,
  NO_AUTO_CHAIN: 8,
  RELEASE_BUFFERS: 16,
} as const;
export const OP = {
  IGNORE_UNEXPECTED_EOF: 1 << 7,
  NO_COMPRESSION: 1 << 17,
  PRIORITIZE_CHACHA: 1 << 21,
  CIPHER_SERVER_PREFERENCE: 1 << 22,
  NO_RENEGOTIATION: 1 << 30,
} as const;

/**
 * Values of `where` in an info callback: the server has processed a handshake or post-handshake
 * message, or an alert was sent or received.
 */
export const INFO = { ACCEPT_EXIT: 0x2002, ALERT: 0x4000 } as const;
/** EVP_PKEY_KEYPAIR: selects the private and the public part of a key. */
export const KEY_PAIR = 0x87;
/** SSL_set_tlsext_status_ocsp_resp, a command of SSL_ctrl. */
export const SET_STATUS_RESPONSE = 71;
/** BIO_set_fd. */
export const BIO_C_SET_FD = 104;
/** The error PEM_R_NO_START_LINE of ERR_LIB_PEM: no PEM block follows. */
export const NO_MORE_PEM = (9 << 23) | 108;

/** void (*)(const SSL *, int where, int ret) */
type Info = (ssl: number, where: number, value: number) => void;
/**
 * int (*)(SSL *, const unsigned char **out, unsigned char *outlen, const unsigned char *in,
 * unsigned int inlen, void *)
 */
type AlpnSelect = (ssl: number, out: number, outLength: number) => number;
/** int (*)(SSL *, void *) */
type Status = (ssl: number) => number;
/**
 * int (*)(SSL *, unsigned char key_name[16], unsigned char iv[EVP_MAX_IV_LENGTH], EVP_CIPHER_CTX *,
 * EVP_MAC_CTX *, int enc)
 */
type TicketKey = (
  ssl: number,
  name: number,
  iv: number,
  cipher: number,
  mac: number,
  /** 1: seal a ticket; 0: open one. */
  enc: number,
) => number;

type Callback = AlpnSelect | TicketKey | Info | Status;

const SIGNATURES = {
  OpenSSL_version_num: 'ulong OpenSSL_version_num()',
  ERR_clear_error: 'void ERR_clear_error()',
  ERR_peek_last_error: 'ulong ERR_peek_last_error()',
  TLS_server_method: 'uintptr_t TLS_server_method()',
  SSL_CTX_new: 'uintptr_t SSL_CTX_new(uintptr_t)',
  SSL_CTX_free: 'void SSL_CTX_free(uintptr_t)',
  SSL_CTX_ctrl: 'long SSL_CTX_ctrl(uintptr_t, int, long, uintptr_t)',
  SSL_ctrl: 'long SSL_ctrl(uintptr_t, int, long, uintptr_t)',
  CRYPTO_memdup: 'uintptr_t CRYPTO_memdup(void*, size_t, str, int)',
  CRYPTO_free: 'void CRYPTO_free(uintptr_t, str, int)',
  SSL_CTX_set_options: 'uint64_t SSL_CTX_set_options(uintptr_t, uint64_t)',
  SSL_CTX_set_cipher_list: 'int SSL_CTX_set_cipher_list(uintptr_t, str)',
  SSL_CTX_set_ciphersuites: 'int SSL_CTX_set_ciphersuites(uintptr_t, str)',
  SSL_CTX_set_timeout: 'long SSL_CTX_set_timeout(uintptr_t, long)',
  SSL_CTX_set_num_tickets: 'int SSL_CTX_set_num_tickets(uintptr_t, size_t)',
  BIO_new_mem_buf: 'uintptr_t BIO_new_mem_buf(uintptr_t, int)',
  BIO_free: 'int BIO_free(uintptr_t)',
  BIO_f_buffer: 'uintptr_t BIO_f_buffer()',
  BIO_new: 'uintptr_t BIO_new(uintptr_t)',
  BIO_up_ref: 'int BIO_up_ref(uintptr_t)',
  BIO_push: 'uintptr_t BIO_push(uintptr_t, uintptr_t)',
  BIO_pop: 'uintptr_t BIO_pop(uintptr_t)',
  BIO_int_ctrl: 'long BIO_int_ctrl(uintptr_t, int, long, int)',
  BIO_test_flags: 'int BIO_test_flags(uintptr_t, int)',
  BIO_ctrl_wpending: 'size_t BIO_ctrl_wpending(uintptr_t)',
  BIO_ctrl: 'long BIO_ctrl(uintptr_t, int, long, uintptr_t)',
  PEM_read_bio_X509_AUX: 'uintptr_t PEM_read_bio_X509_AUX(uintptr_t, uintptr_t, uintptr_t, str)',
  PEM_read_bio_X509: 'uintptr_t PEM_read_bio_X509(uintptr_t, uintptr_t, uintptr_t, str)',
  PEM_read_bio_PrivateKey: 'uintptr_t PEM_read_bio_PrivateKey(uintptr_t, uintptr_t, uintptr_t, str)',
  X509_free: 'void X509_free(uintptr_t)',
  X509_get0_pubkey: 'uintptr_t X509_get0_pubkey(uintptr_t)',
  X509_check_private_key: 'int X509_check_private_key(uintptr_t, uintptr_t)',
  OSSL_LIB_CTX_new: 'uintptr_t OSSL_LIB_CTX_new()',
  OSSL_PROVIDER_load: 'uintptr_t OSSL_PROVIDER_load(uintptr_t, str)',
  X509_new_ex: 'uintptr_t X509_new_ex(uintptr_t, uintptr_t)',
  d2i_X509: 'uintptr_t d2i_X509(uintptr_t, uintptr_t, long)',
  i2d_X509: 'int i2d_X509(uintptr_t, uintptr_t)',
  X509_get_X509_PUBKEY: 'uintptr_t X509_get_X509_PUBKEY(uintptr_t)',
  i2d_X509_PUBKEY: 'int i2d_X509_PUBKEY(uintptr_t, uintptr_t)',
  X509_set_pubkey: 'int X509_set_pubkey(uintptr_t, uintptr_t)',
  EC_GROUP_new_by_curve_name: 'uintptr_t EC_GROUP_new_by_curve_name(int)',
  EC_KEY_new: 'uintptr_t EC_KEY_new()',
  EC_KEY_free: 'void EC_KEY_free(uintptr_t)',
  EC_KEY_set_group: 'int EC_KEY_set_group(uintptr_t, uintptr_t)',
  EC_KEY_OpenSSL: 'uintptr_t EC_KEY_OpenSSL()',
  EC_KEY_METHOD_new: 'uintptr_t EC_KEY_METHOD_new(uintptr_t)',
  EC_KEY_set_method: 'int EC_KEY_set_method(uintptr_t, uintptr_t)',
  EC_KEY_oct2key: 'int EC_KEY_oct2key(uintptr_t, void*, size_t, uintptr_t)',
  EC_KEY_oct2priv: 'int EC_KEY_oct2priv(uintptr_t, void*, size_t)',
  EVP_PKEY_new: 'uintptr_t EVP_PKEY_new()',
  EVP_PKEY_assign: 'int EVP_PKEY_assign(uintptr_t, int, uintptr_t)',
  OPENSSL_sk_new_null: 'uintptr_t OPENSSL_sk_new_null()',
  OPENSSL_sk_push: 'int OPENSSL_sk_push(uintptr_t, uintptr_t)',
  OPENSSL_sk_pop: 'uintptr_t OPENSSL_sk_pop(uintptr_t)',
  OPENSSL_sk_num: 'int OPENSSL_sk_num(uintptr_t)',
  OPENSSL_sk_value: 'uintptr_t OPENSSL_sk_value(uintptr_t, int)',
  OPENSSL_sk_free: 'void OPENSSL_sk_free(uintptr_t)',
  OSSL_DECODER_CTX_new_for_pkey:
    'uintptr_t OSSL_DECODER_CTX_new_for_pkey(uintptr_t, str, uintptr_t, uintptr_t, int, uintptr_t, uintptr_t)',
  OSSL_DECODER_from_bio: 'int OSSL_DECODER_from_bio(uintptr_t, uintptr_t)',
  OSSL_DECODER_CTX_free: 'void OSSL_DECODER_CTX_free(uintptr_t)',
  EVP_PKEY_get0_type_name: 'uintptr_t EVP_PKEY_get0_type_name(uintptr_t)',
  EVP_PKEY_free: 'void EVP_PKEY_free(uintptr_t)',
  EVP_CIPHER_fetch: 'uintptr_t EVP_CIPHER_fetch(uintptr_t, str, uintptr_t)',
  EVP_CIPHER_free: 'void EVP_CIPHER_free(uintptr_t)',
  EVP_CIPHER_CTX_new: 'uintptr_t EVP_CIPHER_CTX_new()',
  EVP_CIPHER_CTX_free: 'void EVP_CIPHER_CTX_free(uintptr_t)',
  EVP_CIPHER_CTX_ctrl: 'int EVP_CIPHER_CTX_ctrl(uintptr_t, int, int, uintptr_t)',
  EVP_EncryptInit_ex: 'int EVP_EncryptInit_ex(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t)',
  EVP_DecryptInit_ex: 'int EVP_DecryptInit_ex(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t)',
  EVP_DecryptUpdate: 'int EVP_DecryptUpdate(uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)',
  EVP_DecryptFinal_ex: 'int EVP_DecryptFinal_ex(uintptr_t, uintptr_t, uintptr_t)',
  EVP_MAC_CTX_set_params: 'int EVP_MAC_CTX_set_params(uintptr_t, uintptr_t)',
  RAND_bytes: 'int RAND_bytes(uintptr_t, int)',
  SSL_new: 'uintptr_t SSL_new(uintptr_t)',
  SSL_free: 'void SSL_free(uintptr_t)',
  SSL_use_cert_and_key: 'int SSL_use_cert_and_key(uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)',
  SSL_set_session_id_context: 'int SSL_set_session_id_context(uintptr_t, void*, uint)',
  SSL_set_fd: 'int SSL_set_fd(uintptr_t, int)',
  SSL_get_rbio: 'uintptr_t SSL_get_rbio(uintptr_t)',
  SSL_set0_wbio: 'void SSL_set0_wbio(uintptr_t, uintptr_t)',
  SSL_accept: 'int SSL_accept(uintptr_t)',
  SSL_set_default_read_buffer_len: 'void SSL_set_default_read_buffer_len(uintptr_t, size_t)',
  SSL_read: 'int SSL_read(uintptr_t, uintptr_t, int)',
  SSL_has_pending: 'int SSL_has_pending(uintptr_t)',
  SSL_write: 'int SSL_write(uintptr_t, void*, int)',
  SSL_shutdown: 'int SSL_shutdown(uintptr_t)',
  SSL_get_error: 'int SSL_get_error(uintptr_t, int)',
  SSL_version: 'int SSL_version(uintptr_t)',
  SSL_set_verify: 'void SSL_set_verify(uintptr_t, int, uintptr_t)',
  SSL_set_verify_depth: 'void SSL_set_verify_depth(uintptr_t, int)',
  SSL_add_client_CA: 'int SSL_add_client_CA(uintptr_t, uintptr_t)',
  SSL_set_num_tickets: 'int SSL_set_num_tickets(uintptr_t, size_t)',
  SSL_set_options: 'uint64_t SSL_set_options(uintptr_t, uint64_t)',
  SSL_get1_peer_certificate: 'uintptr_t SSL_get1_peer_certificate(uintptr_t)',
  X509_STORE_new: 'uintptr_t X509_STORE_new()',
  X509_STORE_free: 'void X509_STORE_free(uintptr_t)',
  X509_STORE_add_cert: 'int X509_STORE_add_cert(uintptr_t, uintptr_t)',
  X509_STORE_set_flags: 'int X509_STORE_set_flags(uintptr_t, ulong)',
  SSL_session_reused: 'int SSL_session_reused(uintptr_t)',
  memcpyIn: 'uintptr_t memcpy(void*, uintptr_t, size_t)',
  memcpyOut: 'uintptr_t memcpy(uintptr_t, void*, size_t)',
} as const;

/**
 * Numbers are pointers, sizes and results. koffi passes strings with a NUL at the end. OpenSSL
 * reads or writes an array during the call only.
 */
type Argument = number | string | Uint8Array;
type Function = (...values: readonly Argument[]) => number;

export interface Openssl extends Readonly<Record<keyof typeof SIGNATURES, Function>> {
  /**
   * Callbacks that OpenSSL calls during our calls. They must not throw, and stay registered until
   * `forget`.
   */
  setAlpnSelect(context: number, select: AlpnSelect): void;
  setTicketKey(context: number, key: TicketKey): void;
  setStatus(context: number, status: Status): void;
  setInfo(ssl: number, info: Info): void;
  /**
   * Unregisters a callback that nothing can call any more. koffi has 8,192 callbacks for a process,
   * and a thread that ends does not free its own.
   */
  forget(call: Callback): void;
}

let loaded: Openssl | undefined;

/** Returns the thread's instance. Throws an Error if a function or OpenSSL 3 is missing. */
export function loadOpenssl(): Openssl {
  loaded ??= load();
  return loaded;
}

function load(): Openssl {
  const library = koffi.load(null);
  const functions = Object.fromEntries(
    Object.entries(SIGNATURES).map(([name, signature]) => [name, library.func(signature)]),
  ) as unknown as Record<keyof typeof SIGNATURES, Function>;
  const version = functions.OpenSSL_version_num();
  if (version >>> 28 !== 3) throw new Error(`OpenSSL 3 is needed, this is version ${version.toString(16)}`);
  koffi.proto('int WaypostAlpnSelect(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uint, uintptr_t)');
  koffi.proto('int WaypostTicketKey(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, int)');
  koffi.proto('void WaypostInfo(uintptr_t, int, int)');
  koffi.proto('int WaypostStatus(uintptr_t, uintptr_t)');
  const setAlpn = library.func('void SSL_CTX_set_alpn_select_cb(uintptr_t, WaypostAlpnSelect*, uintptr_t)');
  const setTickets = library.func('int SSL_CTX_set_tlsext_ticket_key_evp_cb(uintptr_t, WaypostTicketKey*)');
  const setInfo = library.func('void SSL_set_info_callback(uintptr_t, WaypostInfo*)');
  const setStatus = library.func('long SSL_CTX_callback_ctrl(uintptr_t, int, WaypostStatus*)');
  const pointers = new Map<Callback, bigint>();
  // A function is registered once for all contexts.
  const registered = (call: Callback, type: string): bigint => {
    const registeredBefore = pointers.get(call);
    if (registeredBefore !== undefined) return registeredBefore;
    const pointer = koffi.register(call, koffi.pointer(type));
    pointers.set(call, pointer);
    return pointer;
  };
  return {
    ...functions,
    setAlpnSelect: (context, select) => setAlpn(context, registered(select, 'WaypostAlpnSelect'), 0),
    setTicketKey: (context, key) => setTickets(context, registered(key, 'WaypostTicketKey')),
    setStatus: (context, status) => setStatus(context, CTRL.STATUS_CALLBACK, registered(status, 'WaypostStatus')),
    setInfo: (ssl, info) => setInfo(ssl, registered(info, 'WaypostInfo')),
    forget(call) {
      const pointer = pointers.get(call);
      if (pointer === undefined) return;
      pointers.delete(call);
      koffi.unregister(pointer);
    },
  };
}

/** Allocates at least `length` bytes that do not move while the caller references `bytes`. */
export function fixedMemory(length: number): { readonly bytes: Buffer; readonly address: number } {
  // Small arrays may be in V8's heap, which moves them.
  const bytes = Buffer.allocUnsafeSlow(Math.max(length, 256));
  return { bytes, address: Number(koffi.address(bytes)) };
}

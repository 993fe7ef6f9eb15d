/**
 * OpenSSL's functions and constants, which the node executable exports, called through koffi. This
 * file declares them; test/edge/http/tls/native/headers.test.ts compares each with the headers of
 * Node. Only files of this folder may import it: pointers do not leave the folder.
 */
import koffi from 'koffi';

declare const TARGET: unique symbol;
/**
 * The address of a C object. A plain number, so that calls allocate nothing. NULL is 0. A pointer
 * that has to be freed is in a Handle (ownership.ts); others are valid during a call only, or as
 * long as the object that they belong to.
 */
export type Pointer<Target extends string> = number & { readonly [TARGET]: Target };
/** The address of plain memory (memory.ts). */
export type Address = Pointer<'memory'>;
export const NULL = 0 as Pointer<never>;

/**
 * Functions as C declares them, without `const` and the names of arguments. `bytes`: a Uint8Array
 * that is read during the call. `string`: a JavaScript string, which koffi passes with a NUL at the
 * end. `callback`: a function pointer of `register`, or NULL.
 */
const FUNCTIONS = {
  // Errors and memory
  OpenSSL_version_num: 'unsigned long ()',
  ERR_clear_error: 'void ()',
  ERR_peek_last_error: 'unsigned long ()',
  CRYPTO_memdup: 'void *(bytes, size_t, string, int)',
  CRYPTO_free: 'void (void *, string, int)',
  // Contexts
  TLS_server_method: 'SSL_METHOD *()',
  TLS_client_method: 'SSL_METHOD *()',
  SSL_CTX_new: 'SSL_CTX *(SSL_METHOD *)',
  SSL_CTX_free: 'void (SSL_CTX *)',
  SSL_CTX_ctrl: 'long (SSL_CTX *, int, long, void *)',
  SSL_CTX_callback_ctrl: 'long (SSL_CTX *, int, callback)',
  SSL_CTX_set_options: 'uint64_t (SSL_CTX *, uint64_t)',
  SSL_CTX_set_cipher_list: 'int (SSL_CTX *, string)',
  SSL_CTX_set_ciphersuites: 'int (SSL_CTX *, string)',
  SSL_CTX_set_timeout: 'long (SSL_CTX *, long)',
  SSL_CTX_set_num_tickets: 'int (SSL_CTX *, size_t)',
  SSL_CTX_set_alpn_select_cb: 'void (SSL_CTX *, callback, void *)',
  SSL_CTX_set_tlsext_ticket_key_evp_cb: 'int (SSL_CTX *, callback)',
  // Connections
  SSL_new: 'SSL *(SSL_CTX *)',
  SSL_free: 'void (SSL *)',
  SSL_ctrl: 'long (SSL *, int, long, void *)',
  SSL_use_cert_and_key: 'int (SSL *, X509 *, EVP_PKEY *, OPENSSL_STACK *, int)',
  SSL_set_session_id_context: 'int (SSL *, bytes, unsigned int)',
  SSL_set_fd: 'int (SSL *, int)',
  SSL_set_bio: 'void (SSL *, BIO *, BIO *)',
  SSL_get_rbio: 'BIO *(SSL *)',
  SSL_get_wbio: 'BIO *(SSL *)',
  SSL_set0_wbio: 'void (SSL *, BIO *)',
  SSL_set_info_callback: 'void (SSL *, callback)',
  SSL_set_default_read_buffer_len: 'void (SSL *, size_t)',
  SSL_set_num_tickets: 'int (SSL *, size_t)',
  SSL_set_options: 'uint64_t (SSL *, uint64_t)',
  SSL_set_verify: 'void (SSL *, int, callback)',
  SSL_set_verify_depth: 'void (SSL *, int)',
  SSL_add_client_CA: 'int (SSL *, X509 *)',
  SSL_set_alpn_protos: 'int (SSL *, bytes, unsigned int)',
  SSL_accept: 'int (SSL *)',
  SSL_connect: 'int (SSL *)',
  SSL_read: 'int (SSL *, void *, int)',
  SSL_has_pending: 'int (SSL *)',
  SSL_write: 'int (SSL *, bytes, int)',
  SSL_shutdown: 'int (SSL *)',
  SSL_get_error: 'int (SSL *, int)',
  SSL_version: 'int (SSL *)',
  SSL_session_reused: 'int (SSL *)',
  SSL_get0_alpn_selected: 'void (SSL *, unsigned char **, unsigned int *)',
  SSL_get_certificate: 'X509 *(SSL *)',
  SSL_get1_peer_certificate: 'X509 *(SSL *)',
  SSL_get1_session: 'SSL_SESSION *(SSL *)',
  SSL_set_session: 'int (SSL *, SSL_SESSION *)',
  SSL_SESSION_free: 'void (SSL_SESSION *)',
  // Input and output
  BIO_new: 'BIO *(BIO_METHOD *)',
  BIO_new_mem_buf: 'BIO *(void *, int)',
  BIO_free: 'int (BIO *)',
  BIO_f_buffer: 'BIO_METHOD *()',
  BIO_s_mem: 'BIO_METHOD *()',
  BIO_up_ref: 'int (BIO *)',
  BIO_push: 'BIO *(BIO *, BIO *)',
  BIO_pop: 'BIO *(BIO *)',
  BIO_ctrl: 'long (BIO *, int, long, void *)',
  BIO_int_ctrl: 'long (BIO *, int, long, int)',
  BIO_test_flags: 'int (BIO *, int)',
  BIO_ctrl_wpending: 'size_t (BIO *)',
  BIO_read: 'int (BIO *, void *, int)',
  BIO_write: 'int (BIO *, void *, int)',
  // Certificates
  PEM_read_bio_X509: 'X509 *(BIO *, X509 **, pem_password_cb *, string)',
  PEM_read_bio_X509_AUX: 'X509 *(BIO *, X509 **, pem_password_cb *, string)',
  X509_new_ex: 'X509 *(OSSL_LIB_CTX *, char *)',
  X509_free: 'void (X509 *)',
  d2i_X509: 'X509 *(X509 **, unsigned char **, long)',
  i2d_X509: 'int (X509 *, unsigned char **)',
  X509_get0_pubkey: 'EVP_PKEY *(X509 *)',
  X509_get_X509_PUBKEY: 'X509_PUBKEY *(X509 *)',
  i2d_X509_PUBKEY: 'int (X509_PUBKEY *, unsigned char **)',
  X509_set_pubkey: 'int (X509 *, EVP_PKEY *)',
  X509_check_private_key: 'int (X509 *, EVP_PKEY *)',
  X509_STORE_new: 'X509_STORE *()',
  X509_STORE_free: 'void (X509_STORE *)',
  X509_STORE_add_cert: 'int (X509_STORE *, X509 *)',
  X509_STORE_set_flags: 'int (X509_STORE *, unsigned long)',
  OPENSSL_sk_new_null: 'OPENSSL_STACK *()',
  OPENSSL_sk_push: 'int (OPENSSL_STACK *, void *)',
  OPENSSL_sk_pop: 'void *(OPENSSL_STACK *)',
  OPENSSL_sk_num: 'int (OPENSSL_STACK *)',
  OPENSSL_sk_value: 'void *(OPENSSL_STACK *, int)',
  OPENSSL_sk_free: 'void (OPENSSL_STACK *)',
  // Keys
  PEM_read_bio_PrivateKey: 'EVP_PKEY *(BIO *, EVP_PKEY **, pem_password_cb *, string)',
  OSSL_DECODER_CTX_new_for_pkey: 'OSSL_DECODER_CTX *(EVP_PKEY **, string, char *, char *, int, OSSL_LIB_CTX *, char *)',
  OSSL_DECODER_from_bio: 'int (OSSL_DECODER_CTX *, BIO *)',
  OSSL_DECODER_CTX_free: 'void (OSSL_DECODER_CTX *)',
  EVP_PKEY_new: 'EVP_PKEY *()',
  EVP_PKEY_free: 'void (EVP_PKEY *)',
  EVP_PKEY_get0_type_name: 'char *(EVP_PKEY *)',
  EVP_PKEY_assign: 'int (EVP_PKEY *, int, void *)',
  EC_KEY_new: 'EC_KEY *()',
  EC_KEY_free: 'void (EC_KEY *)',
  EC_KEY_set_group: 'int (EC_KEY *, EC_GROUP *)',
  EC_KEY_set_method: 'int (EC_KEY *, EC_KEY_METHOD *)',
  EC_KEY_oct2key: 'int (EC_KEY *, bytes, size_t, BN_CTX *)',
  EC_KEY_oct2priv: 'int (EC_KEY *, bytes, size_t)',
  EC_KEY_OpenSSL: 'EC_KEY_METHOD *()',
  EC_KEY_METHOD_new: 'EC_KEY_METHOD *(EC_KEY_METHOD *)',
  EC_GROUP_new_by_curve_name: 'EC_GROUP *(int)',
  OSSL_LIB_CTX_new: 'OSSL_LIB_CTX *()',
  OSSL_PROVIDER_load: 'OSSL_PROVIDER *(OSSL_LIB_CTX *, string)',
  // Ciphers
  RAND_bytes: 'int (unsigned char *, int)',
  EVP_CIPHER_fetch: 'EVP_CIPHER *(OSSL_LIB_CTX *, string, char *)',
  EVP_CIPHER_free: 'void (EVP_CIPHER *)',
  EVP_CIPHER_CTX_new: 'EVP_CIPHER_CTX *()',
  EVP_CIPHER_CTX_free: 'void (EVP_CIPHER_CTX *)',
  EVP_CIPHER_CTX_ctrl: 'int (EVP_CIPHER_CTX *, int, int, void *)',
  EVP_EncryptInit_ex: 'int (EVP_CIPHER_CTX *, EVP_CIPHER *, ENGINE *, unsigned char *, unsigned char *)',
  EVP_DecryptInit_ex: 'int (EVP_CIPHER_CTX *, EVP_CIPHER *, ENGINE *, unsigned char *, unsigned char *)',
  EVP_DecryptUpdate: 'int (EVP_CIPHER_CTX *, unsigned char *, int *, unsigned char *, int)',
  EVP_DecryptFinal_ex: 'int (EVP_CIPHER_CTX *, unsigned char *, int *)',
  EVP_MAC_CTX_set_params: 'int (EVP_MAC_CTX *, OSSL_PARAM *)',
} as const;

/** Functions that OpenSSL calls, during our calls and on the same thread. They must not throw. */
const CALLBACKS = {
  /** SSL_CTX_set_alpn_select_cb */
  alpn: 'int (SSL *, unsigned char **, unsigned char *, unsigned char *, unsigned int, void *)',
  /** SSL_CTX_set_tlsext_ticket_key_evp_cb: key name, IV, …; the last is 1 to seal, 0 to open. */
  ticketKey: 'int (SSL *, unsigned char *, unsigned char *, EVP_CIPHER_CTX *, EVP_MAC_CTX *, int)',
  /** SSL_CTX_callback_ctrl with SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB */
  status: 'int (SSL *, void *)',
  /** SSL_set_info_callback: where, value */
  info: 'void (SSL *, int, int)',
} as const;

/** Constants by their names in C. Many are arguments of functions that C calls by macros. */
export const C = {
  SSL_ERROR_NONE: 0,
  SSL_ERROR_WANT_READ: 2,
  SSL_ERROR_WANT_WRITE: 3,
  SSL_ERROR_ZERO_RETURN: 6,
  TLS1_2_VERSION: 0x0303,
  TLS1_3_VERSION: 0x0304,
  // Commands of SSL_CTX_ctrl and SSL_ctrl
  SSL_CTRL_MODE: 33,
  SSL_CTRL_SET_READ_AHEAD: 41,
  SSL_CTRL_SET_SESS_CACHE_MODE: 44,
  SSL_CTRL_SET_TLSEXT_HOSTNAME: 55,
  SSL_CTRL_SET_TLSEXT_STATUS_REQ_CB: 63,
  SSL_CTRL_SET_TLSEXT_STATUS_REQ_OCSP_RESP: 71,
  SSL_CTRL_CLEAR_MODE: 78,
  SSL_CTRL_SET_GROUPS_LIST: 92,
  SSL_CTRL_SET_SIGALGS_LIST: 98,
  SSL_CTRL_SET_VERIFY_CERT_STORE: 106,
  SSL_CTRL_SET_MIN_PROTO_VERSION: 123,
  SSL_CTRL_SET_MAX_PROTO_VERSION: 124,
  TLSEXT_NAMETYPE_host_name: 0,
  SSL_SESS_CACHE_OFF: 0,
  SSL_MODE_ENABLE_PARTIAL_WRITE: 1,
  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER: 2,
  SSL_MODE_AUTO_RETRY: 4,
  SSL_MODE_NO_AUTO_CHAIN: 8,
  SSL_MODE_RELEASE_BUFFERS: 16,
  SSL_OP_IGNORE_UNEXPECTED_EOF: 1 << 7,
  SSL_OP_NO_TICKET: 1 << 14,
  SSL_OP_NO_COMPRESSION: 1 << 17,
  SSL_OP_PRIORITIZE_CHACHA: 1 << 21,
  SSL_OP_CIPHER_SERVER_PREFERENCE: 1 << 22,
  SSL_OP_NO_RENEGOTIATION: 1 << 30,
  SSL_VERIFY_PEER: 1,
  SSL_VERIFY_FAIL_IF_NO_PEER_CERT: 2,
  // Results of callbacks
  SSL_TLSEXT_ERR_OK: 0,
  SSL_TLSEXT_ERR_ALERT_FATAL: 2,
  SSL_TLSEXT_ERR_NOACK: 3,
  // `where` of the info callback: a message was processed; an alert was sent or received
  SSL_CB_ACCEPT_EXIT: 0x2002,
  SSL_CB_ALERT: 0x4000,
  BIO_CTRL_FLUSH: 11,
  BIO_C_SET_FD: 104,
  BIO_C_SET_BUFF_SIZE: 117,
  BIO_FLAGS_SHOULD_RETRY: 8,
  X509_V_FLAG_PARTIAL_CHAIN: 0x80000,
  EVP_PKEY_EC: 408,
  EVP_PKEY_KEYPAIR: 0x87,
  NID_X9_62_prime256v1: 415,
  NID_secp384r1: 715,
  ERR_LIB_PEM: 9,
  ERR_LIB_OFFSET: 23,
  PEM_R_NO_START_LINE: 108,
  EVP_CTRL_AEAD_SET_TAG: 17,
  OSSL_PARAM_UTF8_STRING: 4,
  OSSL_PARAM_OCTET_STRING: 5,
} as const;

type Value<Type extends string> = Type extends 'bytes'
  ? Uint8Array
  : Type extends 'string'
    ? string
    : Type extends 'callback'
      ? Pointer<'callback'>
      : Type extends 'void *'
        ? Pointer<string>
        : Type extends `${string} **` | 'unsigned char *' | 'char *' | 'int *' | 'unsigned int *'
          ? Address
          : Type extends `${infer Target} *`
            ? Pointer<Target>
            : number;
type Values<List extends string> = List extends ''
  ? []
  : List extends `${infer First}, ${infer Rest}`
    ? [Value<First>, ...Values<Rest>]
    : [Value<List>];
type Result<Type extends string> = Type extends `${infer Name} ` ? Value<Name> : Value<Type>;
type Call<Signature extends string> = Signature extends `void (${infer List})`
  ? (...values: Values<List>) => void
  : Signature extends `${infer Type}(${infer List})`
    ? (...values: Values<List>) => Result<Type>
    : never;

type Functions = { readonly [Name in keyof typeof FUNCTIONS]: Call<(typeof FUNCTIONS)[Name]> };
export type Callbacks = { readonly [Name in keyof typeof CALLBACKS]: Call<(typeof CALLBACKS)[Name]> };

export interface Openssl extends Functions {
  /** Copies `length` bytes of OpenSSL's memory into `to`. */
  copyIn(to: Uint8Array, from: Address, length: number): void;
  /** Copies `length` bytes of `from` into OpenSSL's memory. */
  copyOut(to: Address, from: Uint8Array, length: number): void;
  /**
   * A function pointer for OpenSSL, valid until `unregister`. koffi has 8,192 of them for a
   * process, and a thread that ends does not release its own.
   */
  register<Name extends keyof Callbacks>(name: Name, call: Callbacks[Name]): Pointer<'callback'>;
  unregister(callback: Pointer<'callback'>): void;
}

/** For headers.test.ts. */
export const DECLARED = { functions: FUNCTIONS, callbacks: CALLBACKS } as const;

let loaded: Openssl | undefined;

/** Returns the thread's instance. Throws an Error if a function or OpenSSL 3 is missing. */
export function loadOpenssl(): Openssl {
  loaded ??= load();
  return loaded;
}

/** The signature of a C function type for koffi. Pointers are passed as plain numbers. */
function koffiSignature(name: string, type: string): string {
  const [, result, values] = /^(.*?)\((.*)\)$/.exec(type)!;
  const converted = (part: string): string => {
    if (part === 'bytes') return 'void *';
    if (part === 'string') return 'str';
    return part.endsWith('*') || part === 'callback' ? 'uintptr_t' : part;
  };
  const list = values === '' ? [] : values.split(', ');
  return `${converted(result.trim())} ${name}(${list.map(converted).join(', ')})`;
}

function load(): Openssl {
  const library = koffi.load(null);
  const functions = Object.fromEntries(
    Object.entries(FUNCTIONS).map(([name, type]) => [name, library.func(koffiSignature(name, type))]),
  ) as unknown as Functions;
  const version = functions.OpenSSL_version_num();
  if (version >>> 28 !== 3) throw new Error(`OpenSSL 3 is needed, this is version ${version.toString(16)}`);
  const types = Object.fromEntries(
    Object.entries(CALLBACKS).map(([name, type]) => [
      name,
      koffi.pointer(koffi.proto(koffiSignature(`openssl_${name}`, type))),
    ]),
  );
  return {
    ...functions,
    copyIn: library.func('uintptr_t memcpy(void *, uintptr_t, size_t)'),
    copyOut: library.func('uintptr_t memcpy(uintptr_t, void *, size_t)'),
    register: (name, call) => Number(koffi.register(call, types[name])) as Pointer<'callback'>,
    unregister: (callback) => koffi.unregister(BigInt(callback)),
  };
}

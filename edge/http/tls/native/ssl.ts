/**
 * One side of a TLS connection. Methods leave OpenSSL's queue of errors empty, since SSL_get_error
 * of the thread's next connection would report what is in it.
 */
import { C, NULL, type Pointer } from './library.ts';
import { Memory } from './memory.ts';
import { Handle, type Objects } from './ownership.ts';

/** Argument of BIO_C_SET_BUFF_SIZE that selects the write buffer. */
const WRITES = 1;
/** Maximum number of certificates between the client's and a trust anchor. */
const MAX_DEPTH = 8;

/** Why an operation is incomplete. */
export const SSL_ERROR = {
  NONE: C.SSL_ERROR_NONE,
  WANT_READ: C.SSL_ERROR_WANT_READ,
  WANT_WRITE: C.SSL_ERROR_WANT_WRITE,
  /** The peer has sent close_notify. */
  ZERO_RETURN: C.SSL_ERROR_ZERO_RETURN,
} as const;

/** unsigned char **: moved by OpenSSL during a call. */
const position = new Memory(8);

/** Certificates that verify those of clients (certificates.ts). */
export interface Authorities {
  readonly store: Handle<'X509_STORE'>;
  /** Their names are sent to clients. */
  readonly names: Handle<'OPENSSL_STACK'>;
}

export class Ssl extends Handle<'SSL'> {
  /** Of the last `accept`, `read`, `write` or `shutdown`. */
  error: number = SSL_ERROR.NONE;
  /** The certificate of another key type that it may choose; NULL: none. For the caller. */
  alternative: Pointer<'X509'> = NULL;
  readonly #onFree: () => void;
  /** The buffer before the socket, which the SSL owns; NULL: none. */
  #buffer: Pointer<'BIO'> = NULL;

  /** Created by SslContext. `onFree`: called once. */
  constructor(objects: Objects, context: Pointer<'SSL_CTX'>, onFree: () => void) {
    super(objects, 'SSL', objects.openssl.SSL_new(context), 'a connection');
    this.#onFree = onFree;
  }

  override free(): void {
    if (this.isFreed) return;
    this.#buffer = NULL;
    super.free();
    this.#onFree();
  }

  // Before the handshake. They throw an Error if OpenSSL rejects the value.

  /** The SSL takes references of its own. `chain`: null if the certificate is sent alone. */
  useCertificate(own: Handle<'X509'>, key: Handle<'EVP_PKEY'>, chain: Handle<'OPENSSL_STACK'> | null): void {
    const intermediates = chain === null ? NULL : chain.pointer;
    const isSet = this.objects.openssl.SSL_use_cert_and_key(this.pointer, own.pointer, key.pointer, intermediates, 1);
    this.#check(isSet === 1, 'the certificate is unusable');
  }

  /** Sessions are resumed only by connections with the same id, of 32 bytes at most. */
  bindSessions(id: Uint8Array): void {
    const isSet = this.objects.openssl.SSL_set_session_id_context(this.pointer, id, id.length);
    this.#check(isSet === 1, 'OpenSSL rejected the session context');
  }

  /** Older versions are rejected with the alert protocol_version. */
  requireTls13(): void {
    const isSet = this.objects.openssl.SSL_ctrl(this.pointer, C.SSL_CTRL_SET_MIN_PROTO_VERSION, C.TLS1_3_VERSION, NULL);
    this.#check(isSet === 1, 'OpenSSL rejected the minimum version');
  }

  /** Requests a client certificate, and issues no tickets. The SSL takes references of its own. */
  requestCertificate({ store, names }: Authorities, isRequired: boolean): void {
    const { openssl } = this.objects;
    const { pointer } = this;
    const list = names.pointer;
    openssl.SSL_set_verify(pointer, C.SSL_VERIFY_PEER | (isRequired ? C.SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0), NULL);
    openssl.SSL_set_verify_depth(pointer, MAX_DEPTH);
    // With 1, the SSL takes a reference. With 0, it would take over the caller's.
    let isSet = openssl.SSL_ctrl(pointer, C.SSL_CTRL_SET_VERIFY_CERT_STORE, 1, store.pointer) === 1;
    for (let i = 0, n = openssl.OPENSSL_sk_num(list); i < n && isSet; i++)
      isSet = openssl.SSL_add_client_CA(pointer, openssl.OPENSSL_sk_value(list, i) as Pointer<'X509'>) === 1;
    isSet &&= openssl.SSL_set_num_tickets(pointer, 0) === 1;
    openssl.SSL_set_options(pointer, C.SSL_OP_NO_TICKET);
    this.#check(isSet, 'OpenSSL rejected the authorities of clients');
  }

  /** The descriptor stays the caller's. False: out of memory. */
  attach(fd: number): boolean {
    const isSet = this.objects.openssl.SSL_set_fd(this.pointer, fd) === 1;
    if (!isSet) this.objects.openssl.ERR_clear_error();
    return isSet;
  }

  // The handshake, and after it. `error` tells why an operation is incomplete.

  /** Continues the handshake. True: it is complete. */
  accept(): boolean {
    const { openssl } = this.objects;
    openssl.ERR_clear_error();
    return this.#isDone(openssl.SSL_accept(this.pointer));
  }

  /** Reads one record into `memory` from `offset` on. Returns the number of bytes. */
  read(memory: Memory, offset: number): number {
    this.objects.openssl.ERR_clear_error();
    return this.readMore(memory, offset);
  }

  /** Like `read`, right after it. */
  readMore(memory: Memory, offset: number): number {
    const length = memory.bytes.length - offset;
    const count = this.objects.openssl.SSL_read(this.pointer, memory.at(offset, length), length);
    return this.#isDone(count) ? count : 0;
  }

  /** Whether OpenSSL has received more than it has returned. */
  get hasPending(): boolean {
    return this.objects.openssl.SSL_has_pending(this.pointer) === 1;
  }

  /** Writes from `offset` on. Returns the offset up to which all bytes are taken. */
  write(bytes: Uint8Array, offset: number): number {
    const { openssl } = this.objects;
    const { pointer } = this;
    let at = offset;
    openssl.ERR_clear_error();
    while (at < bytes.length) {
      const count = openssl.SSL_write(pointer, at === 0 ? bytes : bytes.subarray(at), bytes.length - at);
      if (!this.#isDone(count)) return at;
      at += count;
    }
    return at;
  }

  /** Sends close_notify. False: it was not sent. */
  shutdown(): boolean {
    const { openssl } = this.objects;
    openssl.ERR_clear_error();
    // 0: sent, but none was received yet.
    const outcome = openssl.SSL_shutdown(this.pointer);
    return this.#isDone(outcome === 0 ? 1 : outcome);
  }

  get isTls13(): boolean {
    return this.objects.openssl.SSL_version(this.pointer) === C.TLS1_3_VERSION;
  }

  get isResumed(): boolean {
    return this.objects.openssl.SSL_session_reused(this.pointer) === 1;
  }

  /** Later reads fetch up to `bytes` from the socket at once. */
  setReadAhead(bytes: number): void {
    this.objects.openssl.SSL_set_default_read_buffer_len(this.pointer, bytes);
  }

  /** The peer's certificate as DER; null: none; undefined: it is longer than `maximum`. */
  peerCertificate(maximum: number): Buffer | null | undefined {
    return peerCertificate(this.objects, this.pointer, maximum);
  }

  // Large writes: records are collected, so that several need one system call. A BIO_f_buffer is
  // put before the socket until all are sent.

  /** Returns at once if there is a buffer. False: out of memory, and each record is sent alone. */
  startBuffering(bytes: number): boolean {
    if (this.#buffer !== NULL) return true;
    const { openssl } = this.objects;
    const { pointer } = this;
    const socket = openssl.SSL_get_rbio(pointer);
    const created = openssl.BIO_new(openssl.BIO_f_buffer());
    if (created === NULL) return this.#noBuffer();
    const buffer = this.objects.own('BIO', created, 'a buffer');
    // The reference of the link from the buffer to the socket.
    if (openssl.BIO_int_ctrl(created, C.BIO_C_SET_BUFF_SIZE, bytes, WRITES) <= 0 || openssl.BIO_up_ref(socket) !== 1) {
      buffer.free();
      return this.#noBuffer();
    }
    openssl.BIO_push(created, socket);
    this.#buffer = created;
    // The SSL releases its reference to the socket as output, and takes over the buffer.
    openssl.SSL_set0_wbio(pointer, buffer.release());
    return true;
  }

  #noBuffer(): false {
    this.objects.openssl.ERR_clear_error();
    return false;
  }

  /** Bytes of collected records that the socket has not accepted. */
  get buffered(): number {
    return this.#buffer === NULL ? 0 : this.objects.openssl.BIO_ctrl_wpending(this.#buffer);
  }

  /**
   * Sends what was collected, and removes the buffer. True: the socket accepted all; false: retry
   * later; null: the connection is broken.
   */
  flush(): boolean | null {
    const { openssl } = this.objects;
    const { pointer } = this;
    const buffer = this.#buffer;
    if (buffer === NULL) return true;
    if (openssl.BIO_ctrl(buffer, C.BIO_CTRL_FLUSH, 0, NULL) <= 0) {
      openssl.ERR_clear_error();
      return openssl.BIO_test_flags(buffer, C.BIO_FLAGS_SHOULD_RETRY) === 0 ? null : false;
    }
    this.#buffer = NULL;
    // The SSL frees the buffer, and takes over the reference of the link.
    openssl.BIO_pop(buffer);
    openssl.SSL_set0_wbio(pointer, openssl.SSL_get_rbio(pointer));
    return true;
  }

  /** Sets `error`. */
  #isDone(outcome: number): boolean {
    if (outcome > 0) {
      this.error = SSL_ERROR.NONE;
      return true;
    }
    const { openssl } = this.objects;
    this.error = openssl.SSL_get_error(this.pointer, outcome);
    if (this.error !== SSL_ERROR.WANT_READ) openssl.ERR_clear_error();
    return false;
  }

  #check(isSet: boolean, message: string): void {
    if (isSet) return;
    this.objects.openssl.ERR_clear_error();
    throw new Error(message);
  }
}

/** See Ssl. */
export function peerCertificate(objects: Objects, ssl: Pointer<'SSL'>, maximum: number): Buffer | null | undefined {
  const { openssl } = objects;
  const pointer = openssl.SSL_get1_peer_certificate(ssl);
  if (pointer === NULL) {
    openssl.ERR_clear_error();
    return null;
  }
  const certificate = objects.own('X509', pointer, 'a certificate');
  try {
    const length = openssl.i2d_X509(pointer, NULL);
    if (length <= 0 || length > maximum) return undefined;
    const der = new Memory(length);
    position.writePointer(0, der.address);
    return openssl.i2d_X509(pointer, position.address) === length ? der.bytes.subarray(0, length) : undefined;
  } finally {
    certificate.free();
  }
}

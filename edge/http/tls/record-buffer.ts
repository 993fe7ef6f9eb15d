/**
 * Collects the records of a large write, so that four of them need one system call. For the time of
 * the write, a buffer of OpenSSL (BIO_f_buffer) is put before the socket. Meanwhile the SSL owns
 * the buffer and frees it.
 */
import type { Openssl } from './openssl.ts';

const BIO_CTRL_FLUSH = 11;
const BIO_C_SET_BUFF_SIZE = 117;
const BIO_FLAGS_SHOULD_RETRY = 8;
/** Argument of BIO_C_SET_BUFF_SIZE that selects the write buffer. */
const WRITES = 1;

/**
 * Puts a buffer of `bytes` before the socket of `ssl`. Returns its address; 0: out of memory, and
 * each record is sent with its own system call.
 */
export function putRecordBuffer(openssl: Openssl, ssl: number, bytes: number): number {
  const buffer = openssl.BIO_new(openssl.BIO_f_buffer());
  if (buffer === 0) return 0;
  if (openssl.BIO_int_ctrl(buffer, BIO_C_SET_BUFF_SIZE, bytes, WRITES) <= 0) {
    openssl.BIO_free(buffer);
    return 0;
  }
  const socket = openssl.SSL_get_rbio(ssl);
  // The reference for the link from the buffer. SSL_set0_wbio releases the SSL's own reference.
  openssl.BIO_up_ref(socket);
  openssl.BIO_push(buffer, socket);
  openssl.SSL_set0_wbio(ssl, buffer);
  return buffer;
}

/** True: the socket accepted all bytes; false: retry later; null: the connection is broken. */
export function flushRecordBuffer(openssl: Openssl, buffer: number): boolean | null {
  if (openssl.BIO_ctrl(buffer, BIO_CTRL_FLUSH, 0, 0) > 0) return true;
  return openssl.BIO_test_flags(buffer, BIO_FLAGS_SHOULD_RETRY) === 0 ? null : false;
}

/** Bytes of records that the socket has not accepted yet. */
export const heldBy = (openssl: Openssl, buffer: number): number => openssl.BIO_ctrl_wpending(buffer);

/** Frees the buffer, which must be empty, and connects `ssl` to the socket again. */
export function dropRecordBuffer(openssl: Openssl, ssl: number, buffer: number): void {
  // The SSL takes over the reference of the link.
  openssl.BIO_pop(buffer);
  openssl.SSL_set0_wbio(ssl, openssl.SSL_get_rbio(ssl));
}

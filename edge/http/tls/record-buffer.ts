/**
 * Puts together the records of a large write, so that the system is called once for four of them: a
 * buffer of OpenSSL's own (BIO_f_buffer) stands before the socket for as long as the write lasts.
 * It is the SSL's while it stands there, and freed with it.
 */
import type { Openssl } from './openssl.ts';

const BIO_CTRL_FLUSH = 11;
const BIO_C_SET_BUFF_SIZE = 117;
const BIO_FLAGS_SHOULD_RETRY = 8;
/** Of BIO_C_SET_BUFF_SIZE: the buffer of what is written. */
const WRITES = 1;

/**
 * Stands before the socket of `ssl` from now on. Returns its address; 0: there is no memory, and
 * each record goes out by itself.
 */
export function putRecordBuffer(openssl: Openssl, ssl: number, bytes: number): number {
  const buffer = openssl.BIO_new(openssl.BIO_f_buffer());
  if (buffer === 0) return 0;
  if (openssl.BIO_int_ctrl(buffer, BIO_C_SET_BUFF_SIZE, bytes, WRITES) <= 0) {
    openssl.BIO_free(buffer);
    return 0;
  }
  const socket = openssl.SSL_get_rbio(ssl);
  // One for the link from the buffer; that of the SSL goes when the buffer takes its place.
  openssl.BIO_up_ref(socket);
  openssl.BIO_push(buffer, socket);
  openssl.SSL_set0_wbio(ssl, buffer);
  return buffer;
}

/** True: all of it has been given to the system; false: later; null: the connection is broken. */
export function flushRecordBuffer(openssl: Openssl, buffer: number): boolean | null {
  if (openssl.BIO_ctrl(buffer, BIO_CTRL_FLUSH, 0, 0) > 0) return true;
  return openssl.BIO_test_flags(buffer, BIO_FLAGS_SHOULD_RETRY) === 0 ? null : false;
}

/** Bytes, as records, that have not been given to the system. */
export const heldBy = (openssl: Openssl, buffer: number): number => openssl.BIO_ctrl_wpending(buffer);

/** Frees it; the socket takes its place again. It must be empty. */
export function dropRecordBuffer(openssl: Openssl, ssl: number, buffer: number): void {
  // The reference of the link is the SSL's from now on.
  openssl.BIO_pop(buffer);
  openssl.SSL_set0_wbio(ssl, openssl.SSL_get_rbio(ssl));
}

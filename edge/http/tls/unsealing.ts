/**
 * AES-256-GCM decryption by OpenSSL through koffi: 2 µs, where node:crypto takes 11 since it
 * allocates objects for each call. `openSecrets` accepts either. A handshake waits for it if its
 * certificate is not cached.
 */
import type { OpenSealed } from '../../../core/base/secrets.ts';
import { fixedMemory, loadOpenssl } from './openssl.ts';

/** EVP_CTRL_AEAD_SET_TAG. */
const SET_TAG = 17;
const NONCE = 12;
const TAG = 16;
const KEY = 32;
/**
 * Offsets in the buffer: key, nonce, an int for the length that OpenSSL returns, tag, associated
 * data. The ciphertext follows.
 */
const NONCE_AT = KEY;
const LENGTH_AT = NONCE_AT + NONCE;
const TAG_AT = LENGTH_AT + 4;
const DATA_AT = TAG_AT + TAG;
const BUFFER_BYTES = 65_536;

/** For one thread. Undefined: this OpenSSL does not support it. */
export function quickUnsealing(): OpenSealed | undefined {
  try {
    const openssl = loadOpenssl();
    // Never freed: OpenSSL keeps one for the process.
    const cipher = openssl.EVP_CIPHER_fetch(0, 'AES-256-GCM', 0);
    if (cipher === 0) return undefined;
    const { bytes, address } = fixedMemory(BUFFER_BYTES);
    const written = address + LENGTH_AT;
    return (key, nonce, associated, sealed, tag) => {
      const [from, length] = [DATA_AT + associated.length, sealed.length];
      if (from + length > BUFFER_BYTES) throw new Error('what is sealed is too large');
      bytes.set(key, 0);
      bytes.set(nonce, NONCE_AT);
      bytes.set(tag, TAG_AT);
      bytes.set(associated, DATA_AT);
      bytes.set(sealed, from);
      const context = openssl.EVP_CIPHER_CTX_new();
      try {
        const isOpen =
          openssl.EVP_DecryptInit_ex(context, cipher, 0, address, address + NONCE_AT) === 1 &&
          openssl.EVP_DecryptUpdate(context, 0, written, address + DATA_AT, associated.length) === 1 &&
          openssl.EVP_DecryptUpdate(context, address + from, written, address + from, length) === 1 &&
          openssl.EVP_CIPHER_CTX_ctrl(context, SET_TAG, TAG, address + TAG_AT) === 1 &&
          openssl.EVP_DecryptFinal_ex(context, address + from + length, written) === 1;
        return isOpen ? Buffer.from(bytes.subarray(from, from + length)) : undefined;
      } finally {
        openssl.EVP_CIPHER_CTX_free(context);
        openssl.ERR_clear_error();
        bytes.fill(0, 0, from + length);
      }
    };
  } catch {
    return undefined;
  }
}

/**
 * AES-256-GCM decryption by OpenSSL through koffi: 2 µs, where node:crypto takes 11 since it
 * allocates objects for each call. `openSecrets` accepts either. A handshake waits for it if its
 * certificate is not cached.
 */
import type { OpenSealed } from '../../../../core/base/secrets.ts';
import { C, loadOpenssl, NULL, type Openssl } from './library.ts';
import { Memory } from './memory.ts';

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

/** For one thread. Undefined: this OpenSSL does not support it. `given`: for tests. */
export function quickUnsealing(given?: Openssl): OpenSealed | undefined {
  try {
    const openssl = given ?? loadOpenssl();
    // Never freed: OpenSSL keeps one for the process.
    const cipher = openssl.EVP_CIPHER_fetch(NULL, 'AES-256-GCM', NULL);
    openssl.ERR_clear_error();
    if (cipher === NULL) return undefined;
    const memory = new Memory(BUFFER_BYTES);
    const { bytes } = memory;
    const [keyBytes, nonceBytes, written, tagBytes, data] = [0, NONCE_AT, LENGTH_AT, TAG_AT, DATA_AT].map((offset) =>
      memory.at(offset),
    );
    return (key, nonce, associated, sealed, tag) => {
      const [from, length] = [DATA_AT + associated.length, sealed.length];
      if (from + length > BUFFER_BYTES) throw new Error('the sealed data is too large');
      const context = openssl.EVP_CIPHER_CTX_new();
      bytes.set(key, 0);
      bytes.set(nonce, NONCE_AT);
      bytes.set(tag, TAG_AT);
      bytes.set(associated, DATA_AT);
      bytes.set(sealed, from);
      try {
        if (context === NULL) throw new Error('out of memory for what is sealed');
        const output = memory.at(from, length);
        const isOpen =
          openssl.EVP_DecryptInit_ex(context, cipher, NULL, keyBytes, nonceBytes) === 1 &&
          openssl.EVP_DecryptUpdate(context, NULL, written, data, associated.length) === 1 &&
          openssl.EVP_DecryptUpdate(context, output, written, output, length) === 1 &&
          openssl.EVP_CIPHER_CTX_ctrl(context, C.EVP_CTRL_AEAD_SET_TAG, TAG, tagBytes) === 1 &&
          openssl.EVP_DecryptFinal_ex(context, memory.at(from + length), written) === 1;
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

/**
 * Values that visitors keep for the edge, in cookies and URLs: encrypted and authenticated with a
 * key that all nodes derive from the key file (AES-256-GCM). A value can be opened only for the
 * purpose and owner that it was sealed for.
 *
 * base64url of: nonce (12 bytes), ciphertext, tag (16)
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const NONCE = 12;
const TAG = 16;
/** Characters of a sealed value. */
const MAX_SEALED = 8192;

export class SealedValues {
  /** `keys`: of 32 bytes. The first one seals; every key opens. */
  constructor(private readonly keys: readonly Uint8Array[]) {}

  seal(value: object, context: string): string {
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, this.keys[0], nonce, { authTagLength: TAG }).setAAD(Buffer.from(context));
    const sealed = [nonce, cipher.update(JSON.stringify(value)), cipher.final(), cipher.getAuthTag()];
    return Buffer.concat(sealed).toString('base64url');
  }

  /** Undefined: it was changed, or sealed for another context or with another key. */
  open<T>(text: string, context: string): T | undefined {
    const bytes = Buffer.from(text.length > MAX_SEALED ? '' : text, 'base64url');
    if (bytes.length < NONCE + TAG || bytes.toString('base64url') !== text) return undefined;
    for (const key of this.keys) {
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(Buffer.from(context))
        .setAuthTag(bytes.subarray(-TAG));
      try {
        const plain = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()]);
        return JSON.parse(plain.toString()) as T;
      } catch {
        // Another key may open it.
      }
    }
    return undefined;
  }
}

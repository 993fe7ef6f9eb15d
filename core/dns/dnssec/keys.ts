/**
 * Key pairs of zones: generates them, loads stored pairs, and signs (RFC 5702, RFC 6605, RFC 8080).
 */
import { createPrivateKey, createPublicKey, type KeyObject, randomBytes, sign, verify } from 'node:crypto';
import { WaypostError } from '../../base/errors.ts';
import {
  ALGORITHM,
  type Algorithm,
  algorithmOf,
  dnskeyRdata,
  isNewAlgorithm,
  isRsaAlgorithm,
  keyIdentity,
  keyTag,
  publicKeyOf,
  RSA_ALGORITHM,
  type RsaAlgorithm,
  type SigningAlgorithm,
} from './dnskey.ts';
import { generateP256Scalar, loadP256Key, type P256Key, type P256Request, signP256Batch } from './p256.ts';
import { isRsaSignature, loadRsaKey, type RsaHash, type RsaKey, signRsa } from './rsa.ts';

/** Bytes of a seed and of a public key. */
const LENGTH = 32;

/** The PKCS #8 bytes before the seed (RFC 8410 section 7). */
const PKCS8_HEADER = Buffer.from('302e020100300506032b657004220420', 'hex');

interface Ed25519Key {
  readonly secret: KeyObject;
  /** 32 bytes (RFC 8080 section 3). */
  readonly publicKey: Uint8Array;
}

/**
 * Ed25519 (RFC 8032, RFC 8080). Its signatures are deterministic. 22 µs each.
 *
 * A new random private key, 32 bytes.
 */
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

/** Bytes of a signature of P-256 and of Ed25519, which are the shortest. */
export const MIN_SIGNATURE_LENGTH = 64;
/** Bytes of a P-256 public key. */
const COORDINATE_LENGTH = 32;

export interface KeyPair {
  /** The rdata of the DNSKEY, flags 257. */
  readonly dnskey: Uint8Array;
  /** 32 bytes, or PKCS #8 of RSA; to be sealed and then wiped by the caller. */
  readonly privateKey: Uint8Array;
}

/** A message to sign. */
export interface SigningInput {
  readonly key: SigningKey;
  readonly message: Uint8Array;
  /** Its SHA-256, 32 bytes. */
  readonly digest: Uint8Array;
}

/** A private key in a form that can be sent to a thread. */
type Secret =
  | { readonly algorithm: typeof ALGORITHM.ECDSAP256SHA256; readonly key: P256Key }
  | { readonly algorithm: typeof ALGORITHM.ED25519; readonly key: Ed25519Key }
  | { readonly algorithm: RsaAlgorithm; readonly key: RsaKey };

/** Input of a signing thread. Contains private keys. */
export interface SigningTask {
  readonly secrets: readonly Secret[];
  /** For each message, the index of its key. */
  readonly numbers: Uint32Array<ArrayBuffer>;
  /** The lengths of all parts of `data`. */
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** The concatenated inputs: the digest for P-256, the message for the others. */
  readonly data: Uint8Array<ArrayBuffer>;
}

/** A new key pair for a zone. `takenTags`: the key tags of its other DNSKEY records. */
export function generateKeyPair(algorithm: Algorithm, takenTags: ReadonlySet<number> = new Set()): KeyPair {
  for (;;) {
    const privateKey = algorithm === ALGORITHM.ED25519 ? generateEd25519Seed() : generateP256Scalar();
    const pair = keyPairOf(algorithm, privateKey);
    if (!takenTags.has(keyTag(pair.dnskey))) return pair;
  }
}

/** The pair of a given private key. Throws RangeError if it is not valid for the algorithm. */
export function keyPairOf(algorithm: SigningAlgorithm, privateKey: Uint8Array): KeyPair {
  return { dnskey: dnskeyRdata(algorithm, loadSecret(algorithm, privateKey).key.publicKey), privateKey };
}

/**
 * Verifies a signature over the message with the DNSKEY, which must have an algorithm we sign with.
 */
function isSignature(dnskey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');
  const point = publicKeyOf(dnskey);
  const algorithm = algorithmOf(dnskey);
  if (isRsaAlgorithm(algorithm)) return isRsaSignature(point, hashOf(algorithm), message, signature);
  if (algorithm === ALGORITHM.ED25519) {
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text(point) }, format: 'jwk' });
    return verify(null, message, key, signature);
  }
  const x = text(point.subarray(0, COORDINATE_LENGTH));
  const y = text(point.subarray(COORDINATE_LENGTH));
  const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  return verify('sha256', message, { key, dsaEncoding: 'ieee-p1363' }, signature);
}

/**
 * A key that can sign. Logs and JSON do not contain its private part. It is sent to threads only in
 * a task.
 */
export class SigningKey {
  readonly algorithm: SigningAlgorithm;
  /** The rdata of its DNSKEY. */
  readonly dnskey: Uint8Array;
  /** RFC 4034 appendix B. Not unique: see `identity`. */
  readonly tag: number;
  /** SHA-256 of the public key, 32 bytes. */
  readonly identity: Uint8Array;
  /** Bytes of a signature. */
  readonly signatureLength: number;
  /** How many signatures of P-256 take as long as one of this key. */
  readonly cost: number;
  readonly #secret: Secret;

  /**
   * Loads a stored key pair. `privateKey` is copied. Throws WaypostError
   * `bad_signing_key` if the private key does not belong to the DNSKEY, or the DNSKEY has an
   * unsupported algorithm.
   */
  constructor({ dnskey, privateKey }: KeyPair) {
    this.dnskey = dnskey.slice();
    this.tag = keyTag(dnskey);
    this.identity = keyIdentity(dnskey);
    const algorithm = algorithmOf(dnskey);
    if (!isNewAlgorithm(algorithm) && !isRsaAlgorithm(algorithm))
      throw badKey(this.tag, `algorithm ${algorithm} is not supported`);
    this.algorithm = algorithm;
    try {
      this.#secret = loadSecret(algorithm, privateKey);
    } catch (cause) {
      throw badKey(this.tag, 'the private key is malformed', cause);
    }
    if (Buffer.compare(this.#secret.key.publicKey, publicKeyOf(dnskey)) !== 0)
      throw badKey(this.tag, 'the private key belongs to another public key');
    const { key } = this.#secret;
    this.signatureLength = 'length' in key ? key.length : MIN_SIGNATURE_LENGTH;
    this.cost = 'length' in key ? rsaCost(key.length) : 1;
  }

  /** Verifies a signature with the public key. 0.1 ms. */
  verifies(message: Uint8Array, signature: Uint8Array): boolean {
    return isSignature(this.dnskey, message, signature);
  }

  /**
   * Signatures in the order of the inputs. P-256 signatures in one call cost half.
   */
  static signAll(inputs: readonly SigningInput[]): Uint8Array[] {
    return signParts(inputs.map((input) => ({ secret: input.key.#secret, signed: signedPart(input) })));
  }

  /** The task for a thread, which calls `signTask`. */
  static taskOf(inputs: readonly SigningInput[]): SigningTask {
    const keys = new Map<SigningKey, number>();
    const parts = inputs.map(signedPart);
    const numbers = new Uint32Array(inputs.length);
    const lengths = new Uint32Array(inputs.length);
    const data = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let end = 0;
    for (const [i, { key }] of inputs.entries()) {
      const number = keys.get(key) ?? keys.size;
      keys.set(key, number);
      numbers[i] = number;
      lengths[i] = parts[i].length;
      data.set(parts[i], end);
      end += parts[i].length;
    }
    return { secrets: [...keys.keys()].map((key) => key.#secret), numbers, lengths, data };
  }
}

/** In a thread: the signatures of a task, one after another. */
export function signTask({ secrets, numbers, lengths, data }: SigningTask): Uint8Array<ArrayBuffer> {
  let end = 0;
  const parts = Array.from(numbers, (number, i) => {
    const start = end;
    end += lengths[i];
    return { secret: secrets[number], signed: data.subarray(start, end) };
  });
  const made = signParts(parts);
  const signatures = new Uint8Array(made.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const signature of made) {
    signatures.set(signature, at);
    at += signature.length;
  }
  return signatures;
}

/** The input of the algorithm: only that of P-256 takes a digest. */
const signedPart = ({ key, message, digest }: SigningInput): Uint8Array =>
  key.algorithm === ALGORITHM.ECDSAP256SHA256 ? digest : message;

function signParts(parts: readonly { readonly secret: Secret; readonly signed: Uint8Array }[]): Uint8Array[] {
  const signatures = new Array<Uint8Array>(parts.length);
  const batch: P256Request[] = [];
  const positions: number[] = [];
  for (let i = 0; i < parts.length; i++) {
    const { secret, signed } = parts[i];
    switch (secret.algorithm) {
      case ALGORITHM.ECDSAP256SHA256:
        batch.push({ key: secret.key, digest: signed });
        positions.push(i);
        break;
      case ALGORITHM.ED25519:
        signatures[i] = signEd25519(secret.key, signed);
        break;
      default:
        signatures[i] = signRsa(secret.key, hashOf(secret.algorithm), signed);
    }
  }
  signP256Batch(batch).forEach((signature, i) => {
    signatures[positions[i]] = signature;
  });
  return signatures;
}

const hashOf = (algorithm: RsaAlgorithm): RsaHash => (algorithm === RSA_ALGORITHM.RSASHA256 ? 'sha256' : 'sha512');

/** By the measured times of 1024, 2048 and 4096 bits. `length`: bytes of the modulus. */
const rsaCost = (length: number): number => Math.ceil(6 * (length / 128) ** 2.7);

/** Throws RangeError if the private key is not valid for the algorithm. */
function loadSecret(algorithm: SigningAlgorithm, privateKey: Uint8Array): Secret {
  if (isRsaAlgorithm(algorithm)) return { algorithm, key: loadRsaKey(privateKey) };
  return algorithm === ALGORITHM.ED25519
    ? { algorithm, key: loadEd25519Key(privateKey) }
    : { algorithm, key: loadP256Key(privateKey) };
}

function badKey(tag: number, reason: string, cause?: unknown): WaypostError {
  return new WaypostError('bad_signing_key', `Cannot sign with the DNSKEY with key tag ${tag}: ${reason}.`, { cause });
}

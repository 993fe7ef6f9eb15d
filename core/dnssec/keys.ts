/** Key pairs of zones: made, loaded from what is stored, and signing (RFC 6605, RFC 8080). */
import { WaypostError } from '../base/errors.ts';
import { ALGORITHM, type Algorithm, algorithmOf, dnskeyRdata, keyIdentity, keyTag, publicKeyOf } from './dnskey.ts';
import { type Ed25519Key, generateEd25519Seed, loadEd25519Key, signEd25519 } from './ed25519.ts';
import { generateP256Scalar, loadP256Key, type P256Key, type P256Request, signP256Batch } from './p256.ts';

/** Bytes of a private key of either algorithm: the scalar of P-256, the seed of Ed25519. */
export const PRIVATE_KEY_LENGTH = 32;
/** Bytes of a signature of either algorithm. */
export const SIGNATURE_LENGTH = 64;

export interface KeyPair {
  /** The rdata of the DNSKEY, flags 257. */
  readonly dnskey: Uint8Array;
  /** 32 bytes, to be sealed and then wiped by the caller. */
  readonly privateKey: Uint8Array;
}

/** A message to sign. */
export interface SigningInput {
  readonly key: SigningKey;
  readonly message: Uint8Array;
  /** Its SHA-256, 32 bytes. */
  readonly digest: Uint8Array;
}

type Secret =
  | { readonly algorithm: typeof ALGORITHM.ECDSAP256SHA256; readonly key: P256Key }
  | { readonly algorithm: typeof ALGORITHM.ED25519; readonly key: Ed25519Key };

/** A new key pair for a zone. `takenTags`: the key tags of its other DNSKEY records. */
export function generateKeyPair(algorithm: Algorithm, takenTags: ReadonlySet<number> = new Set()): KeyPair {
  for (;;) {
    const privateKey = algorithm === ALGORITHM.ED25519 ? generateEd25519Seed() : generateP256Scalar();
    const dnskey = dnskeyRdata(algorithm, loadSecret(algorithm, privateKey).key.publicKey);
    if (!takenTags.has(keyTag(dnskey))) return { dnskey, privateKey };
  }
}

/**
 * A key that can sign. Logs and JSON do not show its private part, and a message to a thread does
 * not contain it.
 */
export class SigningKey {
  readonly algorithm: Algorithm;
  /** The rdata of its DNSKEY. */
  readonly dnskey: Uint8Array;
  /** RFC 4034 appendix B. Not unique: see `identity`. */
  readonly tag: number;
  /** SHA-256 of the public key, 32 bytes. */
  readonly identity: Uint8Array;
  readonly #secret: Secret;

  /**
   * Loads a stored key pair. `privateKey`: 32 bytes, which are copied. Throws WaypostError
   * `bad_signing_key` if the private key does not belong to the DNSKEY, or the DNSKEY has an
   * algorithm that we do not sign with.
   */
  constructor({ dnskey, privateKey }: KeyPair) {
    this.dnskey = dnskey.slice();
    this.tag = keyTag(dnskey);
    this.identity = keyIdentity(dnskey);
    const algorithm = algorithmOf(dnskey);
    if (!isAlgorithm(algorithm)) throw badKey(this.tag, `algorithm ${algorithm} is not supported`);
    this.algorithm = algorithm;
    try {
      this.#secret = loadSecret(algorithm, privateKey);
    } catch (cause) {
      throw badKey(this.tag, 'the private key is malformed', cause);
    }
    if (Buffer.compare(this.#secret.key.publicKey, publicKeyOf(dnskey)) !== 0)
      throw badKey(this.tag, 'the private key belongs to another public key');
  }

  /** Signatures in the order of the inputs, 64 bytes each. Those of P-256 cost half in one call. */
  static signAll(inputs: readonly SigningInput[]): Uint8Array[] {
    const signatures = new Array<Uint8Array>(inputs.length);
    const batch: P256Request[] = [];
    const positions: number[] = [];
    for (let i = 0; i < inputs.length; i++) {
      const { key, message, digest } = inputs[i];
      const secret = key.#secret;
      if (secret.algorithm === ALGORITHM.ED25519) signatures[i] = signEd25519(secret.key, message);
      else {
        batch.push({ key: secret.key, digest });
        positions.push(i);
      }
    }
    signP256Batch(batch).forEach((signature, i) => {
      signatures[positions[i]] = signature;
    });
    return signatures;
  }
}

function isAlgorithm(number: number): number is Algorithm {
  return number === ALGORITHM.ECDSAP256SHA256 || number === ALGORITHM.ED25519;
}

/** Throws RangeError if the private key is none of the algorithm. */
function loadSecret(algorithm: Algorithm, privateKey: Uint8Array): Secret {
  return algorithm === ALGORITHM.ED25519
    ? { algorithm, key: loadEd25519Key(privateKey) }
    : { algorithm, key: loadP256Key(privateKey) };
}

function badKey(tag: number, reason: string, cause?: unknown): WaypostError {
  return new WaypostError('bad_signing_key', `Cannot sign with the DNSKEY with key tag ${tag}: ${reason}.`, { cause });
}

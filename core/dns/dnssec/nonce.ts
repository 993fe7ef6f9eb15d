/**
 * The nonces of deterministic ECDSA (RFC 6979 3.2): HMAC_DRBG with SHA-256, for curves whose order
 * has 256 bits. HMAC is two calls of `crypto.hash`: 0.5 µs, where `createHmac` takes 1.5 µs.
 */
import { hash } from 'node:crypto';

/** Bytes of a SHA-256 digest, a private key, a reduced digest and a nonce. */
const LENGTH = 32;
/** Bytes of a block of SHA-256 (RFC 2104 section 2). */
const BLOCK = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;
/** V, a separator, the private key and the digest. */
const SEED_LENGTH = LENGTH + 1 + 2 * LENGTH;

/** Offsets in the inner block of HMAC. */
const V = BLOCK;
const SEPARATOR = V + LENGTH;
const PRIVATE_KEY = SEPARATOR + 1;
const DIGEST = PRIVATE_KEY + LENGTH;

export class NonceSource {
  /** The padded key of HMAC, then the message: V, separator, private key, digest. */
  readonly #inner = Buffer.alloc(BLOCK + SEED_LENGTH);
  /** The padded key of HMAC, then the inner hash. */
  readonly #outer = Buffer.alloc(BLOCK + LENGTH);
  readonly #key = Buffer.alloc(LENGTH);
  readonly #value = this.#inner.subarray(V, V + LENGTH);
  readonly #uptoValue = this.#inner.subarray(0, SEPARATOR);
  readonly #uptoSeparator = this.#inner.subarray(0, PRIVATE_KEY);
  #isFirst = true;

  /** Steps b to g. Both have 32 bytes; `digest` is reduced modulo the order (bits2octets). */
  seed(privateKey: Uint8Array, digest: Uint8Array): void {
    this.#inner.fill(INNER_PAD, 0, BLOCK);
    this.#outer.fill(OUTER_PAD, 0, BLOCK);
    this.#value.fill(1);
    this.#inner.set(privateKey, PRIVATE_KEY);
    this.#inner.set(digest, DIGEST);
    this.#key.fill(0);
    this.#updateKey(this.#inner, 0);
    this.#updateKey(this.#inner, 1);
    this.#isFirst = true;
  }

  /** The next candidate (step h), 32 bytes. A view that is valid until the next call. */
  next(): Uint8Array {
    if (!this.#isFirst) this.#updateKey(this.#uptoSeparator, 0);
    this.#isFirst = false;
    this.#authenticate(this.#uptoValue, this.#value);
    return this.#value;
  }

  /** Overwrites the secrets. */
  wipe(): void {
    this.#inner.fill(0);
    this.#outer.fill(0);
    this.#key.fill(0);
  }

  /** K = HMAC_K(V || separator || …), V = HMAC_K(V). */
  #updateKey(message: Buffer, separator: number): void {
    this.#inner[SEPARATOR] = separator;
    this.#authenticate(message, this.#key);
    for (let i = 0; i < LENGTH; i++) {
      this.#inner[i] = this.#key[i] ^ INNER_PAD;
      this.#outer[i] = this.#key[i] ^ OUTER_PAD;
    }
    this.#authenticate(this.#uptoValue, this.#value);
  }

  /** HMAC of what follows the padded key in `message`. Digests as byte strings are the fastest. */
  #authenticate(message: Buffer, to: Buffer): void {
    this.#outer.write(hash('sha256', message, 'binary'), BLOCK, 'binary');
    to.write(hash('sha256', this.#outer, 'binary'), 'binary');
  }
}

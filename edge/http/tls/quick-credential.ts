/**
 * Fast parser of a certificate and its key: 22 µs for both, where OpenSSL's readers take 225. Those
 * try every decoder, for the private key and for the certificate's public key. Here the certificate
 * is decoded in a library context without decoders, so its public key stays bytes. The private key,
 * in the usual encoding of P-256 and P-384 keys, is built from its numbers. It is also set as the
 * certificate's public key.
 *
 * The certificate's public key has to equal that of the private key, byte by byte. The certificate
 * has to encode to its input again. Everything else goes to OpenSSL's readers (credentials.ts).
 */
import { fixedMemory, loadOpenssl, type Openssl } from './openssl.ts';

/** NID_X9_62_prime256v1, NID_secp384r1 and EVP_PKEY_EC of obj_mac.h. */
const P256 = 415;
const P384 = 715;
const EC = 408;

/**
 * Addresses of OpenSSL objects that the parser needs. The threads of the process share them, and
 * they are never freed.
 */
export interface QuickTools {
  /** OSSL_LIB_CTX without decoders. */
  readonly library: number;
  /** EC_GROUPs, in the order of `CURVES`. */
  readonly groups: readonly number[];
  /**
   * EC_KEY_METHOD: a copy of OpenSSL's default. OpenSSL does not export a key with another method
   * to a provider, so the key signs directly. Otherwise the first signature rebuilds the key, curve
   * included, for the provider: 30 µs of 280. For an uncached certificate each is the first.
   */
  readonly method: number;
}

interface Curve {
  readonly nid: number;
  /**
   * DER of a PrivateKeyInfo (RFC 5208) with an ECPrivateKey (RFC 5915): the bytes before the
   * private number, and those between the number and the point. The point is last.
   */
  readonly head: Buffer;
  readonly between: Buffer;
  /** DER of a SubjectPublicKeyInfo (RFC 5480): the bytes before the point. */
  readonly publicHead: Buffer;
  /** Bytes of the private number. */
  readonly scalar: number;
  /** Bytes of the point, uncompressed (SEC 1 section 2.3.3). */
  readonly point: number;
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

const CURVES: readonly Curve[] = [
  {
    nid: P256,
    head: hex('308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420'),
    between: hex('a144034200'),
    publicHead: hex('3059301306072a8648ce3d020106082a8648ce3d030107034200'),
    scalar: 32,
    point: 65,
  },
  {
    nid: P384,
    head: hex('3081b6020100301006072a8648ce3d020106052b8104002204819e30819b0201010430'),
    between: hex('a164036200'),
    publicHead: hex('3076301006072a8648ce3d020106052b81040022036200'),
    scalar: 48,
    point: 97,
  },
];

let sharedTools: QuickTools | null | undefined;

/**
 * To be called on the main thread, which outlives the others. Null: this OpenSSL does not support
 * it.
 */
export function quickTools(): QuickTools | null {
  sharedTools ??= createTools();
  return sharedTools;
}

function createTools(): QuickTools | null {
  try {
    const openssl = loadOpenssl();
    const library = openssl.OSSL_LIB_CTX_new();
    // Without a provider the library context would load the default one.
    if (library === 0 || openssl.OSSL_PROVIDER_load(library, 'null') === 0) return null;
    const groups = CURVES.map(({ nid }) => openssl.EC_GROUP_new_by_curve_name(nid));
    const method = openssl.EC_KEY_METHOD_new(openssl.EC_KEY_OpenSSL());
    return groups.includes(0) || method === 0 ? null : { library, groups, method };
  } catch {
    return null;
  }
}

const CERTIFICATE = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;
const KEY_BEGIN = '-----BEGIN PRIVATE KEY-----';
const KEY_END = '-----END PRIVATE KEY-----';
/** Bytes of a certificate. OpenSSL's readers parse larger ones. */
const MAX_CERTIFICATE = 16_384;
/** Bytes of a private key. Keys on P-256 and P-384 are shorter. */
const MAX_KEY = 512;

/** An X509 and an EVP_PKEY, which the caller frees. */
interface QuickCredential {
  readonly certificate: number;
  readonly key: number;
}

export class QuickReader {
  readonly #openssl: Openssl;
  readonly #tools: QuickTools;
  /** The certificate. */
  readonly #der = fixedMemory(MAX_CERTIFICATE);
  /** The certificate or a part of it, encoded again. */
  readonly #written = fixedMemory(2 * MAX_CERTIFICATE);
  readonly #secret = fixedMemory(MAX_KEY).bytes;
  /** X509 **, unsigned char **. */
  readonly #object = fixedMemory(8);
  readonly #position = fixedMemory(8);

  constructor(openssl: Openssl, tools: QuickTools) {
    this.#openssl = openssl;
    this.#tools = tools;
  }

  /** Parses a certificate (DER or PEM) and its key (PEM). Undefined: OpenSSL has to parse them. */
  read(certificate: Uint8Array | string, key: string): QuickCredential | undefined {
    const length =
      typeof certificate === 'string' ? this.#decode(CERTIFICATE.exec(certificate)?.[1]) : this.#copy(certificate);
    const end = key.indexOf(KEY_END);
    if (length === 0 || end < 0 || end > MAX_KEY || !key.startsWith(KEY_BEGIN)) return undefined;
    if (key.slice(end + KEY_END.length).trim() !== '') return undefined;
    const secret = this.#secret.subarray(0, this.#secret.write(key.slice(KEY_BEGIN.length, end), 'base64'));
    try {
      const i = CURVES.findIndex((curve) => hasFormOf(curve, secret));
      return i < 0 ? undefined : this.#build(length, secret, CURVES[i], this.#tools.groups[i]);
    } finally {
      secret.fill(0);
    }
  }

  /** Decodes into `#der`. Returns the length; 0: no certificate, or too large. */
  #decode(base64: string | undefined): number {
    return base64 === undefined || base64.length > MAX_CERTIFICATE ? 0 : this.#der.bytes.write(base64, 'base64');
  }

  #copy(der: Uint8Array): number {
    if (der.length > MAX_CERTIFICATE) return 0;
    this.#der.bytes.set(der);
    return der.length;
  }

  #build(length: number, secret: Buffer, curve: Curve, group: number): QuickCredential | undefined {
    const openssl = this.#openssl;
    const certificate = this.#readCertificate(length);
    if (certificate === 0) return undefined;
    const point = secret.subarray(secret.length - curve.point);
    const key = this.#isKeyOf(certificate, curve, point) ? this.#makeKey(secret, curve, point, group) : 0;
    if (key !== 0 && openssl.X509_set_pubkey(certificate, key) === 1 && this.#encodesToInput(certificate, length))
      return { certificate, key };
    openssl.X509_free(certificate);
    if (key !== 0) openssl.EVP_PKEY_free(key);
    return undefined;
  }

  #readCertificate(length: number): number {
    const openssl = this.#openssl;
    const [object, position] = [this.#object, this.#position];
    writePointer(object.bytes, openssl.X509_new_ex(this.#tools.library, 0));
    writePointer(position.bytes, this.#der.address);
    // On failure d2i_X509 frees the object.
    return openssl.d2i_X509(object.address, position.address, length);
  }

  #isKeyOf(certificate: number, { publicHead }: Curve, point: Buffer): boolean {
    const { X509_get_X509_PUBKEY, i2d_X509_PUBKEY } = this.#openssl;
    const own = X509_get_X509_PUBKEY(certificate);
    const { length } = publicHead;
    const written = this.#rewind();
    return (
      i2d_X509_PUBKEY(own, this.#position.address) === length + point.length &&
      matchesAt(written, 0, publicHead) &&
      matchesAt(written, length, point)
    );
  }

  /** An EVP_PKEY; 0: the numbers are invalid for the curve. */
  #makeKey(secret: Buffer, { head, scalar }: Curve, point: Buffer, group: number): number {
    const openssl = this.#openssl;
    const numbers = openssl.EC_KEY_new();
    const key = openssl.EVP_PKEY_new();
    if (
      openssl.EC_KEY_set_method(numbers, this.#tools.method) === 1 &&
      openssl.EC_KEY_set_group(numbers, group) === 1 &&
      openssl.EC_KEY_oct2key(numbers, point, point.length, 0) === 1 &&
      openssl.EC_KEY_oct2priv(numbers, secret.subarray(head.length, head.length + scalar), scalar) === 1 &&
      openssl.EVP_PKEY_assign(key, EC, numbers) === 1
    )
      return key;
    openssl.EC_KEY_free(numbers);
    openssl.EVP_PKEY_free(key);
    return 0;
  }

  /** Whether the certificate encodes to the input. */
  #encodesToInput(certificate: number, length: number): boolean {
    const written = this.#rewind();
    return (
      this.#openssl.i2d_X509(certificate, this.#position.address) === length &&
      written.compare(this.#der.bytes, 0, length, 0, length) === 0
    );
  }

  #rewind(): Buffer {
    writePointer(this.#position.bytes, this.#written.address);
    return this.#written.bytes;
  }
}

/** Avoids the allocation of a BigInt. */
function writePointer(bytes: Buffer, address: number): void {
  bytes.writeUInt32LE(address >>> 0, 0);
  bytes.writeUInt32LE(Math.floor(address / 0x1_0000_0000), 4);
}

function hasFormOf({ head, between, scalar, point }: Curve, secret: Buffer): boolean {
  const middle = head.length + scalar;
  return (
    secret.length === middle + between.length + point &&
    matchesAt(secret, 0, head) &&
    matchesAt(secret, middle, between)
  );
}

/** For a few bytes a loop is faster than `compare`. */
function matchesAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < expected.length; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

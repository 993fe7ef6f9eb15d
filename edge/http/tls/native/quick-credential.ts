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
import { C, loadOpenssl, NULL, type Openssl, type Pointer } from './library.ts';
import { Memory } from './memory.ts';
import type { Handle, Objects } from './ownership.ts';

/**
 * OpenSSL objects that the parser needs. The threads of the process share them, read them only, and
 * never free them.
 */
export interface QuickTools {
  /** Has no decoders. */
  readonly library: Pointer<'OSSL_LIB_CTX'>;
  /** In the order of `CURVES`. */
  readonly groups: readonly Pointer<'EC_GROUP'>[];
  /**
   * A copy of OpenSSL's default. OpenSSL does not export a key with another method
   * to a provider, so the key signs directly. Otherwise the first signature rebuilds the key, curve
   * included, for the provider: 30 µs of 280. For an uncached certificate each is the first.
   */
  readonly method: Pointer<'EC_KEY_METHOD'>;
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
    nid: C.NID_X9_62_prime256v1,
    head: hex('308187020100301306072a8648ce3d020106082a8648ce3d030107046d306b0201010420'),
    between: hex('a144034200'),
    publicHead: hex('3059301306072a8648ce3d020106082a8648ce3d030107034200'),
    scalar: 32,
    point: 65,
  },
  {
    nid: C.NID_secp384r1,
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
 * it. `given`: for tests.
 */
export function quickTools(given?: Openssl): QuickTools | null {
  if (given !== undefined) return createTools(given);
  if (sharedTools === undefined) {
    try {
      sharedTools = createTools(loadOpenssl());
    } catch {
      sharedTools = null;
    }
  }
  return sharedTools;
}

function createTools(openssl: Openssl): QuickTools | null {
  const library = openssl.OSSL_LIB_CTX_new();
  // Without a provider the library context would load the default one.
  const isEmpty = library !== NULL && openssl.OSSL_PROVIDER_load(library, 'null') !== NULL;
  const groups = isEmpty ? CURVES.map(({ nid }) => openssl.EC_GROUP_new_by_curve_name(nid)) : [NULL];
  const method = openssl.EC_KEY_METHOD_new(openssl.EC_KEY_OpenSSL());
  openssl.ERR_clear_error();
  return groups.includes(NULL) || method === NULL ? null : { library, groups, method };
}

const CERTIFICATE = /^-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----\s*$/;
const KEY_BEGIN = '-----BEGIN PRIVATE KEY-----';
const KEY_END = '-----END PRIVATE KEY-----';
/** Bytes of a certificate. OpenSSL's readers parse larger ones. */
const MAX_CERTIFICATE = 16_384;
/** Bytes of a private key. Keys on P-256 and P-384 are shorter. */
const MAX_KEY = 512;

/** The caller frees both. */
export interface Credential {
  readonly certificate: Handle<'X509'>;
  readonly key: Handle<'EVP_PKEY'>;
}

export class QuickReader {
  readonly #objects: Objects;
  readonly #tools: QuickTools;
  /** The certificate. */
  readonly #der = new Memory(MAX_CERTIFICATE);
  /** The certificate or a part of it, encoded again. */
  readonly #written = new Memory(2 * MAX_CERTIFICATE);
  readonly #secret = new Memory(MAX_KEY).bytes;
  /** X509 **, unsigned char **. */
  readonly #object = new Memory(8);
  readonly #position = new Memory(8);

  constructor(objects: Objects, tools: QuickTools) {
    this.#objects = objects;
    this.#tools = tools;
  }

  /** Parses a certificate (DER or PEM) and its key (PEM). Undefined: OpenSSL has to parse them. */
  read(certificate: Uint8Array | string, key: string): Credential | undefined {
    const length =
      typeof certificate === 'string' ? this.#decode(CERTIFICATE.exec(certificate)?.[1]) : this.#copy(certificate);
    const end = key.indexOf(KEY_END);
    if (length === 0 || end < 0 || end > MAX_KEY || !key.startsWith(KEY_BEGIN)) return undefined;
    if (key.slice(end + KEY_END.length).trim() !== '') return undefined;
    const secret = this.#secret.subarray(0, this.#secret.write(key.slice(KEY_BEGIN.length, end), 'base64'));
    this.#objects.openssl.ERR_clear_error();
    try {
      const i = CURVES.findIndex((curve) => hasFormOf(curve, secret));
      return i < 0 ? undefined : this.#build(length, secret, CURVES[i], this.#tools.groups[i]);
    } finally {
      secret.fill(0);
      this.#objects.openssl.ERR_clear_error();
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

  #build(length: number, secret: Buffer, curve: Curve, group: Pointer<'EC_GROUP'>): Credential | undefined {
    const { openssl } = this.#objects;
    const certificate = this.#readCertificate(length);
    if (certificate === null) return undefined;
    const point = secret.subarray(secret.length - curve.point);
    const key = this.#isKeyOf(certificate, curve, point) ? this.#makeKey(secret, curve, point, group) : null;
    if (
      key !== null &&
      openssl.X509_set_pubkey(certificate.pointer, key.pointer) === 1 &&
      this.#encodesToInput(certificate, length)
    )
      return { certificate, key };
    certificate.free();
    key?.free();
    return undefined;
  }

  #readCertificate(length: number): Handle<'X509'> | null {
    const { openssl } = this.#objects;
    const created = openssl.X509_new_ex(this.#tools.library, NULL);
    if (created === NULL) return null;
    this.#object.writePointer(0, created);
    this.#position.writePointer(0, this.#der.address);
    // On failure d2i_X509 frees the object.
    const certificate = openssl.d2i_X509(this.#object.address, this.#position.address, length);
    return certificate === NULL ? null : this.#objects.own('X509', certificate, 'a certificate');
  }

  #isKeyOf(certificate: Handle<'X509'>, { publicHead }: Curve, point: Buffer): boolean {
    const { X509_get_X509_PUBKEY, i2d_X509_PUBKEY } = this.#objects.openssl;
    const own = X509_get_X509_PUBKEY(certificate.pointer);
    const { length } = publicHead;
    const written = this.#rewind();
    return (
      i2d_X509_PUBKEY(own, this.#position.address) === length + point.length &&
      matchesAt(written, 0, publicHead) &&
      matchesAt(written, length, point)
    );
  }

  /** Null: the numbers are invalid for the curve. */
  #makeKey(
    secret: Buffer,
    { head, scalar }: Curve,
    point: Buffer,
    group: Pointer<'EC_GROUP'>,
  ): Handle<'EVP_PKEY'> | null {
    const { openssl } = this.#objects;
    const [numbers, key] = [openssl.EC_KEY_new(), openssl.EVP_PKEY_new()];
    if (
      numbers !== NULL &&
      key !== NULL &&
      openssl.EC_KEY_set_method(numbers, this.#tools.method) === 1 &&
      openssl.EC_KEY_set_group(numbers, group) === 1 &&
      openssl.EC_KEY_oct2key(numbers, point, point.length, NULL) === 1 &&
      openssl.EC_KEY_oct2priv(numbers, secret.subarray(head.length, head.length + scalar), scalar) === 1 &&
      openssl.EVP_PKEY_assign(key, C.EVP_PKEY_EC, numbers) === 1
    )
      return this.#objects.own('EVP_PKEY', key, 'a private key');
    // Both accept NULL. EVP_PKEY_assign takes the numbers over only if it succeeds.
    openssl.EC_KEY_free(numbers);
    openssl.EVP_PKEY_free(key);
    return null;
  }

  /** Whether the certificate encodes to the input. */
  #encodesToInput(certificate: Handle<'X509'>, length: number): boolean {
    const written = this.#rewind();
    return (
      this.#objects.openssl.i2d_X509(certificate.pointer, this.#position.address) === length &&
      written.compare(this.#der.bytes, 0, length, 0, length) === 0
    );
  }

  #rewind(): Buffer {
    this.#position.writePointer(0, this.#written.address);
    return this.#written.bytes;
  }
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

/**
 * A certificate with its key by a short way: 22 µs for both where OpenSSL's readers take 225. Those
 * look through every decoder that there is, for the private key and for the public one that a
 * certificate holds. Here it is decoded in a library context without decoders, so that its key
 * stays bytes. The private key, of the one form in which keys on the usual curves are written, is
 * put together from its numbers, and stands in the certificate as its public key, too.
 *
 * The certificate's key has to be that of the private key, byte by byte, and what OpenSSL would
 * send the certificate as it was given. Whatever is not just so goes the long way.
 */
import { fixedMemory, loadOpenssl, type Openssl } from './openssl.ts';

/** NID_X9_62_prime256v1, NID_secp384r1 and EVP_PKEY_EC of obj_mac.h. */
const P256 = 415;
const P384 = 715;
const EC = 408;

/**
 * What OpenSSL is asked with, one for the process: addresses, which all threads read and nobody
 * frees.
 */
export interface QuickTools {
  /** OSSL_LIB_CTX without decoders. */
  readonly library: number;
  /** EC_GROUPs, in the order of `CURVES`. */
  readonly groups: readonly number[];
  /**
   * EC_KEY_METHOD: OpenSSL's own under another address. A key of another method is one that
   * providers are not given, so it signs where it is. Else its first signature makes OpenSSL build
   * it again for its provider, curve and all: 30 µs of 280, and each is the first for a certificate
   * that is not kept.
   */
  readonly method: number;
}

interface Curve {
  readonly nid: number;
  /**
   * PrivateKeyInfo (RFC 5208) around ECPrivateKey (RFC 5915), in DER: what stands before the
   * number, as long as `scalar`, and between it and the point, which ends it.
   */
  readonly head: Buffer;
  readonly between: Buffer;
  /** SubjectPublicKeyInfo (RFC 5480), in DER: what stands before the point. */
  readonly publicHead: Buffer;
  /** Bytes of the number. */
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

let made: QuickTools | null | undefined;

/** To be called on main, which outlives its threads. Null: this OpenSSL does not do it. */
export function quickTools(): QuickTools | null {
  made ??= make();
  return made;
}

function make(): QuickTools | null {
  try {
    const openssl = loadOpenssl();
    const library = openssl.OSSL_LIB_CTX_new();
    // Else it would load the usual one by itself.
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
/** Bytes of a certificate; larger ones go the long way. */
const MOST = 16_384;
/** Bytes of a private key; those of the curves are shorter. */
const MOST_OF_KEY = 512;

/** An X509 and an EVP_PKEY, the caller's. */
interface QuickCredential {
  readonly certificate: number;
  readonly key: number;
}

export class QuickReader {
  readonly #openssl: Openssl;
  readonly #tools: QuickTools;
  /** A certificate, and what of it is written again. */
  readonly #der = fixedMemory(MOST);
  /** DER is no longer than what else the same may be written as. */
  readonly #written = fixedMemory(2 * MOST);
  readonly #secret = fixedMemory(MOST_OF_KEY).bytes;
  /** X509 **, unsigned char **. */
  readonly #object = fixedMemory(8);
  readonly #position = fixedMemory(8);

  constructor(openssl: Openssl, tools: QuickTools) {
    this.#openssl = openssl;
    this.#tools = tools;
  }

  /** Of a certificate, DER or PEM, and its key, PEM. Undefined: the long way has to tell. */
  read(certificate: Uint8Array | string, key: string): QuickCredential | undefined {
    const length =
      typeof certificate === 'string' ? this.#decode(CERTIFICATE.exec(certificate)?.[1]) : this.#take(certificate);
    const end = key.indexOf(KEY_END);
    if (length === 0 || end < 0 || end > MOST_OF_KEY || !key.startsWith(KEY_BEGIN)) return undefined;
    if (key.slice(end + KEY_END.length).trim() !== '') return undefined;
    const secret = this.#secret.subarray(0, this.#secret.write(key.slice(KEY_BEGIN.length, end), 'base64'));
    try {
      const i = CURVES.findIndex((curve) => isOf(curve, secret));
      return i < 0 ? undefined : this.#join(length, secret, CURVES[i], this.#tools.groups[i]);
    } finally {
      secret.fill(0);
    }
  }

  /** Bytes of the DER that is now in memory; 0: there is none, or it is too large. */
  #decode(base64: string | undefined): number {
    return base64 === undefined || base64.length > MOST ? 0 : this.#der.bytes.write(base64, 'base64');
  }

  #take(der: Uint8Array): number {
    if (der.length > MOST) return 0;
    this.#der.bytes.set(der);
    return der.length;
  }

  #join(length: number, secret: Buffer, curve: Curve, group: number): QuickCredential | undefined {
    const openssl = this.#openssl;
    const certificate = this.#readCertificate(length);
    if (certificate === 0) return undefined;
    const point = secret.subarray(secret.length - curve.point);
    const key = this.#isKeyOf(certificate, curve, point) ? this.#makeKey(secret, curve, point, group) : 0;
    if (key !== 0 && openssl.X509_set_pubkey(certificate, key) === 1 && this.#isAsGiven(certificate, length))
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
    // One that it cannot read it frees.
    return openssl.d2i_X509(object.address, position.address, length);
  }

  #isKeyOf(certificate: number, { publicHead }: Curve, point: Buffer): boolean {
    const { X509_get_X509_PUBKEY, i2d_X509_PUBKEY } = this.#openssl;
    const own = X509_get_X509_PUBKEY(certificate);
    const { length } = publicHead;
    const written = this.#rewind();
    return (
      i2d_X509_PUBKEY(own, this.#position.address) === length + point.length &&
      isAt(written, 0, publicHead) &&
      isAt(written, length, point)
    );
  }

  /** An EVP_PKEY; 0: the numbers are none of the curve. */
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

  /** Whether what is sent is the input. */
  #isAsGiven(certificate: number, length: number): boolean {
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

/** Without a BigInt, which is made for each. */
function writePointer(bytes: Buffer, address: number): void {
  bytes.writeUInt32LE(address >>> 0, 0);
  bytes.writeUInt32LE(Math.floor(address / 0x1_0000_0000), 4);
}

function isOf({ head, between, scalar, point }: Curve, secret: Buffer): boolean {
  const middle = head.length + scalar;
  return secret.length === middle + between.length + point && isAt(secret, 0, head) && isAt(secret, middle, between);
}

/** For few bytes quicker than to ask for it. */
function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

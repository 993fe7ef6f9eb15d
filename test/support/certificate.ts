/**
 * Creates certificates at run time, so that none expires: DER (X.690) of the fields in RFC 5280
 * 4.1, signed with node:crypto.
 */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const ecKey = (namedCurve = 'prime256v1'): KeyPair => generateKeyPairSync('ec', { namedCurve });

const rsaKeys = new Map<string, KeyPair>();

/**
 * Cached for the process, since generating a key takes a tenth of a second. Another `index` returns
 * another key.
 */
export function rsaKey(modulusLength: number, index = 0): KeyPair {
  const id = `${modulusLength} ${index}`;
  const key = rsaKeys.get(id) ?? generateKeyPairSync('rsa', { modulusLength });
  rsaKeys.set(id, key);
  return key;
}

export const pemOfKey = ({ privateKey }: KeyPair): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

export interface Issuer {
  readonly name: string;
  readonly key: KeyPair;
}

export interface CertificateOptions {
  readonly name: string;
  readonly key: KeyPair;
  /** Default: self-signed. */
  readonly issuer?: Issuer;
  readonly dnsNames?: readonly string[];
  /** IP addresses of 4 or 16 bytes. */
  readonly addresses?: readonly Uint8Array[];
  readonly ca?: boolean;
  /** Extended key usage, as object identifiers. */
  readonly usage?: readonly string[];
  /** TLS extension numbers for the TLS feature extension (RFC 7633). */
  readonly features?: readonly number[];
  /** URL of the OCSP responder. */
  readonly responder?: string;
  /** Days from now. */
  readonly from?: number;
  readonly to?: number;
  readonly hash?: 'sha1' | 'sha256';
}

/** Returns PEM. */
export function certificate(options: CertificateOptions): string {
  const {
    name,
    key,
    dnsNames = [],
    addresses = [],
    ca = false,
    usage = [],
    features = [],
    from = -1,
    to = 90,
    hash = 'sha256',
  } = options;
  const issuer = options.issuer ?? { name, key };
  const algorithm = sequence(...ALGORITHMS[`${issuer.key.privateKey.asymmetricKeyType} ${hash}`]);
  const alternatives = [
    ...dnsNames.map((dnsName) => tlv(0x82, Buffer.from(dnsName))),
    ...addresses.map((address) => tlv(0x87, Buffer.from(address))),
  ];
  const extensions = [
    ...(alternatives.length === 0 ? [] : [extension('2.5.29.17', sequence(...alternatives))]),
    ...(ca ? [extension('2.5.29.19', sequence(tlv(0x01, Buffer.of(0xff))))] : []),
    ...(usage.length === 0 ? [] : [extension('2.5.29.37', sequence(...usage.map(oid)))]),
    ...(options.responder === undefined
      ? []
      : [
          extension(
            '1.3.6.1.5.5.7.1.1',
            sequence(sequence(oid('1.3.6.1.5.5.7.48.1'), tlv(0x86, Buffer.from(options.responder)))),
          ),
        ]),
    ...(features.length === 0
      ? []
      : [extension('1.3.6.1.5.5.7.1.24', sequence(...features.map((feature) => tlv(0x02, Buffer.of(feature)))))]),
  ];
  const body = sequence(
    tlv(0xa0, tlv(0x02, Buffer.of(2))),
    tlv(0x02, Buffer.of(++serial)),
    algorithm,
    distinguished(issuer.name),
    sequence(time(from), time(to)),
    distinguished(name),
    key.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [tlv(0xa3, sequence(...extensions))]),
  );
  const signature = sign(hash, body, issuer.key.privateKey);
  const der = sequence(body, algorithm, tlv(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

let serial = 0;

function tlv(tag: number, content: Uint8Array): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Uint8Array[]): Buffer => tlv(0x30, Buffer.concat(parts));

function oid(text: string): Buffer {
  const [first, second, ...rest] = text.split('.').map(Number);
  const bytes = [first * 40 + second];
  for (const part of rest) {
    const digits = [part & 0x7f];
    for (let left = part >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
    bytes.push(...digits);
  }
  return tlv(0x06, Buffer.from(bytes));
}

const NULL = Buffer.of(0x05, 0);
const ALGORITHMS: Readonly<Record<string, Buffer[]>> = {
  'ec sha256': [oid('1.2.840.10045.4.3.2')],
  'ec sha1': [oid('1.2.840.10045.4.1')],
  'rsa sha256': [oid('1.2.840.113549.1.1.11'), NULL],
  'rsa sha1': [oid('1.2.840.113549.1.1.5'), NULL],
};

/** A distinguished name with only a common name. */
const distinguished = (name: string): Buffer =>
  sequence(tlv(0x31, sequence(oid('2.5.4.3'), tlv(0x0c, Buffer.from(name)))));

const extension = (id: string, content: Buffer): Buffer => sequence(oid(id), tlv(0x04, content));

/** UTCTime; its years end in 2049. */
function time(days: number): Buffer {
  const text = new Date(Date.now() + days * 86_400_000).toISOString().replace(/\D/g, '');
  return tlv(0x17, Buffer.from(`${text.slice(2, 14)}Z`));
}

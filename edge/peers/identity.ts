/**
 * The keys with which the edges of nodes authenticate each other. HKDF derives them from the key
 * file that all nodes share. The TLS key is pinned; the other key signs requests (peer-call.ts).
 */
import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  randomBytes,
  webcrypto,
} from 'node:crypto';
import type { Secrets } from '../../core/base/secrets.ts';
import type { TlsCertificate } from '../http/tls/certificate.ts';

/** The server name of connections between nodes. No site can have it (RFC 6761 section 6.4). */
export const PEER_SERVER_NAME = 'cache.waypost.invalid';

export interface PeerIdentity {
  readonly certificate: TlsCertificate;
  /** `pin-sha256` of the public keys that an owner may have: two while the key file is rotated. */
  readonly pins: readonly string[];
  /** The first key signs; all keys verify. */
  readonly signingKeys: readonly Uint8Array[];
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;
const LIFETIME = 3650 * DAY;
const KEY_BYTES = 32;

export async function createPeerIdentity(secrets: Pick<Secrets, 'derive'>): Promise<PeerIdentity> {
  const keys = secrets.derive('cache peers: tls', KEY_BYTES).map((bytes) => privateJwk(bytes));
  return {
    certificate: await certificateOf(keys[0]),
    pins: keys.map(pinOf),
    signingKeys: secrets.derive('cache peers: requests', KEY_BYTES).map((key) => Uint8Array.from(key)),
  };
}

/** Throws with a probability of 2^-32: the bytes are above the order of the curve. */
function privateJwk(bytes: Buffer): JsonWebKey {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(bytes);
  const point = ecdh.getPublicKey();
  return {
    kty: 'EC',
    crv: 'P-256',
    d: bytes.toString('base64url'),
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  };
}

function pinOf({ kty, crv, x, y }: JsonWebKey): string {
  const key = createPublicKey({ key: { kty, crv, x, y }, format: 'jwk' });
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64');
}

/** A self-signed certificate: peers verify only its public key. */
async function certificateOf(jwk: JsonWebKey): Promise<TlsCertificate> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  const { kty, crv, x, y } = jwk;
  const [privateKey, publicKey] = await Promise.all([
    webcrypto.subtle.importKey('jwk', jwk, ALGORITHM, true, ['sign']),
    webcrypto.subtle.importKey('jwk', { kty, crv, x, y }, ALGORITHM, true, ['verify']),
  ]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: `00${randomBytes(16).toString('hex')}`,
    notBefore: new Date(Date.now() - DAY),
    notAfter: new Date(Date.now() + LIFETIME),
    name: `CN=${PEER_SERVER_NAME}`,
    keys: { privateKey, publicKey },
    signingAlgorithm: ALGORITHM,
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: PEER_SERVER_NAME }])],
  });
  const key = createPrivateKey({ key: jwk, format: 'jwk' }).export({ type: 'pkcs8', format: 'pem' });
  return { cert: `${certificate.toString('pem')}\n`, key: key.toString() };
}

/**
 * The certificates of a cluster: its own authority signs a certificate for each node (ECDSA P-256).
 */
import { createPrivateKey, randomBytes, webcrypto, type X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../base/errors.ts';
import { readPrivateFile } from '../base/private-file.ts';
import { clusterFiles, type Placed } from './files.ts';
import { bundleOf } from './own-certificates.ts';

export interface Pair {
  /** PEM. */
  readonly certificate: string;
  /** PEM, PKCS #8. */
  readonly key: string;
}

export const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const DAY = 86_400_000;
/**
 * Milliseconds that certificates are valid. The certificate of a node ends with that of the
 * authority at the latest.
 */
const AUTHORITY_LIFETIME = 730 * DAY;
const NODE_LIFETIME = 365 * DAY;
/** Milliseconds by which the clock of a node may be behind. */
const EARLY = DAY;
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';

export async function createAuthority(): Promise<Pair> {
  const x509 = await loadX509();
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(AUTHORITY_LIFETIME),
    name: `CN=Waypost cluster ${randomBytes(4).toString('hex')}`,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificate: `${certificate.toString('pem')}\n`, key: await pemOf(keys.privateKey) };
}

/** The authority whose key is on this node. Throws ConfigError `no_authority`. */
export function readAuthority(config: Pick<Placed, 'dataDir' | 'peer'>): Pair {
  const { authority, ca } = clusterFiles(config);
  const key = readPrivateFile(authority);
  if (key === undefined)
    throw new ConfigError(
      'no_authority',
      `${authority} is missing. It exists only on the node where "waypost cluster init" was run.`,
    );
  // During a renewal the file has two authorities.
  const own = createPrivateKey(key);
  const certificate = bundleOf(readFileSync(ca, 'utf8')).find((issuer) => issuer.checkPrivateKey(own));
  if (certificate === undefined)
    throw new ConfigError('no_authority', `${ca} has no certificate of the key in ${authority}.`);
  return { certificate: certificate.toString(), key };
}

/**
 * Creates a key and a certificate for a node as server and as client. `hosts`: additional names and
 * addresses of the node. Throws Error for an invalid authority.
 */
export async function signNode(authority: Pair, name: string, hosts: readonly string[] = []): Promise<Pair> {
  const keys = await newKeys();
  const certificate = await signKey(authority, keys.publicKey, name, hosts);
  return { certificate, key: await pemOf(keys.privateKey) };
}

/** Reissues the certificate of a node for the same key, name and hosts. Throws Error. */
export async function signAgain(authority: Pair, name: string, certificate: X509Certificate): Promise<string> {
  const key = await webcrypto.subtle.importKey(
    'spki',
    certificate.publicKey.export({ type: 'spki', format: 'der' }),
    ALGORITHM,
    true,
    ['verify'],
  );
  const hosts = (certificate.subjectAltName ?? '')
    .split(', ')
    .map((entry) => entry.replace(/^(?:DNS|IP Address):/, ''))
    .filter((host) => host !== '' && host !== name);
  return signKey(authority, key, name, hosts);
}

async function signKey(
  authority: Pair,
  publicKey: webcrypto.CryptoKey,
  name: string,
  hosts: readonly string[],
): Promise<string> {
  const x509 = await loadX509();
  const issuer = new x509.X509Certificate(authority.certificate);
  const der = Buffer.from(authority.key.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
  const certificate = await x509.X509CertificateGenerator.create({
    ...validity(NODE_LIFETIME, issuer.notAfter),
    subject: `CN=${name}`,
    issuer: issuer.subject,
    publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([SERVER_AUTH, CLIENT_AUTH]),
      new x509.SubjectAlternativeNameExtension(
        [name, ...hosts].map((host) => ({ type: /^[\d.]+$|:/.test(host) ? 'ip' : 'dns', value: host })),
      ),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}

/** Loaded on demand: it is slow to load and rarely needed. */
export async function loadX509(): Promise<typeof import('@peculiar/x509')> {
  const x509 = await import('@peculiar/x509');
  x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
  return x509;
}

export const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

/**
 * Whether a certificate is to be replaced: at most a third of its life is left, or it is valid for
 * longer than this version allows.
 */
export function isDue({ validFrom, validTo }: X509Certificate, now = Date.now()): boolean {
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  return now >= to - (to - from) / 3 || to - from > AUTHORITY_LIFETIME;
}

function validity(lifetime: number, latest?: Date) {
  const from = Date.now() - EARLY;
  return {
    serialNumber: `00${randomBytes(16).toString('hex')}`,
    notBefore: new Date(from),
    notAfter: new Date(Math.min(from + lifetime, latest?.getTime() ?? Number.POSITIVE_INFINITY)),
  };
}

async function pemOf(key: webcrypto.CryptoKey): Promise<string> {
  const text = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key)).toString('base64');
  return `-----BEGIN PRIVATE KEY-----\n${text.match(/.{1,64}/g)!.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

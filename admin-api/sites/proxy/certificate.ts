/**
 * Checks whether the edge can serve a customer's certificate, and whether browsers accept it for
 * names of the domain. Certificates that fail everywhere are rejected. An unknown issuer is only a
 * warning: there is no list of root certificates, because a company may use its own CA.
 */
import { type KeyObject, sign, verify, type X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { InvalidError } from '../../../core/base/errors.ts';
import { CoveredNames } from '../../../core/site/tls/covered-names.ts';
import { requiresStapling } from '../../../core/site/tls/must-staple.ts';
import { hasWeakSignature } from '../../../core/site/tls/weak-signature.ts';
import { formatTime } from '../../http/time.ts';
import { readChain, readKey, rejectCertificate, rejectKey } from './pem.ts';

export interface CheckedCertificate {
  /** PEM, the leaf first, without text between the blocks. */
  readonly chain: string;
  /** PEM, PKCS #8. Secret. */
  readonly privateKey: string;
  readonly keyType: 'ecdsa' | 'rsa';
  /** Seconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SHA-256 of the leaf, in hexadecimal with colons. */
  readonly fingerprint: string;
  readonly names: CoveredNames;
  readonly warnings: readonly string[];
}

/** Seconds before the expiry at which a warning starts: ACME clients renew a month before. */
const EXPIRY_WARNING = 30 * 86_400;

/**
 * `domain`: the apex in A-labels without a trailing dot. `now`: seconds since 1970. Throws
 * InvalidError with the pointer `/certificate`: `invalid_certificate`, `certificate_chain`,
 * `certificate_expired`, `certificate_not_yet_valid`, `certificate_names`, `certificate_usage`,
 * `certificate_must_staple`; or with `/private_key`: `invalid_private_key`, `unsupported_key`,
 * `key_mismatch`.
 */
export function checkCertificate(
  certificate: string,
  privateKey: string,
  domain: string,
  now: number,
): CheckedCertificate {
  const chain = readChain(certificate);
  const key = readKey(privateKey);
  const [leaf] = chain;
  checkKey(key);
  checkMatch(chain, key);
  checkOrder(chain);
  for (const [i, member] of chain.entries()) checkDates(member, i, now);
  checkUsage(leaf);
  checkStapling(leaf);
  const names = CoveredNames.read(leaf.subjectAltName);
  checkNames(names, domain);
  const pem = chain.map(String).join('');
  const pkcs8 = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  checkSignatures(chain);
  checkLoads(pem, pkcs8);
  const notAfter = parseSeconds(leaf.validTo);
  return {
    chain: pem,
    privateKey: pkcs8,
    keyType: key.asymmetricKeyType === 'rsa' ? 'rsa' : 'ecdsa',
    notBefore: parseSeconds(leaf.validFrom),
    notAfter,
    fingerprint: leaf.fingerprint256,
    names,
    warnings: warningsOf(chain, notAfter, now),
  };
}

/**
 * Checks an RSA certificate beside another one. Throws as `checkCertificate` does, with the
 * pointers `/rsa_certificate` and `/rsa_private_key`; also if the two do not belong together.
 */
export function checkRsaCertificate(
  certificate: string,
  privateKey: string,
  first: CheckedCertificate,
  domain: string,
  now: number,
): CheckedCertificate {
  const checked = atRsaFields(() => checkCertificate(certificate, privateKey, domain, now));
  if (first.keyType === 'rsa')
    return rejectRsa(
      'unsupported_key',
      'The first certificate has an RSA key already; send one with an ECDSA key as the first, or only one.',
    );
  if (checked.keyType !== 'rsa') return rejectRsa('unsupported_key', 'The second certificate needs an RSA key.');
  const missing = first.names.list().filter((name) => !checked.names.covers(name));
  if (missing.length > 0)
    return rejectRsa(
      'certificate_names',
      `The RSA certificate does not cover ${missing.slice(0, 5).join(', ')}. Request one with all names of the first.`,
    );
  return checked;
}

function rejectRsa(code: string, message: string): never {
  throw new InvalidError(code, message, { pointer: '/rsa_certificate' });
}

function atRsaFields<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof InvalidError) || error.pointer === undefined) throw error;
    throw new InvalidError(error.code, error.message, { pointer: error.pointer.replace('/', '/rsa_') });
  }
}

const SHORTEST_RSA = 2_048;
/** Maximum bits of an RSA key. A signature takes about seven times as long with each doubling. */
const MAX_RSA_BITS = 4_096;
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1']);

/**
 * Accepts the keys that all browsers support: RSA, and the two curves that the CA/Browser Forum's
 * requirements (6.1.5) also allow. Some browsers do not support Ed25519 or P-521.
 */
function checkKey(key: KeyObject): void {
  const { modulusLength = 0, namedCurve = '' } = key.asymmetricKeyDetails ?? {};
  const hint = 'Create a key with "openssl ecparam -genkey -name prime256v1 -noout", and request a certificate for it.';
  switch (key.asymmetricKeyType) {
    case 'rsa':
      if (modulusLength < SHORTEST_RSA)
        rejectKey(
          'unsupported_key',
          `The RSA key has ${modulusLength} bits, which browsers reject; the minimum is 2048. ${hint}`,
        );
      if (modulusLength > MAX_RSA_BITS)
        rejectKey(
          'unsupported_key',
          `The RSA key has ${modulusLength} bits; the maximum is 4096, because large keys slow down every connection. ${hint}`,
        );
      return;
    case 'ec':
      if (!CURVES.has(namedCurve))
        rejectKey(
          'unsupported_key',
          `The curve ${namedCurve} is not supported by all browsers; use P-256 or P-384. ${hint}`,
        );
      return;
    default:
      rejectKey(
        'unsupported_key',
        `Not all browsers support ${key.asymmetricKeyType ?? 'such'} keys; use ECDSA P-256 or P-384, or RSA. ${hint}`,
      );
  }
}

const PROBE = Buffer.from('waypost');

/** Signs a test message too: a damaged key can have the right public part and still not sign. */
function checkMatch(chain: readonly X509Certificate[], key: KeyObject): void {
  const at = chain.findIndex((certificate) => certificate.checkPrivateKey(key));
  if (at < 0)
    rejectKey(
      'key_mismatch',
      'The private key does not belong to the certificate. Send the key with which the certificate was requested.',
    );
  if (at > 0)
    rejectCertificate(
      'certificate_chain',
      `The private key belongs to certificate ${at + 1}: put that certificate first, then its issuer, and so on.`,
    );
  let works = false;
  try {
    works = verify('sha256', PROBE, chain[0].publicKey, sign('sha256', PROBE, key));
  } catch {
    // The numbers of the key are inconsistent.
  }
  if (!works) rejectKey('key_mismatch', 'The private key cannot sign for the certificate: it is damaged.');
}

function checkOrder(chain: readonly X509Certificate[]): void {
  for (let i = 0; i + 1 < chain.length; i++)
    if (!isIssuedBy(chain[i], chain[i + 1]))
      rejectCertificate(
        'certificate_chain',
        `Certificate ${i + 1} (${formatName(chain[i].subject)}) is not issued by certificate ${i + 2} (${formatName(chain[i + 1].subject)}). Put the certificate of the domain first, then its issuer, and so on.`,
      );
  const [leaf] = chain;
  // Tools create self-signed certificates with the CA flag, so those are accepted.
  if (leaf.ca && !isIssuedBy(leaf, leaf))
    rejectCertificate(
      'certificate_chain',
      'The first certificate is a CA certificate. Put the certificate of the domain first.',
    );
}

function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  try {
    return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey);
  } catch {
    // The public key cannot verify signatures.
    return false;
  }
}

function checkDates(certificate: X509Certificate, at: number, now: number): void {
  const what = at === 0 ? 'The certificate' : `Certificate ${at + 1} of the chain (${formatName(certificate.subject)})`;
  const from = parseSeconds(certificate.validFrom);
  const to = parseSeconds(certificate.validTo);
  if (to <= now)
    rejectCertificate('certificate_expired', `${what} expired at ${formatTime(to)} UTC. Send a valid one.`);
  if (from > now)
    rejectCertificate(
      'certificate_not_yet_valid',
      `${what} is not valid before ${formatTime(from)} UTC. Send it again after that time.`,
    );
}

const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const ANY_USAGE = '2.5.29.37.0';

/** RFC 5280 4.2.1.12: without the extension, every usage is allowed. */
function checkUsage(leaf: X509Certificate): void {
  // In Node, `keyUsage` is the extended key usage.
  const usage: readonly string[] = leaf.keyUsage ?? [];
  if (usage.length === 0 || usage.includes(SERVER_AUTH) || usage.includes(ANY_USAGE)) return;
  rejectCertificate(
    'certificate_usage',
    'The certificate is not for web servers (its extended key usage lacks serverAuth). Request a TLS server certificate.',
  );
}

function checkStapling(leaf: X509Certificate): void {
  if (!requiresStapling(leaf.raw)) return;
  rejectCertificate(
    'certificate_must_staple',
    'The certificate requires OCSP stapling ("must-staple", the TLS feature extension of RFC 7633), which this service does not support: browsers such as Firefox would reject the certificate. Request one without must-staple.',
  );
}

function checkNames(names: CoveredNames, domain: string): void {
  if (names.size === 0)
    rejectCertificate(
      'certificate_names',
      'The certificate has no DNS names (subjectAltName), which browsers require. Request a certificate with them.',
    );
  if (!names.list().some((name) => isInDomain(name, domain)))
    rejectCertificate(
      'certificate_names',
      `The certificate is for ${names.shown()}, not for ${domain} or a name below it. Request a certificate for names of the domain.`,
    );
}

/** Whether the certificate's name covers the apex or names below it. */
const isInDomain = (name: string, domain: string): boolean =>
  name === domain || name.endsWith(`.${domain}`) || name === `*.${domain.slice(domain.indexOf('.') + 1)}`;

/** Self-signed certificates are exempt: clients do not check the signature of a trusted root. */
function checkSignatures(chain: readonly X509Certificate[]): void {
  const at = chain.findIndex((link) => hasWeakSignature(link.raw) && !isIssuedBy(link, link));
  if (at >= 0)
    rejectCertificate(
      'invalid_certificate',
      `Certificate ${at + 1} is signed with SHA-1 or MD5, which browsers reject. Request a new certificate, with SHA-256 or better.`,
    );
}

/**
 * Loads the certificate like the edge does. OpenSSL rejects keys below 112 bits of security
 * anywhere in the chain.
 */
function checkLoads(cert: string, key: string): void {
  try {
    createSecureContext({ cert, key, ciphers: 'DEFAULT@SECLEVEL=2' });
  } catch (error) {
    const reason =
      error instanceof Error ? error.message.replace(/^error:[0-9A-F]+:/, '').replace(/.*::/, '') : 'unknown';
    rejectCertificate(
      'invalid_certificate',
      `The chain cannot be served: ${reason}. Request a new certificate, with SHA-256 or better.`,
    );
  }
}

function warningsOf(chain: readonly X509Certificate[], notAfter: number, now: number): string[] {
  const warnings: string[] = [];
  const [leaf] = chain;
  if (isIssuedBy(leaf, leaf))
    warnings.push('The certificate is self-signed: browsers reject it unless they are configured to trust it.');
  else if (chain.length === 1)
    warnings.push(
      `The chain ends with the certificate itself, issued by ${formatName(leaf.issuer)}. Many browsers cannot verify it without the certificate of the issuer; append that to the chain.`,
    );
  if (notAfter - now < EXPIRY_WARNING)
    warnings.push(`The certificate expires at ${formatTime(notAfter)} UTC. It is not renewed automatically.`);
  return warnings;
}

/** Parses Node's format `Nov 21 03:37:23 2026 GMT`. */
const parseSeconds = (text: string): number => Math.floor(Date.parse(text) / 1000);

/** Formats a distinguished name on one line. */
const formatName = (name: string): string =>
  name === undefined ? 'no name' : name.replace(/[^\x20-\x7e\u00a0-\uffff]+/g, ', ').slice(0, 100);

/** Certificates that this node serves: from files, of the cluster, and of domains. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { clusterFiles } from '../../../core/cluster/files.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import { UPLOADED_SLOT } from '../../../core/store/rows.ts';
import { type AnyCheck, check, failure, NotChecked, note, ok, type Verdict, warning } from './check.ts';
import type { Context } from './context.ts';
import { quoted } from './machine.ts';

const DAY = 86_400_000;
const WARN_DAYS = 14;
const CHAIN = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

interface CertificateReading {
  readonly path: string;
  /** PEM. */
  readonly chain: string;
  /** PEM of the private key; null: not available for comparison. */
  readonly key: string | null;
  /** The certificate must contain at least one of these names; empty: any certificate. */
  readonly names: readonly string[];
  /** Whether the certificate must contain every name. */
  readonly needsAll: boolean;
  /** PEM of the required issuer; null: a public authority. */
  readonly authority: string | null;
  readonly now: number;
  /** Command that issues a new certificate. */
  readonly renew: string;
}

/** The verdicts on a chain, the worst first. */
function judgeCertificate(reading: CertificateReading): Verdict[] {
  const { path, chain, key, names, needsAll, authority, now, renew } = reading;
  if (chain === '') return [failure('the file is missing or empty', renew, path)];
  let certificates: X509Certificate[];
  try {
    certificates = (chain.match(CHAIN) ?? []).map((pem) => new X509Certificate(pem));
  } catch (error) {
    return [failure(`not a certificate: ${(error as Error).message}`, `openssl x509 -in ${quoted(path)} -text`, path)];
  }
  const [leaf] = certificates;
  if (leaf === undefined) return [failure('no certificate in PEM form', `head -n 3 ${quoted(path)}`, path)];
  const verdicts: Verdict[] = [];
  const days = Math.floor((Date.parse(leaf.validTo) - now) / DAY);
  if (Date.parse(leaf.validFrom) > now) verdicts.push(failure(`not valid before ${leaf.validFrom}`, 'date', path));
  if (days < 0) verdicts.push(failure(`expired on ${leaf.validTo}`, renew, path));
  else if (days < WARN_DAYS) verdicts.push(warning(`expires in ${days} days`, renew, path));
  const missing = names.filter((name) => leaf.checkHost(name) === undefined);
  if (names.length > 0 && (needsAll ? missing.length > 0 : missing.length === names.length))
    verdicts.push(
      failure(`does not cover ${missing.join(', ')} (has ${leaf.subjectAltName ?? leaf.subject})`, renew, path),
    );
  for (const [i, issuer] of certificates.slice(1).entries())
    if (!certificates[i].checkIssued(issuer))
      verdicts.push(failure(`certificate ${i + 2} of the chain did not issue certificate ${i + 1}`, renew, path));
  if (authority !== null && issuerOf(certificates[certificates.length - 1], authority) === undefined)
    verdicts.push(failure('not issued by the authority of the cluster', renew, path));
  if (certificates.length === 1 && leaf.issuer !== leaf.subject && authority === null)
    verdicts.push(note('the file has no intermediate certificates', renew, path));
  const issuer = authority === null ? undefined : issuerOf(certificates[certificates.length - 1], authority);
  const daysOfIssuer = issuer === undefined ? days : Math.floor((Date.parse(issuer.validTo) - now) / DAY);
  if (daysOfIssuer < WARN_DAYS && daysOfIssuer <= days)
    verdicts.push(warning(`its authority expires in ${daysOfIssuer} days`, 'waypost cluster renew-authority', path));
  const { type, bits } = keyOf(leaf);
  if (type === 'rsa' && bits < 2048) verdicts.push(failure(`an RSA key of ${bits} bits is too short`, renew, path));
  if (key !== null) {
    const fault = keyFault(leaf, key);
    if (fault !== null) verdicts.push(failure(fault, renew, path));
  }
  return verdicts.length > 0 ? verdicts : [ok(`valid for ${days} days`, path)];
}

function issuerOf(certificate: X509Certificate, authority: string): X509Certificate | undefined {
  try {
    const issuers = (authority.match(CHAIN) ?? []).map((pem) => new X509Certificate(pem));
    return issuers.find((issuer) => certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey));
  } catch {
    return undefined;
  }
}

function keyOf({ publicKey }: X509Certificate): { type: string; bits: number } {
  return { type: publicKey.asymmetricKeyType ?? '', bits: publicKey.asymmetricKeyDetails?.modulusLength ?? 0 };
}

function keyFault(leaf: X509Certificate, pem: string): string | null {
  try {
    return leaf.checkPrivateKey(createPrivateKey(pem)) ? null : 'the private key belongs to another certificate';
  } catch {
    return 'the key file has no private key that can be read';
  }
}

function readPem(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw new NotChecked(`${path} cannot be read`, 'sudo waypost doctor');
    return '';
  }
}

interface FileOptions {
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  readonly names: readonly string[];
  readonly needsAll: boolean;
  readonly authority?: string;
  readonly renew: string;
}

function readFiles({ certificate, key, authority, ...options }: FileOptions): CertificateReading | null {
  if (certificate === undefined) return null;
  const pem = key === undefined ? null : readPem(key);
  const issuer = authority === undefined ? null : readPem(authority);
  return { path: certificate, chain: readPem(certificate), key: pem, authority: issuer, now: Date.now(), ...options };
}

const ofFile = (id: string, why: string, none: string, read: (context: Context) => FileOptions) =>
  check<CertificateReading | null>({
    id,
    why,
    read: (context) => readFiles(read(context)),
    judge: (reading) => (reading === null ? ok(none) : judgeCertificate(reading)),
  });

const RENEW = 'sudo certbot renew && sudo systemctl reload waypost';

export const dnsCertificate = ofFile(
  'certificates.dns_tls',
  'Resolvers that check it close the connection otherwise.',
  'DNS over TLS is off',
  ({ config: { dns, nameservers } }) => ({
    certificate: dns.tlsCertificate,
    key: dns.tlsKey,
    names: nameservers,
    needsAll: false,
    renew: RENEW,
  }),
);

export const adminCertificate = ofFile(
  'certificates.admin',
  'Browsers refuse the dashboard otherwise.',
  'admin.hostname_certificate is not set',
  ({ config: { admin } }) => ({
    certificate: admin.hostnameCertificate,
    key: admin.hostnameKey,
    names: admin.hostname,
    needsAll: true,
    renew: RENEW,
  }),
);

export const defaultCertificate = ofFile(
  'certificates.default',
  'Clients without a server name, or with an unknown one, refuse the edge otherwise.',
  'edge.default_certificate is not set',
  ({ config: { edge } }) => ({
    certificate: edge.defaultCertificate,
    key: edge.defaultKey,
    names: [],
    needsAll: false,
    renew: RENEW,
  }),
);

export const clusterCertificate = ofFile(
  'certificates.cluster',
  'Other nodes and etcd refuse this node otherwise.',
  'this is a single node, without etcd',
  ({ config }) => {
    const { certificate, key, ca } = clusterFiles(config);
    const isCluster = config.etcd.endpoints.length > 0;
    return {
      certificate: isCluster ? certificate : undefined,
      key,
      authority: ca,
      names: [config.nodeName],
      needsAll: true,
      renew: `waypost cluster invite ${quoted(config.nodeName)} --out ${quoted(config.nodeName)}.invitation`,
    };
  },
);

interface ServedCertificate {
  readonly domain: string;
  /** The first expiry of its certificates in seconds since 1970; null: no certificate. */
  readonly notAfter: number | null;
  readonly isAutomatic: boolean;
  /** The error of the last order. */
  readonly trouble: string | null;
}

interface EdgeReading {
  readonly domains: readonly ServedCertificate[];
  readonly now: number;
}

/** Maximum number of domains to read, and of findings to print per check. */
const MAX_DOMAINS = 100_000;
const MAX_SHOWN = 20;

export const edgeCertificates = check<EdgeReading>({
  id: 'certificates.edge',
  why: 'Visitors of a site see a warning of the browser otherwise.',
  async read(context) {
    const { reader } = await context.store();
    const { alsoRsa } = context.config.acme;
    if (reader === null) throw new NotChecked('the store has another format');
    const domains: ServedCertificate[] = [];
    for (const { id, apex } of reader.allDomains(null, MAX_DOMAINS)) {
      const proxy = reader.proxy(id);
      if (proxy === undefined || !proxy.enabled) continue;
      const [own, automatic] = [reader.certificate(id), reader.automaticCertificate(id)];
      const further = own === undefined ? reader.furtherCertificates(id) : [];
      const served = own ?? automatic;
      const rsa = reader
        .rsaCertificates(id)
        .filter(({ slot }) => (own === undefined ? slot !== UPLOADED_SLOT && alsoRsa : slot === UPLOADED_SLOT));
      domains.push({
        domain: formatHost(apex),
        notAfter: served === undefined ? null : Math.min(...[served, ...further, ...rsa].map((row) => row.notAfter)),
        isAutomatic: own === undefined,
        trouble: proxy.sslError,
      });
    }
    return { domains, now: Date.now() / 1000 };
  },
  judge({ domains, now }) {
    const verdicts: Verdict[] = [];
    for (const { domain, notAfter, isAutomatic, trouble } of domains) {
      const fix = `waypost proxy status ${domain}`;
      const why = trouble === null ? '' : `: ${trouble}`;
      const days = notAfter === null ? null : Math.floor((notAfter - now) / 86_400);
      if (days === null) verdicts.push(warning(`no certificate yet${why}`, fix, domain));
      else if (days < 0) verdicts.push(failure(`expired ${-days} days ago${why}`, fix, domain));
      else if (days < (isAutomatic ? 7 : WARN_DAYS))
        verdicts.push(warning(`expires in ${days} days${why}`, fix, domain));
    }
    if (verdicts.length === 0) return ok(`${domains.length} proxied domains, and their certificates are valid`);
    const shown = verdicts.slice(0, MAX_SHOWN);
    const rest = verdicts.length - shown.length;
    return rest === 0 ? shown : [...shown, note(`${rest} more domains`, 'waypost doctor --only certificates.edge')];
  },
});

export const CERTIFICATE_CHECKS: readonly AnyCheck[] = [
  ...[dnsCertificate, adminCertificate, defaultCertificate, clusterCertificate, edgeCertificates],
];

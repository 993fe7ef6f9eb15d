/** Rules that demand a client certificate, which TLS has verified (docs/protection.md). */
import { X509Certificate } from 'node:crypto';
import { RecentMap } from '../../../core/base/recent-map.ts';
import type { CertificateField, CertificateRule } from '../../../core/site/rules/index.ts';
import type { ErrorPage } from '../../sites/error-page.ts';
import type { Verdict } from './verdict.ts';

/** Certificates of a thread whose fields are kept. */
const MAX_PARSED = 512;

type Fields = Readonly<Record<CertificateField, string>>;

const parsed = new RecentMap<Fields>(MAX_PARSED);

/** `certificate`: in the format of Client-Cert (RFC 9440); empty: there is none. */
export function checkCertificate(rule: CertificateRule, certificate: string): Verdict {
  if (certificate === '') return { page: NO_CERTIFICATE };
  const fields = parsed.of(certificate, () => fieldsOf(certificate));
  const { allowed_fingerprints: allowed, copy_fields = [] } = rule;
  if (allowed?.every((fingerprint) => usual(fingerprint) !== fields.fingerprint) === true) return { page: NOT_ALLOWED };
  const identity = copy_fields.map(({ field, header }) => [header.toLowerCase(), fields[field] || null] as const);
  return { identity, cookies: [] };
}

/** In hexadecimal digits without colons. */
const usual = (fingerprint: string): string => fingerprint.replaceAll(':', '').toLowerCase();

function fieldsOf(certificate: string): Fields {
  const {
    subject,
    issuer,
    serialNumber,
    fingerprint256,
    subjectAltName = '',
  } = new X509Certificate(Buffer.from(certificate.replace(/^:|:$/g, ''), 'base64'));
  return {
    subject: lineOf(subject),
    issuer: lineOf(issuer),
    serial: serialNumber.toLowerCase(),
    fingerprint: usual(fingerprint256),
    names: lineOf(subjectAltName),
  };
}

/** One line, as UTF-8 with a character for each byte. Node has one attribute on each line. */
const lineOf = (text = ''): string =>
  Buffer.from(text.trim().replaceAll('\n', ', '))
    .toString('latin1')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: no line may end in a value
    .replace(/[\x00-\x1f\x7f]/g, ' ')
    .trim();

const page = (visitor: string, owner: string): ErrorPage => ({
  status: 403,
  code: 'client_certificate_required',
  title: 'A client certificate is needed',
  visitor,
  owner,
});

const NO_CERTIFICATE = page(
  'This page is for visitors with a client certificate.',
  'A rule of this domain demands one: set tls.client_certificates and tls.client_authorities of its protection.',
);
const NOT_ALLOWED = page(
  'This client certificate is not allowed here.',
  'It has none of the fingerprints of a rule of this domain.',
);

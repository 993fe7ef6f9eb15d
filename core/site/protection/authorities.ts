/** Certificate authorities that verify client certificates, as PEM. */
import { X509Certificate } from 'node:crypto';
import { InvalidError } from '../../base/errors.ts';

export const MAX_AUTHORITIES = 16;
/** Maximum length in characters. */
export const MAX_AUTHORITIES_PEM = 65_536;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----/g;

const invalid = (message: string): InvalidError =>
  new InvalidError('invalid_authorities', message, { pointer: '/tls/client_authorities' });

/** The certificates without other text and without duplicates. Throws InvalidError. */
export function normalAuthorities(pem: string): string {
  const blocks = pem.match(CERTIFICATE) ?? [];
  if (/PRIVATE KEY/.test(pem))
    throw invalid('"client_authorities" contains a private key; send certificates of authorities only.');
  if (blocks.length === 0) throw invalid('"client_authorities" contains no certificate in PEM form.');
  if (blocks.length > MAX_AUTHORITIES)
    throw invalid(`"client_authorities" has ${blocks.length} certificates; the maximum is ${MAX_AUTHORITIES}.`);
  return [...new Set(blocks.map(normalCertificate))].join('');
}

function normalCertificate(block: string, index: number): string {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(block);
  } catch {
    throw invalid(`Certificate ${index + 1} of "client_authorities" cannot be read.`);
  }
  const { ca, subject, validTo } = certificate;
  const name = subject.replaceAll('\n', ', ');
  if (!ca)
    throw invalid(
      `Certificate ${index + 1} of "client_authorities" (${name}) is not an authority: its basic constraints lack CA:TRUE.`,
    );
  if (Date.parse(validTo) < Date.now())
    throw invalid(`Certificate ${index + 1} of "client_authorities" (${name}) expired on ${validTo}.`);
  return certificate.toString();
}

/**
 * Parses certificates and keys in PEM (RFC 7468). Text around the blocks, which tools write, is
 * ignored.
 */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { InvalidError } from '../../../core/base/errors.ts';

const CERTIFICATE = '/certificate';
const PRIVATE_KEY = '/private_key';

/** Maximum certificates: longer than any chain that browsers accept. */
const MAX_CHAIN = 10;
const BEGIN = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g;

export function rejectCertificate(code: string, message: string): never {
  throw new InvalidError(code, message, { pointer: CERTIFICATE });
}

export function rejectKey(code: string, message: string): never {
  throw new InvalidError(code, message, { pointer: PRIVATE_KEY });
}

/**
 * At least one certificate, in the order of the text. Throws InvalidError `invalid_certificate`.
 */
export function readChain(text: string): X509Certificate[] {
  const blocks = blocksOf(text);
  if (blocks.some(({ label }) => label.endsWith('PRIVATE KEY')))
    rejectCertificate(
      'invalid_certificate',
      '"certificate" contains a private key; send the key only in "private_key".',
    );
  const found = blocks.filter(({ label }) => label === 'CERTIFICATE');
  if (found.length === 0)
    rejectCertificate(
      'invalid_certificate',
      '"certificate" contains no certificate in PEM form, which starts with -----BEGIN CERTIFICATE-----. Convert DER with "openssl x509 -inform DER -in FILE".',
    );
  if (found.length > MAX_CHAIN)
    rejectCertificate(
      'invalid_certificate',
      `"certificate" contains ${found.length} certificates; the maximum is ${MAX_CHAIN}.`,
    );
  return found.map(({ block }, i) => {
    try {
      return new X509Certificate(block);
    } catch {
      return rejectCertificate(
        'invalid_certificate',
        `Certificate ${i + 1} of the chain cannot be read: it is truncated or damaged.`,
      );
    }
  });
}

/** Throws InvalidError `invalid_private_key`. The message contains no part of the key. */
export function readKey(text: string): KeyObject {
  const [key, ...more] = blocksOf(text).filter(({ label }) => label.endsWith('PRIVATE KEY'));
  if (key === undefined)
    return rejectKey(
      'invalid_private_key',
      '"private_key" contains no key in PEM form, which starts with -----BEGIN PRIVATE KEY-----. Convert DER with "openssl pkey -inform DER -in FILE".',
    );
  if (more.length > 0)
    rejectKey('invalid_private_key', '"private_key" contains several keys; send only the key of the certificate.');
  if (key.label === 'ENCRYPTED PRIVATE KEY' || /^Proc-Type:.*ENCRYPTED/m.test(key.block))
    rejectKey(
      'invalid_private_key',
      'The private key is encrypted with a passphrase; decrypt it with "openssl pkey -in FILE". The service encrypts it again before it stores it.',
    );
  try {
    return createPrivateKey(key.block);
  } catch {
    return rejectKey(
      'invalid_private_key',
      'The private key cannot be read: it is truncated, damaged, or of an unknown type.',
    );
  }
}

/** The PEM blocks before the first one without an end line. */
function blocksOf(text: string): { label: string; block: string }[] {
  const blocks: { label: string; block: string }[] = [];
  BEGIN.lastIndex = 0;
  for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
    const [, label] = begin;
    const mark = `-----END ${label}-----`;
    const end = text.indexOf(mark, BEGIN.lastIndex);
    if (end < 0) break;
    BEGIN.lastIndex = end + mark.length;
    blocks.push({ label, block: `${text.slice(begin.index, BEGIN.lastIndex)}\n` });
  }
  return blocks;
}

import { createHash, X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export const KEY_PRINT = /^[0-9a-f]{64}$/;

/**
 * The certificate and key of this node, and the authority of its peers, for connections between
 * nodes.
 */
export interface PeerTls {
  /** PEM. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/**
 * The fingerprint of a certificate's key: SHA-256 of its SubjectPublicKeyInfo in hexadecimal (RFC
 * 7469 section 2.4). A certificate that is reissued for the same key has the same fingerprint.
 */
export const keyPrint = ({ publicKey }: Pick<X509Certificate, 'publicKey'>): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Throws Error if the text is not a certificate. */
export const keyPrintOf = (pem: string): string => keyPrint(new X509Certificate(pem));

/**
 * Returns a `checkServerIdentity` for node:tls: the certificate must be for the name and have the
 * key. `key` undefined: the member was recorded by a version without keys.
 */
export const checkKey =
  (key: string | undefined) =>
  (name: string, certificate: PeerCertificate): Error | undefined => {
    const error = checkServerIdentity(name, certificate);
    if (error !== undefined || key === undefined) return error;
    if (keyPrint(new X509Certificate(certificate.raw)) === key) return undefined;
    return new Error(`the certificate of ${name} has another key than the member of the cluster`);
  };

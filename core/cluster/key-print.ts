/**
 * The fingerprint of a certificate's key: SHA-256 of its SubjectPublicKeyInfo in hexadecimal
 * (RFC 7469 section 2.4). It stays when a certificate is issued again for the same key.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export const KEY_PRINT = /^[0-9a-f]{64}$/;

export const keyPrint = ({ publicKey }: Pick<X509Certificate, 'publicKey'>): string =>
  createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');

/** Throws Error for a text that is no certificate. */
export const keyPrintOf = (pem: string): string => keyPrint(new X509Certificate(pem));

/**
 * A check of a server's certificate for node:tls: it must be for the name, and have the key.
 * `key` undefined: a version recorded the node that knew no keys.
 */
export const checkKey =
  (key: string | undefined) =>
  (name: string, certificate: PeerCertificate): Error | undefined => {
    const error = checkServerIdentity(name, certificate);
    if (error !== undefined || key === undefined) return error;
    if (keyPrint(new X509Certificate(certificate.raw)) === key) return undefined;
    return new Error(`the certificate of ${name} has another key than the member of the cluster`);
  };

/**
 * Whether a certificate is signed with a broken hash. OpenSSL before 3.2 refuses to load such a
 * certificate; later versions load it, and clients reject it.
 */
import { elementsOf } from './der.ts';

/** Signature algorithms with MD2, MD4, MD5 and SHA-1: the content of their identifiers in DER. */
const WEAK: ReadonlySet<string> = new Set([
  ...['2a864886f70d010102', '2a864886f70d010103', '2a864886f70d010104', '2a864886f70d010105'],
  ...['2a8648ce3d0401', '2a8648ce380403', '2b0e03021d'],
]);

/** `certificate`: DER that OpenSSL has read, as `X509Certificate.raw`. */
export function hasWeakSignature(certificate: Buffer): boolean {
  const [whole] = elementsOf(certificate);
  const [, algorithm] = elementsOf(whole.content);
  const [identifier] = elementsOf(algorithm.content);
  return WEAK.has(identifier.content.toString('hex'));
}

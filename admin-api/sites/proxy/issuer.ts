/** Reads who issued a certificate. */
import { X509Certificate } from 'node:crypto';

const MAX_ISSUER = 200;

/** The organization and the common name of the issuer; null: none, or not a certificate. */
export function issuerOf(chain: string): string | null {
  try {
    const lines = new X509Certificate(chain).issuer.split('\n');
    const find = (attribute: string): string | undefined =>
      lines.find((line) => line.startsWith(attribute))?.slice(attribute.length);
    const [organization, name] = [find('O='), find('CN=')];
    return (
      [organization, name]
        .filter((part) => part !== undefined)
        .join(', ')
        .slice(0, MAX_ISSUER) || null
    );
  } catch {
    return null;
  }
}

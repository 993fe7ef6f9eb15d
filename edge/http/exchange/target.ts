/** Rules for the method and the scheme of a request, common to all versions of HTTP. */
import { METHODS } from 'node:http';

/**
 * Registered methods from the list of Node.js. SOURCE belongs to Icecast. CONNECT has its own rules
 * in each version.
 */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((name) => name !== 'SOURCE' && name !== 'CONNECT'));

/** RFC 9110 section 9.1: methods are case-sensitive. An unknown method gets 501. */
export const isKnownMethod = (method: string): boolean => KNOWN_METHODS.has(method);

/**
 * Returns the scheme of a target URI if the connection may carry it; empty: 421 (RFC 9110 sections
 * 7.4 and 15.5.20). TLS carries only `https`. Without TLS, `https` is allowed: a proxy in front may
 * have terminated TLS. The gateway decides whether that proxy is trusted.
 */
export function carriedScheme(scheme: string, isEncrypted: boolean): 'http' | 'https' | '' {
  // RFC 3986 section 3.1: schemes are case-insensitive.
  if (scheme === 'https' || scheme.toLowerCase() === 'https') return 'https';
  return !isEncrypted && scheme.toLowerCase() === 'http' ? 'http' : '';
}

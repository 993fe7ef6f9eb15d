/**
 * What a request may ask for, by the same rules in every version of HTTP: its method, and the
 * scheme of its target.
 */
import { METHODS } from 'node:http';

/**
 * Registered methods, as Node lists them. SOURCE is Icecast's. CONNECT has rules of its own in each
 * version.
 */
const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS.filter((name) => name !== 'SOURCE' && name !== 'CONNECT'));

/**
 * RFC 9110 section 9.1: methods are case-sensitive; a server answers 501 to one that it does not
 * know.
 */
export const isKnownMethod = (method: string): boolean => KNOWN_METHODS.has(method);

/**
 * The scheme of a target URI if the connection may carry it, else empty: 421 (RFC 9110 sections 7.4
 * and 15.5.20). TLS carries `https` alone. Without TLS a proxy in front may have ended TLS for
 * `https`; whether that proxy is trusted is for the gateway to decide.
 */
export function carriedScheme(scheme: string, isEncrypted: boolean): 'http' | 'https' | '' {
  // RFC 3986 section 3.1: schemes are case-insensitive.
  if (scheme === 'https' || scheme.toLowerCase() === 'https') return 'https';
  return !isEncrypted && scheme.toLowerCase() === 'http' ? 'http' : '';
}

/**
 * The path that rules match. Servers treat several spellings of a path alike, so a rule for
 * `/admin` must also match `/%61dmin`, `//admin` and `/x/../admin`.
 */

const MAY_DIFFER = /[%\\]|\/[/.]/;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;

/**
 * The path without the query. Decodes escapes of printable ASCII except "%" once, turns backslashes
 * into slashes, and merges slashes. Resolves dot segments (RFC 3986 section 5.2.4).
 */
export function normalPath(path: string): string {
  const query = path.indexOf('?');
  const raw = query < 0 ? path : path.slice(0, query);
  if (!MAY_DIFFER.test(raw)) return raw;
  const decoded = raw
    .replace(ESCAPE, decodeEscape)
    .replace(/\\/g, '/')
    .replace(/\/{2,}/g, '/');
  return decoded.includes('/.') ? withoutDots(decoded) : decoded;
}

function decodeEscape(escaped: string, hex: string): string {
  const code = Number.parseInt(hex, 16);
  return code >= 0x20 && code < 0x7f && code !== 0x25 ? String.fromCharCode(code) : escaped.toUpperCase();
}

function withoutDots(path: string): string {
  const segments: string[] = [];
  const all = path.split('/');
  for (let i = 1; i < all.length; i++) {
    const segment = all[i];
    if (segment === '..') segments.pop();
    if (segment !== '.' && segment !== '..') segments.push(segment);
    // "/a/." and "/a/.." end in a slash.
    else if (i === all.length - 1) segments.push('');
  }
  return `/${segments.join('/')}`;
}

/** Escapes a part of a normalised path for a URL. */
export const escapePath = (path: string): string =>
  path.replace(
    /[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

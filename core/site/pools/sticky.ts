/**
 * The value of the cookie that binds a visitor to an origin: a keyed hash. It does not reveal the
 * origin and cannot be forged without the key.
 */
import { createHmac } from 'node:crypto';

/** Bytes; 16 characters in base64url. */
const TOKEN_BYTES = 12;

/** `key`: the same on every node. `scope`: the domain. */
export function stickyToken(key: Uint8Array, scope: string, origin: string): string {
  return createHmac('sha256', key)
    .update(`${scope}\n${origin}`)
    .digest()
    .subarray(0, TOKEN_BYTES)
    .toString('base64url');
}

/** The first value of a cookie in the Cookie field (RFC 6265 section 4.2.1); undefined: none. */
export function cookieValue(headers: readonly string[], name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    if (headers[i] !== 'cookie') continue;
    const line = headers[i + 1];
    for (let at = line.indexOf(name); at >= 0; at = line.indexOf(name, at + 1)) {
      const end = at + name.length;
      if (line.charCodeAt(end) !== EQUALS || !isStart(line, at)) continue;
      const semicolon = line.indexOf(';', end);
      return line.slice(end + 1, semicolon < 0 ? undefined : semicolon).trim();
    }
  }
  return undefined;
}

const EQUALS = 0x3d;
const SEMICOLON = 0x3b;
const SPACE = 0x20;

/** Whether a cookie pair starts at `at`. */
function isStart(line: string, at: number): boolean {
  let before = at - 1;
  while (before >= 0 && line.charCodeAt(before) === SPACE) before--;
  return before < 0 || line.charCodeAt(before) === SEMICOLON;
}

/** A 32-bit hash of a text (FNV-1a, then the finalizer of MurmurHash3). */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return mix(hash);
}

/** Spreads the bits of a number over all 32. */
export function mix(value: number): number {
  let hash = value ^ (value >>> 16);
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * The text of a token: `wp_`, its id (16 decimal digits), a secret of 192 bits (48 hexadecimal
 * digits) and a checksum (8). The checksum distinguishes a typing error from a revoked token, and
 * helps scanners for leaked secrets to recognize tokens.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Id } from '../../core/store/keys.ts';

export const TOKEN_PREFIX = 'wp_';
const FORM = /^wp_([0-9]{16})[0-9a-f]{48}([0-9a-f]{8})$/;
/** Of the greatest id. */
const ID_DIGITS = 16;
const CHECKSUM_AT = TOKEN_PREFIX.length + ID_DIGITS + 48;

export function mintToken(id: Id): string {
  const text = `${visiblePrefix(id)}${randomBytes(24).toString('hex')}`;
  return text + checksum(text);
}

/** The id of a token; undefined if the text is truncated, mistyped, or of another service. */
export function tokenId(text: string): Id | undefined {
  const match = FORM.exec(text);
  return match !== null && checksum(text.slice(0, CHECKSUM_AT)) === match[2] ? Number(match[1]) : undefined;
}

/** The part of a token that may be shown to identify it. */
export function visiblePrefix(id: Id): string {
  return TOKEN_PREFIX + String(id).padStart(ID_DIGITS, '0');
}

/** The stored hash. It need not be slow, because the secret has 192 random bits. */
export function hashToken(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function matchesHash(text: string, hash: string): boolean {
  const given = createHash('sha256').update(text).digest();
  const stored = Buffer.from(hash, 'hex');
  return stored.length === given.length && timingSafeEqual(given, stored);
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

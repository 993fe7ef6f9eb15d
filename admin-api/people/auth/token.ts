/**
 * The text of a token: `wp_`, its id (16 decimal digits), a secret of 192 bits (48 hexadecimal
 * digits) and a checksum (8). The checksum distinguishes a typing error from a revoked token, and
 * lets secret scanners recognize tokens.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Id } from '../../../core/store/keys.ts';
import type { Token } from '../../../core/store/rows.ts';

const TOKEN_PREFIX = 'wp_';
/** The text after the prefix. */
const FORM = /^([0-9]{16})[0-9a-f]{48}([0-9a-f]{8})$/;
const LEGACY_FORM = /^wp_([0-9a-f]{16})[0-9a-f]{48}([0-9a-f]{8})$/;
/** Decimal digits of the greatest id. */
const ID_DIGITS = 16;
const CHECKSUM_LENGTH = 8;

export function mintToken(id: Id, prefix = TOKEN_PREFIX): string {
  const text = `${visiblePrefix(id, prefix)}${randomBytes(24).toString('hex')}`;
  return text + checksum(text);
}

/** The id of a token; undefined if the text is truncated, mistyped, or of another service. */
export function tokenId(text: string, prefix = TOKEN_PREFIX): Id | undefined {
  const match = text.startsWith(prefix) ? FORM.exec(text.slice(prefix.length)) : null;
  if (match === null || checksum(text.slice(0, -CHECKSUM_LENGTH)) !== match[2]) return undefined;
  return Number(match[1]);
}

/** The id of a token of Waypost 0.1, which had hexadecimal digits; undefined for other texts. */
export function legacyTokenId(text: string): string | undefined {
  const match = LEGACY_FORM.exec(text);
  return match !== null && checksum(text.slice(0, -CHECKSUM_LENGTH)) === match[2] ? match[1] : undefined;
}

/** The part of a token that may be shown to identify it. */
function visiblePrefix(id: Id, prefix = TOKEN_PREFIX): string {
  return prefix + String(id).padStart(ID_DIGITS, '0');
}

/** The part that may be shown of a stored token. */
export const prefixOf = ({ id, legacyId }: Pick<Token, 'id' | 'legacyId'>): string =>
  legacyId === undefined ? visiblePrefix(id) : TOKEN_PREFIX + legacyId;

/** The stored hash. It need not be slow, because the secret has 192 random bits. */
export function hashToken(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function matchesHash(text: string, hash: string): boolean {
  const digest = createHash('sha256').update(text).digest();
  const stored = Buffer.from(hash, 'hex');
  return stored.length === digest.length && timingSafeEqual(digest, stored);
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

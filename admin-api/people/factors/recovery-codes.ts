/**
 * Recovery codes, for a lost authenticator: 16 characters of base32 in groups of four. Their 80
 * random bits cannot be guessed, so a fast hash is enough, and no lock stops them.
 */
import { createHash, randomBytes } from 'node:crypto';
import type { Id } from '../../../core/store/keys.ts';
import { toBase32 } from './one-time-code.ts';

const COUNT = 10;
const BYTES = 10;

interface RecoveryCodes {
  readonly texts: readonly string[];
  readonly hashes: readonly string[];
}

export function newRecoveryCodes(accountId: Id): RecoveryCodes {
  const texts = Array.from({ length: COUNT }, () => {
    const code = toBase32(randomBytes(BYTES)).toLowerCase();
    return code.replace(/.{4}(?=.)/g, '$&-');
  });
  return { texts, hashes: texts.map((text) => hashRecoveryCode(accountId, text)) };
}

/** The stored hash. Ignores case, spaces and hyphens. */
export function hashRecoveryCode(accountId: Id, text: string): string {
  const code = text.toLowerCase().replace(/[\s-]/g, '');
  return createHash('sha256').update(`${accountId} ${code}`).digest('hex');
}

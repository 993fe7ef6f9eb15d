/**
 * Challenges for passkeys. A challenge contains its expiry time and an HMAC with a key that all
 * nodes derive. It is not stored until its use. Its use stores the nonce, so it works only once in
 * the whole cluster.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../../core/base/secrets.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { spentChallenges } from '../../../core/store/rows.ts';
import { nowSeconds } from '../../http/time.ts';

/**
 * Lifetime in seconds. An open sign-in page requests a new challenge before the old one expires.
 */
export const CHALLENGE_LIFETIME = 600;

const TIME_BYTES = 6;
const NONCE_BYTES = TIME_BYTES + 16;
const KEY_BYTES = 32;

interface ChallengeFor {
  /** The account that registers a passkey; null: a sign-in of any account. */
  readonly accountId: Id | null;
  readonly rpId: string;
}

export interface ValidChallenge {
  readonly nonce: string;
  readonly expiresAt: number;
}

/** As base64url. */
export function newChallenge(secrets: Secrets, purpose: ChallengeFor): string {
  const nonce = randomBytes(NONCE_BYTES);
  nonce.writeUIntBE(nowSeconds() + CHALLENGE_LIFETIME, 0, TIME_BYTES);
  const [key] = keysOf(secrets);
  return Buffer.concat([nonce, seal(key, nonce, purpose)]).toString('base64url');
}

/** Null: the challenge is not ours, has expired, or is for another purpose. */
export function readChallenge(secrets: Secrets, purpose: ChallengeFor, text: string): ValidChallenge | null {
  const bytes = Buffer.from(text, 'base64url');
  const nonce = bytes.subarray(0, NONCE_BYTES);
  if (bytes.length !== NONCE_BYTES + KEY_BYTES || bytes.toString('base64url') !== text) return null;
  const given = bytes.subarray(NONCE_BYTES);
  if (!keysOf(secrets).some((key) => timingSafeEqual(given, seal(key, nonce, purpose)))) return null;
  const expiresAt = nonce.readUIntBE(0, TIME_BYTES);
  return expiresAt > nowSeconds() ? { nonce: nonce.toString('hex'), expiresAt } : null;
}

/** False: the challenge was used before. */
export function spendChallenge(draft: Draft, challenge: ValidChallenge): boolean {
  if (draft.row(spentChallenges, spentChallenges.key(challenge)) !== undefined) return false;
  draft.put(spentChallenges, challenge);
  return true;
}

const keysOf = (secrets: Secrets): readonly Buffer[] => secrets.derive('passkey challenges', KEY_BYTES);

const seal = (key: Buffer, nonce: Buffer, { accountId, rpId }: ChallengeFor): Buffer =>
  createHmac('sha256', key)
    .update(nonce)
    .update(`${accountId ?? 'sign-in'} ${rpId}`)
    .digest();

/** Converts store keys from rows to responses; private keys are never part of one. */
import { type Static, Type } from '@sinclair/typebox';
import { id, list, oneOf, orNull, text, time } from '../../../../core/base/schema.ts';
import type { StoreKeyRow } from '../../../../core/store/rows.ts';
import { formatTime, nowSeconds } from '../../../http/time.ts';
import { publicKeyPem } from './ed25519.ts';

const storeKey = Type.Object(
  {
    key_id: id('the key; the newest key has the greatest id'),
    algorithm: oneOf(['ed25519'] as const, 'the algorithm of its signatures (RFC 8032)'),
    public_key: text('the 32 bytes of the public key in base64', {
      examples: ['11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
    }),
    public_key_pem: text('the same as PEM, for openssl', {
      examples: ['-----BEGIN PUBLIC KEY-----\n…\n-----END PUBLIC KEY-----\n'],
    }),
    state: oneOf(
      ['current', 'previous', 'expired', 'revoked'] as const,
      '"current" and "previous" keys sign; "expired" ones do not sign any more; "revoked" ones must not be trusted',
    ),
    created_at: time('when it was created'),
    signs_until: orNull(Type.String(), 'when it ceases to sign, as created_at; null: no end is planned'),
    endorsed_by: orNull(id('the earlier key'), 'the key_id of the earlier key that endorses it; null: none does'),
    endorsement: orNull(Type.String(), 'the signature of that key in base64'),
    revoked_at: orNull(time('when it was revoked')),
    revoked_reason: orNull(Type.String(), 'the reason'),
    revocation: orNull(
      Type.String(),
      'the signature of the key under its own revocation in base64; null: it could not sign any more',
    ),
  },
  { title: 'StoreKey' },
);

export const storeKeysResponse = Type.Object({ keys: list(storeKey, 'all keys, newest first') });

/** Newest first. */
export function viewKeys(rows: readonly StoreKeyRow[]): Static<typeof storeKeysResponse>['keys'] {
  const now = nowSeconds();
  return rows.toReversed().map((row) => {
    const { publicKey, endorsement, createdAt, signsUntil, revoked } = row;
    const endorser = rows.find(({ number }) => number === endorsement?.by);
    // An attacker with a revoked key can endorse any key.
    const isEndorsed = endorsement !== null && endorser !== undefined && endorser.revoked === null;
    return {
      key_id: row.number,
      algorithm: 'ed25519',
      public_key: publicKey,
      public_key_pem: publicKeyPem(publicKey),
      state: stateOf(row, now),
      created_at: formatTime(createdAt),
      signs_until: signsUntil === null ? null : formatTime(signsUntil),
      endorsed_by: isEndorsed ? endorser.number : null,
      endorsement: isEndorsed ? endorsement.signature : null,
      revoked_at: revoked === null ? null : formatTime(revoked.at),
      revoked_reason: revoked?.reason ?? null,
      revocation: revoked?.signature ?? null,
    };
  });
}

function stateOf({ revoked, signsUntil }: StoreKeyRow, now: number): 'current' | 'previous' | 'expired' | 'revoked' {
  if (revoked !== null) return 'revoked';
  if (signsUntil === null) return 'current';
  return signsUntil > now ? 'previous' : 'expired';
}

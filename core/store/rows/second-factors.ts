/** Second factors of accounts: one-time codes (TOTP), recovery codes and passkeys (WebAuthn). */
import { createHash } from 'node:crypto';
import { type Id, idKey, LOOKUP, lookupKey } from '../keys.ts';
import { jsonTable, unjson } from './table.ts';

/** One-time codes of an account (RFC 6238). */
export interface Totp {
  readonly accountId: Id;
  /** The secret, sealed (core/base/secrets.ts) for `totpContext(accountId)`; base64. */
  readonly sealed: string;
  readonly createdAt: number;
  /** When the first code was accepted; null: sign-in does not require a code yet. */
  readonly confirmedAt: number | null;
  /** The time step of the last accepted code; no code of this step or earlier is accepted. */
  readonly lastStep: number;
  /** SHA-256 of each unused recovery code, hexadecimal. */
  readonly recoveryHashes: readonly string[];
  /** Wrong codes since the last accepted one. */
  readonly failures: number;
  /** Codes are rejected until this time, in seconds since 1970. */
  readonly lockedUntil: number;
}

/** The context for sealing the secret of an account. */
export const totpContext = (accountId: Id): string => `totp:${accountId}`;

export const totps = jsonTable<Totp>({
  number: 34,
  name: 'totps',
  quota: { none: 'one for each account' },
  key: (row) => idKey(row.accountId),
  lookupsFromKey: true,
});

/** A WebAuthn credential. */
export interface Passkey {
  readonly id: Id;
  readonly accountId: Id;
  /** A label chosen by the owner. */
  readonly name: string;
  /** Assigned by the authenticator; base64url. */
  readonly credentialId: string;
  /** COSE key (RFC 9052), base64url. */
  readonly publicKey: string;
  /** The signature counter of its last use; 0 if the authenticator has none. */
  readonly counter: number;
  /** The host name for which it was created. */
  readonly rpId: string;
  readonly transports: readonly string[];
  /** Whether the authenticator has a copy elsewhere. */
  readonly isBackedUp: boolean;
  readonly createdAt: number;
  readonly usedAt: number | null;
}

export const passkeys = jsonTable<Passkey>({
  number: 35,
  name: 'passkeys',
  quota: 'account',
  key: (row) => idKey(row.id),
  lookups(key, value) {
    const { accountId, credentialId } = unjson<Passkey>(value);
    return [lookupKey(LOOKUP.accountPasskey, idKey(accountId), key), credentialKey(credentialId)];
  },
});

/** Lookup of a passkey by the id from its authenticator. Ids may be long, so the key is a hash. */
export function credentialKey(credentialId: string): Buffer {
  const hash = createHash('sha256').update(credentialId).digest();
  return lookupKey(LOOKUP.passkeyCredential, hash);
}

/** A used challenge. It is stored until it would be rejected as expired. */
export interface SpentChallenge {
  /** The time of expiry and random bytes, hexadecimal. */
  readonly nonce: string;
  readonly expiresAt: number;
}

export const spentChallenges = jsonTable<SpentChallenge>({
  number: 36,
  name: 'spent_challenges',
  quota: { none: 'they expire within minutes; sign-ins have a rate' },
  key: (row) => Buffer.from(row.nonce, 'hex'),
  lookupsFromKey: true,
});

/**
 * What the certificates that are ordered need in addition: accounts at directories, orders,
 * answers to challenges (RFC 8555).
 */
import { createHash } from 'node:crypto';
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

/** The cluster's account at a directory. One a directory and external account. */
export interface AcmeAccount {
  readonly directory: string;
  /** The external account that it is bound to (RFC 8555 7.3.4); null: none. */
  readonly eabKid: string | null;
  /** PEM, sealed (core/base/secrets.ts, `acme-account:<directory>`), base64. */
  readonly sealedKey: string;
  /** The account's URL at the directory; null until it is registered. */
  readonly url: string | null;
  /**
   * The e-mail address that the directory has of us; null: none; not there: nobody knows, as in
   * rows of before.
   */
  readonly email?: string | null;
  readonly createdAt: number;
}

/** How it stands with the automatic certificate of a domain. Times are seconds since 1970. */
export interface AcmeOrder {
  readonly domainId: Id;
  /** The node that orders now; good until `until`, which it moves on as long as it lives. */
  readonly claim: { readonly node: string; readonly until: number } | null;
  /** When the last attempt began. */
  readonly triedAt: number;
  /** Attempts that have failed since the last certificate. */
  readonly failures: number;
  /** Nothing is tried before, unless the customer asks; null: nothing has failed. */
  readonly retryAt: number | null;
  /** Nothing is tried before, also on request: the directory says so. */
  readonly blockedUntil: number | null;
  /** When the certificate is to be renewed; null: there is none. */
  readonly renewAt: number | null;
  /** The directory that the certificate is from; null: there is none. */
  readonly directory: string | null;
  /**
   * How many certificates were issued within a day from `issuedSince`: a domain that orders more
   * waits longer.
   */
  readonly issued: number;
  readonly issuedSince: number;
}

/**
 * What a challenge wants to find: TXT rdata text at `_acme-challenge` of the apex (RFC 8555 8.4),
 * or a body below /.well-known/acme-challenge/ of the domain's hosts (8.3). There while the order
 * is pending.
 */
export interface AcmeChallenge {
  readonly domainId: Id;
  readonly type: 'dns-01' | 'http-01';
  readonly token: string;
  /** The digest of the key authorization (dns-01), or the key authorization (http-01). */
  readonly content: string;
}

/** What the key of an account is sealed for. */
export const acmeAccountContext = (directory: string): string => `acme-account:${directory}`;

export const acmeAccounts = jsonTable<AcmeAccount>({
  number: 14,
  name: 'acme_accounts',
  key: ({ directory, eabKid }) => digest(JSON.stringify([directory, eabKid])),
});

export const acmeOrders = jsonTable<AcmeOrder>({
  number: 15,
  name: 'acme_orders',
  key: (row) => idKey(row.domainId),
});

/** domain id (8) · hash of type and token (16) */
export const acmeChallenges = jsonTable<AcmeChallenge>({
  number: 16,
  name: 'acme_challenges',
  key: ({ domainId, type, token }) => challengeKey(domainId, type, token),
});

/** `token`: as it was sent by anybody; any text has a key. */
export function challengeKey(domainId: Id, type: AcmeChallenge['type'], token: string): Buffer {
  return Buffer.concat([idKey(domainId), digest(`${type} ${token}`)]);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16);

/**
 * State of automatic certificates (RFC 8555): accounts at directories, orders and challenge
 * responses.
 */
import { createHash } from 'node:crypto';
import { type Id, idKey } from '../keys.ts';
import { jsonTable } from './table.ts';

/** An account of the cluster at a directory. One for each directory and external account. */
export interface AcmeAccount {
  readonly directory: string;
  /** The external account binding (RFC 8555 section 7.3.4); null: none. */
  readonly eabKid: string | null;
  /** PEM, sealed (core/base/secrets.ts, `acme-account:<directory>`), base64. */
  readonly sealedKey: string;
  /** The account's URL at the directory; null until it is registered. */
  readonly url: string | null;
  /** The contact address registered at the directory; null: none; omitted in old rows: unknown. */
  readonly email?: string | null;
  readonly createdAt: number;
}

/** State of the automatic certificate of a domain. Times are seconds since 1970. */
export interface AcmeOrder {
  readonly domainId: Id;
  /** The node that currently orders, with its lease until `until`, which it renews. */
  readonly claim: { readonly node: string; readonly until: number } | null;
  /** When the last attempt started. */
  readonly triedAt: number;
  /** Failed attempts since the last certificate. */
  readonly failures: number;
  /** Earliest next attempt; a request of the customer may start one sooner. Null: not set. */
  readonly retryAt: number | null;
  /**
   * No attempt before this time, even on request, because of the directory's limits; null: none.
   */
  readonly blockedUntil: number | null;
  /** When to renew the certificate; null: there is none. */
  readonly renewAt: number | null;
  /** The directory that issued the certificate; null: there is none. */
  readonly directory: string | null;
  /**
   * Certificates issued in the day that starts at `issuedSince`. Domains that order more wait
   * longer.
   */
  readonly issued: number;
  readonly issuedSince: number;
  /** Names that could not be validated; omitted: none. */
  readonly refused?: readonly RefusedName[];
}

/** A host name for which no certificate could be ordered. Orders leave it out until `retryAt`. */
export interface RefusedName {
  /** A wildcard starts with `*.`. */
  readonly name: string;
  /** For the customer: the problem and the next step. */
  readonly why: string;
  /** Failed attempts since the last success. */
  readonly failures: number;
  /** When the last attempt failed. */
  readonly failedAt: number;
  readonly retryAt: number;
}

/**
 * The response to a challenge: TXT rdata text at `_acme-challenge` of a name (RFC 8555 section
 * 8.4), or a body below /.well-known/acme-challenge/ of the domain's hosts (section 8.3). It exists
 * while the order is pending.
 */
export interface AcmeChallenge {
  readonly domainId: Id;
  readonly type: 'dns-01' | 'http-01';
  readonly token: string;
  /**
   * The validated host name of dns-01, without `*.`; omitted: the apex. Nodes below the feature
   * level of `furtherCertificates` would serve the response at the apex.
   */
  readonly name?: string;
  /** The digest of the key authorization (dns-01), or the key authorization (http-01). */
  readonly content: string;
}

/** The context for sealing the key of an account. */
export const acmeAccountContext = (directory: string): string => `acme-account:${directory}`;

export const acmeAccounts = jsonTable<AcmeAccount>({
  number: 14,
  name: 'acme_accounts',
  quota: { none: 'one for each directory' },
  key: ({ directory, eabKid }) => digest(JSON.stringify([directory, eabKid])),
});

export const acmeOrders = jsonTable<AcmeOrder>({
  number: 15,
  name: 'acme_orders',
  quota: { none: 'one for each domain' },
  key: (row) => idKey(row.domainId),
});

/** domain id (8) · hash of type and token (16) */
export const acmeChallenges = jsonTable<AcmeChallenge>({
  number: 16,
  name: 'acme_challenges',
  quota: { none: 'those of one order for each domain' },
  key: ({ domainId, type, token }) => challengeKey(domainId, type, token),
});

/** `token`: any text, since it may come from an HTTP request. */
export function challengeKey(domainId: Id, type: AcmeChallenge['type'], token: string): Buffer {
  return Buffer.concat([idKey(domainId), digest(`${type} ${token}`)]);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16);

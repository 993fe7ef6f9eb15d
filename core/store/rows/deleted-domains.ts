/**
 * Deleted domains: the bin. Only the rows that other parts find a domain by are here or deleted.
 * All others stay where they are, under the id of the domain, until it is deleted for good: see
 * core/upkeep/domains/bin.ts.
 */

import { type Id, idKey, LOOKUP, lookupKey, reversed, timeKey } from '../keys.ts';
import type { DnssecRow } from './dnssec.ts';
import type { StoredDnssecState } from './dnssec-states.ts';
import { json, type Table, unjson } from './table.ts';
import type { SecondaryRow } from './zone-states.ts';
import { type Domain, decodeDomain, domains } from './zones.ts';

export interface DeletedDomain {
  readonly domain: Domain;
  /** Seconds since 1970. */
  readonly deletedAt: number;
  /** The user name of the author; null: the service. */
  readonly deletedBy: string | null;
  /** When it is deleted for good, in seconds since 1970. */
  readonly purgeAt: number;
  /** It cannot be restored any more: its rows are being deleted. */
  readonly isGone: boolean;
  /** Null: the zone is not signed. */
  readonly signing: { readonly row: DnssecRow; readonly state: StoredDnssecState } | null;
  /** Null: the zone is not secondary. */
  readonly secondary: SecondaryRow | null;
}

/** Begins the lookups of the domains that an account can restore, newest first. */
export const binPrefix = (accountId: Id): Buffer => lookupKey(LOOKUP.accountBin, idKey(accountId));

/** The position of a domain in the bin of its account. */
export const binPosition = ({ deletedAt, domain: { id } }: DeletedDomain): Buffer =>
  reversed(timeKey({ createdAt: deletedAt, id }));

/** Begins the lookups of all deleted domains, in the order in which they are deleted for good. */
export const purgePrefix = (): Buffer => lookupKey(LOOKUP.purgeTime);

export const deletedDomains: Table<DeletedDomain> = {
  number: 61,
  name: 'deleted_domains',
  quota: { none: 'the bin of an account has limits of its own: see core/upkeep/domains/bin.ts' },
  level: 8,
  key: ({ domain }) => idKey(domain.id),
  encode: ({ domain, ...row }) => json({ ...row, domain: domains.encode(domain).toString() }),
  decode(_key, value) {
    const { domain, ...row } = unjson<Omit<DeletedDomain, 'domain'> & { domain: string }>(value);
    return { ...row, domain: decodeDomain(Buffer.from(domain)) };
  },
  lookups(key, value) {
    const row = deletedDomains.decode(key, value);
    const { domain, purgeAt, isGone } = row;
    const purge = Buffer.concat([purgePrefix(), timeKey({ createdAt: isGone ? 0 : purgeAt, id: domain.id })]);
    return isGone ? [purge] : [purge, Buffer.concat([binPrefix(domain.accountId), binPosition(row)])];
  },
};

/** Measures how much a commit adds to zones and accounts, before it is applied. */

import { latin1 } from '../../dns/wire/latin1.ts';
import { type Id, idAt } from '../../store/keys.ts';
import { accountShare, rowOwner, rowSize } from '../../store/row-owner.ts';
import { type Domain, domains, records } from '../../store/rows.ts';
import type { StoreReader } from '../../store/store-reader.ts';
import { readChanges, readFirstChanges } from '../entry-codec.ts';

/** Negative: the commit removes more than it adds. */
export interface Growth {
  records: number;
  bytes: number;
}

interface ZoneGrowth extends Growth {
  /** The account after the commit. */
  readonly accountId: Id;
}

export interface CommitGrowth {
  readonly zones: ReadonlyMap<Id, ZoneGrowth>;
  /** Includes the growth of the zones. */
  readonly accounts: ReadonlyMap<Id, Growth>;
}

/** A commit whose growth is measured. */
export interface Measured {
  readonly changes: Buffer;
  /** What the records of an import add to its domain, which are not in the changes. */
  readonly more?: Growth & { readonly domainId: Id };
}

type StoredRows = Pick<StoreReader, 'domain' | 'zoneState' | 'environment'>;

/**
 * The accounts to which a commit may add something. No row is read, except that `ownerOf` returns
 * the account of a stored domain.
 */
export function growingAccounts({ changes, more }: Measured, ownerOf: (domainId: Id) => Id | undefined): Set<Id> {
  const accounts = new Set<Id>();
  const addAccount = (accountId: Id | undefined): void => {
    if (accountId !== undefined) accounts.add(accountId);
  };
  if (more !== undefined) addAccount(ownerOf(more.domainId));
  for (const { table, key, value } of readFirstChanges(changes, records.number)) {
    const owner = rowOwner(table);
    if (owner === 'none' || owner === 'audit') continue;
    if (owner === 'zone') {
      if (table === domains.number && value !== null) addAccount(domains.decode(key, value).accountId);
      else addAccount(ownerOf(idAt(key)));
    } else if (value !== null) addAccount(accountShare(table, key, value, false).accountId);
  }
  return accounts;
}

/** Reads the stored rows that the commit replaces or deletes. */
export function measureGrowth({ changes, more }: Measured, stored: StoredRows): CommitGrowth {
  const zones = new Map<Id, Growth>();
  const accounts = new Map<Id, Growth>();
  /** The rows of domains that the commit writes. */
  const written = new Map<Id, Domain>();
  /** Deleted rows, so that the put that follows adds a whole row. */
  const deleted = new Set<string>();
  if (more !== undefined) add(zones, more.domainId, more.records, more.bytes);
  for (const { table, key, value } of readChanges(changes)) {
    const owner = rowOwner(table);
    if (owner === 'none' || owner === 'audit') continue;
    const isRecord = table === records.number;
    // A new record has a new id, so its key is not stored yet.
    const id = isRecord ? '' : `${table} ${latin1(key)}`;
    const old =
      (isRecord && value !== null) || deleted.has(id) ? undefined : stored.environment.rows.get(table)?.get(key);
    if (value === null && !isRecord) deleted.add(id);
    if (owner === 'account') {
      if (old !== undefined) addShare(accounts, accountShare(table, key, old, true), -1);
      if (value !== null) addShare(accounts, accountShare(table, key, value, false), 1);
      continue;
    }
    const growth = growthOf(zones, idAt(key));
    if (isRecord) growth.records += value === null ? -1 : 1;
    growth.bytes += value === null ? 0 : rowSize(table, key, value, false);
    growth.bytes -= old === undefined ? 0 : rowSize(table, key, old, true);
    if (table === domains.number && value !== null) written.set(idAt(key), domains.decode(key, value));
  }
  const owned = new Map<Id, ZoneGrowth>();
  for (const [domainId, { records: count, bytes }] of zones) {
    const before = stored.domain(domainId)?.accountId;
    const after = written.get(domainId)?.accountId ?? before;
    if (after === undefined) continue;
    owned.set(domainId, { accountId: after, records: count, bytes });
    add(accounts, after, count, bytes);
    if (before === after) continue;
    // The usage of the domain moves to its new account, or comes back from the bin.
    const { recordCount, bytes: size } = stored.zoneState(domainId);
    add(accounts, after, recordCount, size);
    if (before !== undefined) add(accounts, before, -recordCount, -size);
  }
  return { zones: owned, accounts };
}

function growthOf(all: Map<Id, Growth>, id: Id): Growth {
  let growth = all.get(id);
  if (growth === undefined) {
    growth = { records: 0, bytes: 0 };
    all.set(id, growth);
  }
  return growth;
}

function add(all: Map<Id, Growth>, id: Id, count: number, bytes: number): void {
  const growth = growthOf(all, id);
  growth.records += count;
  growth.bytes += bytes;
}

const addShare = (all: Map<Id, Growth>, share: ReturnType<typeof accountShare>, sign: number): void =>
  add(all, share.accountId, 0, sign * share.bytes);

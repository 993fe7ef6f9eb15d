/**
 * The bin of an account. A deleted domain is no longer served or found, and its name is free, but
 * its rows stay under its id. It can be restored until its row in the bin says that it is gone;
 * then purge.ts deletes its rows in steps. So no deletion of a large domain delays other writes.
 */
import type { Draft } from '../../journal/draft/draft.ts';
import { ChangeWriter } from '../../journal/entry-codec.ts';
import type { Environment } from '../../store/environment.ts';
import { type Id, idKey } from '../../store/keys.ts';
import {
  acmeChallenges,
  acmeOrders,
  type DeletedDomain,
  type Domain,
  delegations,
  deletedDomains,
  dnssec,
  domains,
  imports,
  purges,
  secondaries,
} from '../../store/rows.ts';
import type { ZoneSettings } from '../../zone/compile/settings.ts';
import { deleteSignedZone, storeSignedZone } from '../signing/store-zone.ts';
import { deletePtrsOf } from './ptrs.ts';

/** Days for which a deleted domain can be restored. */
export const BIN_DAYS = 30;
const DAY = 86_400;
interface BinParts {
  readonly environment: Environment;
  readonly zoneSettings: Pick<ZoneSettings, 'nameservers'>;
}

interface Deletion {
  /** The user name of the author; null: the service. */
  readonly by: string | null;
  /** Seconds since 1970. */
  readonly now: number;
  /** The domain cannot be restored. */
  readonly isPermanent: boolean;
}

/** Moves a domain to the bin, in the commit of the draft. Returns its row there. */
export function deleteDomain(
  { environment, zoneSettings }: BinParts,
  draft: Draft,
  domain: Domain,
  { by, now, isPermanent }: Deletion,
): DeletedDomain {
  const { id } = domain;
  deletePtrsOf(draft, domain);
  const order = draft.acmeOrder(id);
  if (order !== undefined) draft.delete(acmeOrders, order);
  for (const challenge of draft.acmeChallenges(id)) draft.delete(acmeChallenges, challenge);
  for (const purge of draft.purgesOf(id)) draft.delete(purges, purge);
  const delegation = draft.delegation(id);
  if (delegation !== undefined) draft.delete(delegations, delegation);
  const [row, state] = [draft.dnssec(id), draft.dnssecState(id)];
  deleteSignedZone(draft, domain, zoneSettings.nameservers, now);
  const secondary = draft.row(secondaries, idKey(id)) ?? null;
  if (secondary !== null) draft.delete(secondaries, secondary);
  const isSigned = row !== undefined && state !== undefined && row.progress?.toward !== 'unsigned';
  const deleted: DeletedDomain = {
    domain,
    deletedAt: now,
    deletedBy: by,
    purgeAt: now + BIN_DAYS * DAY,
    isGone: false,
    signing: isSigned ? { row, state } : null,
    secondary,
  };
  const stored = isPermanent ? gone(deleted) : deleted;
  draft.put(deletedDomains, stored);
  // Withdraws an import; the hidden records are deleted later. Every entry of the import writes the
  // row, so reading it would conflict.
  if (environment.rows.get(imports.number)!.doesExist(idKey(id))) {
    const changes = new ChangeWriter();
    changes.delete(imports.number, idKey(id));
    draft.append(changes.content);
  }
  // After the other deletions, because applying them needs the domain.
  draft.delete(domains, domain);
  return stored;
}

/** Makes a domain in the bin one that cannot be restored, and whose rows are deleted soon. */
export function discardDomain(draft: Draft, deleted: DeletedDomain): void {
  draft.put(deletedDomains, gone(deleted));
}

const gone = (deleted: DeletedDomain): DeletedDomain => ({ ...deleted, isGone: true, signing: null, secondary: null });

/** Discards all domains in the bin of an account that is deleted. */
export function discardBin(draft: Draft, accountId: Id): void {
  for (const deleted of draft.deletedDomainsOf(accountId, null)) discardDomain(draft, deleted);
}

/**
 * Restores a domain, in the commit of the draft: its rows are found again. The name must be free.
 * `now`: seconds since 1970.
 */
export function restoreDomain(
  { zoneSettings }: Pick<BinParts, 'zoneSettings'>,
  draft: Draft,
  deleted: DeletedDomain,
  now: number,
): void {
  const { domain, signing, secondary } = deleted;
  draft.delete(deletedDomains, deleted);
  // Before the other rows, because applying them needs the domain.
  draft.put(domains, domain);
  if (secondary !== null) draft.put(secondaries, secondary);
  if (signing === null) return;
  // All names are signed again at once: the signatures may have expired, and the parent may have a
  // DS.
  const { progress: _progress, ...row } = { ...signing.row, clock: now };
  const { dueAt: _dueAt, hasProblem: _hasProblem, ...state } = signing.state;
  draft.put(dnssec, row);
  storeSignedZone(draft, domain, { row, state }, zoneSettings.nameservers, now);
}

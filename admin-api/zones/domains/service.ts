/** Describes, changes and deletes domains. */

import { StateError } from '../../../core/base/errors.ts';
import { formatHost } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type Domain, domains, newSecondary, secondaryState } from '../../../core/store/rows.ts';
import type { ZoneState } from '../../../core/store/zone-state.ts';
import { judgeDelegation } from '../../../core/upkeep/delegation/state.ts';
import { discardDomain, deleteDomain as moveToBin } from '../../../core/upkeep/domains/bin.ts';
import { presignedState } from '../../../core/upkeep/signing/presigned-state.ts';
import { change } from '../../change/change.ts';
import { deletedDomain, ownedDomain, requireMatch } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { expectedOf } from './delegation.ts';
import { requireNoDs } from './parent-ds.ts';
import { type PrimaryBody, readPrimaries, viewPrimary } from './primaries.ts';

interface Deletion {
  /** Also if the parent zone has a DS record. */
  readonly force?: boolean;
  /** The domain cannot be restored. */
  readonly permanent?: boolean;
}

/**
 * Moves a domain to the bin. Throws HttpError 404 and 412, and StateError `dnssec_ds_present` and
 * `listed_zone`.
 */
export async function deleteDomain(
  services: Services,
  context: Context<Caller>,
  id: Id,
  { force = false, permanent = false }: Deletion = {},
) {
  if (!force) await requireNoDs(services, ownedDomain(services.reader, context.caller, id));
  const commit = () =>
    change(services, context, (draft) => {
      const domain = requireUnlisted(draft, ownedDomain(draft, context.caller, id));
      requireMatch(services, draft, domain, context.header('if-match'));
      const { recordCount } = services.reader.zoneState(id);
      const by = context.caller.account.username;
      const deletion = { by, now: nowSeconds(), isPermanent: permanent };
      const { purgeAt, isGone } = moveToBin(services, draft, domain, deletion);
      return {
        action: 'domain.delete',
        domain,
        target: id,
        detail: { records: recordCount, ...(permanent && { permanent }) },
        createResponse: () => ({ restorable_until: isGone ? null : formatTime(purgeAt) }),
      };
    });
  return services.locks.exclusive(String(id), commit);
}

/** Makes a deleted domain one that cannot be restored. Throws HttpError 404. */
export function discardDeleted(services: Services, context: Context<Caller>, id: Id) {
  return change(services, context, (draft) => {
    const deleted = deletedDomain(draft, context.caller, id);
    discardDomain(draft, deleted);
    const { domain } = deleted;
    return {
      action: 'domain.discard',
      domain,
      target: id,
      createResponse: () => ({ restorable_until: null }),
    };
  });
}

/** A domain in lists, with states that change without a new revision. */
export function describeListed(services: Services, domain: Domain) {
  const { reader } = services;
  const { state } = judgeDelegation(expectedOf(services, reader, domain), reader.delegation(domain.id));
  const signed = reader.dnssecState(domain.id);
  return {
    ...describeDomain(services, domain),
    delegation: state,
    dnssec_status: signed?.phase ?? ('off' as const),
    dnssec_problem: signed?.hasProblem ?? false,
  };
}

export function describeDomain(services: Services, domain: Domain) {
  return viewDomain(services, domain, services.reader.zoneState(domain.id));
}

/** The state on this node; another node may have refreshed the zone since. */
function viewSecondary(services: Services, { id, apex }: Domain) {
  const now = nowSeconds();
  const row = services.secondaries.row(id) ?? newSecondary(id);
  const { maxNsec3Iterations } = services.config.secondary;
  const signatures = presignedState(services.reader.recordsAt(id, apex), now, maxNsec3Iterations);
  const timeOf = (seconds: number | null) => (seconds === null ? null : formatTime(seconds));
  return {
    state: secondaryState(row, now),
    serial: row.serial,
    transferred_at: timeOf(row.transferredAt),
    refreshed_at: timeOf(row.refreshedAt),
    expires_at: timeOf(row.expiresAt),
    error: row.error,
    warnings: row.warnings?.first ?? [],
    warnings_omitted: row.warnings?.omitted ?? 0,
    signatures: signatures && {
      denial: signatures.denial,
      earliest_expiry: formatTime(signatures.earliestExpiry),
      problem: signatures.problem,
    },
  };
}

/** The last result of processing a catalog on this node. */
function viewCatalog({ catalogs }: Services, { id }: Domain) {
  const { problem = null, zones = 0, leftOutCount = 0, leftOut = [] } = catalogs.state(id) ?? {};
  return { problem, zones, left_out_count: leftOutCount, left_out: leftOut };
}

export function viewDomain(services: Services, domain: Domain, state: ZoneState) {
  return {
    id: domain.id,
    domain: formatHost(domain.apex),
    kind: domain.kind,
    members: domain.kind === 'catalog' ? domain.members : null,
    primaries: domain.kind === 'secondary' ? domain.primaries.map(viewPrimary) : null,
    secondary: domain.kind === 'secondary' ? viewSecondary(services, domain) : null,
    catalog: domain.consumes ? viewCatalog(services, domain) : null,
    listed_by: domain.listedBy?.catalogId ?? null,
    nameservers: [...expectedOf(services, services.reader, domain)],
    record_count: state.recordCount,
    revision: state.revision,
    proxy_enabled: services.reader.proxy(domain.id)?.enabled ?? false,
    account_id: domain.accountId,
    created_at: formatTime(domain.createdAt),
    updated_at: formatTime(state.updatedAt || domain.createdAt),
  };
}

const addressesOf = ({ primaries }: Domain): string[] => primaries.map(({ address }) => address);

/** Throws HttpError 404 and 412, StateError `not_secondary`, and the errors of readPrimaries. */
export async function replacePrimaries(
  services: Services,
  context: Context<Caller>,
  id: Id,
  bodies: readonly PrimaryBody[],
) {
  const result = await change(services, context, (draft) => {
    const old = requireUnlisted(draft, requireSecondary(ownedDomain(draft, context.caller, id)));
    requireMatch(services, draft, old, context.header('if-match'));
    const account = draft.account(old.accountId)!;
    const domain: Domain = { ...old, primaries: readPrimaries(services, draft, account, bodies) };
    draft.put(domains, domain);
    return {
      action: 'domain.primaries',
      domain,
      target: id,
      detail: { primaries: addressesOf(domain), before: { primaries: addressesOf(old) } },
      createResponse: () => ({ domain: describeDomain(services, domain) }),
    };
  });
  // The client does not wait for the primaries, which may not answer.
  void services.secondaries.transfer(id, false);
  return result;
}

/** Throws HttpError 404, and StateError `not_secondary`. */
export async function transferZone(services: Services, context: Context<Caller>, id: Id, force = false) {
  const { caller } = context;
  requireSecondary(ownedDomain(services.reader, caller, id));
  const row = await services.secondaries.transfer(id, force);
  return change(services, context, (draft) => {
    const domain = requireSecondary(ownedDomain(draft, caller, id));
    return {
      action: 'domain.transfer',
      domain,
      target: id,
      detail: { force, serial: row?.serial ?? null, error: row?.error ?? null },
      createResponse: () => ({ domain: describeDomain(services, domain) }),
    };
  });
}

/** Throws StateError `listed_zone` for a zone whose catalog is here. */
function requireUnlisted(draft: Draft, domain: Domain): Domain {
  const catalog = domain.listedBy && draft.domain(domain.listedBy.catalogId);
  if (!catalog) return domain;
  throw new StateError(
    'listed_zone',
    `The catalog ${formatHost(catalog.apex)} lists this zone. Remove it from the catalog, at its primary.`,
  );
}

function requireSecondary(domain: Domain): Domain {
  if (domain.kind === 'secondary') return domain;
  throw new StateError('not_secondary', 'This zone is not secondary: it is not transferred from primaries.');
}

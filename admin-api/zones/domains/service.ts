/** Creates, lists, describes and deletes domains. */

import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { formatHost, type Name, parseName, toAscii } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import {
  type Account,
  type Domain,
  domains,
  newSecondary,
  PRIMARY,
  secondaries,
  secondaryState,
} from '../../../core/store/rows.ts';
import { EMPTY_ZONE, type ZoneState } from '../../../core/store/zone-state.ts';
import { judgeDelegation } from '../../../core/upkeep/delegation/state.ts';
import { deleteDomainRows } from '../../../core/upkeep/domains/delete.ts';
import { findSpellingFault } from '../../../core/upkeep/domains/domain-names.ts';
import { presignedState } from '../../../core/upkeep/signing/presigned-state.ts';
import { mayBeCatalog } from '../../../core/zone/compile/catalog.ts';
import { type ActingContext, accountOf, requireAccount } from '../../change/acting.ts';
import { change } from '../../change/change.ts';
import { ownedDomain, requireMatch } from '../../change/owned-domain.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { formatTime, nowSeconds } from '../../http/time.ts';
import { expectedOf } from './delegation.ts';
import { requireNoDs } from './parent-ds.ts';
import { type PrimaryBody, readPrimaries, viewPrimary } from './primaries.ts';
import type { domainBody } from './schema.ts';

const POINTER = '/domain';

export type DomainBody = BodyOf<typeof domainBody>;

/** Throws InvalidError, the errors of requireAdmitted, and those of accountOf. */
export async function createDomain(services: Services, context: ActingContext, body: DomainBody) {
  return insertDomain(services, context, body, (_draft, domain) => domain);
}

/**
 * Creates a domain. `fill` adds its data in the same commit, and returns the domain to store.
 * Throws the errors of createDomain and of `fill`.
 */
export async function insertDomain(
  services: Services,
  context: ActingContext,
  body: DomainBody,
  fill: (draft: Draft, domain: Domain) => Domain | Promise<Domain>,
) {
  const { admission, locks, reader } = services;
  const account = accountOf(reader, context);
  const apex = parseDomain(body.domain);
  const kind = kindOf(services, body, apex, account, context.caller);
  if (apex.length === 1 && kind.kind !== 'secondary')
    throw new InvalidError('invalid_domain', 'The root zone can only be a secondary zone; set "kind" to "secondary".', {
      pointer: POINTER,
    });
  const commit = () =>
    change(services, context, async (draft) => {
      requireAdmitted(services, draft, apex, requireAccount(draft, account), context.caller);
      const empty: Domain = {
        id: draft.newId(domains),
        accountId: account.id,
        apex,
        createdAt: nowSeconds(),
        kept: null,
        ...kind,
      };
      // The domain precedes its records, because applying them needs the domain.
      draft.put(domains, empty);
      if (empty.kind === 'secondary') draft.put(secondaries, newSecondary(empty.id));
      const domain = await fill(draft, empty);
      if (domain !== empty) draft.put(domains, domain);
      const state = { ...EMPTY_ZONE, updatedAt: domain.createdAt };
      return {
        action: 'domain.create',
        domain,
        target: domain.id,
        createResponse: (revision) => ({ domain: viewDomain(services, domain, { ...state, revision }) }),
      };
    });
  // The count of domains conflicts with every other creation in the account.
  return admission.limitOf(account) > 0 ? locks.exclusive(`account ${account.id}`, commit) : commit();
}

/**
 * Throws InvalidError, the errors of readPrimaries, and HttpError 403 for a catalog of all
 * accounts.
 */
function kindOf(
  services: Services,
  { kind, members, primaries, catalog }: DomainBody,
  apex: Name,
  owner: Account,
  { account }: Caller,
): Pick<Domain, keyof typeof PRIMARY> {
  if (catalog !== undefined && kind !== 'secondary')
    throw new InvalidError(
      'contradiction',
      'Only secondary zones are consumed as catalogs; set "kind" to "secondary".',
      {
        pointer: '/catalog',
      },
    );
  if ((kind === 'secondary') !== (primaries !== undefined))
    throw new InvalidError(
      'contradiction',
      kind === 'secondary'
        ? 'A secondary zone needs "primaries", from which it is transferred.'
        : 'Only secondary zones have primaries; set "kind" to "secondary".',
      { pointer: '/primaries' },
    );
  if (kind !== 'catalog') {
    if (members === undefined) {
      if (primaries === undefined) return PRIMARY;
      const read = readPrimaries(services, services.reader, owner, primaries);
      return { ...PRIMARY, kind: 'secondary', primaries: read, consumes: catalog === true };
    }
    throw new InvalidError('contradiction', 'Only catalogs have members; set "kind" to "catalog".', {
      pointer: '/members',
    });
  }
  if (members === 'all' && account.role !== 'admin')
    throw new HttpError(403, 'forbidden', 'Only administrators can list the domains of all accounts.', {
      pointer: '/members',
    });
  if (!mayBeCatalog(apex))
    throw new InvalidError('invalid_domain', 'The name is too long for a catalog.', { pointer: '/domain' });
  return { ...PRIMARY, kind, members: members ?? 'account' };
}

/** The name that a new domain would have. Throws the errors of its creation. */
export function checkDomain(services: Services, context: ActingContext, text: string) {
  const apex = parseDomain(text);
  requireAdmitted(services, services.reader, apex, accountOf(services.reader, context), context.caller);
  return { domain: formatHost(apex) };
}

/**
 * Throws InvalidError for a name that the account cannot have, and StateError `zone_exists` or
 * `plan_limit`.
 */
function requireAdmitted({ admission }: Services, reader: Reader, apex: Name, owner: Account, caller: Caller): void {
  const refusal = admission.findRefusal(reader, apex, owner, caller.account);
  if (refusal === null) return;
  const { code, message } = refusal;
  if (code === 'plan_limit') throw new StateError(code, message);
  const at = { pointer: '/domain' };
  throw code === 'zone_exists' ? new StateError(code, message, at) : new InvalidError(code, message, at);
}

/**
 * Deletes a domain and all its data in one commit. Throws HttpError 404 and 412, and StateError
 * `dnssec_ds_present` unless `force` is set.
 */
export async function deleteDomain(services: Services, context: Context<Caller>, id: Id, force = false) {
  if (!force) await requireNoDs(services, ownedDomain(services.reader, context.caller, id));
  const commit = () =>
    change(services, context, (draft) => {
      const domain = requireUnlisted(draft, ownedDomain(draft, context.caller, id));
      requireMatch(services, draft, domain, context.header('if-match'));
      const count = deleteDomainRows(services, draft, domain, nowSeconds());
      return { action: 'domain.delete', domain, target: id, detail: { records: count }, createResponse: () => ({}) };
    });
  return services.locks.exclusive(String(id), commit);
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

function viewDomain(services: Services, domain: Domain, state: ZoneState) {
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

/** Letters, digits, inner hyphens (RFC 1123 2.1), and underscores, which some delegations have. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?$/i;
/** The label of a reverse zone for a part of a network (RFC 2317 section 4). */
const CLASSLESS = /^\d{1,3}(-\d{1,3})?\/\d{1,3}$/;
const ESCAPE = /\\(\d{3}|\D)/g;

/**
 * Parses the name of a domain, in any case, in Unicode or A-labels, with or without a trailing dot.
 * Bytes that are not part of host names must be escaped: otherwise they are typing errors as a
 * rule, such as a URL. Throws InvalidError.
 */
function parseDomain(text: string): Name {
  const refuse = (code: string, message: string) => new InvalidError(code, message, { pointer: POINTER });
  const ascii = toAscii(text.trim(), POINTER);
  let apex: Name;
  try {
    apex = parseName(ascii);
  } catch (error) {
    if (!(error instanceof InvalidError)) throw error;
    throw refuse('invalid_domain', error.message);
  }
  const fault = findSpellingFault(apex);
  if (fault !== null) throw refuse(fault.code, fault.message);
  if (apex.length === 1) return apex;
  const labels = ascii.replace(ESCAPE, 'x').replace(/\.$/, '').split('.');
  if (labels.every((label) => LABEL.test(label) || CLASSLESS.test(label))) return apex;
  throw refuse(
    'invalid_domain',
    `"${text.slice(0, 80)}" is not a domain name: labels consist of letters, digits and inner hyphens. Escape other characters as in a zone file, such as "\\032" for a space.`,
  );
}

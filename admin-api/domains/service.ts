/** Creates, lists, describes and deletes domains. */
import { InvalidError, StateError } from '../../core/base/errors.ts';
import { judgeDelegation } from '../../core/delegation/state.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { ChangeWriter } from '../../core/journal/entry-codec.ts';
import { presignedState } from '../../core/signing/presigned-state.ts';
import { deleteSignedZone } from '../../core/signing/store-zone.ts';
import { afterPrefix, type Id, idKey, recordKeyParts } from '../../core/store/keys.ts';
import { EMPTY_ZONE, type ZoneState } from '../../core/store/reader.ts';
import {
  type Account,
  acmeChallenges,
  acmeOrders,
  automaticCertificates,
  certificates,
  comments,
  type Domain,
  delegations,
  domains,
  newSecondary,
  PRIMARY,
  proxiedOf,
  proxies,
  purges,
  records,
  secondaries,
  secondaryState,
  spellings,
  zoneLabels,
} from '../../core/store/rows.ts';
import { formatHost, type Name, parentName } from '../../core/wire/name.ts';
import { mayBeCatalog } from '../../core/zone/catalog.ts';
import { planLimit } from '../accounts/service.ts';
import { accountOf, requireAccount } from '../change/acting.ts';
import { change } from '../change/change.ts';
import type { Services } from '../change/services.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Context } from '../http/route.ts';
import { formatTime, nowSeconds } from '../http/time.ts';
import { expectedOf } from './delegation.ts';
import { parseDomain, rejectPublicSuffix } from './name.ts';
import { ownedDomain, requireMatch } from './owned.ts';
import { requireNoDs } from './parent-ds.ts';
import { type PrimaryBody, readPrimaries, viewPrimary } from './primaries.ts';

export interface DomainBody {
  readonly domain: string;
  readonly kind?: Domain['kind'];
  readonly primaries?: readonly PrimaryBody[];
  readonly members?: Domain['members'];
}

/** Throws InvalidError, StateError `zone_exists` or `plan_limit`, and the errors of accountOf. */
export async function createDomain(services: Services, context: Context<Caller>, body: DomainBody) {
  return insertDomain(services, context, body, (_draft, domain) => domain);
}

/**
 * Creates a domain with what `fill` adds in the same commit: it returns the domain to store. Throws
 * the errors of createDomain and of `fill`.
 */
export async function insertDomain(
  services: Services,
  context: Context<Caller>,
  body: DomainBody,
  fill: (draft: Draft, domain: Domain) => Domain | Promise<Domain>,
) {
  const { config, turns, reader } = services;
  const account = accountOf(reader, context);
  const apex = parseDomain(body.domain);
  if (context.caller.account.role !== 'admin') rejectPublicSuffix(apex);
  const kind = kindOf(services, body, apex, account, context.caller);
  const limit = planLimit(config.plans, account.plan);
  const commit = () =>
    change(services, context, async (draft) => {
      requireAccount(draft, account);
      requireFree(draft, apex, account.id);
      if (limit > 0 && draft.countDomains(account.id, limit) >= limit)
        throw new StateError('plan_limit', `The plan "${account.plan}" allows ${limit} domains, and all are in use.`);
      const empty: Domain = {
        ...{ id: draft.newId(domains), accountId: account.id, apex },
        ...{ createdAt: nowSeconds(), kept: null, ...kind },
      };
      // Before its records, because applying those needs the domain.
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
  return limit > 0 ? turns.exclusive(`account ${account.id}`, commit) : commit();
}

/**
 * Throws InvalidError, the errors of readPrimaries, and HttpError 403 for a catalog of all
 * accounts.
 */
function kindOf(
  services: Services,
  { kind, members, primaries }: DomainBody,
  apex: Name,
  owner: Account,
  { account }: Caller,
): Pick<Domain, keyof typeof PRIMARY> {
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
      return { ...PRIMARY, kind: 'secondary', primaries: readPrimaries(services, services.reader, owner, primaries) };
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
  return { kind, primaries: [], members: members ?? 'account' };
}

function requireFree(draft: Draft, apex: Name, accountId: Id): void {
  const taken = (other: Domain | undefined, strict: boolean): void => {
    if (other === undefined || (!strict && other.accountId === accountId)) return;
    const own = other.accountId === accountId ? ' in this account' : '';
    const what = other.apex.length === apex.length ? 'This domain' : 'A domain above or below this one';
    throw new StateError('zone_exists', `${what} already exists${own}.`, { pointer: '/domain' });
  };
  taken(draft.domainByApex(apex), true);
  for (let above = parentName(apex); above.length > 1; above = parentName(above))
    taken(draft.domainByApex(above), false);
  for (const below of draft.domainsBelow(apex)) taken(below, false);
}

/**
 * Deletes a domain and all its data in one commit. Throws HttpError 404 and 412, and StateError
 * `dnssec_ds_present` unless the query parameter `force` is set.
 */
export async function deleteDomain(services: Services, context: Context<Caller>, id: Id) {
  if (context.query.get('force') !== 'true')
    await requireNoDs(services, ownedDomain(services.reader, context.caller, id));
  const commit = () =>
    change(services, context, (draft) => {
      const domain = ownedDomain(draft, context.caller, id);
      requireMatch(services, draft, domain, context.header('if-match'));
      const changes = new ChangeWriter();
      deleteRecords(services, draft, domain, changes);
      const count = changes.count;
      deleteSpellings(services, draft, domain.id, changes);
      // Those of the apex, too, whose SOA and NS may be no records.
      deleteRows(services, draft, comments.number, domain.id, changes);
      deleteProxy(draft, domain.id);
      const delegation = draft.delegation(domain.id);
      if (delegation !== undefined) draft.delete(delegations, delegation);
      if (draft.row(zoneLabels, idKey(id)) !== undefined) changes.delete(zoneLabels.number, idKey(id));
      deleteSignedZone(draft, domain, services.zoneSettings.nameservers, nowSeconds());
      const secondary = draft.row(secondaries, idKey(id));
      if (secondary !== undefined) draft.delete(secondaries, secondary);
      // After its records, because applying those needs the domain.
      changes.delete(domains.number, domains.key(domain));
      draft.append(changes.content);
      return { action: 'domain.delete', domain, target: id, detail: { records: count }, createResponse: () => ({}) };
    });
  return services.turns.exclusive(String(id), commit);
}

/** Deletes the proxy settings, certificates and purges of a domain. */
function deleteProxy(draft: Draft, domainId: Id): void {
  const proxy = draft.proxy(domainId);
  if (proxy !== undefined) draft.delete(proxies, proxy);
  const certificate = draft.certificate(domainId);
  if (certificate !== undefined) draft.delete(certificates, certificate);
  for (const purge of draft.purgesOf(domainId)) draft.delete(purges, purge);
  const automatic = draft.automaticCertificate(domainId);
  if (automatic !== undefined) draft.delete(automaticCertificates, automatic);
  const order = draft.acmeOrder(domainId);
  if (order !== undefined) draft.delete(acmeOrders, order);
  for (const challenge of draft.acmeChallenges(domainId)) draft.delete(acmeChallenges, challenge);
}

/**
 * Deletes all records of a domain; the whole range counts as read. `keeps`: types that stay.
 * Returns `proxied` by the canonical key of the name in Latin-1, without names that do not set it,
 * and how many records stay.
 */
export function deleteRecords(
  { environment }: Services,
  draft: Draft,
  domain: Domain,
  changes: ChangeWriter,
  keeps: ReadonlySet<number> = new Set(),
): { readonly flags: ReadonlyMap<string, boolean>; readonly kept: number } {
  const start = idKey(domain.id);
  const end = afterPrefix(start);
  draft.addReadRange({ table: records.number, start, end });
  const flags = new Map<string, boolean>();
  let kept = 0;
  for (const { key, value } of environment.records.getRange({ start, end })) {
    const k = key as Buffer;
    const { nameEnd, type } = recordKeyParts(k);
    if (keeps.has(type)) {
      kept++;
      continue;
    }
    changes.delete(records.number, k);
    const proxied = proxiedOf(value);
    if (proxied !== null) flags.set(k.toString('latin1', 8, nameEnd), proxied);
  }
  return { flags, kept };
}

/** Deletes the spellings of names that a zone file has set. */
export function deleteSpellings(services: Services, draft: Draft, domainId: Id, changes: ChangeWriter): void {
  deleteRows(services, draft, spellings.number, domainId, changes);
}

/** Deletes the rows of a table whose keys begin with the domain. */
function deleteRows({ environment }: Services, draft: Draft, table: number, id: Id, changes: ChangeWriter): void {
  const start = idKey(id);
  const end = afterPrefix(start);
  draft.addReadRange({ table, start, end });
  for (const key of environment.rows.get(table)!.getKeys({ start, end })) changes.delete(table, key as Buffer);
}

/** A domain in lists, with states that change without the domain. */
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

/** As this node knows it; another node may have refreshed it since. */
function viewSecondary(services: Services, { id, apex }: Domain) {
  const now = nowSeconds();
  const row = services.secondaries.row(id) ?? newSecondary(id);
  const signatures = presignedState(services.reader.recordsAt(id, apex), now);
  const timeOf = (seconds: number | null) => (seconds === null ? null : formatTime(seconds));
  return {
    state: secondaryState(row, now),
    serial: row.serial,
    transferred_at: timeOf(row.transferredAt),
    refreshed_at: timeOf(row.refreshedAt),
    expires_at: timeOf(row.expiresAt),
    error: row.error,
    signatures: signatures && {
      denial: signatures.denial,
      earliest_expiry: formatTime(signatures.earliestExpiry),
      problem: signatures.problem,
    },
  };
}

function viewDomain(services: Services, domain: Domain, state: ZoneState) {
  return {
    id: domain.id,
    domain: formatHost(domain.apex),
    kind: domain.kind,
    members: domain.kind === 'catalog' ? domain.members : null,
    primaries: domain.kind === 'secondary' ? domain.primaries.map(viewPrimary) : null,
    secondary: domain.kind === 'secondary' ? viewSecondary(services, domain) : null,
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
    const old = requireSecondary(ownedDomain(draft, context.caller, id));
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
export async function transferZone(services: Services, context: Context<Caller>, id: Id) {
  const { caller, query } = context;
  requireSecondary(ownedDomain(services.reader, caller, id));
  const force = query.get('force') === 'true';
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

function requireSecondary(domain: Domain): Domain {
  if (domain.kind === 'secondary') return domain;
  throw new StateError('not_secondary', 'This is no secondary zone: it is not transferred from primaries.');
}

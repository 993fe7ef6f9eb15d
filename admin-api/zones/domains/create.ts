/** Creates domains, one at a time or many in one commit. */

import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { Steps } from '../../../core/base/steps.ts';
import { formatHost, type Name, nameId, parseName, toAscii } from '../../../core/dns/wire/name.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Reader } from '../../../core/store/reader.ts';
import { type Account, type Domain, domains, newSecondary, PRIMARY, secondaries } from '../../../core/store/rows.ts';
import { EMPTY_ZONE } from '../../../core/store/zone-state.ts';
import { findSpellingFault } from '../../../core/upkeep/domains/domain-names.ts';
import { mayBeCatalog } from '../../../core/zone/compile/catalog.ts';
import { type ActingContext, accountOf, requireAccount } from '../../change/acting.ts';
import { BatchErrors } from '../../change/batch-errors.ts';
import { change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import { nowSeconds } from '../../http/time.ts';
import { readPrimaries } from './primaries.ts';
import type { domainBody, domainsBody } from './schema.ts';
import { viewDomain } from './service.ts';

/** Codes of names that a domain cannot have. */
export const NAME_FAULTS = [
  'invalid_domain',
  'invalid_name',
  'public_suffix',
  'service_name',
  'special_use_name',
] as const;
const POINTER = '/domain';
/** Maximum number of reported errors of a batch. */
const MAX_REPORTED = 20;

export type DomainBody = BodyOf<typeof domainBody>;

/** The fields of a new domain that the request chooses. */
type Chosen = Pick<Domain, 'apex' | keyof typeof PRIMARY>;

/** Throws InvalidError, the errors of requireAdmitted, and those of accountOf. */
export async function createDomain(services: Services, context: ActingContext, body: DomainBody) {
  return insertDomain(services, context, body, (_draft, domain) => ({ domain }));
}

/** What a new domain has from the start. */
interface Filled<More> {
  /** The row to store. */
  readonly domain: Domain;
  readonly records?: number;
  /** Omitted: those of the service. */
  readonly nameservers?: readonly string[];
  /** Further members of the response. */
  readonly more?: More;
}

/**
 * Creates a domain. `fill` adds its data in the same commit. Throws the errors of createDomain and
 * of `fill`.
 */
export async function insertDomain<More extends object = object>(
  services: Services,
  context: ActingContext,
  body: DomainBody,
  fill: (draft: Draft, domain: Domain) => Filled<More> | Promise<Filled<More>>,
) {
  const { admission, reader } = services;
  const { caller } = context;
  const account = accountOf(reader, context);
  const chosen = readBody(services, body, account, caller);
  return inTurn(services, account, () =>
    change(services, context, async (draft) => {
      const owner = requireAccount(draft, account);
      requireAdmitted(services, draft, chosen.apex, owner, caller, admission.isFull(draft, owner));
      // The domain precedes its records, because applying them needs the domain.
      const empty = putDomain(draft, draft.newId(domains), account, chosen);
      const { domain, records = 0, nameservers, more } = await fill(draft, empty);
      if (domain !== empty) draft.put(domains, domain);
      return {
        action: 'domain.create',
        domain,
        target: domain.id,
        ...(records > 0 && { detail: { records } }),
        createResponse: (revision) => ({
          domain: { ...viewNew(services, domain, revision, records), ...(nameservers && { nameservers }) },
          ...(more as More),
        }),
      };
    }),
  );
}

/** Creates all domains, or none. Throws HttpError with the pointers of the first errors. */
export async function createDomains(
  services: Services,
  context: ActingContext,
  { domains: bodies }: BodyOf<typeof domainsBody>,
) {
  const { admission, reader } = services;
  const { caller } = context;
  const account = accountOf(reader, context);
  const steps = new Steps();
  const apexes = new Set<string>();
  const readOnce = (body: DomainBody): Chosen => {
    const chosen = readBody(services, body, account, caller);
    const id = nameId(chosen.apex);
    if (apexes.has(id))
      throw new InvalidError('named_twice', `The batch has ${formatHost(chosen.apex)} twice.`, { pointer: POINTER });
    apexes.add(id);
    return chosen;
  };
  const accepted: (Chosen | undefined)[] = [];
  const faults = new BatchErrors(MAX_REPORTED);
  for (const [i, body] of bodies.entries()) {
    accepted.push(faults.attempt(`/domains/${i}`, () => readOnce(body)));
    await steps.next();
  }
  faults.throwFirst();
  return inTurn(services, account, () =>
    change(services, context, async (draft) => {
      const owner = requireAccount(draft, account);
      const limit = admission.limitOf(owner);
      const used = limit > 0 ? draft.countDomains(owner.id, limit) : 0;
      const firstId = draft.newId(domains, accepted.length);
      const refusals = new BatchErrors(MAX_REPORTED);
      const created: Domain[] = [];
      for (const [i, chosen] of (accepted as Chosen[]).entries()) {
        refusals.attempt(`/domains/${i}`, () => {
          requireAdmitted(services, draft, chosen.apex, owner, caller, limit > 0 && used + i >= limit);
          created.push(putDomain(draft, firstId + i, account, chosen));
        });
        await steps.next();
      }
      refusals.throwFirst();
      return {
        action: 'domain.create_batch',
        accountId: account.id,
        detail: { created: created.length, domains: created.map(({ apex }) => formatHost(apex)) },
        createResponse: (revision) => ({ domains: created.map((domain) => viewNew(services, domain, revision)) }),
      };
    }),
  );
}

/** The count of domains conflicts with every other creation in the account. */
export function inTurn<T>({ admission, locks }: Services, account: Account, commit: () => Promise<T>): Promise<T> {
  return admission.limitOf(account) > 0 ? locks.exclusive(`account ${account.id}`, commit) : commit();
}

function putDomain(draft: Draft, id: Id, { id: accountId }: Account, chosen: Chosen): Domain {
  const domain: Domain = { id, accountId, createdAt: nowSeconds(), kept: null, ...chosen };
  draft.put(domains, domain);
  if (domain.kind === 'secondary') draft.put(secondaries, newSecondary(id));
  return domain;
}

const viewNew = (services: Services, domain: Domain, revision: number, recordCount = 0) =>
  viewDomain(services, domain, { ...EMPTY_ZONE, updatedAt: domain.createdAt, revision, recordCount });

function readBody(services: Services, body: DomainBody, owner: Account, caller: Caller): Chosen {
  const apex = parseDomain(body.domain);
  const kind = kindOf(services, body, apex, owner, caller);
  if (apex.length > 1 || kind.kind === 'secondary') return { apex, ...kind };
  throw new InvalidError('invalid_domain', 'The root zone can only be a secondary zone; set "kind" to "secondary".', {
    pointer: POINTER,
  });
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
    throw new InvalidError('invalid_domain', 'The name is too long for a catalog.', { pointer: POINTER });
  return { ...PRIMARY, kind, members: members ?? 'account' };
}

/**
 * Checks the name of a new domain, and whether the plan has room for a number of them. Throws the
 * errors of their creation.
 */
export function checkDomains(
  services: Services,
  context: ActingContext,
  { domain, count }: { readonly domain?: string; readonly count?: number },
) {
  const { admission, reader } = services;
  const refusal = count === undefined ? null : admission.findPlanRefusal(reader, accountOf(reader, context), count);
  if (refusal !== null) throw new StateError(refusal.code, refusal.message);
  if (domain === undefined && count !== undefined) return { domain: null };
  return { domain: formatHost(checkDomain(services, context, domain ?? '')) };
}

/** The name that a new domain would have. Throws the errors of its creation. */
export function checkDomain(services: Services, context: ActingContext, text: string): Name {
  const apex = parseDomain(text);
  const { admission, reader } = services;
  const owner = accountOf(reader, context);
  requireAdmitted(services, reader, apex, owner, context.caller, admission.isFull(reader, owner));
  return apex;
}

/**
 * Throws InvalidError for a name that the account cannot have, and StateError `zone_exists` or
 * `plan_limit`.
 */
export function requireAdmitted(
  { admission }: Services,
  reader: Reader,
  apex: Name,
  owner: Account,
  { account }: Caller,
  isFull: boolean,
): void {
  const refusal = admission.findRefusal(reader, apex, owner, account, isFull);
  if (refusal === null) return;
  const { code, message } = refusal;
  if (code === 'plan_limit') throw new StateError(code, message);
  const at = { pointer: POINTER };
  throw code === 'zone_exists' ? new StateError(code, message, at) : new InvalidError(code, message, at);
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

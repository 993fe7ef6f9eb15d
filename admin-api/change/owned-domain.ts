/** Finds a domain that the caller may access, and checks the conditions of a request. */
import { createHash } from 'node:crypto';
import { StateError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { afterPrefix, type Id, idKey } from '../../core/store/keys.ts';
import type { Reader } from '../../core/store/reader.ts';
import { type DeletedDomain, type Domain, records } from '../../core/store/rows.ts';
import { type Caller, reachesDomain } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import { nowSeconds } from '../http/time.ts';
import { mayActFor } from './acting.ts';
import type { Services } from './services.ts';

/**
 * Throws HttpError 404, also for a domain of an account that the caller must not act for, or that
 * its token does not give access to.
 */
export function ownedDomain(reader: Reader, caller: Caller, id: Id): Domain {
  const domain = reader.domain(id);
  if (domain !== undefined && mayActFor(reader, caller, domain.accountId) && reachesDomain(caller.token, id))
    return domain;
  throw noSuchDomain();
}

export const isRestorable = ({ isGone, purgeAt }: DeletedDomain): boolean => !isGone && purgeAt > nowSeconds();

/** Like `ownedDomain`, for a deleted domain that can be restored. */
export function deletedDomain(reader: Reader, caller: Caller, id: Id): DeletedDomain {
  const deleted = reader.deletedDomain(id);
  const isOwn = deleted !== undefined && mayActFor(reader, caller, deleted.domain.accountId);
  if (isOwn && reachesDomain(caller.token, id) && isRestorable(deleted)) return deleted;
  throw noSuchDomain();
}

/** A domain, or a deleted one that can be restored. Throws HttpError 404. */
export function ownedOrDeleted(reader: Reader, caller: Caller, id: Id): Domain {
  return reader.deletedDomain(id) === undefined
    ? ownedDomain(reader, caller, id)
    : deletedDomain(reader, caller, id).domain;
}

/** Error codes of `editableDomain`, without 404. */
export const EDIT_FAULTS = ['secondary_zone', 'catalog_zone'] as const;

/**
 * A domain that is not a secondary zone or a catalog zone, so its records can be edited. Throws
 * HttpError 404, and StateError `secondary_zone` or `catalog_zone`.
 */
export function editableDomain(reader: Reader, caller: Caller, id: Id): Domain {
  return requireEditable(ownedDomain(reader, caller, id));
}

/** Throws StateError `secondary_zone` or `catalog_zone`. */
export function requireEditable(domain: Domain): Domain {
  if (domain.kind === 'secondary')
    throw new StateError(
      'secondary_zone',
      'This is a secondary zone: its records come from its primaries. Change them there.',
    );
  if (domain.kind === 'catalog')
    throw new StateError('catalog_zone', 'This is a catalog zone: its records follow the list of domains.');
  return domain;
}

/** Throws HttpError 404, also for a domain of another account. */
export function domainOf(reader: Reader, accountId: Id, id: Id): Domain {
  const domain = reader.domain(id);
  if (domain !== undefined && domain.accountId === accountId) return domain;
  throw noSuchDomain();
}

const noSuchDomain = (): HttpError => new HttpError(404, 'no_such_domain', 'This account has no domain with this id.');

/** `body`: the response, for a response that can change without a new revision of the domain. */
export function etag(revision: number, body?: Buffer): string {
  const more = body === undefined ? '' : `-${createHash('sha256').update(body).digest('hex').slice(0, 16)}`;
  return `"${revision}${more}"`;
}

/**
 * Checks the If-Match header of a write (RFC 9110 13.1.1). Adds the domain and all its records to
 * the reads of the draft, for conflict detection. Throws HttpError 412.
 */
export function requireMatch({ reader }: Services, draft: Draft, domain: Domain, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const start = idKey(domain.id);
  draft.addReadRange({ table: records.number, start, end: afterPrefix(start) });
  requireRevision(ifMatch, reader.zoneState(domain.id).revision);
}

/**
 * Throws HttpError 412 unless the If-Match header names the revision. `of`: the kind of object, for
 * the message.
 */
export function requireRevision(ifMatch: string | undefined, revision: number, of = 'domain'): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const current = etag(revision);
  if (ifMatch.split(',').some((tag) => tag.trim().replace(/-[0-9a-f]{16}"$/, '"') === current)) return;
  throw new HttpError(
    412,
    'changed',
    `If-Match does not match: the current ETag of the ${of} is ${current}, including the quotes. Read the ${of} again and repeat the change.`,
  );
}

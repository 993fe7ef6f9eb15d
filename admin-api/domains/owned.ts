/** A caller's domain, and the conditions that a request puts on it. */
import { createHash } from 'node:crypto';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { afterPrefix, idKey } from '../../core/store/keys.ts';
import type { Reader } from '../../core/store/reader.ts';
import { type Domain, records } from '../../core/store/rows.ts';
import { isId, type Services } from '../change/services.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';

/** Throws HttpError 404, also for another account's domain. */
export function ownedDomain(reader: Reader, { account }: Caller, id: string): Domain {
  const domain = isId(id) ? reader.domain(id) : undefined;
  if (domain !== undefined && domain.accountId === account.id) return domain;
  throw new HttpError(404, 'no_such_domain', 'This account has no domain with this id.');
}

/** `body`: what is told beside the domain's own state, so that the same revision may read otherwise. */
export function etag(revision: number, body?: Buffer): string {
  const more = body === undefined ? '' : `-${createHash('sha256').update(body).digest('hex').slice(0, 16)}`;
  return `"${revision}${more}"`;
}

/**
 * Holds a write to its If-Match header (RFC 9110 13.1.1): the domain and all its records are then part of what the write has read.
 * Throws HttpError 412.
 */
export function requireMatch({ reader }: Services, draft: Draft, domain: Domain, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const start = idKey(domain.id);
  draft.addReadRange({ table: records.number, start, end: afterPrefix(start) });
  const current = etag(reader.zoneState(domain.id).revision);
  if (ifMatch.split(',').some((tag) => tag.trim().replace(/-[0-9a-f]{16}"$/, '"') === current)) return;
  throw new HttpError(
    412,
    'changed',
    `If-Match does not match: the current ETag of the domain is ${current}, including the quotes. Read the domain again and repeat the change.`,
  );
}

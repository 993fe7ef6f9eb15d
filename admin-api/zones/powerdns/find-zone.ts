/** Finds the zone that a path names, if the caller may access it. */
import type { Reader } from '../../../core/store/reader.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { mayActFor } from '../../change/acting.ts';
import { type Caller, reachesDomain } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { notFound } from './errors.ts';
import { parseZoneId } from './zone-id.ts';

/**
 * The zone with the id, by the rules of admin-api/change/owned-domain.ts. Throws HttpError 404,
 * also for the zone of another account.
 */
export function findZone(reader: Reader, caller: Caller, zoneId: string): Domain {
  const apex = parseZoneId(zoneId);
  const domain = apex === undefined ? undefined : reader.domainByApex(apex);
  if (domain !== undefined && mayActFor(reader, caller, domain.accountId) && reachesDomain(caller.token, domain.id))
    return domain;
  throw notFound(`There is no zone "${zoneId.slice(0, 100)}".`);
}

/** Throws HttpError 403 if the token is restricted to domains. */
export function requireWholeAccount({ token }: Caller): void {
  if (token.domains === undefined) return;
  throw new HttpError(403, 'restricted_token', 'The token is restricted to certain domains; use another token.');
}

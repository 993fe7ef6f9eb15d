/**
 * Zones by their ids. An id is the name with its last dot, where bytes other than letters, digits,
 * `.` and `-` are written as `=2F`, as PowerDNS does.
 */
import { formatHost, type Name, parseName } from '../../../core/dns/wire/name.ts';
import type { Reader } from '../../../core/store/reader.ts';
import type { Domain } from '../../../core/store/rows.ts';
import { mayActFor } from '../../change/acting.ts';
import { type Caller, reachesDomain } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { notFound } from './errors.ts';

/** The name of a zone as PowerDNS writes it, with the last dot. */
export const dotted = (name: Name): string => (name.length === 1 ? '.' : `${formatHost(name)}.`);

export const zoneIdOf = (apex: Name): string =>
  dotted(apex).replace(
    /[^A-Za-z0-9.-]/g,
    (byte) => `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** Path of a zone, such as `/api/v1/servers/localhost/zones/example.org.`. */
export const zoneUrl = (id: string): string => `/api/v1/servers/localhost/zones/${id}`;

/** The name of a zone id, with or without its last dot; undefined if it is not a name. */
const parseZoneId = (id: string): Name | undefined =>
  tryParseName(id.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))));

/** Undefined if the text is not a name. */
export function tryParseName(text: string): Name | undefined {
  try {
    return parseName(text.toLowerCase());
  } catch {
    return undefined;
  }
}

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

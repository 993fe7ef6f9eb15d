/**
 * The records of a catalog zone (RFC 9432). A catalog lists zones, so that secondaries start and
 * stop serving them automatically. Its records are derived from the domains, not stored.
 */

import { joinNames, MAX_NAME, type Name, parseName } from '../../dns/wire/name.ts';
import { type ResourceRecord, type RRset, TYPE } from '../../dns/wire/types.ts';
import type { Id } from '../../store/keys.ts';
import type { Domain } from '../../store/rows.ts';

/** TTLs in a catalog have no meaning, and 0 keeps it out of caches (RFC 9432 section 4). */
const TTL = 0;
const VERSION = Uint8Array.of(1, '2'.charCodeAt(0));
const label = (text: string): Uint8Array => Uint8Array.from([text.length, ...Buffer.from(text, 'latin1')]);
const VERSION_LABEL = label('version');
const ZONES_LABEL = label('zones');
/** A catalog has no nameservers of its own (RFC 9432 section 4). */
const INVALID = parseName('invalid.');
/** Maximum bytes before the apex. The largest id has 16 digits. */
const MAX_PREFIX = 1 + 16 + ZONES_LABEL.length;

/** Whether the member names fit below the apex. */
export function mayBeCatalog(apex: Name): boolean {
  return MAX_PREFIX + apex.length <= MAX_NAME;
}

/** The NS of a catalog. */
export const CATALOG_NS: RRset = { type: TYPE.NS, ttl: TTL, rdatas: [INVALID] };

/** The version of the format (RFC 9432 section 4.2.1). */
export function versionRecord(catalog: Name): ResourceRecord {
  return { name: joinNames(VERSION_LABEL, catalog), type: TYPE.TXT, ttl: TTL, rdata: VERSION };
}

/**
 * The record of a member zone (RFC 9432 section 4.1). A domain that is deleted and created again
 * has another id, so that secondaries discard its old data.
 */
export function memberRecord(catalog: Name, id: Id, apex: Name): ResourceRecord {
  const labels = Buffer.concat([label(String(id)), ZONES_LABEL]);
  return { name: joinNames(labels, catalog), type: TYPE.PTR, ttl: TTL, rdata: apex };
}

/** Whether the catalog lists a domain. Catalogs are never listed. */
export function isListed(catalog: Domain, domain: Domain): boolean {
  if (catalog.kind !== 'catalog' || domain.kind === 'catalog' || domain.consumes) return false;
  return catalog.members === 'all' || domain.accountId === catalog.accountId;
}

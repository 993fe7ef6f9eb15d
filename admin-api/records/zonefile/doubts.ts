/** What other servers load without an error though it is doubtful: an import keeps it and warns. */

import type { Dropped, MasterRecord, MasterWarning } from '../../../core/wire/master/index.ts';
import { typeName } from '../../../core/wire/mnemonics.ts';
import { formatName, isWithin, type Name, nameAt, parentName, wildcardOf } from '../../../core/wire/name.ts';
import { HOST_TARGET, TYPE } from '../../../core/wire/types.ts';
import { LONGEST_TTL, MIN_TTL } from '../content.ts';
import { targetIsCname } from '../rules/faults.ts';
import { doubtOf } from '../rules/record.ts';
import { type Owner, type Owners, setOf } from './owners.ts';

/**
 * What signs a zone, or stands for its keys and its digest (RFC 4034, RFC 5155, RFC 7344, RFC 8976). The service gives the zone
 * another serial, so that none of it would be true of what is served.
 */
export const DNSSEC_TYPES: ReadonlySet<number> = new Set([
  TYPE.RRSIG,
  TYPE.NSEC,
  TYPE.DNSKEY,
  TYPE.NSEC3,
  TYPE.NSEC3PARAM,
  TYPE.CDS,
  TYPE.CDNSKEY,
  TYPE.ZONEMD,
]);

/** One warning for all records of DNSSEC_TYPES that were left out, or none. */
export function droppedSignatures(dropped: ReadonlyMap<number, Dropped>): MasterWarning[] {
  if (dropped.size === 0) return [];
  const types = [...dropped].sort(([a], [b]) => a - b);
  const total = types.reduce((sum, [, { count }]) => sum + count, 0);
  const line = Math.min(...types.map(([, one]) => one.line));
  const counts = types.map(([type, { count }]) => `${count} ${typeName(type)}`).join(', ');
  const message = `${total} DNSSEC records were dropped (${counts}): the imported zone is not signed. If its parent has DS records, remove them before you change the delegation.`;
  return [{ line, code: 'dnssec_dropped', message }];
}

/** Warnings about single records and their targets, by rising line; at most `most`. `records` are those in `owners`. */
export function doubtsOf(apex: Name, records: readonly MasterRecord[], owners: Owners, most: number): MasterWarning[] {
  const warnings: MasterWarning[] = [];
  for (const record of records) {
    if (warnings.length >= most) break;
    const { line, name, type, rdata, ttl } = record;
    const warn = (code: string, message: string) => warnings.push({ line, code, message });
    if (ttl < MIN_TTL || ttl > LONGEST_TTL)
      warn(
        'unusual_ttl',
        `The TTL ${ttl} is kept, but the API accepts only ${MIN_TTL} to ${LONGEST_TTL} seconds for single records.`,
      );
    const doubt = doubtOf(name, type, rdata);
    if (doubt !== undefined) warn(doubt.code, doubt.message);
    const at = HOST_TARGET.get(type);
    if (at === undefined) continue;
    const target = nameAt(rdata, at);
    if (!isWithin(target, apex)) continue;
    if (setOf(owners.get(target), TYPE.CNAME) !== undefined) {
      const { code, message } = targetIsCname(type, target);
      warn(code, message);
    } else if (type === TYPE.NS && lacksAddress(apex, owners, name, target))
      warn(
        'missing_glue',
        `The nameserver ${formatName(target)} is in this zone, but the zone has no address for it; add A or AAAA records.`,
      );
  }
  return warnings;
}

/** Whether only this zone could know the address of a nameserver, and does not (RFC 9471 2.1). */
function lacksAddress(apex: Name, owners: Owners, owner: Name, target: Name): boolean {
  const held = owners.get(target);
  if (hasAddress(held)) return false;
  // Below another delegation that one's servers know it; glue of siblings may be missing.
  for (let at = target; at.length > apex.length; at = parentName(at))
    if (setOf(owners.get(at), TYPE.NS) !== undefined) return at.length === owner.length && isWithin(at, owner);
  if (held !== undefined) return true;
  let encloser = parentName(target);
  while (owners.get(encloser) === undefined && encloser.length > apex.length) encloser = parentName(encloser);
  const wildcard = owners.get(wildcardOf(encloser));
  return !hasAddress(wildcard) && setOf(wildcard, TYPE.CNAME) === undefined;
}

const ADDRESSES = [TYPE.A, TYPE.AAAA, TYPE.ALIAS];

const hasAddress = (owner: Owner | undefined): boolean => ADDRESSES.some((type) => setOf(owner, type) !== undefined);

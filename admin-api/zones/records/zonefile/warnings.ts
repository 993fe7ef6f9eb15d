/** Warnings about questionable records that other servers load. An import keeps these records. */
import type { Dropped, MasterRecord, MasterWarning } from '../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import {
  formatName,
  isWithin,
  type Name,
  nameAt,
  parentName,
  ROOT,
  wildcardOf,
} from '../../../../core/dns/wire/name.ts';
import { HOST_TARGET, TYPE } from '../../../../core/dns/wire/types.ts';
import { MAX_TTL, MIN_TTL } from '../content.ts';
import { targetIsCname } from '../rules/faults.ts';
import { findWarning } from '../rules/record.ts';
import { type Owner, type Owners, setOf } from './owners.ts';

/** One warning for all dropped records of DNSSEC_TYPES; empty if there are none. */
export function warnOfDropped(dropped: ReadonlyMap<number, Dropped>): MasterWarning[] {
  if (dropped.size === 0) return [];
  const types = [...dropped].sort(([a], [b]) => a - b);
  const total = types.reduce((sum, [, { count }]) => sum + count, 0);
  const line = Math.min(...types.map(([, entry]) => entry.line));
  const counts = types.map(([type, { count }]) => `${count} ${typeName(type)}`).join(', ');
  const message = `${total} DNSSEC records were dropped (${counts}): the imported zone is not signed. If its parent has DS records, remove them before you change the delegation.`;
  return [{ line, code: 'dnssec_dropped', message }];
}

/** At most `most` warnings about single records and their targets, sorted by line. */
export function collectWarnings(
  apex: Name,
  records: readonly MasterRecord[],
  owners: Owners,
  limit: number,
): MasterWarning[] {
  const warnings: MasterWarning[] = [];
  for (const record of records) {
    if (warnings.length >= limit) break;
    const { line, name, type, rdata, ttl } = record;
    const warn = (code: string, message: string) => warnings.push({ line, code, message });
    if (ttl < MIN_TTL || ttl > MAX_TTL)
      warn(
        'unusual_ttl',
        `The TTL ${ttl} is kept, but the API accepts only ${MIN_TTL} to ${MAX_TTL} seconds for single records.`,
      );
    const at = HOST_TARGET.get(type);
    const doubled = doubledName(apex, name, type, rdata, at);
    if (doubled !== undefined)
      warn('no_dot', `${formatName(doubled)} has the name of the zone twice; the file probably lacks a final dot.`);
    const warning = findWarning(apex, name, type, rdata);
    if (warning !== undefined) warn(warning.code, warning.message);
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

/** Types other than HOST_TARGET whose rdata is a name. */
const NAMES: readonly number[] = [TYPE.CNAME, TYPE.PTR, TYPE.DNAME, TYPE.ALIAS];

/** The owner or target, if it is such as `www.example.com.example.com.`; undefined: neither is. */
function doubledName(
  apex: Name,
  owner: Name,
  type: number,
  rdata: Uint8Array,
  at = NAMES.includes(type) ? 0 : -1,
): Name | undefined {
  if (apex.length === 1) return undefined;
  if (isDoubled(apex, owner)) return owner;
  const target = at < 0 ? undefined : nameAt(rdata, at);
  return target !== undefined && isDoubled(apex, target) ? target : undefined;
}

/** Most names differ in the last byte, which costs no name of its own. */
function isDoubled(apex: Name, name: Name): boolean {
  const inner = name.length - apex.length;
  for (let i = 1; i < apex.length; i++) if (name[inner - i] !== apex[apex.length - 1 - i]) return false;
  return isWithin(name, apex) && isWithin(Buffer.concat([name.subarray(0, inner), ROOT]), apex);
}

/** Whether the address of a nameserver must be in this zone and is not (RFC 9471 2.1). */
function lacksAddress(apex: Name, owners: Owners, owner: Name, target: Name): boolean {
  const targetOwner = owners.get(target);
  if (hasAddress(targetOwner)) return false;
  // A target below another delegation has its address on those servers: sibling glue is optional.
  for (let at = target; at.length > apex.length; at = parentName(at))
    if (setOf(owners.get(at), TYPE.NS) !== undefined) return at.length === owner.length && isWithin(at, owner);
  if (targetOwner !== undefined) return true;
  let encloser = parentName(target);
  while (owners.get(encloser) === undefined && encloser.length > apex.length) encloser = parentName(encloser);
  const wildcard = owners.get(wildcardOf(encloser));
  return !hasAddress(wildcard) && setOf(wildcard, TYPE.CNAME) === undefined;
}

const ADDRESSES = [TYPE.A, TYPE.AAAA, TYPE.ALIAS];

const hasAddress = (owner: Owner | undefined): boolean => ADDRESSES.some((type) => setOf(owner, type) !== undefined);

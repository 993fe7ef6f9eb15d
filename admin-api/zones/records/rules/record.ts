/** Checks a single record, without the other records of its zone. */
import { InvalidError } from '../../../../core/base/errors.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatHost, formatName, isWildcard, labelCount, type Name, nameAt } from '../../../../core/dns/wire/name.ts';
import { findDoubt } from '../../../../core/dns/wire/rdata/index.ts';
import { HOST_TARGET, TYPE } from '../../../../core/dns/wire/types.ts';
import type { RecordRow } from '../../../../core/store/rows.ts';
import { DNSSEC_TYPES } from './dnssec.ts';
import { cnameAtApex } from './faults.ts';

/**
 * Maximum bytes of an RRset of the record API, so that it fits into one answer whatever its owner
 * is: rdata plus overhead of each record.
 */
export const MAX_RRSET = 48_000;
export const RECORD_OVERHEAD = 12;
/** Maximum bytes of all records at one name for the record API, with the overhead of each. */
export const MAX_AT_NAME = 64_000;
/**
 * The same for a zone file. A write at the name reads all of its records. With the additional
 * records, this is about the limit of a node (core/store/answers.ts).
 */
export const MAX_IMPORTED_AT_NAME = 256_000;
/** Maximum bytes of rdata in a zone file: a signed message of a transfer has room for it. */
export const MAX_IMPORTED_RDATA = 64_800;
/** A node stores the number of its types in one byte; some types are reserved for the service. */
export const MAX_TYPES = 200;

const invalid = (code: string, message: string, pointer: string): InvalidError =>
  new InvalidError(code, message, { pointer });

/** Types whose owner is a host or mail domain. Others are any name (RFC 2181 section 11). */
const HOST_OWNERS: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.MX]);

/**
 * Checks all rules for a single record. A warning is ignored if a record of `replaced` has the same
 * one (see checkConflicts). Throws InvalidError or StateError.
 */
export function checkRecord(apex: Name, { name, type, rdata }: RecordData, replaced: readonly RecordData[]): void {
  checkStorable(apex, name, type, rdata, false);
  const warning = findWarning(apex, name, type, rdata);
  if (warning === undefined) return;
  for (const old of replaced)
    if (old.type === type && findWarning(apex, name, type, old.rdata)?.message === warning.message) return;
  throw warning;
}

type RecordData = Pick<RecordRow, 'name' | 'type' | 'rdata'>;

/**
 * Checks the rules that a zone needs to be stored and served correctly. `keepApexNs`: the NS
 * records at the apex come from a zone file, not from the service. Throws InvalidError or
 * StateError.
 */
export function checkStorable(apex: Name, name: Name, type: number, rdata: Uint8Array, keepApexNs: boolean): void {
  if (type === TYPE.SOA)
    throw invalid(
      'soa_is_ours',
      'The service maintains the SOA record and increases its serial with every change; omit the record.',
      '/type',
    );
  if (DNSSEC_TYPES.has(type))
    throw invalid(
      'dnssec_is_ours',
      `${typeName(type)} records belong to DNSSEC, which only the service can maintain for its zones; omit the record.`,
      '/type',
    );
  if (name.length === apex.length) checkApexType(type, keepApexNs);
  // RFC 4592 4.2 leaves open what they mean: BIND rejects them, Knot and NSD answer differently.
  if (type === TYPE.NS && isWildcard(name))
    throw invalid(
      'ns_at_wildcard',
      'NS records are not allowed at a wildcard (RFC 4592 4.2); delegate each name separately.',
      '/name',
    );
  // Not only a warning as for other types: an address as the target of an ALIAS never resolves.
  if (type !== TYPE.ALIAS) return;
  const target = nameAt(rdata, 0);
  if (isAddress(target)) throw targetIsAddress(type, target);
  if (target.length === 1)
    throw invalid('invalid_host', 'An ALIAS cannot point to the root, which has no addresses.', '/content');
}

/**
 * The problem of a questionable record that other servers load: an error for a single record, a
 * warning for a zone file.
 */
export function findWarning(apex: Name, name: Name, type: number, rdata: Uint8Array): InvalidError | undefined {
  if (type === TYPE.DS && name.length === apex.length)
    return invalid('ds_at_apex', 'The DS records of a domain belong in its parent zone (RFC 4035 2.4).', '/name');
  if (hasInnerAsterisk(name))
    return invalid(
      'invalid_name',
      `In ${formatName(name)} the "*" is not the first label, so it is not a wildcard.`,
      '/name',
    );
  if (HOST_OWNERS.has(type) && !isHost(name, isWildcard(name) ? 2 : 0)) return ownerIsNotHost(name, type);
  const doubt = findDoubt(type, rdata);
  if (doubt !== undefined) return invalid('invalid_content', doubt, '/content');
  const at = HOST_TARGET.get(type) ?? (type === TYPE.CNAME ? 0 : undefined);
  if (at === undefined) return undefined;
  const target = nameAt(rdata, at);
  if (isAddress(target)) return targetIsAddress(type, target);
  if (type === TYPE.CNAME) return undefined;
  // The target "." of MX and SRV means that there is no service (RFC 7505, RFC 2782).
  if (target.length === 1 ? type !== TYPE.NS : isHost(target, 0)) return undefined;
  return invalid(
    'invalid_host',
    `The target ${formatName(target)} of the ${typeName(type)} record is not a host name.`,
    '/content',
  );
}

const ownerIsNotHost = (name: Name, type: number): InvalidError =>
  invalid('invalid_host', `${formatName(name)} cannot have ${typeName(type)} records: it is not a host name.`, '/name');

const targetIsAddress = (type: number, target: Name): InvalidError =>
  invalid(
    'invalid_host',
    `The target of ${typeName(type)} records must be a host name, but ${formatHost(target)} is an address; use an A record for it.`,
    '/content',
  );

function checkApexType(type: number, keepApexNs: boolean): void {
  if (type === TYPE.CNAME) throw cnameAtApex();
  if (type === TYPE.NS && !keepApexNs)
    throw invalid(
      'apex_ns_is_ours',
      'The service maintains the NS records at the apex; use a name below the apex to delegate.',
      '/type',
    );
}

/**
 * Whether a name looks like an IPv4 address. It cannot exist: no TLD is a number (RFC 1123 2.1).
 */
function isAddress(name: Name): boolean {
  return labelCount(name) === 4 && /^(\d{1,3}\.){4}$/.test(formatName(name));
}

/** `*` is a wildcard only as the whole first label (RFC 4592 2.1.1). */
function hasInnerAsterisk(name: Name): boolean {
  for (let p = name[0] + 1; p < name.length && name[p] !== 0; p += name[p] + 1)
    if (name[p] === 1 && name[p + 1] === 0x2a) return true;
  return false;
}

/**
 * Whether the labels from offset `from`, in lower case, have only letters, digits, inner hyphens
 * (RFC 1123 2.1) and underscores, which are common in practice.
 */
function isHost(name: Name, from: number): boolean {
  for (let p = from; name[p] !== 0; p += name[p] + 1) {
    const end = p + name[p];
    if (name[p + 1] === 0x2d || name[end] === 0x2d) return false;
    for (let i = p + 1; i <= end; i++) if (HOST_BYTE[name[i]] === 0) return false;
  }
  return true;
}

/** 1: the byte is allowed in a host name. */
const HOST_BYTE = new Uint8Array(256);
for (const c of 'abcdefghijklmnopqrstuvwxyz0123456789-_') HOST_BYTE[c.charCodeAt(0)] = 1;

/** Whether a type is allowed at or below a delegation: glue, and at the zone cut also NS and DS. */
export function isAllowedUnderCut(type: number, atCut: boolean): boolean {
  return type === TYPE.A || type === TYPE.AAAA || (atCut && (type === TYPE.NS || type === TYPE.DS));
}

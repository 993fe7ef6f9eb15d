/** What can be said of a record by itself, in the zone of an apex. */
import { InvalidError } from '../../../core/base/errors.ts';
import type { RecordRow } from '../../../core/store/rows.ts';
import { typeName } from '../../../core/wire/mnemonics.ts';
import { formatHost, formatName, isWildcard, labelCount, type Name, nameAt } from '../../../core/wire/name.ts';
import { hasBothRewrites } from '../../../core/wire/rdata/index.ts';
import { HOST_TARGET, TYPE } from '../../../core/wire/types.ts';
import { cnameAtApex } from './faults.ts';

/** An RRset goes into one answer: bytes of all rdata, and 12 of each record beside it. */
export const MAX_RRSET = 48_000;
export const RECORD_OVERHEAD = 12;
/** Bytes of all records of one name, each with its overhead: with their additional records they stay below a node's bound (core/store/answers.ts). */
export const MAX_AT_NAME = 64_000;
/** A node of the store has one byte for its number of types; some are the service's. */
export const MAX_TYPES = 200;

const invalid = (code: string, message: string, pointer: string): InvalidError =>
  new InvalidError(code, message, { pointer });

/** Types whose owner is a host or a mail domain. */
const HOST_OWNERS: ReadonlySet<number> = new Set([TYPE.A, TYPE.AAAA, TYPE.MX]);

/**
 * The rules for a single record: all of them are held, but for a doubt that a record of `replaced` raised, too (see checkPlace).
 * Throws InvalidError or StateError.
 */
export function checkRecord(apex: Name, { name, type, rdata }: Judged, replaced: readonly Judged[]): void {
  checkStorable(apex, name, type, rdata, false);
  const doubt = singleDoubtOf(name, type, rdata);
  if (doubt === undefined) return;
  for (const old of replaced)
    if (old.type === type && singleDoubtOf(name, type, old.rdata)?.message === doubt.message) return;
  throw doubt;
}

type Judged = Pick<RecordRow, 'name' | 'type' | 'rdata'>;

/** A zone file may delegate `0/25` (RFC 2317), which a form for single records takes for a slip. */
function singleDoubtOf(name: Name, type: number, rdata: Uint8Array): InvalidError | undefined {
  return type === TYPE.NS && !isHost(name, 0) ? ownerIsNoHost(name, type) : doubtOf(name, type, rdata);
}

/**
 * The rules without which a zone could not be stored or served right. `keepApexNs`: NS at the apex is the zone's own, from a
 * zone file, not the service's. Throws InvalidError or StateError.
 */
export function checkStorable(apex: Name, name: Name, type: number, rdata: Uint8Array, keepApexNs: boolean): void {
  if (type === TYPE.SOA)
    throw invalid(
      'soa_is_ours',
      'The service maintains the SOA record and increases its serial with every change; omit the record.',
      '/type',
    );
  if (name.length === apex.length) checkApexType(type, keepApexNs);
  checkWildcard(name, type);
  // ALIAS is ours alone: no other server loads one, and this one has no addresses to give.
  if (type === TYPE.ALIAS && isAddress(nameAt(rdata, 0))) throw targetIsAddress(type, nameAt(rdata, 0));
}

/** What other servers load though it is doubtful: an error for a single record, a warning for a zone file. */
export function doubtOf(name: Name, type: number, rdata: Uint8Array): InvalidError | undefined {
  if (HOST_OWNERS.has(type) && !isHost(name, isWildcard(name) ? 2 : 0)) return ownerIsNoHost(name, type);
  if (type === TYPE.NAPTR && hasBothRewrites(rdata))
    return invalid(
      'invalid_content',
      'A NAPTR record cannot have both a regular expression and a replacement (RFC 3403 4.1); write "" for no expression or "." for no replacement.',
      '/content',
    );
  const at = HOST_TARGET.get(type) ?? (type === TYPE.CNAME ? 0 : undefined);
  if (at === undefined) return undefined;
  const target = nameAt(rdata, at);
  if (isAddress(target)) return targetIsAddress(type, target);
  if (type === TYPE.CNAME) return undefined;
  // "." as the target of MX and SRV says that there is none (RFC 7505, RFC 2782).
  if (target.length === 1 ? type !== TYPE.NS : isHost(target, 0)) return undefined;
  return invalid(
    'invalid_host',
    `The target ${formatName(target)} of the ${typeName(type)} record is not a host name.`,
    '/content',
  );
}

const ownerIsNoHost = (name: Name, type: number): InvalidError =>
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
  if (type === TYPE.DS)
    throw invalid('ds_at_apex', 'The DS records of a domain belong in its parent zone (RFC 4035 2.4).', '/name');
}

/** Reads as an IPv4 address: as a name it leads nowhere, since no top-level domain is a number (RFC 1123 2.1). */
function isAddress(name: Name): boolean {
  return labelCount(name) === 4 && /^(\d{1,3}\.){4}$/.test(formatName(name));
}

/** `*` is a wildcard as the whole first label; elsewhere it would only look like one (RFC 4592 2.1.1). */
function checkWildcard(name: Name, type: number): void {
  for (let p = name[0] + 1; p < name.length && name[p] !== 0; p += name[p] + 1)
    if (name[p] === 1 && name[p + 1] === 0x2a)
      throw invalid(
        'invalid_name',
        `In ${formatName(name)} the "*" is not the first label, so it is not a wildcard.`,
        '/name',
      );
  if (type === TYPE.NS && isWildcard(name))
    throw invalid(
      'ns_at_wildcard',
      'NS records are not allowed at a wildcard (RFC 4592 4.2); delegate each name separately.',
      '/name',
    );
}

/**
 * Letters, digits, hyphens inside of a label (RFC 1123 2.1), and underscores, which hosts in the field have. In lower case, from the
 * label at `from`.
 */
function isHost(name: Name, from: number): boolean {
  for (let p = from; name[p] !== 0; p += name[p] + 1) {
    const end = p + name[p];
    if (name[p + 1] === 0x2d || name[end] === 0x2d) return false;
    for (let i = p + 1; i <= end; i++) if (HOST_BYTE[name[i]] === 0) return false;
  }
  return true;
}

/** 1: may stand in a host name. */
const HOST_BYTE = new Uint8Array(256);
for (const c of 'abcdefghijklmnopqrstuvwxyz0123456789-_') HOST_BYTE[c.charCodeAt(0)] = 1;

/** Whether a record may stand at or below a delegation: glue, and at the cut itself its NS and DS. */
export function mayStandUnderCut(type: number, atCut: boolean): boolean {
  return type === TYPE.A || type === TYPE.AAAA || (atCut && (type === TYPE.NS || type === TYPE.DS));
}

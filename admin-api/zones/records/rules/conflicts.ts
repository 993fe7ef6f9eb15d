/**
 * Checks a record against the other records of its zone. Reads few names: its own, those above it,
 * and its target.
 */

import { equalNames, isWithin, type Name, nameAt, parentName } from '../../../../core/dns/wire/name.ts';
import { HOST_TARGET, TYPE } from '../../../../core/dns/wire/types.ts';
import type { Draft } from '../../../../core/journal/draft/draft.ts';
import { type Id, recordsAt, recordsBelow } from '../../../../core/store/keys.ts';
import { type Domain, type RecordRow, records, STEERED_TYPES } from '../../../../core/store/rows.ts';
import {
  aliasConflict,
  cnameConflict,
  dnameConflict,
  inNestedZone,
  isTarget,
  nameTooLarge,
  occludedBy,
  recordExists,
  rrsetTooLarge,
  steeredSet,
  targetIsCname,
  tooManyTypes,
  wouldOcclude,
} from './faults.ts';
import type { Neighbours } from './neighbours.ts';
import { isAllowedUnderCut, MAX_AT_NAME, MAX_RRSET, MAX_TYPES, RECORD_OVERHEAD } from './record.ts';

type RecordData = Pick<RecordRow, 'name' | 'type' | 'rdata'>;

/**
 * `neighbours`: the records at the name, without the replaced ones. `replaced`: records at the name
 * that the same write deletes. A zone file may have questionable records. A replacement with the
 * same problem is accepted, because it makes the zone no worse. Throws StateError or InvalidError.
 */
export function checkConflicts(
  draft: Draft,
  domain: Domain,
  record: RecordData,
  neighbours: Neighbours,
  replaced: readonly RecordData[],
): void {
  const replacesType = replaced.some(({ type }) => type === record.type);
  checkAbove(draft, domain, record, neighbours, replacesType);
  checkAtName(domain, record, neighbours, replaced);
  checkTarget(draft, domain, record, replaced);
  if (record.type === TYPE.CNAME && !replacesType) checkPointers(draft, domain, record.name);
  // Another nameserver of an existing delegation hides no further records.
  const delegates =
    record.type === TYPE.NS && record.name.length !== domain.apex.length && !neighbours.has(TYPE.NS) && !replacesType;
  if (delegates) checkHidden(record, neighbours);
  if (delegates || (record.type === TYPE.DNAME && !replacesType)) checkBelow(draft, domain, record);
}

/** Throws StateError for a record of a steered set, which only its steering changes. */
export function requireUnsteered(draft: Draft, domainId: Id, { name, type }: Pick<RecordRow, 'name' | 'type'>): void {
  if (STEERED_TYPES.has(type) && draft.steering(domainId, name, type) !== undefined) throw steeredSet(name, type);
}

/**
 * Checks delegations, DNAMEs and nested domains at the name and above. `mayBeHidden`: they may hide
 * the record.
 */
function checkAbove(
  draft: Draft,
  domain: Domain,
  { name, type }: RecordData,
  neighbours: Neighbours,
  mayBeHidden: boolean,
): void {
  for (let at = name; ; at = parentName(at)) {
    const isOwn = at === name;
    const isApex = at.length === domain.apex.length;
    if (!isApex && !mayBeHidden && !isAllowedUnderCut(type, isOwn)) {
      if (draft.domainByApex(at) !== undefined) throw inNestedZone(at);
      if (isOwn ? neighbours.has(TYPE.NS) : draft.hasType(domain.id, at, TYPE.NS)) throw occludedBy(TYPE.NS, at);
    }
    if (!isOwn && !mayBeHidden && draft.hasType(domain.id, at, TYPE.DNAME)) throw occludedBy(TYPE.DNAME, at);
    if (isApex) return;
  }
}

/** Checks which records can be combined at one name. */
function checkAtName(
  { apex }: Domain,
  { name, type, rdata }: RecordData,
  neighbours: Neighbours,
  replaced: readonly RecordData[],
): void {
  const willHave = (other: number): boolean => other === type || neighbours.has(other);
  if (neighbours.holds(type, rdata)) throw recordExists();
  if (willHave(TYPE.CNAME) && neighbours.types.size > 0) throw cnameConflict(name);
  if (willHave(TYPE.ALIAS) && (willHave(TYPE.A) || willHave(TYPE.AAAA))) throw aliasConflict(name);
  if (type === TYPE.ALIAS && neighbours.has(TYPE.ALIAS)) throw aliasConflict(name);
  if (type === TYPE.DNAME && neighbours.has(TYPE.DNAME)) throw dnameConflict(name);
  // The apex may have both, because its NS records are not a delegation.
  if (name.length !== apex.length && willHave(TYPE.DNAME) && willHave(TYPE.NS)) throw dnameConflict(name);
  const size = rdata.length + RECORD_OVERHEAD;
  if (neighbours.types.size + (neighbours.has(type) ? 0 : 1) > MAX_TYPES) throw tooManyTypes(name, MAX_TYPES);
  // A name from a zone file may have more, but must not grow.
  const bytesOf = (rows: readonly RecordData[]): number =>
    rows.reduce((sum, row) => sum + row.rdata.length + RECORD_OVERHEAD, 0);
  const sameType = replaced.filter((row) => row.type === type);
  if (neighbours.sizeOf(type) + size > Math.max(MAX_RRSET, neighbours.firstSizeOf(type) + bytesOf(sameType)))
    throw rrsetTooLarge(type, name, MAX_RRSET);
  if (neighbours.size + size > Math.max(MAX_AT_NAME, neighbours.firstSize + bytesOf(replaced)))
    throw nameTooLarge(name, MAX_AT_NAME);
}

function checkTarget(draft: Draft, domain: Domain, { type, rdata }: RecordData, replaced: readonly RecordData[]): void {
  const at = HOST_TARGET.get(type);
  if (at === undefined) return;
  const target = nameAt(rdata, at);
  if (!isWithin(target, domain.apex) || replaced.some((old) => pointsAt(old, type, target))) return;
  if (draft.hasType(domain.id, target, TYPE.CNAME)) throw targetIsCname(type, target);
}

/** Rejects a CNAME at a name that MX, NS or SRV records point to. */
function checkPointers(draft: Draft, domain: Domain, name: Name): void {
  for (const { owner, type } of draft.targetsAt(domain.id, name)) {
    if (!HOST_TARGET.has(type)) continue;
    if (draft.recordsAt(domain.id, owner).some((row) => pointsAt(row, type, name))) throw isTarget(name, type, owner);
  }
}

function pointsAt(row: RecordData, type: number, name: Name): boolean {
  return row.type === type && equalNames(nameAt(row.rdata, HOST_TARGET.get(type) ?? 0), name);
}

/** Rejects a new delegation that would hide records at its own name. */
function checkHidden({ type, name }: RecordData, neighbours: Neighbours): void {
  for (const other of neighbours.types.keys())
    if (!isAllowedUnderCut(other, true)) throw wouldOcclude(type, name, name);
}

const PAGE = 200;

/** Rejects a delegation with other records than addresses below it, and a DNAME with any. */
function checkBelow(draft: Draft, domain: Domain, record: RecordData): void {
  const own = recordsAt(domain.id, record.name);
  const below = recordsBelow(domain.id, record.name);
  // Starts after the last possible key at the name, which is `own`, a type and an id (10 bytes).
  // Names below sort later: their keys have a label byte from 0x01 instead of the 0x00 at the end
  // of `own`.
  let after: Buffer = Buffer.concat([own, Buffer.alloc(10, 0xff)]);
  for (;;) {
    const rows = draft.recordsOf(domain.id, after, PAGE);
    for (const row of rows) {
      after = records.key(row);
      if (after.compare(below, 0, below.length, 0, below.length) !== 0) return;
      if (record.type === TYPE.DNAME || !isAllowedUnderCut(row.type, false))
        throw wouldOcclude(record.type, record.name, row.name);
    }
    if (rows.length < PAGE) return;
  }
}

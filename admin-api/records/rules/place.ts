/** Whether a record fits to those that the zone holds. Reads few names: its own, those above it, its target. */
import type { Draft } from '../../../core/journal/draft.ts';
import { recordsAt, recordsBelow } from '../../../core/store/keys.ts';
import { type Domain, type RecordRow, records } from '../../../core/store/rows.ts';
import { equalNames, isWithin, type Name, nameAt, parentName } from '../../../core/wire/name.ts';
import { ADDITIONAL_TARGET, TYPE } from '../../../core/wire/types.ts';
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
  targetIsCname,
  tooManyTypes,
  wouldOcclude,
} from './faults.ts';
import { MAX_AT_NAME, MAX_RRSET, MAX_TYPES, mayStandUnderCut, RECORD_OVERHEAD } from './record.ts';

export type Placed = Pick<RecordRow, 'name' | 'type' | 'rdata'>;

/** `others`: the records at the name, without the one that is replaced. Throws StateError or InvalidError. */
export function checkPlace(draft: Draft, domain: Domain, record: Placed, others: readonly RecordRow[]): void {
  checkAbove(draft, domain, record, others);
  checkBeside(domain, record, others);
  checkTarget(draft, domain, record);
  if (record.type === TYPE.CNAME) checkPointedAt(draft, domain, record.name);
  const delegates = record.type === TYPE.NS && record.name.length !== domain.apex.length;
  if (delegates) checkHidden(others, record, record.name);
  if (delegates || record.type === TYPE.DNAME) checkBelow(draft, domain, record);
}

/** Delegations, DNAMEs and nested domains on the way down to the name. */
function checkAbove(draft: Draft, domain: Domain, { name, type }: Placed, others: readonly RecordRow[]): void {
  for (let at = name; ; at = parentName(at)) {
    const isOwn = at === name;
    const isApex = at.length === domain.apex.length;
    if (!isApex && !mayStandUnderCut(type, isOwn) && draft.domainByApex(at) !== undefined) throw inNestedZone(at);
    if (!isOwn || !isApex)
      for (const above of isOwn ? others : draft.recordsAt(domain.id, at)) {
        if (above.type === TYPE.NS && !isApex && !mayStandUnderCut(type, isOwn)) throw occludedBy(TYPE.NS, at);
        if (above.type === TYPE.NS && !isApex && !isOwn && type === TYPE.NS) throw occludedBy(TYPE.NS, at);
        if (above.type === TYPE.DNAME && !isOwn) throw occludedBy(TYPE.DNAME, at);
      }
    if (isApex) return;
  }
}

/** What may stand together at one name. */
function checkBeside({ apex }: Domain, { name, type, rdata }: Placed, others: readonly RecordRow[]): void {
  let size = rdata.length + RECORD_OVERHEAD;
  let sizeAtName = size;
  const types = new Set([type]);
  for (const other of others) {
    types.add(other.type);
    sizeAtName += other.rdata.length + RECORD_OVERHEAD;
    if (other.type !== type) continue;
    if (equalNames(other.rdata, rdata)) throw recordExists();
    size += other.rdata.length + RECORD_OVERHEAD;
  }
  if (types.has(TYPE.CNAME) && others.length > 0) throw cnameConflict(name);
  if (types.has(TYPE.ALIAS) && (types.has(TYPE.A) || types.has(TYPE.AAAA))) throw aliasConflict(name);
  if (type === TYPE.ALIAS && others.some((other) => other.type === TYPE.ALIAS)) throw aliasConflict(name);
  if (type === TYPE.DNAME && others.some((other) => other.type === TYPE.DNAME)) throw dnameConflict(name);
  // At the apex both may stand: there NS is no delegation.
  if (name.length !== apex.length && types.has(TYPE.DNAME) && types.has(TYPE.NS)) throw dnameConflict(name);
  if (types.size > MAX_TYPES) throw tooManyTypes(name, MAX_TYPES);
  if (size > MAX_RRSET) throw rrsetTooLarge(type, name);
  if (sizeAtName > MAX_AT_NAME) throw nameTooLarge(name);
}

function checkTarget(draft: Draft, domain: Domain, { type, rdata }: Placed): void {
  const at = ADDITIONAL_TARGET.get(type);
  if (at === undefined) return;
  const target = nameAt(rdata, at);
  if (!isWithin(target, domain.apex)) return;
  if (draft.recordsAt(domain.id, target).some((record) => record.type === TYPE.CNAME))
    throw targetIsCname(type, target);
}

/** MX, NS and SRV that point at a name which is to be a CNAME. */
function checkPointedAt(draft: Draft, domain: Domain, name: Name): void {
  for (const { owner, type } of draft.targetsAt(domain.id, name)) {
    if (!ADDITIONAL_TARGET.has(type)) continue;
    if (draft.recordsAt(domain.id, owner).some((row) => pointsAt(row, type, name))) throw isTarget(name, type, owner);
  }
}

function pointsAt(row: RecordRow, type: number, name: Name): boolean {
  return row.type === type && equalNames(nameAt(row.rdata, ADDITIONAL_TARGET.get(type) ?? 0), name);
}

/** Records that a new delegation would hide. */
function checkHidden(rows: Iterable<RecordRow>, record: Placed, cut: Name): void {
  for (const row of rows)
    if (!mayStandUnderCut(row.type, equalNames(row.name, cut))) throw wouldOcclude(record.type, cut, row.name);
}

const PAGE = 200;

/** Nothing but addresses may lie below a new delegation, nothing at all below a new DNAME. */
function checkBelow(draft: Draft, domain: Domain, record: Placed): void {
  const own = recordsAt(domain.id, record.name);
  const below = recordsBelow(domain.id, record.name);
  // Keys of the name itself begin with `own`; 0xff sorts after them and before the first label below only because labels follow 0x01 and up.
  let after: Buffer = Buffer.concat([own, Buffer.alloc(10, 0xff)]);
  for (;;) {
    const rows = draft.recordsOf(domain.id, after, PAGE);
    for (const row of rows) {
      after = records.key(row);
      if (after.compare(below, 0, below.length, 0, below.length) !== 0) return;
      if (record.type === TYPE.DNAME || !mayStandUnderCut(row.type, false))
        throw wouldOcclude(record.type, record.name, row.name);
    }
    if (rows.length < PAGE) return;
  }
}

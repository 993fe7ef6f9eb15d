/** Whether a record fits to those that the zone holds. Reads few names: its own, those above it, its target. */
import type { Draft } from '../../../core/journal/draft/draft.ts';
import { recordsAt, recordsBelow } from '../../../core/store/keys.ts';
import { type Domain, type RecordRow, records } from '../../../core/store/rows.ts';
import { equalNames, isWithin, type Name, nameAt, parentName } from '../../../core/wire/name.ts';
import { HOST_TARGET, TYPE } from '../../../core/wire/types.ts';
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
import type { Neighbours } from './neighbours.ts';
import { MAX_AT_NAME, MAX_RRSET, MAX_TYPES, mayStandUnderCut, RECORD_OVERHEAD } from './record.ts';

export type Placed = Pick<RecordRow, 'name' | 'type' | 'rdata'>;

/**
 * `beside`: the records at the name, without those that are replaced. `replaced`: records of the name that the same write deletes.
 * What is doubtful about a record of theirs, as zone files bring it, is no reason to refuse its replacement: the zone is no worse
 * for it. Throws StateError or InvalidError.
 */
export function checkPlace(
  draft: Draft,
  domain: Domain,
  record: Placed,
  beside: Neighbours,
  replaced: readonly Placed[],
): void {
  const hadType = replaced.some(({ type }) => type === record.type);
  checkAbove(draft, domain, record, beside, hadType);
  checkBeside(domain, record, beside);
  checkTarget(draft, domain, record, replaced);
  if (record.type === TYPE.CNAME && !hadType) checkPointedAt(draft, domain, record.name);
  // Where there is a delegation already, nothing is hidden by another server of it.
  const delegates =
    record.type === TYPE.NS && record.name.length !== domain.apex.length && !beside.has(TYPE.NS) && !hadType;
  if (delegates) checkHidden(record, beside);
  if (delegates || (record.type === TYPE.DNAME && !hadType)) checkBelow(draft, domain, record);
}

/** Delegations, DNAMEs and nested domains on the way down to the name. `mayBeHidden`: a delegation or a domain may hide it. */
function checkAbove(
  draft: Draft,
  domain: Domain,
  { name, type }: Placed,
  beside: Neighbours,
  mayBeHidden: boolean,
): void {
  for (let at = name; ; at = parentName(at)) {
    const isOwn = at === name;
    const isApex = at.length === domain.apex.length;
    if (!isApex && !mayBeHidden && !mayStandUnderCut(type, isOwn)) {
      if (draft.domainByApex(at) !== undefined) throw inNestedZone(at);
      if (isOwn ? beside.has(TYPE.NS) : draft.hasType(domain.id, at, TYPE.NS)) throw occludedBy(TYPE.NS, at);
    }
    if (!isOwn && draft.hasType(domain.id, at, TYPE.DNAME)) throw occludedBy(TYPE.DNAME, at);
    if (isApex) return;
  }
}

/** What may stand together at one name. */
function checkBeside({ apex }: Domain, { name, type, rdata }: Placed, beside: Neighbours): void {
  const has = (one: number): boolean => one === type || beside.has(one);
  if (beside.holds(type, rdata)) throw recordExists();
  if (has(TYPE.CNAME) && beside.types.size > 0) throw cnameConflict(name);
  if (has(TYPE.ALIAS) && (has(TYPE.A) || has(TYPE.AAAA))) throw aliasConflict(name);
  if (type === TYPE.ALIAS && beside.has(TYPE.ALIAS)) throw aliasConflict(name);
  if (type === TYPE.DNAME && beside.has(TYPE.DNAME)) throw dnameConflict(name);
  // At the apex both may stand: there NS is no delegation.
  if (name.length !== apex.length && has(TYPE.DNAME) && has(TYPE.NS)) throw dnameConflict(name);
  const size = rdata.length + RECORD_OVERHEAD;
  if (beside.types.size + (beside.has(type) ? 0 : 1) > MAX_TYPES) throw tooManyTypes(name, MAX_TYPES);
  if (beside.sizeOf(type) + size > MAX_RRSET) throw rrsetTooLarge(type, name);
  if (beside.size + size > MAX_AT_NAME) throw nameTooLarge(name);
}

function checkTarget(draft: Draft, domain: Domain, { type, rdata }: Placed, replaced: readonly Placed[]): void {
  const at = HOST_TARGET.get(type);
  if (at === undefined) return;
  const target = nameAt(rdata, at);
  if (!isWithin(target, domain.apex) || replaced.some((old) => pointsAt(old, type, target))) return;
  if (draft.hasType(domain.id, target, TYPE.CNAME)) throw targetIsCname(type, target);
}

/** MX, NS and SRV that point at a name which is to be a CNAME. */
function checkPointedAt(draft: Draft, domain: Domain, name: Name): void {
  for (const { owner, type } of draft.targetsAt(domain.id, name)) {
    if (!HOST_TARGET.has(type)) continue;
    if (draft.recordsAt(domain.id, owner).some((row) => pointsAt(row, type, name))) throw isTarget(name, type, owner);
  }
}

function pointsAt(row: Placed, type: number, name: Name): boolean {
  return row.type === type && equalNames(nameAt(row.rdata, HOST_TARGET.get(type) ?? 0), name);
}

/** Records of the name itself that a new delegation would hide. */
function checkHidden({ type, name }: Placed, beside: Neighbours): void {
  for (const other of beside.types.keys()) if (!mayStandUnderCut(other, true)) throw wouldOcclude(type, name, name);
}

const PAGE = 200;

/** Nothing but addresses may be below a new delegation, nothing at all below a new DNAME. */
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

/** The rules between records (rules/place.ts) over a whole zone in memory, in time linear in its size. */
import type { WaypostError } from '../../../core/base/errors.ts';
import type { MasterError, MasterWarning } from '../../../core/wire/master/index.ts';
import { type Name, parentName } from '../../../core/wire/name.ts';
import { TYPE } from '../../../core/wire/types.ts';
import {
  aliasConflict,
  cnameConflict,
  dnameConflict,
  nameTooLarge,
  occludedBy,
  rrsetTooLarge,
  tooManyTypes,
} from '../rules/faults.ts';
import { MAX_AT_NAME, MAX_RRSET, MAX_TYPES, mayStandUnderCut, RECORD_OVERHEAD } from '../rules/record.ts';
import { mayOcclude, type OwnedSet, type Owner, type Owners, setOf } from './owners.ts';

/** Faults with their lines, not sorted; at most `most` of each kind. Data hidden by a delegation is a warning: it is stored and not served. */
export function checkZone(
  apex: Name,
  owners: Owners,
  most: number,
): { errors: MasterError[]; occluded: MasterWarning[] } {
  const errors: MasterError[] = [];
  const occluded: MasterWarning[] = [];
  const note = (set: OwnedSet, { message }: WaypostError) => {
    if (errors.length < most) errors.push({ line: set.line, message });
  };
  const warn = (set: OwnedSet, { code, message }: WaypostError) => {
    if (occluded.length < most) occluded.push({ line: set.line, code, message });
  };
  const hides = mayOcclude(apex, owners);
  for (const owner of owners) {
    checkBeside(apex, owner, note);
    if (hides) checkAbove(apex, owners, owner, note, warn);
  }
  return { errors, occluded };
}

type Note = (set: OwnedSet, error: WaypostError) => void;

function checkBeside(apex: Name, owner: Owner, note: Note): void {
  const { name, sets } = owner;
  if (sets.length > 1) {
    const latest = sets.reduce((a, b) => (b.line > a.line ? b : a));
    if (setOf(owner, TYPE.CNAME) !== undefined) note(latest, cnameConflict(name));
    const alias = setOf(owner, TYPE.ALIAS);
    if (alias !== undefined && (setOf(owner, TYPE.A) ?? setOf(owner, TYPE.AAAA)) !== undefined)
      note(alias, aliasConflict(name));
    const dname = setOf(owner, TYPE.DNAME);
    // At the apex both may stand: there NS is no delegation.
    const delegates = name.length !== apex.length && setOf(owner, TYPE.NS) !== undefined;
    if (dname !== undefined && delegates) note(dname, dnameConflict(name));
    if (sets.length > MAX_TYPES) note(latest, tooManyTypes(name, MAX_TYPES));
  }
  let size = 0;
  for (const set of sets) {
    size += set.size + set.rdatas.length * RECORD_OVERHEAD;
    if (size > MAX_AT_NAME) note(set, nameTooLarge(name));
    if (set.size + set.rdatas.length * RECORD_OVERHEAD > MAX_RRSET) note(set, rrsetTooLarge(set.type, name));
    if (set.rdatas.length === 1) continue;
    if (set.type === TYPE.CNAME) note(set, cnameConflict(name));
    if (set.type === TYPE.ALIAS) note(set, aliasConflict(name));
    if (set.type === TYPE.DNAME) note(set, dnameConflict(name));
  }
}

/** Nothing may stand below a DNAME (RFC 6672 2.4), and Knot and NSD refuse it too. */
function checkAbove(apex: Name, owners: Owners, { name, sets }: Owner, note: Note, warn: Note): void {
  for (let at = name; ; at = parentName(at)) {
    const isOwn = at === name;
    const isApex = at.length === apex.length;
    const here = owners.get(at);
    if (!isOwn && setOf(here, TYPE.DNAME) !== undefined) for (const set of sets) note(set, occludedBy(TYPE.DNAME, at));
    if (!isApex && setOf(here, TYPE.NS) !== undefined)
      for (const set of sets) if (!mayStandUnderCut(set.type, isOwn)) warn(set, occludedBy(TYPE.NS, at));
    if (isApex) return;
  }
}

/** Checks the rules of rules/conflicts.ts for a whole zone in memory, in linear time. */
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
import { isAllowedUnderCut, MAX_AT_NAME, MAX_RRSET, MAX_TYPES, RECORD_OVERHEAD } from '../rules/record.ts';
import { mayOcclude, type OwnedSet, type Owner, type Owners, setOf } from './owners.ts';

/**
 * Errors and warnings with their lines, not sorted, at most `most` of each. Records that a
 * delegation hides are only a warning: they are stored and not served.
 */
export function checkZone(
  apex: Name,
  owners: Owners,
  limit: number,
): { errors: MasterError[]; occluded: MasterWarning[] } {
  const errors: MasterError[] = [];
  const occluded: MasterWarning[] = [];
  const fail = (set: OwnedSet, { message }: WaypostError) => {
    if (errors.length < limit) errors.push({ line: set.line, message });
  };
  const warn = (set: OwnedSet, { code, message }: WaypostError) => {
    if (occluded.length < limit) occluded.push({ line: set.line, code, message });
  };
  const canOcclude = mayOcclude(apex, owners);
  for (const owner of owners) {
    checkAtName(apex, owner, fail);
    if (canOcclude) checkAbove(apex, owners, owner, fail, warn);
  }
  return { errors, occluded };
}

type Report = (set: OwnedSet, error: WaypostError) => void;

function checkAtName(apex: Name, owner: Owner, fail: Report): void {
  const { name, sets } = owner;
  if (sets.length > 1) {
    const latest = sets.reduce((a, b) => (b.line > a.line ? b : a));
    if (setOf(owner, TYPE.CNAME) !== undefined) fail(latest, cnameConflict(name));
    const alias = setOf(owner, TYPE.ALIAS);
    if (alias !== undefined && (setOf(owner, TYPE.A) ?? setOf(owner, TYPE.AAAA)) !== undefined)
      fail(alias, aliasConflict(name));
    const dname = setOf(owner, TYPE.DNAME);
    // The apex may have both, because its NS records are not a delegation.
    const delegates = name.length !== apex.length && setOf(owner, TYPE.NS) !== undefined;
    if (dname !== undefined && delegates) fail(dname, dnameConflict(name));
    if (sets.length > MAX_TYPES) fail(latest, tooManyTypes(name, MAX_TYPES));
  }
  let size = 0;
  for (const set of sets) {
    size += set.size + set.rdatas.length * RECORD_OVERHEAD;
    if (size > MAX_AT_NAME) fail(set, nameTooLarge(name));
    if (set.size + set.rdatas.length * RECORD_OVERHEAD > MAX_RRSET) fail(set, rrsetTooLarge(set.type, name));
    if (set.rdatas.length === 1) continue;
    if (set.type === TYPE.CNAME) fail(set, cnameConflict(name));
    if (set.type === TYPE.ALIAS) fail(set, aliasConflict(name));
    if (set.type === TYPE.DNAME) fail(set, dnameConflict(name));
  }
}

/** Records below a DNAME are not allowed (RFC 6672 2.4); Knot and NSD reject them too. */
function checkAbove(apex: Name, owners: Owners, { name, sets }: Owner, fail: Report, warn: Report): void {
  for (let at = name; ; at = parentName(at)) {
    const isOwn = at === name;
    const isApex = at.length === apex.length;
    const here = owners.get(at);
    if (!isOwn && setOf(here, TYPE.DNAME) !== undefined) for (const set of sets) fail(set, occludedBy(TYPE.DNAME, at));
    if (!isApex && setOf(here, TYPE.NS) !== undefined)
      for (const set of sets) if (!isAllowedUnderCut(set.type, isOwn)) warn(set, occludedBy(TYPE.NS, at));
    if (isApex) return;
  }
}

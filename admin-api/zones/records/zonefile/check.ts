/** Checks the rules of rules/conflicts.ts for a whole zone in memory, in linear time. */
import type { WaypostError } from '../../../../core/base/errors.ts';
import { ASKED, Body } from '../../../../core/dns/wire/body.ts';
import type { MasterError, MasterWarning } from '../../../../core/dns/wire/master/index.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatName, isWildcard, type Name, parentName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import {
  aliasConflict,
  cnameConflict,
  dnameConflict,
  nameTooLarge,
  occludedBy,
  recordTooLarge,
  tooManyTypes,
  unansweredRRset,
} from '../rules/faults.ts';
import {
  isAllowedUnderCut,
  MAX_IMPORTED_AT_NAME,
  MAX_IMPORTED_RDATA,
  MAX_RRSET,
  MAX_TYPES,
  RECORD_OVERHEAD,
} from '../rules/record.ts';
import { mayOcclude, type OwnedSet, type Owner, type Owners, setOf } from './owners.ts';

/** `set`: the RRset without which the zone would not have the error. */
interface SetError extends MasterError {
  readonly set: OwnedSet;
}

/**
 * Errors and warnings with their lines, not sorted, at most `limit` of each. Records that a
 * delegation or a DNAME hides are only a warning: they are stored and not served.
 */
export function checkZone(
  apex: Name,
  owners: Owners,
  limit: number,
): { errors: SetError[]; doubtful: MasterWarning[] } {
  const errors: SetError[] = [];
  const doubtful: MasterWarning[] = [];
  const fail = (set: OwnedSet, { message }: WaypostError) => {
    if (errors.length < limit) errors.push({ line: set.line, message, set });
  };
  const warn = (set: OwnedSet, { code, message }: WaypostError) => {
    if (doubtful.length < limit) doubtful.push({ line: set.line, code, message });
  };
  const canOcclude = mayOcclude(apex, owners);
  for (const owner of owners) {
    checkAtName(owner, fail, warn);
    for (const { otherTtlLine: line, type } of owner.sets)
      if (line > 0 && doubtful.length < limit) doubtful.push({ line, ...mixedTtls(owner.name, type) });
    if (canOcclude) checkAbove(apex, owners, owner, warn);
  }
  return { errors, doubtful };
}

const mixedTtls = (name: Name, type: number) => ({
  code: 'mixed_ttl',
  message: `The ${typeName(type)} records of ${formatName(name)} have different TTLs; all get the lowest (RFC 2181 5.2).`,
});

type Report = (set: OwnedSet, error: WaypostError) => void;

function checkAtName(owner: Owner, fail: Report, warn: Report): void {
  const { name, sets } = owner;
  if (sets.length > 1) {
    const latest = sets.reduce((a, b) => (b.line > a.line ? b : a));
    if (setOf(owner, TYPE.CNAME) !== undefined) fail(latest, cnameConflict(name));
    const alias = setOf(owner, TYPE.ALIAS);
    if (alias !== undefined && (setOf(owner, TYPE.A) ?? setOf(owner, TYPE.AAAA)) !== undefined)
      fail(alias, aliasConflict(name));
    if (sets.length > MAX_TYPES) fail(latest, tooManyTypes(name, MAX_TYPES));
  }
  let size = 0;
  for (const set of sets) {
    size += set.size + set.rdatas.length * RECORD_OVERHEAD;
    if (size > MAX_IMPORTED_AT_NAME) fail(set, nameTooLarge(name, MAX_IMPORTED_AT_NAME));
    if (set.size > MAX_IMPORTED_RDATA && set.rdatas.some((rdata) => rdata.length > MAX_IMPORTED_RDATA))
      fail(set, recordTooLarge(set.type, name, MAX_IMPORTED_RDATA));
    if (set.size + set.rdatas.length * RECORD_OVERHEAD > MAX_RRSET && !fitsAnswer(name, set))
      warn(set, unansweredRRset(set.type, name));
    if (set.rdatas.length === 1) continue;
    if (set.type === TYPE.CNAME) fail(set, cnameConflict(name));
    if (set.type === TYPE.ALIAS) fail(set, aliasConflict(name));
    if (set.type === TYPE.DNAME) fail(set, dnameConflict(name));
  }
}

/** Whether a DNS message can hold the RRset. */
function fitsAnswer(name: Name, set: OwnedSet): boolean {
  const body = new Body(name, isWildcard(name) ? 'wildcard' : 'exact');
  body.rrset(ASKED, set);
  return body.fits;
}

/** Warns of records that a delegation or a DNAME above hides. One warning for each RRset. */
function checkAbove(apex: Name, owners: Owners, { name, sets }: Owner, warn: Report): void {
  for (let at = name; ; at = parentName(at)) {
    const isOwn = at === name;
    const isApex = at.length === apex.length;
    const here = owners.get(at);
    if (!isOwn && setOf(here, TYPE.DNAME) !== undefined) for (const set of sets) warn(set, occludedBy(TYPE.DNAME, at));
    if (!isApex && setOf(here, TYPE.NS) !== undefined)
      for (const set of sets) if (!isAllowedUnderCut(set.type, isOwn)) warn(set, occludedBy(TYPE.NS, at));
    if (isApex) return;
  }
}

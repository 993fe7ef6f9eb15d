/**
 * PTR records that follow A and AAAA records: an RRset that keeps its PTR records has one for each
 * address, in a reverse zone of the account. They are created, changed and deleted in the commit
 * that changes the addresses, whatever the request was.
 */
import type { Transaction } from 'lmdb';
import { InvalidError, StateError } from '../../../core/base/errors.ts';
import { latin1 } from '../../../core/dns/wire/latin1.ts';
import {
  equalNames,
  formatHost,
  formatName,
  isWildcard,
  type Name,
  nameAt,
  parentName,
} from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { addressOfReverse, reverseName } from '../../../core/dns/wire/reverse.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { afterPrefix, type Id, idAt, idKey, recordKeyParts } from '../../../core/store/keys.ts';
import { type Entry, rawReader } from '../../../core/store/raw-reader.ts';
import { Reader } from '../../../core/store/reader.ts';
import { type Domain, type KeptPtrs, keptPtrs, type RecordRow, records } from '../../../core/store/rows.ts';
import { deletePtr, enclosing, isAddress, keepsPtr, type Place, placesOf } from '../../../core/upkeep/domains/ptrs.ts';
import { type ChangeContext, type ChangeResult, change } from '../../change/change.ts';
import type { Services } from '../../change/services.ts';
import { type Caller, reachesDomain } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { Reply } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { checkConflicts } from './rules/conflicts.ts';
import { Neighbours } from './rules/neighbours.ts';
import { checkRecord } from './rules/record.ts';

const AT = { pointer: '/ptr' };

type Address = Pick<RecordRow, 'rdata' | 'ttl'>;

/** An RRset that keeps its PTR records, before and after a change. */
export interface PtrChange extends KeptPtrs {
  readonly before: readonly Address[];
  readonly after: readonly Address[];
  /** It did not keep them before. */
  readonly isNew: boolean;
}

/** Sets whether an RRset keeps its PTR records; undefined: as before. Throws InvalidError. */
export function writePtr(draft: Draft, { domainId, name, type }: KeptPtrs, ptr: boolean | undefined): void {
  if (ptr === undefined || ptr === keepsPtr(draft, { domainId, name, type })) return;
  if (!ptr) draft.delete(keptPtrs, { domainId, name, type });
  else if (!isAddress(type))
    throw new InvalidError('no_ptr', 'Only A and AAAA records have a PTR record; omit "ptr".', AT);
  else if (isWildcard(name)) throw new InvalidError('no_ptr', 'A PTR record cannot name a wildcard; omit "ptr".', AT);
  else draft.put(keptPtrs, { domainId, name, type });
}

/** Whether a moved record takes the PTR with it: it was the last one of its RRset. */
export function carriedPtr(draft: Draft, old: RecordRow, { name, type }: RecordRow): boolean | undefined {
  const isSame = old.type === type && equalNames(old.name, name);
  if (isSame || !isAddress(type) || isWildcard(name) || !keepsPtr(draft, old)) return undefined;
  return draft.hasType(old.domainId, old.name, old.type) ? undefined : true;
}

/** Whether a stored record keeps its PTR record. */
export type FindPtr = (entry: Pick<Entry, 'key'>) => boolean;

/** For the records of a domain, as of `transaction`; omitted: the current state. */
export function ptrFinder({ rows }: Environment, { id }: Pick<Domain, 'id'>, transaction?: Transaction): FindPtr {
  const table = rows.get(keptPtrs.number)!;
  const start = idKey(id);
  const [any] = table.getKeys({ start, end: afterPrefix(start), limit: 1, transaction });
  if (any === undefined) return () => false;
  return ({ key }) =>
    isAddress(recordKeyParts(key).type) &&
    table.get(key.subarray(0, key.length - RECORD_ID), { transaction }) !== undefined;
}

/** `change` for records: PTR records follow. `more`: changes that the draft does not show. */
export function changeZone<R extends Reply>(
  services: Services,
  context: ChangeContext,
  work: (draft: Draft) => ChangeResult<R> | Promise<ChangeResult<R>>,
  more: (draft: Draft) => readonly PtrChange[] = () => [],
): Promise<R> {
  const follow = (draft: Draft): void => keepPtrs(services, draft, context.caller, more(draft));
  return change(services, context, work, { follow });
}

/**
 * Makes the PTR records fit the addresses that the draft has changed. Throws InvalidError
 * `no_reverse_zone`, StateError `ptr_conflict` and `ptr_kept`, HttpError 403, and the errors of new
 * records. `newId`: of a record.
 */
export function keepPtrs(
  { environment }: Pick<Services, 'environment'>,
  draft: Draft,
  caller: Caller,
  more: readonly PtrChange[] = [],
  newId = (): Id => draft.newId(records),
): void {
  const changes = [...more, ...changesOf(environment, draft)];
  const deleted = new Set<string>();
  // All deletions first: addresses may be exchanged between names.
  for (const { domainId, name, before, after } of changes)
    for (const { rdata } of before)
      if (!after.some((other) => Buffer.compare(other.rdata, rdata) === 0)) {
        const accountId = draft.domain(domainId)?.accountId;
        if (accountId !== undefined) for (const key of deletePtr(draft, accountId, rdata, name)) deleted.add(key);
      }
  for (const { domainId, name, type, after, isNew } of changes)
    for (const address of after) {
      const place = placeOf(draft, draft.domain(domainId)!.accountId, type, address.rdata);
      if (isNew && !reachesDomain(caller.token, place.domain.id)) throw outOfReach(place);
      putPtr(draft, place, type, address, name, newId);
    }
  requireKept(environment, draft, deleted);
}

/** The RRsets that keep their PTR records, or did so, and that the draft has changed. */
function changesOf(environment: Environment, draft: Draft): PtrChange[] {
  const stored = new Reader(rawReader(environment));
  const keys = new Map<string, Buffer>();
  const add = (key: Buffer): unknown => keys.set(key.toString('latin1'), key);
  const keepers = new Map<Id, boolean>();
  for (const key of draft.writtenKeys(records)) {
    if (!isAddress(recordKeyParts(key).type)) continue;
    const id = idAt(key);
    if (!keepers.has(id)) keepers.set(id, draft.keptPtrs(id, 1).length > 0);
    if (keepers.get(id)) add(key.subarray(0, key.length - RECORD_ID));
  }
  for (const key of draft.writtenKeys(keptPtrs)) add(key);
  const changes: PtrChange[] = [];
  for (const key of keys.values()) {
    const rrset = keptPtrs.decode(key, EMPTY);
    const { domainId, name, type } = rrset;
    const kept = stored.row(keptPtrs, key) !== undefined;
    const keeps = draft.row(keptPtrs, key) !== undefined;
    if (!kept && !keeps) continue;
    const before = kept ? stored.recordsOfType(domainId, name, type) : [];
    const after = keeps ? draft.recordsOfType(domainId, name, type) : [];
    changes.push({ ...rrset, before, after, isNew: !kept });
  }
  return changes;
}

const EMPTY = Buffer.alloc(0);
/** Bytes of the id at the end of the key of a record. */
const RECORD_ID = 8;

/** The change of all RRsets of a domain to the addresses that `addressesOf` returns. */
export function changesOfDomain(
  { reader }: Pick<Services, 'reader'>,
  draft: Draft,
  domainId: Id,
  addressesOf: (rrset: KeptPtrs) => readonly Address[],
): PtrChange[] {
  return draft.keptPtrs(domainId).map((rrset) => ({
    ...rrset,
    before: reader.recordsOfType(domainId, rrset.name, rrset.type),
    after: addressesOf(rrset),
    isNew: false,
  }));
}

function putPtr(
  draft: Draft,
  { domain, owner }: Place,
  type: number,
  { rdata, ttl }: Address,
  target: Name,
  newId: () => Id,
): void {
  const now = nowSeconds();
  const present = draft.recordsOfType(domain.id, owner, TYPE.PTR);
  const own = present.find(({ rdata: named }) => equalNames(nameAt(named, 0), target));
  const other = present.find((each) => each !== own);
  if (other !== undefined)
    throw new StateError(
      'ptr_conflict',
      `${formatRdata(type, rdata)} already has the PTR record ${formatRdata(TYPE.PTR, other.rdata)} (${formatName(owner)} in ${formatHost(domain.apex)}). Delete that one first, or omit "ptr".`,
      AT,
    );
  if (own !== undefined) {
    if (own.ttl !== ttl) draft.put(records, { ...own, ttl, updatedAt: now });
    return;
  }
  const row = { domainId: domain.id, name: owner, type: TYPE.PTR, ttl, rdata: target, proxied: null };
  const record: RecordRow = { id: newId(), ...row, createdAt: now, updatedAt: now };
  checkRecord(domain.apex, record, []);
  checkConflicts(draft, domain, record, new Neighbours(draft.recordsAt(domain.id, owner)), []);
  draft.insert(records, record);
}

/** Where the PTR record of an address is stored. Throws InvalidError `no_reverse_zone`. */
function placeOf(draft: Draft, accountId: Id, type: number, rdata: Uint8Array): Place {
  const [first, second] = placesOf(draft, accountId, rdata);
  const alias = first && draft.recordsOfType(first.domain.id, first.owner, TYPE.CNAME)[0];
  // RFC 2317: the zone of the whole network has a CNAME into the zone of the block.
  const place = alias === undefined ? first : second;
  if (place !== undefined) return place;
  const name = formatHost(alias === undefined ? parentName(reverseName(rdata)) : nameAt(alias.rdata, 0));
  throw new InvalidError(
    'no_reverse_zone',
    alias === undefined
      ? `No zone of this account has the PTR record of ${formatRdata(type, rdata)}. Add its reverse zone, such as ${name}, or omit "ptr".`
      : `The PTR record of ${formatRdata(type, rdata)} is at ${name}, which is in no zone of this account. Omit "ptr".`,
    AT,
  );
}

/**
 * Throws StateError `ptr_kept` if the draft deletes or changes a PTR record that an RRset keeps.
 * `deleted`: keys of those that followed their address.
 */
function requireKept(environment: Environment, draft: Draft, deleted: ReadonlySet<string>): void {
  const stored = new Reader(rawReader(environment));
  for (const key of draft.writtenKeys(records)) {
    if (recordKeyParts(key).type !== TYPE.PTR || deleted.has(latin1(key))) continue;
    const before = stored.row(records, key);
    const address = before && addressOfReverse(before.name);
    if (before === undefined || address == null) continue;
    const target = nameAt(before.rdata, 0);
    const isThere = draft
      .recordsOfType(before.domainId, before.name, TYPE.PTR)
      .some(({ rdata }) => equalNames(nameAt(rdata, 0), target));
    const accountId = draft.domain(before.domainId)?.accountId;
    if (isThere || accountId === undefined) continue;
    const [domain] = enclosing(draft, accountId, target);
    const rrset = domain && { domainId: domain.id, name: target, type: address.length === 4 ? TYPE.A : TYPE.AAAA };
    if (rrset === undefined || !keepsPtr(draft, rrset)) continue;
    const rows = draft.recordsOfType(rrset.domainId, target, rrset.type);
    if (rows.some(({ rdata }) => Buffer.compare(rdata, address) === 0))
      throw new StateError(
        'ptr_kept',
        `The record ${formatName(target)} ${formatRdata(rrset.type, address)} keeps this PTR record. Change or delete that record, or set its "ptr" to false.`,
      );
  }
}

const outOfReach = ({ domain }: Place): HttpError =>
  new HttpError(
    403,
    'domain_not_allowed',
    `The PTR record is in ${formatHost(domain.apex)}, which this token does not reach. Use another token, or omit "ptr".`,
    AT,
  );

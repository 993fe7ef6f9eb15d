/** Creates, replaces and deletes single records. */

import { InvalidError, WaypostError } from '../../../core/base/errors.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { equalNames, formatRelative } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import type { Draft } from '../../../core/journal/draft/draft.ts';
import type { Id } from '../../../core/store/keys.ts';
import { type Domain, type RecordRow, records } from '../../../core/store/rows.ts';
import { keepsPtr } from '../../../core/upkeep/domains/ptrs.ts';
import { WEB_TYPES } from '../../../core/zone/compile/proxied.ts';
import type { ChangeResult } from '../../change/change.ts';
import { editableDomain, requireMatch } from '../../change/owned-domain.ts';
import { requireAction } from '../../change/record-policies.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context, Reply } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { commentOf, writeComment } from './comment.ts';
import { checkTtl, DEFAULT_TTL, parseContent, parseRecordType } from './content.ts';
import { parseOwner } from './owner.ts';
import { carriedPtr, changeZone, writePtr } from './ptrs.ts';
import { checkConflicts, requireUnsteered } from './rules/conflicts.ts';
import { DNSSEC_TYPES } from './rules/dnssec.ts';
import { Neighbours } from './rules/neighbours.ts';
import { checkRecord } from './rules/record.ts';
import type { recordBody } from './schema.ts';
import { viewRecord } from './view.ts';

export type RecordBody = BodyOf<typeof recordBody>;

/** Throws InvalidError, StateError, HttpError 404 and 412. */
export function createRecord(services: Services, context: Context<Caller>, body: RecordBody) {
  return changeRecord(services, context, body.name, (draft, domain) => {
    const id = draft.newId(records);
    const wanted = buildRecord(domain, id, body);
    requireAction(context.caller, domain, wanted, 'create');
    const record = writeRecord(draft, domain, wanted, {
      adopts: body.proxied === undefined,
      isNew: true,
    });
    if (body.comment !== undefined) writeComment(draft, record, body.comment, context.caller.account.username);
    writePtr(draft, record, body.ptr);
    const comment = commentOf(draft, record);
    const ptr = keepsPtr(draft, record);
    return {
      action: 'record.create',
      target: id,
      detail: describeRecord(domain, record, body),
      createResponse: () => ({ record: viewRecord(domain, record, comment, ptr) }),
    };
  });
}

/** Keeps the id, and an omitted TTL or `proxied`. Throws the same errors as createRecord. */
export function updateRecord(services: Services, context: Context<Caller>, id: Id, body: RecordBody) {
  return changeRecord(services, context, body.name, (draft, domain) => {
    const old = requireRecord(draft, domain, id);
    const wanted = mergeRecord(domain, old, body);
    const isSameSet = old.type === wanted.type && equalNames(old.name, wanted.name);
    requireAction(context.caller, domain, old, isSameSet ? 'update' : 'delete');
    requireAction(context.caller, domain, wanted, isSameSet ? 'update' : 'create');
    draft.delete(records, old);
    const replaced = equalNames(old.name, wanted.name) ? [old] : [];
    const record = writeRecord(draft, domain, wanted, { adopts: body.proxied === undefined, isNew: false, replaced });
    const carried = body.comment === undefined ? carriedComment(draft, old, record) : body.comment;
    if (carried !== undefined) writeComment(draft, record, carried, context.caller.account.username);
    writePtr(draft, record, body.ptr ?? carriedPtr(draft, old, record));
    const comment = commentOf(draft, record);
    const ptr = keepsPtr(draft, record);
    return {
      action: 'record.update',
      target: id,
      detail: { ...describeRecord(domain, record, body), before: describeRecord(domain, old) },
      createResponse: () => ({ record: viewRecord(domain, record, comment, ptr) }),
    };
  });
}

/** The comment that moves with the last record of an RRset; undefined: none does. */
function carriedComment(draft: Draft, old: RecordRow, { domainId, name, type }: RecordRow): string | undefined {
  if (old.type === type && equalNames(old.name, name)) return undefined;
  const before = commentOf(draft, old);
  if (before === null || draft.hasType(domainId, old.name, old.type)) return undefined;
  return commentOf(draft, { domainId, name, type }) === null ? before : undefined;
}

/** Throws HttpError 404 and 412, and InvalidError for a record that the service maintains. */
export function deleteRecord(services: Services, context: Context<Caller>, id: Id) {
  return changeRecord(services, context, String(id), (draft, domain) => {
    const record = requireRecord(draft, domain, id);
    requireAction(context.caller, domain, record, 'delete');
    draft.delete(records, record);
    return { action: 'record.delete', target: id, detail: describeRecord(domain, record), createResponse: () => ({}) };
  });
}

/** `turn`: equal for most writes that would conflict, such as the name as the client wrote it. */
function changeRecord<R extends Reply>(
  services: Services,
  context: Context<Caller>,
  turn: string,
  work: (draft: Draft, domain: Domain) => Omit<ChangeResult<R>, 'domain'>,
): Promise<R> {
  const { locks } = services;
  const { caller, params } = context;
  const ifMatch = context.header('if-match');
  const commit = () =>
    changeZone(services, context, (draft) => {
      const domain = editableDomain(draft, caller, parseId(params.domain_id));
      requireMatch(services, draft, domain, ifMatch);
      return { ...work(draft, domain), domain };
    });
  // A condition on the whole domain conflicts with every other write to it.
  return ifMatch === undefined
    ? locks.shared(params.domain_id, () => locks.exclusive(`${params.domain_id} ${turn.toLowerCase()}`, commit))
    : locks.exclusive(params.domain_id, commit);
}

/** Throws InvalidError. */
export function buildRecord(domain: Domain, id: Id, body: RecordBody): RecordRow {
  const now = nowSeconds();
  const { name, type, rdata } = readBody(domain, body);
  const ttl = checkTtl(body.ttl ?? DEFAULT_TTL);
  const proxied = body.proxied ?? null;
  return { id, domainId: domain.id, name, type, ttl, rdata, proxied, createdAt: now, updatedAt: now };
}

/** Throws InvalidError. */
export function mergeRecord(domain: Domain, old: RecordRow, body: RecordBody): RecordRow {
  return {
    ...old,
    ...readBody(domain, body),
    // A zone file may have set a TTL that the API does not accept: it is kept if it is sent
    // unchanged.
    ttl: body.ttl === undefined || body.ttl === old.ttl ? old.ttl : checkTtl(body.ttl),
    proxied: body.proxied === undefined ? old.proxied : body.proxied,
    updatedAt: nowSeconds(),
  };
}

function readBody(domain: Domain, body: RecordBody): Pick<RecordRow, 'name' | 'type' | 'rdata'> {
  const name = parseOwner(body.name, domain.apex);
  const type = parseRecordType(body.type);
  checkProxied(type, body);
  const rdata = parseContent(type, body.content, body.priority ?? undefined, domain.apex);
  return { name, type, rdata };
}

function checkProxied(type: number, { proxied }: RecordBody): void {
  if (typeof proxied === 'boolean' && !WEB_TYPES.has(type))
    throw new InvalidError(
      'not_proxiable',
      `Only A, AAAA, CNAME and ALIAS records can go through the proxy; omit "proxied" in ${typeName(type)} records.`,
      { pointer: '/proxied' },
    );
}

/**
 * The errors of all fields of a record, each by itself: buildRecord and mergeRecord would throw the
 * first. `old`: the replaced record.
 */
export function findFieldFaults({ apex }: Domain, body: RecordBody, old?: RecordRow): WaypostError[] {
  const faults: WaypostError[] = [];
  const attempt = <T>(work: () => T): T | undefined => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      faults.push(error);
      return undefined;
    }
  };
  attempt(() => parseOwner(body.name, apex));
  const type = attempt(() => parseRecordType(body.type));
  const { ttl } = body;
  if (ttl !== undefined && ttl !== old?.ttl) attempt(() => checkTtl(ttl));
  if (type === undefined) return faults;
  attempt(() => checkProxied(type, body));
  attempt(() => parseContent(type, body.content, body.priority ?? undefined, apex));
  return faults;
}

/** Throws HttpError 404, and InvalidError or StateError for a record that the service maintains. */
export function requireRecord(draft: Draft, domain: Domain, id: Id): RecordRow {
  const record = draft.record(id);
  if (record === undefined || record.domainId !== domain.id)
    throw new HttpError(404, 'no_such_record', 'The domain has no record with this id.');
  requireUnsteered(draft, domain.id, record);
  if (record.type === TYPE.NS && record.name.length === domain.apex.length)
    throw new InvalidError(
      'apex_ns_is_ours',
      'The NS records at the apex come from the imported zone file; import another zone file to change them.',
    );
  if (DNSSEC_TYPES.has(record.type))
    throw new InvalidError(
      'dnssec_is_ours',
      `${typeName(record.type)} records belong to DNSSEC, and only the service changes them: this one is deleted when the zone that it names has its DS record.`,
    );
  return record;
}

/**
 * Checks a record and writes it to the draft. Its TTL is copied to its RRset (RFC 2181 5.2), and
 * `proxied` to all address and alias records at its name.
 *
 * `adopts`: the record adopts `proxied` from those records instead. `isNew`: the id is new.
 * `replaced`: records at its name that this write has deleted. `neighbours`: the records at its
 * name; the record is added to them. Throws the errors of createRecord.
 */
export function writeRecord(
  draft: Draft,
  domain: Domain,
  record: RecordRow,
  {
    adopts,
    isNew,
    replaced = [],
    neighbours = new Neighbours(draft.recordsAt(domain.id, record.name)),
    ofSteering = false,
  }: {
    readonly adopts: boolean;
    readonly isNew: boolean;
    readonly replaced?: readonly RecordRow[];
    readonly neighbours?: Neighbours;
    /** The record is the plain choice of a steered set. */
    readonly ofSteering?: boolean;
  },
): RecordRow {
  if (!ofSteering) requireUnsteered(draft, domain.id, record);
  checkRecord(domain.apex, record, replaced);
  checkConflicts(draft, domain, record, neighbours, replaced);
  const adopted = adopts ? neighbours.proxied : undefined;
  const proxied = WEB_TYPES.has(record.type) ? (adopted === undefined ? record.proxied : adopted) : null;
  const row = proxied === record.proxied ? record : { ...record, proxied };
  if (isNew) draft.insert(records, row);
  else draft.put(records, row);
  for (const other of neighbours.align(row)) draft.put(records, other);
  neighbours.add(row);
  return row;
}

/** The details of a record in the audit log. */
function describeRecord(
  { apex }: Domain,
  { name, type, rdata, ttl, proxied }: RecordRow,
  { comment, ptr }: Pick<RecordBody, 'comment' | 'ptr'> = {},
) {
  return {
    name: formatRelative(name, apex),
    type: typeName(type),
    content: formatRdata(type, rdata).slice(0, 1000),
    ttl,
    ...(proxied === null ? {} : { proxied }),
    ...(comment === undefined ? {} : { comment }),
    ...(ptr === undefined ? {} : { ptr }),
  };
}

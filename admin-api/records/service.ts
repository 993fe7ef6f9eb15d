/** Records: create, replace, delete, one by one. */
import { InvalidError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { type Domain, newId, type RecordRow, records } from '../../core/store/rows.ts';
import { typeName } from '../../core/wire/mnemonics.ts';
import { equalNames, formatRelative } from '../../core/wire/name.ts';
import { formatRdata } from '../../core/wire/rdata/index.ts';
import { TYPE } from '../../core/wire/types.ts';
import { WEB_TYPES } from '../../core/zone/proxied.ts';
import { change, type Done } from '../change/change.ts';
import { isId, type Services } from '../change/services.ts';
import { ownedDomain, requireMatch } from '../domains/owned.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';
import type { Context, Reply } from '../http/route.ts';
import { nowSeconds } from '../http/time.ts';
import { checkTtl, DEFAULT_TTL, parseContent, parseRecordType } from './content.ts';
import { parseOwner } from './owner.ts';
import { Neighbours } from './rules/neighbours.ts';
import { checkPlace } from './rules/place.ts';
import { checkRecord } from './rules/record.ts';
import { viewRecord } from './view.ts';

export interface RecordBody {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl?: number;
  readonly priority?: number | null;
  readonly proxied?: boolean | null;
}

/** Throws InvalidError, StateError, HttpError 404 and 412. */
export function createRecord(services: Services, context: Context<Caller>, body: RecordBody) {
  const id = newId();
  return changeRecord(services, context, body.name, (draft, domain) => {
    const record = place(draft, domain, newRecord(domain, id, body), {
      adopts: body.proxied === undefined,
      isNew: true,
    });
    return {
      action: 'record.create',
      target: id,
      detail: told(domain, record),
      answer: () => ({ record: viewRecord(domain, record) }),
    };
  });
}

/** The id stays, whatever else changes; a TTL or `proxied` that is left out stays too. Throws as createRecord. */
export function updateRecord(services: Services, context: Context<Caller>, id: string, body: RecordBody) {
  return changeRecord(services, context, body.name, (draft, domain) => {
    const old = existing(draft, domain, id);
    const wanted = renewed(domain, old, body);
    draft.delete(records, old);
    const replaced = equalNames(old.name, wanted.name) ? [old] : [];
    const record = place(draft, domain, wanted, { adopts: body.proxied === undefined, isNew: false, replaced });
    return {
      action: 'record.update',
      target: id,
      detail: { ...told(domain, record), before: told(domain, old) },
      answer: () => ({ record: viewRecord(domain, record) }),
    };
  });
}

/** Throws HttpError 404 and 412, InvalidError for a record that is the service's. */
export function deleteRecord(services: Services, context: Context<Caller>, id: string) {
  return changeRecord(services, context, id, (draft, domain) => {
    const record = existing(draft, domain, id);
    draft.delete(records, record);
    return { action: 'record.delete', target: id, detail: told(domain, record), answer: () => ({}) };
  });
}

/** `place`: text that is the same for most writes which would conflict, such as the name as the client wrote it. */
function changeRecord<R extends Reply>(
  services: Services,
  context: Context<Caller>,
  place: string,
  work: (draft: Draft, domain: Domain) => Omit<Done<R>, 'domain'>,
): Promise<R> {
  const { turns } = services;
  const { caller, params } = context;
  const ifMatch = context.header('if-match');
  const commit = () =>
    change(services, context, (draft) => {
      const domain = ownedDomain(draft, caller, params.domain_id);
      requireMatch(services, draft, domain, ifMatch);
      return { ...work(draft, domain), domain };
    });
  // A condition on the whole domain conflicts with every other write to it.
  return ifMatch === undefined
    ? turns.shared(params.domain_id, () => turns.exclusive(`${params.domain_id} ${place.toLowerCase()}`, commit))
    : turns.exclusive(params.domain_id, commit);
}

/** Throws InvalidError. */
export function newRecord(domain: Domain, id: string, body: RecordBody): RecordRow {
  const now = nowSeconds();
  const { name, type, rdata } = readBody(domain, body);
  const ttl = checkTtl(body.ttl ?? DEFAULT_TTL);
  const proxied = body.proxied ?? null;
  return { id, domainId: domain.id, name, type, ttl, rdata, proxied, createdAt: now, updatedAt: now };
}

/** Throws InvalidError. */
export function renewed(domain: Domain, old: RecordRow, body: RecordBody): RecordRow {
  return {
    ...old,
    ...readBody(domain, body),
    // One of a zone file, which the API does not give, stays when it is sent back.
    ttl: body.ttl === undefined || body.ttl === old.ttl ? old.ttl : checkTtl(body.ttl),
    proxied: body.proxied === undefined ? old.proxied : body.proxied,
    updatedAt: nowSeconds(),
  };
}

function readBody(domain: Domain, body: RecordBody): Pick<RecordRow, 'name' | 'type' | 'rdata'> {
  const name = parseOwner(body.name, domain.apex);
  const type = parseRecordType(body.type);
  if (typeof body.proxied === 'boolean' && !WEB_TYPES.has(type))
    throw new InvalidError(
      'not_proxiable',
      `Only A, AAAA, CNAME and ALIAS records can go through the proxy; omit "proxied" in ${typeName(type)} records.`,
      { pointer: '/proxied' },
    );
  const rdata = parseContent(type, body.content, body.priority ?? undefined, domain.apex);
  return { name, type, rdata };
}

/** Throws HttpError 404, InvalidError for a record that is the service's. */
export function existing(draft: Draft, domain: Domain, id: string): RecordRow {
  const record = isId(id) ? draft.record(id) : undefined;
  if (record === undefined || record.domainId !== domain.id)
    throw new HttpError(404, 'no_such_record', 'The domain has no record with this id.');
  if (record.type === TYPE.NS && record.name.length === domain.apex.length)
    throw new InvalidError(
      'apex_ns_is_ours',
      'The NS records at the apex come from the imported zone file; import another zone file to change them.',
    );
  return record;
}

/**
 * Writes a record that is not in the draft, and what its name has in common to the others there: the TTL to those of its RRset (RFC 2181 5.2), `proxied` to
 * all that make it a web name. `adopts`: the record takes `proxied` from them instead; `isNew`: so is its id; `replaced`: records of its name that this write
 * has deleted; `beside`: the records at its name, for who has read them; the record comes to them. Throws as createRecord.
 */
export function place(
  draft: Draft,
  domain: Domain,
  record: RecordRow,
  {
    adopts,
    isNew,
    replaced = [],
    beside = new Neighbours(draft.recordsAt(domain.id, record.name)),
  }: {
    readonly adopts: boolean;
    readonly isNew: boolean;
    readonly replaced?: readonly RecordRow[];
    readonly beside?: Neighbours;
  },
): RecordRow {
  checkRecord(domain.apex, record, replaced);
  checkPlace(draft, domain, record, beside, replaced);
  const said = adopts ? beside.proxied : undefined;
  const proxied = WEB_TYPES.has(record.type) ? (said === undefined ? record.proxied : said) : null;
  const placed = proxied === record.proxied ? record : { ...record, proxied };
  if (isNew) draft.insert(records, placed);
  else draft.put(records, placed);
  for (const other of beside.align(placed)) draft.put(records, other);
  beside.add(placed);
  return placed;
}

/** What the audit says of a record. */
function told({ apex }: Domain, { name, type, rdata, ttl, proxied }: RecordRow) {
  return {
    name: formatRelative(name, apex),
    type: typeName(type),
    content: formatRdata(type, rdata).slice(0, 1000),
    ttl,
    ...(proxied === null ? {} : { proxied }),
  };
}

/** Single records: create, replace, delete. */
import { InvalidError } from '../../core/errors.ts';
import { type Draft, write } from '../../core/journal/draft.ts';
import { type Domain, newId, type RecordRow, records } from '../../core/store/rows.ts';
import { TYPE } from '../../core/wire/types.ts';
import { ownedDomain, requireMatch } from '../domains/owned.ts';
import type { Caller } from '../http/app.ts';
import { HttpError } from '../http/errors.ts';
import { nowSeconds } from '../http/time.ts';
import { isId, type Services } from '../services.ts';
import { checkTtl, DEFAULT_TTL, parseContent, parseRecordType } from './content.ts';
import { parseOwner } from './owner.ts';
import { checkPlace } from './rules/place.ts';
import { checkRecord } from './rules/record.ts';

export interface RecordBody {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl?: number;
  readonly priority?: number;
}

export interface Target {
  readonly domainId: string;
  readonly ifMatch: string | undefined;
}

export interface Written {
  readonly domain: Domain;
  readonly record: RecordRow;
  readonly sequence: number;
}

/** Throws InvalidError, StateError, HttpError 404 and 412. */
export async function createRecord(
  services: Services,
  caller: Caller,
  target: Target,
  body: RecordBody,
): Promise<Written> {
  const id = newId();
  return change(services, caller, target, body.name, (draft, domain) => {
    const now = nowSeconds();
    const record: RecordRow = {
      ...readBody(domain, body),
      id,
      domainId: domain.id,
      ttl: checkTtl(body.ttl ?? DEFAULT_TTL),
      proxied: null,
      createdAt: now,
      updatedAt: now,
    };
    putRecord(draft, domain, record, null);
    return record;
  });
}

/** The id stays, whatever else changes; a TTL that is left out stays too. Throws as createRecord. */
export async function updateRecord(
  services: Services,
  caller: Caller,
  target: Target,
  recordId: string,
  body: RecordBody,
): Promise<Written> {
  return change(services, caller, target, body.name, (draft, domain) => {
    const old = existing(draft, domain, recordId);
    const record: RecordRow = {
      ...old,
      ...readBody(domain, body),
      ttl: body.ttl === undefined ? old.ttl : checkTtl(body.ttl),
      updatedAt: nowSeconds(),
    };
    putRecord(draft, domain, record, old);
    return record;
  });
}

/** Throws HttpError 404 and 412, InvalidError for a record that is the service's. */
export async function deleteRecord(
  services: Services,
  caller: Caller,
  target: Target,
  recordId: string,
): Promise<Written> {
  return change(services, caller, target, recordId, (draft, domain) => {
    const record = existing(draft, domain, recordId);
    draft.delete(records, record);
    return record;
  });
}

/** `place`: text that is the same for most writes which would conflict, such as the name as the client wrote it. */
async function change(
  services: Services,
  caller: Caller,
  { domainId, ifMatch }: Target,
  place: string,
  work: (draft: Draft, domain: Domain) => RecordRow,
): Promise<Written> {
  const { environment, journal, turns } = services;
  const commit = () =>
    write(environment, journal, caller.account.id, (draft) => {
      const domain = ownedDomain(draft, caller, domainId);
      requireMatch(services, draft, domain, ifMatch);
      return { domain, record: work(draft, domain) };
    });
  // A condition on the whole domain conflicts with every other write to it.
  const { result, sequence } =
    ifMatch === undefined
      ? await turns.shared(domainId, () => turns.exclusive(`${domainId} ${place.toLowerCase()}`, commit))
      : await turns.exclusive(domainId, commit);
  return { ...result, sequence };
}

function readBody(domain: Domain, body: RecordBody): Pick<RecordRow, 'name' | 'type' | 'rdata'> {
  const name = parseOwner(body.name, domain.apex);
  const type = parseRecordType(body.type);
  const rdata = parseContent(type, body.content, body.priority, domain.apex);
  checkRecord(domain.apex, name, type, rdata);
  return { name, type, rdata };
}

function existing(draft: Draft, domain: Domain, id: string): RecordRow {
  const record = isId(id) ? draft.record(id) : undefined;
  if (record === undefined || record.domainId !== domain.id)
    throw new HttpError(404, 'no_such_record', 'The domain has no record of that id.');
  if (record.type === TYPE.NS && record.name.length === domain.apex.length)
    throw new InvalidError(
      'apex_ns_is_ours',
      'The NS records of the domain itself come from its master file; send another one.',
    );
  return record;
}

/** Writes a record, and its TTL to the others of its RRset (RFC 2181 5.2). */
function putRecord(draft: Draft, domain: Domain, record: RecordRow, old: RecordRow | null): void {
  const others = draft.recordsAt(domain.id, record.name).filter((other) => other.id !== record.id);
  checkPlace(draft, domain, record, others);
  if (old !== null) draft.delete(records, old);
  draft.put(records, record);
  for (const other of others)
    if (other.type === record.type && other.ttl !== record.ttl)
      draft.put(records, { ...other, ttl: record.ttl, updatedAt: record.updatedAt });
}

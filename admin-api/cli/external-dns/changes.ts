/**
 * Applies the changes of external-dns to a domain: one batch, or as few as the limit of a batch
 * allows. A record set that the API rejects is omitted, so that it does not block the others.
 */
import { InvalidError } from '../../../core/base/errors.ts';
import type { ApiClient } from '../base/client.ts';
import type { Domain } from '../base/domains.ts';
import { ApiError } from '../base/errors.ts';
import {
  type Batch,
  type ChangedRecord,
  findRecords,
  type NewRecord,
  type RecordRow,
  sendBatch,
} from '../domain/records.ts';
import { clampTtl, contentOf, type Endpoint, isAlias, TYPES } from './endpoints.ts';

/** `plan.Changes` of external-dns. */
export interface Changes {
  readonly create: readonly Endpoint[];
  readonly updateOld: readonly Endpoint[];
  readonly updateNew: readonly Endpoint[];
  readonly delete: readonly Endpoint[];
}

/** The new state of a record set; without contents, the set is deleted. */
interface SetChange {
  readonly name: string;
  /** Type in the API. CNAME and ALIAS replace each other. */
  readonly type: string;
  readonly contents: readonly string[];
  /** Undefined: the TTL of the existing records, or the default. */
  readonly ttl: number | undefined;
}

/** A record set that was not changed. */
export interface Fault {
  readonly name: string;
  readonly type: string;
  readonly message: string;
}

interface Applied {
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Limit of the API for one batch. */
const MAX_BATCH = 10_000;
/** Other clients may change the domain, and each attempt reports only some of the faults. */
const MAX_ATTEMPTS = 12;

/** The record sets to write in a domain, each once. Faulty endpoints are appended to `faults`. */
export function setChanges(changes: Changes, zone: string, faults: Fault[]): SetChange[] {
  const sets = new Map<string, SetChange>();
  const add = (endpoint: Endpoint, isDeleted: boolean): void => {
    const type = isAlias(endpoint, zone) ? 'ALIAS' : endpoint.recordType;
    const { dnsName: name, recordTTL } = endpoint;
    const key = `${name} ${endpoint.recordType}`;
    const before = sets.get(key);
    try {
      const contents = isDeleted ? [] : contentsOf(endpoint, type);
      // Endpoints of one record set would replace each other.
      if (!isDeleted && before !== undefined && before.contents.length > 0)
        throw new InvalidError('named_twice', 'The changes contain this record set twice.');
      sets.set(key, { name, type, contents, ttl: recordTTL > 0 ? clampTtl(recordTTL) : undefined });
    } catch (error) {
      if (!(error instanceof InvalidError)) throw error;
      // The old records of a faulty set are kept.
      sets.delete(key);
      faults.push({ name, type, message: error.message });
    }
  };
  for (const endpoint of [...changes.delete, ...changes.updateOld]) add(endpoint, true);
  for (const endpoint of [...changes.create, ...changes.updateNew]) add(endpoint, false);
  return [...sets.values()];
}

/** Throws InvalidError. */
function contentsOf({ recordType, targets, setIdentifier }: Endpoint, type: string): string[] {
  if (!TYPES.has(recordType))
    throw new InvalidError('invalid_type', `Records of type "${recordType.slice(0, 40)}" are not managed here.`);
  if (setIdentifier !== '')
    throw new InvalidError('set_identifier', 'Several record sets of one name and type are not supported.');
  if (targets.length === 0) throw new InvalidError('no_targets', 'The endpoint has no targets.');
  return [...new Set(targets.map((target) => contentOf(type, target)))];
}

/** A part of a batch, and its record set. */
type Entry = { readonly set: SetChange } & (
  | { readonly kind: 'delete'; readonly row: RecordRow }
  | { readonly kind: 'put'; readonly row: ChangedRecord }
  | { readonly kind: 'post'; readonly row: NewRecord }
);

/**
 * Writes the record sets, and appends the rejected sets to `faults`. Throws ApiError for all other
 * errors.
 */
export async function applyToDomain(
  api: ApiClient,
  domain: Domain,
  sets: readonly SetChange[],
  faults: Fault[],
): Promise<Applied> {
  const sum = { created: 0, updated: 0, deleted: 0 };
  let rest = [...sets];
  for (let attempt = 1; ; attempt++) {
    // Read before the records: if its revision still matches at the write, the records are
    // unchanged.
    const revision = await readRevision(api, domain);
    const entries = await difference(api, domain, rest);
    const part = firstBatch(entries);
    if (part.length === 0) return sum;
    try {
      const batch = batchOf(part);
      await sendBatch(api, domain, batch, revision);
      sum.deleted += batch.delete.length;
      sum.updated += batch.put.length;
      sum.created += batch.post.length;
      if (part.length === entries.length) return sum;
      attempt = 0;
    } catch (error) {
      if (!(error instanceof ApiError) || attempt === MAX_ATTEMPTS) throw error;
      if (error.status === 412) continue;
      const rejected = rejectedSets(error, part);
      if (rejected.size === 0) throw error;
      for (const [{ name, type }, message] of rejected) faults.push({ name, type, message });
      rest = rest.filter((set) => !rejected.has(set));
    }
  }
}

async function readRevision(api: ApiClient, domain: Domain): Promise<number> {
  const body = await api.GET('/api/v1/domains/{domain_id}', { params: { path: { domain_id: domain.id } } });
  return body.domain.revision;
}

/** Computes the changes that turn the existing record sets into the wanted sets. */
async function difference(api: ApiClient, domain: Domain, sets: readonly SetChange[]): Promise<Entry[]> {
  const present = new Map<string, RecordRow[]>();
  for (const row of await findRecords(api, domain)) {
    const key = setKey(row.name, row.type);
    const others = present.get(key);
    if (others === undefined) present.set(key, [row]);
    else others.push(row);
  }
  return sets.flatMap((set) =>
    entriesOf(set, present.get(setKey(relativeName(set.name, domain), set.type)) ?? [], domain),
  );
}

/** CNAME and ALIAS exclude each other, so they are one set. */
const setKey = (name: string, type: string): string => `${name} ${type === 'ALIAS' ? 'CNAME' : type}`;

const relativeName = (name: string, { domain }: Domain): string =>
  name === domain ? '@' : name.slice(0, -domain.length - 1);

function entriesOf(set: SetChange, present: readonly RecordRow[], domain: Domain): Entry[] {
  const { type, contents } = set;
  const ttl = set.ttl ?? present[0]?.ttl;
  const isKept = (row: RecordRow): boolean => row.type === type && contents.includes(row.content);
  const kept = present.filter(isKept);
  const wanted = { name: relativeName(set.name, domain), type, ttl };
  return [
    ...present.filter((row) => !isKept(row)).map((row): Entry => ({ kind: 'delete', row, set })),
    ...kept
      .filter((row) => row.ttl !== ttl)
      .map(({ id, content }): Entry => ({ kind: 'put', row: { id, ...wanted, content }, set })),
    ...contents
      .filter((content) => !kept.some((row) => row.content === content))
      .map((content): Entry => ({ kind: 'post', row: { ...wanted, content }, set })),
  ];
}

/** Batches are atomic. Only entries above the limit of a batch are split, between record sets. */
function firstBatch(entries: readonly Entry[]): readonly Entry[] {
  let end = Math.min(entries.length, MAX_BATCH);
  if (end < entries.length) while (end > 1 && entries[end].set === entries[end - 1].set) end--;
  return entries.slice(0, end);
}

const batchOf = (entries: readonly Entry[]): Required<Batch> => ({
  delete: ofKind(entries, 'delete').map(({ row }) => row),
  put: ofKind(entries, 'put').map(({ row }) => row),
  post: ofKind(entries, 'post').map(({ row }) => row),
});

const ofKind = <K extends Entry['kind']>(entries: readonly Entry[], kind: K): Extract<Entry, { kind: K }>[] =>
  entries.filter((entry): entry is Extract<Entry, { kind: K }> => entry.kind === kind);

/** Finds the record sets in the pointers of an error, with their messages. */
function rejectedSets(error: ApiError, entries: readonly Entry[]): Map<SetChange, string> {
  const rejected = new Map<SetChange, string>();
  const details = error.details.length > 0 ? error.details : [{ pointer: error.pointer, message: error.message }];
  for (const { pointer, message } of details) {
    const [, kind, index] = /^\/(delete|put|post)\/(\d+)/.exec(pointer ?? '') ?? [];
    const entry = kind === undefined ? undefined : ofKind(entries, kind as Entry['kind'])[Number(index)];
    if (entry !== undefined) rejected.set(entry.set, message);
  }
  return rejected;
}

/** Changes many records of a domain in one revision: all of them or none. */
import { InvalidError, type WaypostError } from '../../../core/base/errors.ts';
import { Steps } from '../../../core/base/steps.ts';
import { typeName } from '../../../core/dns/wire/mnemonics.ts';
import { formatRelative, nameId } from '../../../core/dns/wire/name.ts';
import { formatRdata } from '../../../core/dns/wire/rdata/index.ts';
import { Draft } from '../../../core/journal/draft/draft.ts';
import { IdTaker } from '../../../core/journal/draft/id-taker.ts';
import { afterPrefix, type Id, idKey, LOOKUP, lookupKey, nameKey } from '../../../core/store/keys.ts';
import { LOOKUPS, TARGETS } from '../../../core/store/raw-reader.ts';
import { type Domain, type RecordRow, records, steerings } from '../../../core/store/rows.ts';
import { keepsPtr } from '../../../core/upkeep/domains/ptrs.ts';
import { BatchErrors } from '../../change/batch-errors.ts';
import { editableDomain, requireMatch } from '../../change/owned-domain.ts';
import { requireAction, requirePolicies } from '../../change/record-policies.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import type { BodyOf } from '../../http/json-body.ts';
import type { Context } from '../../http/route.ts';
import { commentOf, writeComment } from './comment.ts';
import { carriedPtr, changeZone, keepPtrs, writePtr } from './ptrs.ts';
import { Neighbours } from './rules/neighbours.ts';
import { type batchBody, MAX_BATCH } from './schema.ts';
import { buildRecord, findFieldFaults, mergeRecord, type RecordBody, requireRecord, writeRecord } from './service.ts';
import { viewRecord } from './view.ts';

export type Batch = BodyOf<typeof batchBody>;

/** A batch with more changes declares the whole zone as read. */
export const MAX_SINGLE_READS = 100;
/** Maximum number of reported errors. */
const MAX_REPORTED = 20;
/** Maximum number of reported errors of a preview, which may have many edits. */
const MAX_PREVIEWED = 1000;
/** New rows of a preview have ids from here on. They are neither stored nor shown. */
const PREVIEW_IDS = Number.MAX_SAFE_INTEGER - 10 * MAX_BATCH;

/**
 * Deletes all records that are deleted or replaced, and then adds the replacements and the new
 * ones. The rules are therefore independent of the order within the batch. Throws the errors of the
 * single changes, with a pointer into the batch.
 */
export function changeRecords(services: Services, context: Context<Caller>, batch: Batch) {
  const size = batchSize(batch);
  const domainId = parseId(context.params.domain_id);
  const commit = () =>
    changeZone(services, context, async (draft) => {
      const domain = editableDomain(draft, context.caller, domainId);
      requireMatch(services, draft, domain, context.header('if-match'));
      if (size > MAX_SINGLE_READS) declareZoneRead(draft, domain);
      const errors = new BatchErrors(MAX_REPORTED);
      const { post = [], delete: deletions = [] } = batch;
      const firstId = post.length > 0 ? draft.newId(records, post.length) : 0;
      const applied = await applyBatch(draft, domain, batch, firstId, errors, context.caller);
      const { updated, created } = applied;
      errors.throwFirst();
      const view = (row: RecordRow | undefined) =>
        viewRecord(domain, latestOf(draft, row!), commentOf(draft, row!), keepsPtr(draft, row!));
      const response = { deleted: deletions, updated: updated.map(view), created: created.map(view) };
      return {
        action: 'record.batch',
        domain,
        detail: {
          deleted: deletions.length,
          updated: updated.length,
          created: created.length,
          changes: firstChanges(domain, applied),
        },
        createResponse: () => response,
      };
    });
  // With frequent writers to the domain, a commit without exclusive access would always conflict.
  return services.locks.exclusive(String(domainId), commit);
}

/**
 * Previews a batch: its changes, and every fault of its entries. Writes nothing, so it needs
 * neither the import queue nor the journal.
 */
export async function previewRecords(services: Services, context: Context<Caller>, batch: Batch) {
  batchSize(batch);
  const draft = new Draft(services.environment, services.journal.head, new IdTaker(services.journal.ids));
  const domain = editableDomain(draft, context.caller, parseId(context.params.domain_id));
  requireMatch(services, draft, domain, context.header('if-match'));
  declareZoneRead(draft, domain);
  const errors = new BatchErrors(MAX_PREVIEWED);
  const findFaults = (body: RecordBody, old?: RecordRow) => findFieldFaults(domain, body, old);
  const { deleted, updated, created } = await applyBatch(
    ...([draft, domain, batch, PREVIEW_IDS, errors, context.caller, findFaults] as const),
  );
  requirePolicies(draft, context.caller);
  let next = PREVIEW_IDS + MAX_BATCH;
  if (errors.faults.length === 0) errors.attempt('', () => keepPtrs(services, draft, context.caller, [], () => next++));
  const isRow = (row: RecordRow | undefined): row is RecordRow => row !== undefined;
  const view = (row: RecordRow) =>
    viewRecord(domain, latestOf(draft, row), commentOf(draft, row), keepsPtr(draft, row));
  const { faults, omitted } = errors;
  return {
    deleted: [],
    updated: [],
    created: [],
    preview: {
      deleted: deleted.filter(isRow).map((row) => viewRecord(domain, row, commentOf(draft, row), keepsPtr(draft, row))),
      updated: updated.filter(isRow).map(view),
      created: created
        .filter(isRow)
        .map(view)
        .map(({ name, type, content, ttl, data, proxied, comment, ptr }) => ({
          name,
          type,
          content,
          ttl,
          data,
          proxied,
          comment,
          ...(ptr && { ptr }),
        })),
      faults,
      ...(omitted > 0 && { faults_omitted: omitted }),
    },
  };
}

/** Maximum changes of records in the details of an audit entry, and characters of each value. */
const MAX_LOGGED = 5;
const MAX_LOGGED_TEXT = 150;

/** The first changes of a batch, for the audit log. */
function firstChanges({ apex }: Domain, { deleted, replaced, updated, created }: AppliedBatch) {
  const show = (record: RecordRow | undefined) =>
    record && formatRdata(record.type, record.rdata).slice(0, MAX_LOGGED_TEXT);
  const pairs = [
    ...updated.slice(0, MAX_LOGGED).map((after, i) => ({ before: replaced[i], after })),
    ...created.slice(0, MAX_LOGGED).map((after) => ({ before: undefined, after })),
    ...deleted.slice(0, MAX_LOGGED).map((before) => ({ before, after: undefined })),
  ];
  return pairs.slice(0, MAX_LOGGED).flatMap(({ before, after }) => {
    const record = after ?? before;
    if (record === undefined) return [];
    const name = formatRelative(record.name, apex).slice(0, MAX_LOGGED_TEXT);
    return [{ name, type: typeName(record.type), before: show(before) ?? null, after: show(after) ?? null }];
  });
}

/** Rows in the order of the batch; undefined for an entry with an error. */
interface AppliedBatch {
  readonly deleted: readonly (RecordRow | undefined)[];
  /** The rows that `updated` replaces. */
  readonly replaced: readonly (RecordRow | undefined)[];
  readonly updated: readonly (RecordRow | undefined)[];
  readonly created: readonly (RecordRow | undefined)[];
}

/** The number of changes. Throws InvalidError above the maximum. */
export function batchSize({ delete: deletions = [], put = [], post = [] }: Batch): number {
  const size = deletions.length + put.length + post.length;
  if (size > MAX_BATCH)
    throw new InvalidError('batch_too_large', `The batch has ${size} changes; the maximum is ${MAX_BATCH}. Split it.`, {
      pointer: '',
    });
  return size;
}

/** A later record in a batch changes the TTL of earlier ones at the same name. */
const latestOf = (draft: Draft, row: RecordRow): RecordRow => draft.row(records, records.key(row))!;

/**
 * Writes the batch to the draft. `caller`: the author of comments. `findFaults`: faults of the
 * fields of an entry, which are all reported; without it, only the first one is.
 */
export async function applyBatch(
  draft: Draft,
  domain: Domain,
  { delete: deletions = [], put = [], post = [] }: Batch,
  firstId: Id,
  errors: BatchErrors,
  caller: Caller,
  findFaults: (body: RecordBody, old?: RecordRow) => readonly WaypostError[] = () => [],
): Promise<AppliedBatch> {
  const steps = new Steps();
  const seen = new Set<Id>();
  const replaced = new Map<string, RecordRow[]>();
  const deleteRow = (id: Id): RecordRow => {
    if (seen.has(id)) throw new InvalidError('named_twice', 'The batch contains this record twice.', { pointer: '' });
    seen.add(id);
    const record = requireRecord(draft, domain, id);
    requireAction(caller, domain, record, 'delete', 'update');
    draft.delete(records, record);
    const name = nameId(record.name);
    const rows = replaced.get(name);
    if (rows === undefined) replaced.set(name, [record]);
    else rows.push(record);
    return record;
  };
  const deleted: (RecordRow | undefined)[] = [];
  for (const [i, id] of deletions.entries()) {
    deleted.push(errors.attempt(`/delete/${i}`, () => deleteRow(id)));
    await steps.next();
  }
  const oldRows: (RecordRow | undefined)[] = [];
  for (const [i, { id }] of put.entries()) {
    oldRows.push(errors.attempt(`/put/${i}/id`, () => deleteRow(id)));
    await steps.next();
  }
  // From here on the batch only adds records, so each name is read once. Otherwise each of a
  // thousand records at one name would read all previous ones.
  const neighbours = new Map<string, Neighbours>();
  const store = (pointer: string, body: RecordBody, old: RecordRow | undefined, build: () => RecordRow) => {
    const faults = findFaults(body, old);
    if (faults.length > 0) {
      for (const fault of faults) errors.add(fault, pointer);
      return undefined;
    }
    return errors.attempt(pointer, () => {
      const record = build();
      requireAction(caller, domain, record, 'create', 'update');
      const id = nameId(record.name);
      const atName = neighbours.get(id) ?? new Neighbours(draft.recordsAt(domain.id, record.name));
      neighbours.set(id, atName);
      writeRecord(draft, domain, record, {
        adopts: body.proxied === undefined,
        isNew: old === undefined,
        replaced: replaced.get(id),
        neighbours: atName,
      });
      if (body.comment !== undefined) writeComment(draft, record, body.comment, caller.account.username);
      writePtr(draft, record, body.ptr ?? (old && carriedPtr(draft, old, record)));
      return record;
    });
  };
  const updated: (RecordRow | undefined)[] = [];
  for (const [i, body] of put.entries()) {
    const old = oldRows[i];
    if (old !== undefined) updated.push(store(`/put/${i}`, body, old, () => mergeRecord(domain, old, body)));
    await steps.next();
  }
  const created: (RecordRow | undefined)[] = [];
  for (const [i, body] of post.entries()) {
    created.push(store(`/post/${i}`, body, undefined, () => buildRecord(domain, firstId + i, body)));
    await steps.next();
  }
  return { deleted, replaced: oldRows, updated, created };
}

/**
 * Declares all reads of a batch as a few ranges of the zone, instead of thousands of single rows.
 */
export function declareZoneRead(draft: Draft, domain: Domain): void {
  const zone = idKey(domain.id);
  for (const table of [records.number, TARGETS, steerings.number])
    draft.addReadRange({ table, start: zone, end: afterPrefix(zone) });
  for (const start of [lookupKey(LOOKUP.domainName, nameKey(domain.apex)), lookupKey(LOOKUP.record)])
    draft.addReadRange({ table: LOOKUPS, start, end: afterPrefix(start) });
}

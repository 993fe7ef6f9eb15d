/** Changes many records of a domain in one revision: all of them or none. */
import { InvalidError, StateError, WaypostError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { afterPrefix, type Id, idKey, LOOKUP, lookupKey, nameKey } from '../../core/store/keys.ts';
import { LOOKUPS, TARGETS } from '../../core/store/reader.ts';
import { type Domain, type RecordRow, records } from '../../core/store/rows.ts';
import { nameId } from '../../core/wire/name.ts';
import { change } from '../change/change.ts';
import { parseId, type Services } from '../change/services.ts';
import { Steps } from '../change/steps.ts';
import { ownedDomain, requireMatch } from '../domains/owned.ts';
import type { Caller } from '../http/caller.ts';
import { type ErrorDetail, HttpError, statusOf } from '../http/errors.ts';
import type { Context } from '../http/route.ts';
import { Neighbours } from './rules/neighbours.ts';
import { MAX_BATCH } from './schema.ts';
import { buildRecord, mergeRecord, type RecordBody, requireRecord, writeRecord } from './service.ts';
import { viewRecord } from './view.ts';

export interface Batch {
  readonly delete?: readonly Id[];
  readonly put?: readonly (RecordBody & { readonly id: Id })[];
  readonly post?: readonly RecordBody[];
}

/** A batch with more changes declares the whole zone as read. */
export const MAX_SINGLE_READS = 100;
/** Maximum number of reported errors. */
const MAX_REPORTED = 20;

/**
 * Deletes all records that are deleted or replaced, and then adds the replacements and the new
 * ones. The rules are therefore independent of the order within the batch. Throws the errors of the
 * single changes, with a pointer into the batch.
 */
export function changeRecords(services: Services, context: Context<Caller>, batch: Batch) {
  const { delete: deletions = [], put = [], post = [] } = batch;
  const size = deletions.length + put.length + post.length;
  if (size > MAX_BATCH)
    throw new InvalidError('batch_too_large', `The batch has ${size} changes; the maximum is ${MAX_BATCH}. Split it.`, {
      pointer: '',
    });
  const domainId = parseId(context.params.domain_id);
  const commit = () =>
    change(services, context, async (draft) => {
      const domain = ownedDomain(draft, context.caller, domainId);
      requireMatch(services, draft, domain, context.header('if-match'));
      if (size > MAX_SINGLE_READS) declareZoneRead(draft, domain);
      const errors = new BatchErrors();
      const steps = new Steps();
      const seen = new Set<Id>();
      const replaced = new Map<string, RecordRow[]>();
      const deleteRow = (id: Id): RecordRow => {
        if (seen.has(id))
          throw new InvalidError('named_twice', 'The batch contains this record twice.', { pointer: '' });
        seen.add(id);
        const record = requireRecord(draft, domain, id);
        draft.delete(records, record);
        const name = nameId(record.name);
        const rows = replaced.get(name);
        if (rows === undefined) replaced.set(name, [record]);
        else rows.push(record);
        return record;
      };
      for (const [i, id] of deletions.entries()) {
        errors.attempt(`/delete/${i}`, () => deleteRow(id));
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
      const store = (body: RecordBody, record: RecordRow, isNew: boolean): RecordRow => {
        const id = nameId(record.name);
        const atName = neighbours.get(id) ?? new Neighbours(draft.recordsAt(domain.id, record.name));
        neighbours.set(id, atName);
        writeRecord(draft, domain, record, {
          adopts: body.proxied === undefined,
          isNew,
          replaced: replaced.get(id),
          neighbours: atName,
        });
        return record;
      };
      const updated: (RecordRow | undefined)[] = [];
      for (const [i, body] of put.entries()) {
        const old = oldRows[i];
        if (old !== undefined)
          updated.push(errors.attempt(`/put/${i}`, () => store(body, mergeRecord(domain, old, body), false)));
        await steps.next();
      }
      const created: (RecordRow | undefined)[] = [];
      const firstId = post.length > 0 ? draft.newId(records, post.length) : 0;
      for (const [i, body] of post.entries()) {
        created.push(errors.attempt(`/post/${i}`, () => store(body, buildRecord(domain, firstId + i, body), true)));
        await steps.next();
      }
      errors.throwFirst();
      // The final rows: a later record in the batch changes the TTL of earlier ones at the same
      // name.
      const view = (row: RecordRow | undefined) => viewRecord(domain, draft.row(records, records.key(row!))!);
      const response = { deleted: deletions, updated: updated.map(view), created: created.map(view) };
      return {
        action: 'record.batch',
        domain,
        detail: { deleted: deletions.length, updated: put.length, created: post.length },
        createResponse: () => response,
      };
    });
  // With frequent writers to the domain, a commit without exclusive access would always conflict.
  return services.turns.exclusive(String(domainId), commit);
}

/**
 * Declares all reads of a batch as a few ranges of the zone, instead of thousands of single rows.
 */
export function declareZoneRead(draft: Draft, domain: Domain): void {
  const zone = idKey(domain.id);
  for (const table of [records.number, TARGETS]) draft.addReadRange({ table, start: zone, end: afterPrefix(zone) });
  for (const start of [lookupKey(LOOKUP.domainName, nameKey(domain.apex)), lookupKey(LOOKUP.record)])
    draft.addReadRange({ table: LOOKUPS, start, end: afterPrefix(start) });
}

/** The first errors of a batch, with their pointers. */
class BatchErrors {
  readonly #found: { readonly error: WaypostError; readonly pointer: string }[] = [];

  attempt<T>(pointer: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      if (this.#found.length < MAX_REPORTED) this.#found.push({ error, pointer: pointer + (error.pointer ?? '') });
      return undefined;
    }
  }

  /** Throws the first error, with all errors in its details. */
  throwFirst(): void {
    if (this.#found.length === 0) return;
    const [{ error, pointer }] = this.#found;
    const details: ErrorDetail[] = this.#found.map((found) => ({
      pointer: found.pointer,
      message: found.error.message,
    }));
    const status = statusOf(error) ?? (error instanceof StateError ? 409 : 422);
    throw new HttpError(status, error.code, `${error.message} Nothing was changed.`, {
      pointer,
      details: details.length > 1 ? details : undefined,
    });
  }
}

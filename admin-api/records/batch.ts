/** Many changes of a domain's records as one: all or nothing, one revision. */
import { InvalidError, StateError, WaypostError } from '../../core/base/errors.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { afterPrefix, idKey, LOOKUP, lookupKey, nameKey } from '../../core/store/keys.ts';
import { LOOKUPS, TARGETS } from '../../core/store/reader.ts';
import { type Domain, newId, type RecordRow, records } from '../../core/store/rows.ts';
import { nameId } from '../../core/wire/name.ts';
import { change } from '../change/change.ts';
import type { Services } from '../change/services.ts';
import { Steps } from '../change/steps.ts';
import { ownedDomain, requireMatch } from '../domains/owned.ts';
import type { Caller } from '../http/caller.ts';
import { type ErrorDetail, HttpError, statusOf } from '../http/errors.ts';
import type { Context } from '../http/route.ts';
import { Neighbours } from './rules/neighbours.ts';
import { MAX_BATCH } from './schema.ts';
import { existing, newRecord, place, type RecordBody, renewed } from './service.ts';
import { viewRecord } from './view.ts';

export interface Batch {
  readonly delete?: readonly string[];
  readonly put?: readonly (RecordBody & { readonly id: string })[];
  readonly post?: readonly RecordBody[];
}

/** Changes from which on a batch counts the whole zone as read. */
export const MANY = 100;
/** Faults that are told. */
const MAX_FAULTS = 20;

/**
 * First all that goes goes, then what replaces it and what is new comes: so the order inside of a batch does not matter to the rules. Throws
 * what the single changes throw, with the pointer into the batch.
 */
export function changeRecords(services: Services, context: Context<Caller>, batch: Batch) {
  const { delete: goes = [], put = [], post = [] } = batch;
  const size = goes.length + put.length + post.length;
  if (size > MAX_BATCH)
    throw new InvalidError('batch_too_large', `The batch has ${size} changes; the maximum is ${MAX_BATCH}. Split it.`, {
      pointer: '',
    });
  const { domain_id: domainId } = context.params;
  const commit = () =>
    change(services, context, async (draft) => {
      const domain = ownedDomain(draft, context.caller, domainId);
      requireMatch(services, draft, domain, context.header('if-match'));
      if (size > MANY) readWhole(draft, domain);
      const faults = new Faults();
      const steps = new Steps();
      const seen = new Set<string>();
      const replaced = new Map<string, RecordRow[]>();
      const take = (id: string): RecordRow => {
        if (seen.has(id))
          throw new InvalidError('named_twice', 'The batch contains this record twice.', { pointer: '' });
        seen.add(id);
        const record = existing(draft, domain, id);
        draft.delete(records, record);
        const name = nameId(record.name);
        const others = replaced.get(name);
        if (others === undefined) replaced.set(name, [record]);
        else others.push(record);
        return record;
      };
      for (const [i, id] of goes.entries()) {
        faults.note(`/delete/${i}`, () => take(id));
        await steps.next();
      }
      const olds: (RecordRow | undefined)[] = [];
      for (const [i, { id }] of put.entries()) {
        olds.push(faults.note(`/put/${i}/id`, () => take(id)));
        await steps.next();
      }
      // Nothing goes any more, so that each name is read once: of thousands at one name each would read all those before it.
      const neighbours = new Map<string, Neighbours>();
      const placed = (body: RecordBody, record: RecordRow, isNew: boolean): RecordRow => {
        const id = nameId(record.name);
        const beside = neighbours.get(id) ?? new Neighbours(draft.recordsAt(domain.id, record.name));
        neighbours.set(id, beside);
        place(draft, domain, record, { adopts: body.proxied === undefined, isNew, replaced: replaced.get(id), beside });
        return record;
      };
      const updated: (RecordRow | undefined)[] = [];
      for (const [i, body] of put.entries()) {
        const old = olds[i];
        if (old !== undefined)
          updated.push(faults.note(`/put/${i}`, () => placed(body, renewed(domain, old, body), false)));
        await steps.next();
      }
      const created: (RecordRow | undefined)[] = [];
      for (const [i, body] of post.entries()) {
        created.push(faults.note(`/post/${i}`, () => placed(body, newRecord(domain, newId(), body), true)));
        await steps.next();
      }
      faults.raise();
      // As the batch leaves them: a later record of a name sets the TTL of those before.
      const shown = (row: RecordRow | undefined) => viewRecord(domain, draft.row(records, records.key(row!))!);
      const answer = { deleted: goes, updated: updated.map(shown), created: created.map(shown) };
      return {
        action: 'record.batch',
        domain,
        detail: { deleted: goes.length, updated: put.length, created: post.length },
        answer: () => answer,
      };
    });
  // Beside steady writers to the domain it would never come to its commit.
  return services.turns.exclusive(domainId, commit);
}

/** What a batch reads is in the zone: noted as a few ranges, not as thousands. */
export function readWhole(draft: Draft, domain: Domain): void {
  const zone = idKey(domain.id);
  for (const table of [records.number, TARGETS]) draft.addReadRange({ table, start: zone, end: afterPrefix(zone) });
  for (const start of [lookupKey(LOOKUP.domainName, nameKey(domain.apex)), lookupKey(LOOKUP.record)])
    draft.addReadRange({ table: LOOKUPS, start, end: afterPrefix(start) });
}

/** The first faults of a batch, each with its place. */
class Faults {
  readonly #found: { readonly error: WaypostError; readonly pointer: string }[] = [];

  note<T>(pointer: string, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof WaypostError)) throw error;
      if (this.#found.length < MAX_FAULTS) this.#found.push({ error, pointer: pointer + (error.pointer ?? '') });
      return undefined;
    }
  }

  /** Throws when there was any: the first one, and all in its details. */
  raise(): void {
    if (this.#found.length === 0) return;
    const [{ error, pointer }] = this.#found;
    const details: ErrorDetail[] = this.#found.map((one) => ({ pointer: one.pointer, message: one.error.message }));
    const status = statusOf(error) ?? (error instanceof StateError ? 409 : 422);
    throw new HttpError(status, error.code, `${error.message} Nothing was changed.`, {
      pointer,
      details: details.length > 1 ? details : undefined,
    });
  }
}

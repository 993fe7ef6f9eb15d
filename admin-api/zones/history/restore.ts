/** Restores the records of a domain to their state after an earlier change, in one revision. */
import { InvalidError } from '../../../core/base/errors.ts';
import { Steps } from '../../../core/base/steps.ts';
import { comments, type RecordRow, records } from '../../../core/store/rows.ts';
import { editableDomain, etag, requireMatch, requireRevision } from '../../change/owned-domain.ts';
import { parseId, type Services } from '../../change/services.ts';
import type { Caller } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import { REVISION } from '../../http/revision.ts';
import type { Context } from '../../http/route.ts';
import { nowSeconds } from '../../http/time.ts';
import { changeZone } from '../records/ptrs.ts';
import { MAX_BATCH } from '../records/schema.ts';
import { type CommentsChange, planComments, planRestore, requireState } from './plan.ts';
import { currentRecord, type RecordChange, readTimeline } from './timeline.ts';
import { MAX_RESTORED, viewComments, viewRecords } from './view.ts';

/** Attempts while concurrent writes change the domain. */
const MAX_ATTEMPTS = 5;

export async function restoreRecords(services: Services, context: Context<Caller>, isDryRun: boolean) {
  const { reader, journal } = services;
  const domainId = parseId(context.params.domain_id);
  const seq = parseId(context.params.seq);
  const ifMatch = context.header('if-match');
  for (let attempt = 1; ; attempt++) {
    const domain = editableDomain(reader, context.caller, domainId);
    const { revision } = reader.zoneState(domain.id);
    requireRevision(ifMatch, revision);
    const timeline = readTimeline(services, domain);
    requireState(timeline, seq, journal.head);
    const steps = new Steps();
    const current = (id: number) => currentRecord(reader, domain, id);
    const plan = await planRestore(domain, timeline, seq, current, reader.steeringsOf(domain.id), steps);
    const commented = planComments(domain, timeline, seq, ({ name, type }) => reader.comments(domain.id, name, type));
    const size = plan.length + commented.length;
    if (size > MAX_BATCH)
      throw new InvalidError(
        'batch_too_large',
        `The restore changes ${size} records and comments; the maximum is ${MAX_BATCH}. Import a zone file instead.`,
      );
    const response = {
      seq,
      dry_run: isDryRun,
      ...(await viewRecords(domain, plan, MAX_RESTORED, steps)),
      comments: viewComments(domain, commented),
    };
    if (isDryRun) {
      context.headers.ETag = etag(revision);
      context.headers[REVISION] = String(Math.max(1, revision));
      return response;
    }
    try {
      return await commitPlan(services, context, { records: plan, comments: commented }, etag(revision), response);
    } catch (error) {
      // A concurrent write has changed the zone since the plan was computed.
      const hasChanged = error instanceof HttpError && error.code === 'changed';
      if (!hasChanged || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

interface RestorePlan {
  readonly records: readonly RecordChange[];
  readonly comments: readonly CommentsChange[];
}

/**
 * The rules of records are not checked: the plan leads to a state that was accepted before. Throws
 * HttpError 412 if the domain has another ETag.
 */
function commitPlan<R extends { readonly [key: string]: unknown }>(
  services: Services,
  context: Context<Caller>,
  { records: plan, comments: commented }: RestorePlan,
  tag: string,
  response: R,
): Promise<R> {
  const { domain_id: domainId, seq } = context.params;
  const created = plan.filter(({ before }) => before === null).length;
  const deleted = plan.filter(({ after }) => after === null).length;
  const commit = () =>
    changeZone(services, context, async (draft) => {
      const domain = editableDomain(draft, context.caller, parseId(domainId));
      requireMatch(services, draft, domain, tag);
      const steps = new Steps();
      for (const { before } of plan) {
        if (before !== null) draft.delete(records, before);
        await steps.next();
      }
      const now = nowSeconds();
      let nextId = created > 0 ? draft.newId(records, created) : 0;
      for (const { before, after } of plan) {
        if (after === null) continue;
        if (before !== null) draft.put(records, restoredRow(after, before.id, before.createdAt, now));
        // Ids are never reused: a restored record gets a new id.
        else draft.insert(records, restoredRow(after, nextId++, now, now));
        await steps.next();
      }
      for (const { after } of commented) {
        if (after.comments.length === 0) draft.delete(comments, after);
        else if (draft.hasType(after.domainId, after.name, after.type)) draft.put(comments, after);
      }
      return {
        action: 'record.restore',
        domain,
        unchanged: plan.length === 0 && commented.length === 0,
        target: domain.id,
        detail: { seq: parseId(seq), deleted, updated: plan.length - created - deleted, created },
        createResponse: () => response,
      };
    });
  return services.locks.exclusive(domainId, commit);
}

const restoredRow = (past: RecordRow, id: number, createdAt: number, updatedAt: number): RecordRow => ({
  ...past,
  id,
  createdAt,
  updatedAt,
});

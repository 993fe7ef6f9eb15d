/** Plans a restore: the difference between the current records and a past state. */

import type { Steps } from '../../../core/base/steps.ts';
import { latin1 } from '../../../core/dns/wire/latin1.ts';
import { nameId } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { commentsRow, type RecordBefore, recordsBefore } from '../../../core/store/history.ts';
import type { Id } from '../../../core/store/keys.ts';
import type { Comment, Domain, RecordRow, RRsetComments, Steering } from '../../../core/store/rows.ts';
import { HttpError } from '../../http/errors.ts';
import { DNSSEC_TYPES } from '../records/rules/dnssec.ts';
import type { RecordChange, Timeline } from './timeline.ts';

/**
 * Removes changes without an effect, such as records that an import replaced by equal ones. Yields
 * to the event loop.
 */
export async function netChanges(changes: readonly RecordChange[], steps: Steps): Promise<RecordChange[]> {
  const deleted = new Map<string, RecordRow[]>();
  const others: RecordChange[] = [];
  const created: RecordRow[] = [];
  for (const change of changes) {
    await steps.next();
    const { before, after } = change;
    if (before === null && after === null) continue;
    if (before === null && after !== null) created.push(after);
    else if (after === null && before !== null) {
      const key = contentKey(before);
      const rows = deleted.get(key);
      if (rows === undefined) deleted.set(key, [before]);
      else rows.push(before);
    } else if (before === null || after === null || !isEqual(before, after)) others.push(change);
  }
  for (const after of created) {
    await steps.next();
    const before = deleted.get(contentKey(after))?.pop() ?? null;
    if (before === null || !isEqual(before, after)) others.push({ before, after });
  }
  for (const rows of deleted.values()) for (const before of rows) others.push({ before, after: null });
  return others;
}

/** Throws HttpError 404 for a change that does not exist, and 409 if its state is not stored. */
export function requireState({ begin, isComplete }: Timeline, seq: number, head: number): void {
  if (seq === 0 || seq > head)
    throw new HttpError(404, 'no_such_change', `This change does not exist; the last change is ${head}.`);
  if (seq >= begin) return;
  throw new HttpError(
    409,
    'history_incomplete',
    isComplete
      ? `The domain was created by change ${begin}; restore the state after that or a later change.`
      : `The stored history of this domain begins after change ${begin}; restore the state after that or a later change.`,
  );
}

/** The changes that give the records the state after the change `seq`. Yields to the event loop. */
export async function planRestore(
  domain: Domain,
  { rows }: Timeline,
  seq: number,
  current: (id: Id) => RecordRow | null,
  steerings: readonly Steering[],
  steps: Steps,
): Promise<RecordChange[]> {
  const sets = new Set(steerings.map(setKey));
  // The versions of a steering restore its record set.
  const isSteered = ({ before, after }: RecordChange): boolean =>
    sets.size > 0 && [before, after].some((row) => row !== null && sets.has(setKey(row)));
  const wanted = new Map<Id, RecordBefore>();
  for (const row of rows) {
    if (row.sequence <= seq) break;
    // Rows are newest first, so the oldest of these changes overwrites the others.
    for (const record of recordsBefore(domain.id, row)) {
      wanted.set(record.id, record);
      await steps.next();
    }
  }
  const differences: RecordChange[] = [];
  for (const [id, record] of wanted) {
    const change = { before: current(id), after: record.decode() };
    if (!isMaintained(domain, change) && !isSteered(change)) differences.push(change);
    await steps.next();
  }
  return netChanges(differences, steps);
}

/** A change of the comments of an RRset. */
export interface CommentsChange {
  readonly before: readonly Comment[];
  /** Empty: the comments are deleted. */
  readonly after: RRsetComments;
}

/** The changes that give the comments the state after the change `seq`. */
export function planComments(
  domain: Domain,
  { rows }: Timeline,
  seq: number,
  current: (row: RRsetComments) => readonly Comment[],
): CommentsChange[] {
  const wanted = new Map<string, readonly Comment[] | null>();
  for (const { sequence, about } of rows) {
    if (sequence <= seq) break;
    for (const { owner, before } of about.comments ?? []) wanted.set(owner, before);
  }
  return [...wanted]
    .map(([owner, all]) => commentsRow(domain.id, owner, all))
    .map((after) => ({ before: current(after), after }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after.comments));
}

/** Only imports and the service change records of the apex and of DNSSEC. */
function isMaintained({ apex }: Domain, { before, after }: RecordChange): boolean {
  const row = before ?? after;
  if (row === null) return false;
  return DNSSEC_TYPES.has(row.type) || (row.type === TYPE.NS && row.name.length === apex.length);
}

const setKey = ({ name, type }: Pick<RecordRow, 'name' | 'type'>): string => `${type} ${nameId(name)}`;

const contentKey = ({ name, type, rdata }: RecordRow): string => `${type} ${nameId(name)} ${latin1(rdata)}`;

const isEqual = (a: RecordRow, b: RecordRow): boolean =>
  a.ttl === b.ttl && a.proxied === b.proxied && contentKey(a) === contentKey(b);

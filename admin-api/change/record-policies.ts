/** Checks what a token with policies changes (core/store/record-policies.ts). */
import { equalNames, nameId } from '../../core/dns/wire/name.ts';
import type { Draft } from '../../core/journal/draft/draft.ts';
import { describePolicies, permits, permitsAnywhere } from '../../core/store/record-policies.ts';
import {
  audits,
  comments,
  type Domain,
  disabledRecords,
  idCounters,
  type RecordAction,
  type RecordPolicy,
  type RecordRow,
  records,
  replays,
} from '../../core/store/rows.ts';
import type { Caller } from '../http/caller.ts';
import { HttpError } from '../http/errors.ts';

/** Rows of every request, whatever it changes. */
const INCIDENTAL: ReadonlySet<number> = new Set([audits, idCounters, replays].map(({ number }) => number));

type Owner = Pick<RecordRow, 'domainId' | 'name' | 'type'>;

/** The changes of an RRset. */
interface RRsetChanges {
  readonly owner: Owner;
  created: number;
  deleted: number;
  readonly actions: Set<RecordAction>;
}

/**
 * Requires that policies allow one of the actions, before the rules of records are checked. Their
 * errors would describe other records. Throws HttpError 403.
 */
export function requireAction(
  { token: { policies } }: Caller,
  { apex }: Domain,
  { name, type }: Pick<Owner, 'name' | 'type'>,
  ...actions: readonly RecordAction[]
): void {
  if (policies !== undefined && !permits(policies, apex, name, type, ...actions)) throw refusal(policies, actions[0]);
}

/** Requires a policy that allows reading records. Throws HttpError 403. */
export function requireReading({ token: { policies } }: Caller): void {
  if (policies !== undefined && !permitsAnywhere(policies, 'read')) throw refusal(policies, 'read');
}

/**
 * Requires that the policies of the token allow all changes of the draft, whichever endpoint made
 * them. A record that replaces another of its RRset is an update. Throws HttpError 403.
 */
export function requirePolicies(draft: Draft, { token: { policies } }: Caller): void {
  if (policies === undefined) return;
  if (draft.hasAppended) throw refusal(policies, null);
  for (const { owner, created, deleted, actions } of changesOf(draft, policies)) {
    if (created > 0 && deleted > 0) actions.add('update');
    if (created > deleted) actions.add('create');
    if (deleted > created) actions.add('delete');
    const apex = draft.domain(owner.domainId)?.apex;
    for (const action of actions)
      if (apex === undefined || !permits(policies, apex, owner.name, owner.type, action))
        throw refusal(policies, action);
  }
}

function changesOf(draft: Draft, policies: readonly RecordPolicy[]): Iterable<RRsetChanges> {
  const sets = new Map<string, RRsetChanges>();
  const setOf = ({ domainId, name, type }: Owner): RRsetChanges => {
    const id = `${domainId} ${type} ${nameId(name)}`;
    let set = sets.get(id);
    if (set === undefined) {
      set = { owner: { domainId, name, type }, created: 0, deleted: 0, actions: new Set() };
      sets.set(id, set);
    }
    return set;
  };
  /** Records with a new choice about the proxy, and all records before the change. */
  const chosen: RecordRow[] = [];
  const stored: RecordRow[] = [];
  for (const { table, key, before, after } of draft.changedRows()) {
    if (INCIDENTAL.has(table.number)) continue;
    if (table.number === comments.number || table.number === disabledRecords.number) {
      const set = setOf(table.decode(key, (after ?? before)!) as Owner);
      set.actions.add(before === undefined ? 'create' : after === undefined ? 'delete' : 'update');
    } else if (table.number === records.number) {
      const [old, row] = [before, after].map((value) => value && records.decode(key, value));
      const set = setOf((row ?? old)!);
      if (old === undefined) set.created++;
      else if (row === undefined) set.deleted++;
      else if (isChanged(old, row)) set.actions.add('update');
      if (old !== undefined) stored.push(old);
      if (row !== undefined && row.proxied !== (old?.proxied ?? null)) chosen.push(row);
    } else throw refusal(policies, null);
  }
  for (const row of chosen) {
    const unchanged = draft
      .recordsAt(row.domainId, row.name)
      .filter(({ id }) => chosen.every((other) => other.id !== id));
    if (![...unchanged, ...stored].some((other) => hasSameChoice(other, row))) throw refusal(policies, null);
  }
  return sets.values();
}

const isChanged = (old: RecordRow, row: RecordRow): boolean =>
  old.ttl !== row.ttl || old.proxied !== row.proxied || Buffer.compare(old.rdata, row.rdata) !== 0;

/** Whether a name had the choice about the proxy before: new records adopt it. */
const hasSameChoice = (before: RecordRow, row: RecordRow): boolean =>
  before.proxied === row.proxied && before.domainId === row.domainId && equalNames(before.name, row.name);

/** `action` null: it concerns no record. */
function refusal(policies: readonly RecordPolicy[], action: RecordAction | null): HttpError {
  const what = action === null ? 'this request' : action === 'read' ? 'reading these records' : `this "${action}"`;
  return new HttpError(
    403,
    'token_policy',
    `The policies of the token do not allow ${what} (they allow ${describePolicies(policies)}).`,
  );
}

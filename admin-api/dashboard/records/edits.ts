/**
 * Unsaved edits of a zone, which are saved as one batch. All functions return new values and modify
 * none.
 */
import type { RecordView } from '../api/views.ts';
import type { Failure, Fault } from '../failure.ts';

/** The editable fields of a record. `ttl` 1: automatic. */
export interface Fields {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
  /** Null: automatic. Omitted: as for the other records at the name. */
  readonly proxied?: boolean | null;
  /** Comment of all records of the name and type. Null: none. Omitted: unchanged. */
  readonly comment?: string | null;
  /** Whether the A or AAAA records of the name keep their PTR records. Omitted: unchanged. */
  readonly ptr?: boolean;
}

export interface StoredRecord extends Fields {
  readonly id: number;
}

/** Types of records whose names can be proxied. */
const WEB_TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'CNAME', 'ALIAS']);

export interface Change {
  readonly before: StoredRecord;
  /** Null: the record is deleted. */
  readonly after: Fields | null;
  /** Another client has changed the record since the edit began. */
  readonly hasConflict: boolean;
}

export interface Addition {
  /** Identifies the row. */
  readonly key: number;
  readonly fields: Fields;
  /** Another client has deleted the edited record. */
  readonly hasConflict: boolean;
}

export interface Edits {
  /** Keyed by the id of the record. */
  readonly changes: ReadonlyMap<number, Change>;
  readonly additions: readonly Addition[];
}

export interface Batch {
  readonly delete: number[];
  readonly put: StoredRecord[];
  readonly post: Fields[];
}

export const NO_EDITS: Edits = { changes: new Map(), additions: [] };

export const countEdits = ({ changes, additions }: Edits): number => changes.size + additions.length;

export const hasConflicts = ({ changes, additions }: Edits): boolean =>
  [...changes.values(), ...additions].some(({ hasConflict }) => hasConflict);

export const hasPtr = (type: string): boolean => type === 'A' || type === 'AAAA';

export const isWebType = (type: string): boolean => WEB_TYPES.has(type);

const fieldsOf = ({ name, type, content, ttl, proxied, comment, ptr }: Fields): Fields => ({
  name,
  type,
  content,
  ttl,
  ...(proxied === undefined || !isWebType(type) ? {} : { proxied }),
  ...(comment === undefined ? {} : { comment }),
  ...(ptr === undefined || !hasPtr(type) ? {} : { ptr }),
});

/**
 * Omits `proxied`, `comment` and `ptr` unless they have changed. The service then keeps them for
 * the name, or for the name and type.
 */
function replacement(before: Fields, after: Fields): Fields {
  const { proxied, comment, ptr, ...rest } = fieldsOf(after);
  return {
    ...rest,
    ...(isProxiedEqual(before, after) ? {} : { proxied }),
    ...(isCommentEqual(before, after) ? {} : { comment }),
    ...(isPtrEqual(before, after) ? {} : { ptr }),
  };
}

const isCommentEqual = (a: Fields, b: Fields): boolean => (a.comment || null) === (b.comment || null);

const isProxiedEqual = (a: Fields, b: Fields): boolean => (a.proxied ?? null) === (b.proxied ?? null);

const isPtrEqual = (a: Fields, b: Fields): boolean => (a.ptr ?? false) === (b.ptr ?? false);

const isEqual = (a: Fields, b: Fields): boolean =>
  a.name === b.name &&
  a.type === b.type &&
  a.content === b.content &&
  a.ttl === b.ttl &&
  isProxiedEqual(a, b) &&
  isCommentEqual(a, b) &&
  isPtrEqual(a, b);

/** Sets the fields of a stored record. Fields equal to the stored ones remove the edit. */
export function changeRecord(edits: Edits, record: StoredRecord, fields: Fields): Edits {
  return withChange(edits, record, isEqual(record, fields) ? undefined : fieldsOf(fields));
}

export const deleteRecord = (edits: Edits, record: StoredRecord): Edits => withChange(edits, record, null);

export const restoreRecord = (edits: Edits, record: StoredRecord): Edits => withChange(edits, record, undefined);

function withChange(edits: Edits, record: StoredRecord, after: Fields | null | undefined): Edits {
  const changes = new Map(edits.changes);
  if (after === undefined) changes.delete(record.id);
  else {
    const { before = record, hasConflict = false } = edits.changes.get(record.id) ?? {};
    changes.set(record.id, { before, after, hasConflict });
  }
  return { ...edits, changes };
}

export function addRecord(edits: Edits, key: number, fields: Fields): Edits {
  return { ...edits, additions: [{ key, fields, hasConflict: false }, ...edits.additions] };
}

export function changeAddition(edits: Edits, key: number, fields: Fields): Edits {
  const additions = edits.additions.map((addition) => (addition.key === key ? { ...addition, fields } : addition));
  return { ...edits, additions };
}

/** `fields`: in display order. */
export function addRecords(edits: Edits, firstKey: number, fields: readonly Fields[]): Edits {
  const added = fields.map((record, i) => ({ key: firstKey + i, fields: fieldsOf(record), hasConflict: false }));
  return { ...edits, additions: [...added, ...edits.additions] };
}

/** Normalizes a name. The API accepts an empty name and `@` for the apex. */
const nameOf = ({ name }: Fields): string => (name === '' ? '@' : name.toLowerCase());

/** Sets `proxied` of all records at the names of `named`: all records at a name share it. */
export function setProxied(
  edits: Edits,
  stored: readonly StoredRecord[],
  named: readonly Fields[],
  proxied: boolean | null,
): Edits {
  const names = new Set(named.map(nameOf));
  const added = new Set(edits.additions.map(({ key }) => key));
  return changeMany(edits, stored, added, (fields) =>
    isWebType(fields.type) && names.has(nameOf(fields)) ? { ...fields, proxied } : fields,
  );
}

/**
 * Changes stored records and additions (by their keys). Deleted records stay deleted. `update`
 * returns null to delete.
 */
export function changeMany(
  edits: Edits,
  stored: readonly StoredRecord[],
  added: ReadonlySet<number>,
  update: (fields: Fields) => Fields | null,
): Edits {
  const changes = new Map(edits.changes);
  for (const record of stored) {
    const { before = record, after = record, hasConflict = false } = changes.get(record.id) ?? {};
    if (after === null) continue;
    const updated = update(after);
    if (updated === after) continue;
    if (updated !== null && isEqual(before, updated)) changes.delete(record.id);
    else changes.set(record.id, { before, after: updated === null ? null : fieldsOf(updated), hasConflict });
  }
  const additions = edits.additions.flatMap((addition) => {
    const fields = added.has(addition.key) ? update(addition.fields) : addition.fields;
    return fields === null ? [] : [{ ...addition, fields }];
  });
  return { changes, additions };
}

/** A record that differs between two states of the edits. */
export interface Difference {
  readonly key: string;
  /** Null: there is no such record. */
  readonly before: Fields | null;
  readonly after: Fields | null;
}

/** The records that differ between two states of the edits, as they would be saved. */
export function differences(before: Edits, after: Edits): Difference[] {
  const found: Difference[] = [];
  for (const [id, { before: stored }] of new Map([...before.changes, ...after.changes])) {
    const fieldsIn = ({ changes }: Edits): Fields | null => {
      const change = changes.get(id);
      return change === undefined ? stored : change.after;
    };
    found.push({ key: `${id}`, before: fieldsIn(before), after: fieldsIn(after) });
  }
  const added = ({ additions }: Edits) => new Map(additions.map(({ key, fields }) => [key, fields]));
  const [had, has] = [added(before), added(after)];
  for (const key of new Map([...had, ...has]).keys())
    found.push({ key: `added ${key}`, before: had.get(key) ?? null, after: has.get(key) ?? null });
  return found.filter(({ before: old, after: current }) =>
    old === null || current === null ? old !== current : !isEqual(old, current),
  );
}

export const removeAddition = (edits: Edits, key: number): Edits => ({
  ...edits,
  additions: edits.additions.filter((addition) => addition.key !== key),
});

/** The body of the request that saves the edits. */
export function toBatch({ changes, additions }: Edits): Batch {
  const all = [...changes.values()];
  return {
    delete: all.filter(({ after }) => after === null).map(({ before }) => before.id),
    put: all.flatMap(({ before, after }) => (after === null ? [] : [{ ...replacement(before, after), id: before.id }])),
    post: additions.map(({ fields }) => fieldsOf(fields)),
  };
}

/** The result of a saved batch. */
export interface StoredBatch {
  readonly deleted: readonly number[];
  /** In the order of the batch. */
  readonly updated: readonly RecordView[];
  /** In the order of the batch. */
  readonly created: readonly RecordView[];
}

/**
 * The edits that undo a saved batch. They are based on what the batch has stored, so `rebase` finds
 * later changes of other clients. `firstKey`: of the deleted records, which are added again.
 */
export function undoOf({ changes }: Edits, { updated, created }: StoredBatch, firstKey: number): Edits {
  const undone = new Map<number, Change>();
  const stored = new Map(updated.map((record) => [record.id, record]));
  const deleted: StoredRecord[] = [];
  for (const [id, { before, after }] of changes) {
    const saved = stored.get(id) ?? (after && { ...after, id });
    if (saved === null) deleted.push(before);
    else {
      // Omitted fields would stay as they are.
      const restored = { ...before, comment: before.comment ?? null, ptr: before.ptr ?? false };
      undone.set(id, { before: { ...fieldsOf(saved), id }, after: fieldsOf(restored), hasConflict: false });
    }
  }
  for (const record of created)
    undone.set(record.id, { before: { ...fieldsOf(record), id: record.id }, after: null, hasConflict: false });
  const additions = deleted.map((before, i) => ({ key: firstKey + i, fields: fieldsOf(before), hasConflict: false }));
  return { changes: undone, additions };
}

/**
 * The records after a saved batch, with the new ones first. The records of a name and type share
 * TTL, comment and PTR; the address records of a name share `proxied`.
 */
export function storeBatch(
  records: readonly RecordView[],
  { deleted, updated, created }: StoredBatch,
): readonly RecordView[] {
  const gone = new Set(deleted);
  const written = [...updated, ...created];
  const stored = new Map(written.map((record) => [record.id, record]));
  const sets = new Map(written.map((record) => [`${record.name} ${record.type}`, record]));
  const names = new Map(written.filter(({ type }) => isWebType(type)).map((record) => [record.name, record]));
  const kept = records.flatMap((record) => {
    if (gone.has(record.id)) return [];
    const result = stored.get(record.id);
    if (result !== undefined) return [result];
    const set = sets.get(`${record.name} ${record.type}`);
    const named = isWebType(record.type) ? names.get(record.name) : undefined;
    if (set === undefined && named === undefined) return [record];
    const { ttl, comment, ptr } = set ?? record;
    return [{ ...record, ttl, comment, ptr, proxied: (named ?? record).proxied }];
  });
  return [...created, ...kept];
}

/**
 * Rebases the edits onto the records that other clients have stored. If another client has changed
 * an edited record, the edit gets a conflict and is based on the new value. If another client has
 * deleted it, an edit becomes an addition and a deletion is dropped. Conflicts stay until they are
 * accepted.
 */
export function rebase({ changes, additions }: Edits, stored: ReadonlyMap<number, StoredRecord>): Edits {
  const kept = new Map<number, Change>();
  const revived: Addition[] = [];
  for (const [id, change] of changes) {
    const current = stored.get(id);
    if (current === undefined) {
      if (change.after !== null) revived.push({ key: -id, fields: change.after, hasConflict: true });
      continue;
    }
    if (change.after !== null && isEqual(current, change.after)) continue;
    const isChanged = !isEqual(current, change.before);
    kept.set(id, {
      before: isChanged ? { ...fieldsOf(current), id } : change.before,
      after: change.after,
      hasConflict: isChanged || change.hasConflict,
    });
  }
  return { changes: kept, additions: [...additions, ...revived] };
}

/** Marks the conflicts as accepted: the user's version replaces the stored one. */
export function acceptConflicts(edits: Edits): Edits {
  if (!hasConflicts(edits)) return edits;
  const changes = [...edits.changes].map(([id, change]) => [id, { ...change, hasConflict: false }] as const);
  const additions = edits.additions.map((addition) => ({ ...addition, hasConflict: false }));
  return { changes: new Map(changes), additions };
}

/** A row. `id`: of the stored record, or the key of the addition. */
interface RowName {
  readonly kind: 'stored' | 'added';
  readonly id: number;
}

export interface RowFault {
  readonly row: RowName;
  /** The faulty field. Empty: the whole record. */
  readonly field: string;
  readonly message: string;
  /** Values of the field that would be accepted. */
  readonly choices: readonly string[];
}

/** Maps the faults of a rejected batch to rows. */
export const failedRows = (batch: Batch, edits: Edits, failure: Failure): RowFault[] =>
  faultsOf(batch, edits, failure.details.length > 0 ? failure.details : [failure]);

/** Maps faults of a batch to rows. */
export function faultsOf(batch: Batch, edits: Edits, faults: readonly Fault[]): RowFault[] {
  return faults.flatMap(({ pointer, message, choices = [] }) => {
    const [, list, index, field = ''] = /^\/(delete|put|post)\/(\d+)(?:\/(\w+))?/.exec(pointer ?? '') ?? [];
    if (list === undefined) return [];
    const at = Number(index);
    const stored = list === 'put' ? batch.put[at]?.id : batch.delete[at];
    const id = list === 'post' ? edits.additions[at]?.key : stored;
    return id === undefined
      ? []
      : [{ row: { kind: list === 'post' ? 'added' : 'stored', id }, field, message, choices }];
  });
}

interface Preview {
  readonly updated: readonly Pick<Fields, 'content'>[];
  readonly created: readonly Pick<Fields, 'content'>[];
  readonly faults: readonly Fault[];
}

/** Contents as the service stores them, with full names, by their type and typed content. */
export type FullContents = ReadonlyMap<string, string>;

const contentKey = ({ type, content }: Fields): string => `${type} ${content}`;

export const fullContent = (contents: FullContents, fields: Fields): string =>
  contents.get(contentKey(fields)) ?? fields.content;

/** `preview`: of the batch. It leaves out the entries that have a fault. */
export function fullContentsOf(batch: Batch, { updated, created, faults }: Preview): FullContents {
  const faulty = new Set(faults.map(({ pointer = '' }) => /^\/\w+\/\d+/.exec(pointer)?.[0]));
  const contents = new Map<string, string>();
  for (const [list, sent, planned] of [
    ['put', batch.put, updated],
    ['post', batch.post, created],
  ] as const) {
    const sound = (sent as readonly Fields[]).filter((_, i) => !faulty.has(`/${list}/${i}`));
    if (sound.length !== planned.length) continue;
    for (const [i, fields] of sound.entries()) contents.set(contentKey(fields), planned[i].content);
  }
  return contents;
}

/**
 * Edits of a zone that are not saved yet. They become one batch. All functions return new values
 * and change none.
 */
import type { Failure } from '../failure.ts';

/** The fields that can be edited. `ttl` 1: the service decides. */
export interface Fields {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
}

export interface StoredRecord extends Fields {
  readonly id: number;
}

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
  /** Another client has deleted the record that this was an edit of. */
  readonly hasConflict: boolean;
}

export interface Edits {
  /** By the id of the record. */
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

const fieldsOf = ({ name, type, content, ttl }: Fields): Fields => ({ name, type, content, ttl });

const isEqual = (a: Fields, b: Fields): boolean =>
  a.name === b.name && a.type === b.type && a.content === b.content && a.ttl === b.ttl;

/** Sets the fields of a stored record. Without a difference, there is no edit. */
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

export const removeAddition = (edits: Edits, key: number): Edits => ({
  ...edits,
  additions: edits.additions.filter((addition) => addition.key !== key),
});

/** The body of the request that saves the edits. */
export function toBatch({ changes, additions }: Edits): Batch {
  const all = [...changes.values()];
  return {
    delete: all.filter(({ after }) => after === null).map(({ before }) => before.id),
    put: all.flatMap(({ before, after }) => (after === null ? [] : [{ ...after, id: before.id }])),
    post: additions.map(({ fields }) => fieldsOf(fields)),
  };
}

/** The batch that undoes saved edits. `created`: ids of the additions, in their order. */
export function toInverse({ changes }: Edits, created: readonly number[]): Batch {
  const all = [...changes.values()];
  return {
    delete: [...created],
    put: all.flatMap(({ before, after }) => (after === null ? [] : [{ ...fieldsOf(before), id: before.id }])),
    post: all.flatMap(({ before, after }) => (after === null ? [fieldsOf(before)] : [])),
  };
}

/**
 * The edits on top of what other clients have stored meanwhile. A record that differs from what was
 * edited gets a conflict, and is compared with its new value from now on. An edit of a record that
 * is gone becomes an addition; a deletion of such a record is done.
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
    const hasConflict = !isEqual(current, change.before);
    kept.set(id, {
      before: hasConflict ? { ...fieldsOf(current), id } : change.before,
      after: change.after,
      hasConflict,
    });
  }
  return { changes: kept, additions: [...additions.map((a) => ({ ...a, hasConflict: false })), ...revived] };
}

/** A row: the id of a stored record, or the key of an addition. */
export interface RowName {
  readonly kind: 'stored' | 'added';
  readonly id: number;
}

export interface RowFault {
  readonly row: RowName;
  /** The field that is wrong, if it is one. */
  readonly field: string;
  readonly message: string;
}

/** The rows that a refused batch points at. */
export function faultsOf(batch: Batch, edits: Edits, failure: Failure): RowFault[] {
  const faults = failure.details.length > 0 ? failure.details : [failure];
  return faults.flatMap(({ pointer, message }) => {
    const [, list, index, field = ''] = /^\/(delete|put|post)\/(\d+)(?:\/(\w+))?/.exec(pointer ?? '') ?? [];
    if (list === undefined) return [];
    const at = Number(index);
    const stored = list === 'put' ? batch.put[at]?.id : batch.delete[at];
    const id = list === 'post' ? edits.additions[at]?.key : stored;
    return id === undefined ? [] : [{ row: { kind: list === 'post' ? 'added' : 'stored', id }, field, message }];
  });
}

/** Edits of a zone in the dashboard: their batch, its inverse, and edits of several clients. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RecordView } from '../../../admin-api/dashboard/api/views.ts';
import type { Failure } from '../../../admin-api/dashboard/failure.ts';
import {
  acceptConflicts,
  addRecord,
  addRecords,
  changeAddition,
  changeMany,
  changeRecord,
  countEdits,
  deleteRecord,
  differences,
  failedRows,
  hasConflicts,
  NO_EDITS,
  rebase,
  removeAddition,
  restoreRecord,
  type StoredRecord,
  setProxied,
  storeBatch,
  toBatch,
  undoOf,
} from '../../../admin-api/dashboard/records/edits.ts';

const record = (id: number, content: string): StoredRecord => ({ id, name: 'www', type: 'A', content, ttl: 300 });
const FIRST = record(1, '192.0.2.1');
const SECOND = record(2, '192.0.2.2');
const THIRD = record(3, '192.0.2.3');
const fields = (content: string) => ({ name: 'www', type: 'A', content, ttl: 300 });
const storedAs = (...records: StoredRecord[]) => new Map(records.map((stored) => [stored.id, stored]));

test('edits become one batch, with only the fields that a client sets', () => {
  let edits = changeRecord(NO_EDITS, { ...FIRST, ...{ created_at: 'x' } }, fields('192.0.2.9'));
  edits = deleteRecord(edits, SECOND);
  edits = addRecord(edits, 1, fields('192.0.2.4'));
  assert.is(countEdits(edits), 3);
  assert.equal(toBatch(edits), {
    delete: [2],
    put: [{ ...fields('192.0.2.9'), id: 1 }],
    post: [fields('192.0.2.4')],
  });
});

test('an edit back to what is stored is no edit', () => {
  const edits = changeRecord(NO_EDITS, FIRST, fields('192.0.2.9'));
  assert.is(countEdits(changeRecord(edits, FIRST, fields(FIRST.content))), 0);
  assert.is(countEdits(restoreRecord(deleteRecord(NO_EDITS, FIRST), FIRST)), 0);
  assert.is(countEdits(removeAddition(addRecord(NO_EDITS, 1, fields('x')), 1)), 0);
});

test('an addition keeps its latest fields', () => {
  const edits = changeAddition(addRecord(NO_EDITS, 1, fields('x')), 1, fields('192.0.2.7'));
  assert.equal(toBatch(edits).post, [fields('192.0.2.7')]);
});

const view = (stored: StoredRecord): RecordView => ({
  ...stored,
  data: {},
  proxied: stored.proxied ?? null,
  comment: null,
  ptr: undefined,
  created_at: '',
  updated_at: '',
});

test('the undo of a batch restores what was stored, unless others have changed it since', () => {
  let edits = changeRecord(NO_EDITS, FIRST, fields('192.0.2.9'));
  edits = deleteRecord(edits, SECOND);
  edits = addRecord(edits, 1, fields('192.0.2.4'));
  const [changed, added] = [view(record(1, '192.0.2.9')), view(record(7, '192.0.2.4'))];
  const undo = undoOf(edits, { deleted: [2], updated: [changed], created: [added] }, 5);
  assert.equal(toBatch(undo), { delete: [7], put: [FIRST], post: [fields('192.0.2.2')] });
  assert.is(hasConflicts(rebase(undo, storedAs(changed, added))), false);
  const [conflict] = rebase(undo, storedAs(view(record(1, '192.0.2.66')), added)).changes.values();
  assert.equal(
    [conflict.before.content, conflict.after?.content, conflict.hasConflict],
    ['192.0.2.66', '192.0.2.1', true],
  );
});

test('a saved batch replaces records, and what they share with others of their name', () => {
  const old = { ...view(FIRST), proxied: true };
  const other = { ...view(SECOND), name: 'api' };
  const changed = { ...view(record(3, '192.0.2.9')), ttl: 60, proxied: false, comment: 'new' };
  const added = { ...view(record(8, '192.0.2.8')), name: 'more' };
  const stored = { deleted: [4], updated: [changed], created: [added] };
  const records = storeBatch([old, other, view(THIRD), view(record(4, '192.0.2.4'))], stored);
  assert.equal(records, [added, { ...old, ttl: 60, proxied: false, comment: 'new' }, other, changed]);
});

test('the proxy is switched for a name, and sent only where it was changed', () => {
  const web = { ...FIRST, proxied: null };
  const text = { ...record(4, '"x"'), type: 'TXT', proxied: null };
  const other = { ...record(5, '192.0.2.5'), name: 'api', proxied: null };
  const added = addRecords(NO_EDITS, 1, [fields('192.0.2.7'), { ...fields('192.0.2.8'), name: 'api' }]);
  let edits = setProxied(added, [web, text, other], [{ ...fields(''), name: 'www' }], false);
  assert.equal(toBatch(edits), {
    delete: [],
    put: [{ ...fields('192.0.2.1'), id: 1, proxied: false }],
    post: [
      { ...fields('192.0.2.7'), proxied: false },
      { ...fields('192.0.2.8'), name: 'api' },
    ],
  });
  const saved = { deleted: [], updated: [{ ...view(web), proxied: false }], created: [] };
  assert.equal(toBatch(undoOf(edits, saved, 3)).put, [{ ...fields('192.0.2.1'), id: 1, proxied: null }]);
  edits = setProxied(edits, [web, text, other], [{ ...fields(''), name: 'WWW' }], null);
  assert.is(edits.changes.size, 0);
  const changed = changeRecord(NO_EDITS, web, { ...web, ttl: 60 });
  assert.equal(toBatch(changed).put, [{ ...fields('192.0.2.1'), ttl: 60, id: 1 }]);
});

test('many rows are changed or deleted at once', () => {
  const edits = deleteRecord(addRecords(NO_EDITS, 1, [fields('192.0.2.7'), fields('192.0.2.8')]), THIRD);
  const slower = changeMany(edits, [FIRST, THIRD], new Set([2]), (entry) => ({ ...entry, ttl: 3600 }));
  assert.equal(
    [slower.changes.get(1)?.after?.ttl, slower.changes.get(3)?.after, slower.additions.map((a) => a.fields.ttl)],
    [3600, null, [300, 3600]],
  );
  assert.is(changeMany(slower, [FIRST], new Set(), (entry) => ({ ...entry, ttl: 300 })).changes.has(1), false);
  const none = changeMany(slower, [FIRST, SECOND], new Set([1, 2]), () => null);
  assert.equal([[...none.changes.keys()], none.additions], [[3, 1, 2], []]);
});

test('a preview lists each record that an action changes, as it would be before and after', () => {
  const edits = addRecord(
    changeRecord(deleteRecord(NO_EDITS, SECOND), FIRST, fields('192.0.2.9')),
    1,
    fields('192.0.2.7'),
  );
  const slower = changeMany(edits, [FIRST, SECOND, THIRD], new Set([1]), (entry) => ({ ...entry, ttl: 3600 }));
  const shown = differences(edits, slower).map(({ before, after }) => [before?.content, before?.ttl, after?.ttl]);
  assert.equal(shown, [
    ['192.0.2.9', 300, 3600],
    ['192.0.2.3', 300, 3600],
    ['192.0.2.7', 300, 3600],
  ]);
  // What is discarded: the deletion, the edit and the addition.
  assert.equal(
    differences(edits, NO_EDITS).map(({ before, after }) => [before?.content, after?.content]),
    [
      [undefined, '192.0.2.2'],
      ['192.0.2.9', '192.0.2.1'],
      ['192.0.2.7', undefined],
    ],
  );
  assert.equal(differences(edits, edits), []);
});

test('changes of other records are no conflict', () => {
  const edits = deleteRecord(changeRecord(NO_EDITS, FIRST, fields('192.0.2.9')), SECOND);
  const rebased = rebase(edits, storedAs(FIRST, SECOND, record(3, '192.0.2.33')));
  assert.is(hasConflicts(rebased), false);
  assert.equal(toBatch(rebased), toBatch(edits));
});

test('a record that another client changed is a conflict, and compared with its new value', () => {
  const edits = deleteRecord(changeRecord(NO_EDITS, FIRST, fields('192.0.2.9')), SECOND);
  const theirs = storedAs(record(1, '192.0.2.11'), record(2, '192.0.2.22'), THIRD);
  const rebased = rebase(edits, theirs);
  assert.equal(
    [...rebased.changes.values()].map(({ before, hasConflict }) => [before.content, hasConflict]),
    [
      ['192.0.2.11', true],
      ['192.0.2.22', true],
    ],
  );
  // A second look does not hide it; only the user does.
  assert.is(hasConflicts(rebase(rebased, theirs)), true);
  assert.is(hasConflicts(rebase(acceptConflicts(rebased), theirs)), false);
});

test('the same edit by two clients is done', () => {
  const edits = deleteRecord(changeRecord(NO_EDITS, FIRST, fields('192.0.2.9')), SECOND);
  assert.is(countEdits(rebase(edits, storedAs(record(1, '192.0.2.9')))), 0);
});

test('an edit of a record that another client deleted becomes an addition with a conflict', () => {
  const rebased = rebase(changeRecord(NO_EDITS, FIRST, fields('192.0.2.9')), storedAs());
  assert.is(rebased.changes.size, 0);
  assert.equal(rebased.additions, [{ key: -1, fields: fields('192.0.2.9'), hasConflict: true }]);
});

test('faults of a batch are found at their rows', () => {
  let edits = changeRecord(NO_EDITS, FIRST, fields('x'));
  edits = addRecord(deleteRecord(edits, SECOND), 5, fields('y'));
  const failure = (...pointers: string[]): Failure => ({
    ...{ status: 422, code: 'invalid_content', message: 'first', pointer: pointers[0] },
    details: pointers.length < 2 ? [] : pointers.map((pointer) => ({ pointer, message: pointer })),
  });
  const found = (...pointers: string[]) =>
    failedRows(toBatch(edits), edits, failure(...pointers)).map(({ row, field }) => [row.kind, row.id, field]);
  assert.equal(found('/put/0/content'), [['stored', 1, 'content']]);
  assert.equal(found('/put/0/content', '/post/0/name', '/delete/0'), [
    ['stored', 1, 'content'],
    ['added', 5, 'name'],
    ['stored', 2, ''],
  ]);
  assert.equal(found('/put/7/content'), []);
  assert.equal(found('/domain'), []);
});

test.run();

/** Which rows the table of records shows. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { RecordView } from '../../../admin-api/dashboard/api/views.ts';
import { addRecord, changeRecord, deleteRecord, NO_EDITS } from '../../../admin-api/dashboard/records/edits.ts';
import { rowsOf, stateOf } from '../../../admin-api/dashboard/records/rows.ts';
import { zoneLine } from '../../../admin-api/dashboard/records/zone-line.ts';

const record = (id: number, name: string, type: string, content: string): RecordView => ({
  ...{ id, name, type, content, ttl: 300, data: {}, proxied: null, comment: null, created_at: '', updated_at: '' },
});
const RECORDS = [
  record(1, '@', 'MX', '10 mail.example.com'),
  record(2, 'mail', 'A', '192.0.2.1'),
  record(3, 'www', 'A', '192.0.2.2'),
];
const ALL = { text: '', type: '' };

test('the filter searches names and values, in any case', () => {
  const shown = (text: string, type = '') => rowsOf(RECORDS, NO_EDITS, { text, type }).map(({ key }) => key);
  assert.equal(shown('MAIL'), ['stored 1', 'stored 2']);
  assert.equal(shown('2.2'), ['stored 3']);
  assert.equal(shown('', 'A'), ['stored 2', 'stored 3']);
  assert.equal(shown('mail', 'A'), ['stored 2']);
  assert.equal(shown('nothing'), []);
});

test('new rows come first, and edited rows stay whatever the filter is', () => {
  let edits = addRecord(NO_EDITS, 4, { name: 'new', type: 'A', content: '', ttl: 1 });
  edits = changeRecord(edits, RECORDS[1], { ...RECORDS[1], content: '192.0.2.9' });
  edits = deleteRecord(edits, RECORDS[2]);
  const rows = rowsOf(RECORDS, edits, { text: 'nothing', type: '' });
  assert.equal(
    rows.map((row) => [row.key, stateOf(row), row.fields.content]),
    [
      ['added 4', 'added', ''],
      ['stored 2', 'changed', '192.0.2.9'],
      ['stored 3', 'deleted', '192.0.2.2'],
    ],
  );
  assert.is(rowsOf(RECORDS, NO_EDITS, ALL).length, 3);
});

test('a record is copied as a line of a zone file', () => {
  assert.is(zoneLine(RECORDS[0]), '@\t300\tIN\tMX\t10 mail.example.com');
  assert.is(zoneLine({ ...RECORDS[0], ttl: 1 }), '@\tIN\tMX\t10 mail.example.com');
});

test.run();

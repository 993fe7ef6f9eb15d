/** RecentWrites compared with a model that keeps everything and compares every key. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RecentWrites } from '../../../../core/journal/commit/recent-writes.ts';
import { ChangeWriter } from '../../../../core/journal/entry-codec.ts';
import type { KeyRange } from '../../../../core/journal/journal.ts';
import { records } from '../../../../core/store/rows.ts';
import fc from '../../../support/fc.ts';
import { addressRecord, newDomain } from '../fixture.ts';

/** Few keys, so that ranges often contain one. The tables have no lookups. */
const key = fc
  .array(fc.constantFrom(0, 1, 0x7f, 0xff), { minLength: 1, maxLength: 3 })
  .map((bytes) => Buffer.from(bytes));
const table = fc.constantFrom(1, 2, 3);
const written = fc.array(fc.tuple(table, key), { minLength: 1, maxLength: 3 });
const range: fc.Arbitrary<KeyRange> = fc
  .tuple(table, key, fc.option(key, { nil: undefined }))
  .map(([number, start, end]) => ({ table: number, start, end }));

const holds = ({ table: number, start, end }: KeyRange, [other, k]: [number, Buffer]): boolean =>
  number === other && k.compare(start) >= 0 && (end === undefined || k.compare(end) < 0);

test('a commit conflicts exactly if a key of a later entry is in a range', () => {
  fc.assert(
    fc.property(
      fc.array(written, { maxLength: 8 }),
      fc.array(range, { maxLength: 4 }),
      fc.nat(8),
      (entries, ranges, at) => {
        const recent = new RecentWrites(0, () => undefined);
        for (const [i, keys] of entries.entries()) {
          const changes = new ChangeWriter();
          for (const [number, k] of keys) changes.delete(number, k);
          recent.add(i + 1, changes.content);
        }
        const expected = entries.some(
          (keys, i) => i + 1 > at && keys.some((k) => ranges.some((bound) => holds(bound, k))),
        );
        assert.is(recent.hasConflict({ at, ranges }), expected);
      },
    ),
    { numRuns: 2000 },
  );
});

test('restoring a checkpoint removes later entries', () => {
  const recent = new RecentWrites(0, () => undefined);
  const changes = new ChangeWriter();
  changes.delete(1, Buffer.of(5));
  const all = [{ table: 1, start: Buffer.of(0), end: undefined }];
  recent.add(1, changes.content);
  const checkpoint = recent.checkpoint();
  recent.add(2, changes.content);
  assert.ok(recent.hasConflict({ at: 1, ranges: all }));
  recent.restore(checkpoint);
  assert.not(recent.hasConflict({ at: 1, ranges: all }));
  assert.ok(recent.hasConflict({ at: 0, ranges: all }));
});

test('a bulk entry counts as all keys of its zone between the first and the last, and none of other zones', () => {
  const [zone, other] = [newDomain('zone.test.'), newDomain('other.test.')];
  const changes = new ChangeWriter();
  const rows = Array.from({ length: 3000 }, (_, i) => addressRecord(zone, `n${(i * 7919) % 3000}`, i & 255));
  for (const row of rows) changes.put(records.number, records.key(row), records.encode(row));
  const recent = new RecentWrites(0, () => undefined);
  recent.add(1, changes.content);
  const read = (domain: typeof zone, name: string) => {
    const start = records.key(addressRecord(domain, name));
    return recent.hasConflict({
      at: 0,
      ranges: [{ table: records.number, start, end: Buffer.concat([start, Buffer.of(0)]) }],
    });
  };
  for (const row of rows) {
    const start = records.key(row);
    assert.ok(
      recent.hasConflict({
        at: 0,
        ranges: [{ table: records.number, start, end: Buffer.concat([start, Buffer.of(0)]) }],
      }),
    );
  }
  assert.ok(read(zone, 'n5'), 'between them');
  assert.not(read(zone, 'a'));
  assert.not(read(zone, 'z'));
  assert.not(read(other, 'n5'));
});

test('old entries are dropped, and older commits conflict', () => {
  const recent = new RecentWrites(0, () => undefined);
  for (let i = 1; i <= 10_000; i++) {
    const changes = new ChangeWriter();
    changes.delete(1, Buffer.of(i >> 8, i));
    recent.add(i, changes.content);
    recent.checkpoint();
  }
  assert.ok(recent.hasConflict({ at: 100, ranges: [] }));
  assert.not(recent.hasConflict({ at: 9000, ranges: [] }));
  const start = Buffer.of(9500 >> 8, 9500 & 255);
  const ranges = [{ table: 1, start, end: Buffer.concat([start, Buffer.of(0)]) }];
  assert.ok(recent.hasConflict({ at: 9499, ranges }));
  assert.not(recent.hasConflict({ at: 9500, ranges }));
});

test.run();

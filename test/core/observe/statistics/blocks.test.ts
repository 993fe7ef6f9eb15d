/** Entries packed into blocks, and read back. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BlockWriter, blockKey, decodeBlock, findInBlock } from '../../../../core/observe/statistics/blocks.ts';
import { type CountEntry, compareSubjects } from '../../../../core/observe/statistics/counts.ts';
import fc from '../../../support/fc.ts';

const MAX_BLOCK = 1330;

const count = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));
const name = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
  maxLength: 255,
});
const entry: fc.Arbitrary<CountEntry> = fc.record(
  {
    kind: fc.integer({ min: 1, max: 2 }),
    id: fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })),
    columns: fc
      .array(fc.tuple(fc.integer({ min: 0, max: 8000 }), count), { maxLength: 12 })
      .map((pairs) => new Map(pairs)),
    names: fc.array(fc.tuple(name, count), { maxLength: 6 }).map((pairs) => new Map(pairs)),
  },
  { noNullPrototype: true },
);
const entries = fc
  .uniqueArray(entry, { maxLength: 200, selector: ({ kind, id }) => `${kind} ${id}` })
  .map((list) => list.sort(compareSubjects));

const test = suite('statistics blocks');

test('entries come back as they were, in order, and each is found by its id', () => {
  fc.assert(
    fc.property(entries, (list) => {
      const writer = new BlockWriter(29_000_000, 3);
      for (const item of list) writer.add(item);
      writer.finish();
      assert.equal(writer.blocks.flatMap(decodeBlock), list);
      const keys = writer.blocks.map(({ key }) => key);
      assert.equal([...keys].sort(Buffer.compare), keys);
      for (const item of list) {
        const wanted = blockKey(29_000_000, 3, item.kind, item.id);
        const block = writer.blocks.findLast(({ key }) => Buffer.compare(key, wanted) <= 0);
        assert.equal(findInBlock(block!, item.id), item);
      }
    }),
  );
});

test('blocks are not longer than their limit, unless one entry is', () => {
  const writer = new BlockWriter(1, 0);
  for (let id = 1; id <= 10_000; id++)
    writer.add({
      kind: 1,
      id: id * 3,
      columns: new Map([
        [8, 64],
        [1, 64],
      ]),
      names: new Map([['\x03www', 64]]),
    });
  writer.finish();
  assert.ok(writer.blocks.every(({ value }) => value.length <= MAX_BLOCK));
  assert.ok(writer.bytes < 10_000 * 15, String(writer.bytes));
  assert.is(findInBlock(writer.blocks[0], 4), null);
});

test('a damaged block is an error, not a wrong number of entries', () => {
  const writer = new BlockWriter(1, 0);
  writer.add({ kind: 1, id: 5, columns: new Map([[8, 64]]), names: new Map([['\x03www', 64]]) });
  writer.finish();
  const [{ key, value }] = writer.blocks;
  assert.throws(() => decodeBlock({ key, value: value.subarray(0, value.length - 2) }), /truncated/);
});

test.run();

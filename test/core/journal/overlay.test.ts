/** A store with an overlay, compared with the same writes in a transaction. */
import { rmSync } from 'node:fs';
import { ABORT } from 'lmdb';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withOverlay } from '../../../core/journal/overlay.ts';
import { type Binary, openEnvironment } from '../../../core/store/environment.ts';
import fc from '../../support/fc.ts';
import { temporaryFolder } from '../../support/temp.ts';

const folder = temporaryFolder('overlaid');
const environment = openEnvironment(folder);
test.after(async () => {
  await environment.close();
  rmSync(folder, { recursive: true });
});

/** Few keys, so that they collide; some are prefixes of others. */
const key = fc.array(fc.constantFrom(0, 1, 127, 255), { minLength: 1, maxLength: 3 }).map((data) => Buffer.from(data));
const write = fc.record({ key, value: fc.option(fc.nat(255).map((byte) => Buffer.of(byte))) });
const bound = fc.record({
  from: key,
  to: fc.option(key, { nil: undefined }),
  reverse: fc.boolean(),
  limit: fc.option(fc.nat(4), { nil: undefined }),
});

function carryOut(table: Binary, writes: readonly { key: Buffer; value: Buffer | null }[]): void {
  for (const { key: cell, value } of writes)
    if (value === null) table.remove(cell);
    else table.put(cell, value);
}

interface Bound {
  readonly from: Buffer;
  readonly to: Buffer | undefined;
  readonly reverse: boolean;
  readonly limit: number | undefined;
}

function readAll(table: Binary, keys: readonly Buffer[], bounds: readonly Bound[]): unknown {
  const hex = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString('hex');
  return {
    asked: keys.map((cell) => [hex(table.get(cell)), table.doesExist(cell)]),
    ranges: bounds.map(({ from, to, reverse, limit }) => {
      // lmdb stores in the options object that only keys are read.
      const range = () => ({ start: from, end: to, reverse, limit });
      const rangeKeys = [...table.getKeys(range())].map((cell) => hex(cell));
      return [rangeKeys, [...table.getRange(range())].map((entry) => [hex(entry.key), hex(entry.value)])];
    }),
  };
}

test('an overlay is read like a transaction, by key and by range in both directions, and leaves no trace', () => {
  const { lookups: table } = environment;
  const property = fc.property(
    fc.array(write, { maxLength: 20 }),
    fc.array(write, { maxLength: 20 }),
    fc.array(key, { maxLength: 5 }),
    fc.array(bound, { maxLength: 5 }),
    (before, after, keys, bounds) => {
      environment.root.transactionSync(() => {
        table.clearSync();
        carryOut(table, before);
      });
      const stored = readAll(table, keys, bounds);
      const { lookups: over } = withOverlay(environment).environment;
      carryOut(over, after);
      let expected: unknown;
      environment.root.transactionSync(() => {
        carryOut(table, after);
        expected = readAll(table, keys, bounds);
        return ABORT;
      });
      assert.equal(readAll(over, keys, bounds), expected);
      assert.equal(readAll(table, keys, bounds), stored);
    },
  );
  fc.assert(property, { numRuns: 300 });
});

test('an iteration that ends early holds no pages: repeated writes reuse space', () => {
  const { root, lookups: table } = environment;
  const keys = Array.from({ length: 50 }, (_, i) => Buffer.of(7, i));
  const pages = (): number => (root.getStats() as { lastPageNumber: number }).lastPageNumber;
  let before = 0;
  for (let round = 0; round < 300; round++) {
    if (round === 100) before = pages();
    const { lookups: over } = withOverlay(environment).environment;
    over.put(Buffer.of(7, 0, 1), Buffer.of(1));
    for (const reverse of [false, true]) {
      const [start, end] = reverse ? [Buffer.of(8), Buffer.of(7)] : [Buffer.of(7), Buffer.of(8)];
      for (const _ of over.getRange({ start, end, reverse })) break;
      for (const _ of over.getKeys({ start, end, reverse })) break;
    }
    root.transactionSync(() => {
      for (const cell of keys) table.put(cell, Buffer.alloc(500, round));
    });
    root.resetReadTxn();
  }
  assert.ok(pages() < before + 50, `${before} pages, then ${pages()}`);
});

test('a key that the store does not accept is rejected', () => {
  const { lookups } = withOverlay(environment).environment;
  for (const length of [0, 1979]) {
    assert.throws(() => lookups.put(Buffer.alloc(length), Buffer.alloc(1)), /bytes is too long to store/);
    assert.throws(() =>
      environment.root.transactionSync(() => environment.lookups.put(Buffer.alloc(length), Buffer.alloc(1))),
    );
  }
  environment.root.transactionSync(() => environment.lookups.put(Buffer.alloc(1978, 1), Buffer.alloc(1)));
  lookups.put(Buffer.alloc(1978, 1), Buffer.alloc(1));
});

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Parts } from '../../../../edge/http/exchange/parts.ts';
import fc from '../../../support/fc.ts';

test('parts are returned in order, and returned parts do not change', () => {
  // 0: one is taken
  const step = fc.oneof(fc.integer({ min: 1, max: 1500 }), fc.integer({ min: 1, max: 40 }), fc.constant(0));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const parts = new Parts();
      const taken: Uint8Array[] = [];
      const copies: Buffer[] = [];
      const sent: Buffer[] = [];
      const take = (): boolean => {
        const part = parts.shift();
        if (part === undefined) return false;
        taken.push(part);
        copies.push(Buffer.from(part));
        return true;
      };
      steps.forEach((bytes, i) => {
        const part = Buffer.alloc(bytes, i);
        sent.push(Buffer.from(part));
        if (bytes === 0) take();
        else parts.push(part);
      });
      while (take());
      assert.is(parts.count, 0);
      assert.ok(Buffer.concat(sent).equals(Buffer.concat(copies)));
      assert.ok(Buffer.concat(sent).equals(Buffer.concat(taken)));
    }),
  );
});

test('many parts of one byte are joined', () => {
  const parts = new Parts();
  for (let i = 0; i < 100_000; i++) parts.push(Buffer.of(i));
  assert.is(parts.count, 1 + Math.ceil(99_999 / 1024));
});

test('cleared parts are gone', () => {
  const parts = new Parts();
  for (let i = 0; i < 3; i++) parts.push(Buffer.of(1));
  parts.clear();
  assert.is(parts.shift(), undefined);
  for (let i = 0; i < 3; i++) parts.push(Buffer.of(2));
  assert.equal([...(parts.shift() ?? [])], [2]);
  assert.equal([...(parts.shift() ?? [])], [2, 2]);
});

test.run();

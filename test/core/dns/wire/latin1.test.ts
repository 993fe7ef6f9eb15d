import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { latin1 } from '../../../../core/dns/wire/latin1.ts';
import fc from '../../../support/fc.ts';

test('one character for each byte, of whatever array and of a part of one', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(200), (bytes, from) => {
      for (const array of [bytes, Buffer.from(bytes), bytes.subarray(from), Buffer.from(bytes).subarray(from)])
        assert.is(latin1(array), String.fromCharCode(...array));
    }),
  );
});

test('texts are ordered as their bytes are', () => {
  const data = fc.uint8Array({ maxLength: 8 });
  fc.assert(
    fc.property(data, data, (a, b) => {
      const [x, y] = [latin1(a), latin1(b)];
      assert.is(x < y ? -1 : x > y ? 1 : 0, Buffer.compare(a, b));
    }),
  );
});

test.run();

/** A collected body that arrives byte by byte needs little more memory than the budget counts. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyWriter } from '../../../../edge/cache/store/writer.ts';
import type { StoredBody } from '../../../../edge/cache/stored-response.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

function heldNow(): number {
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test('a body that arrives byte by byte', () => {
  const bytes = 200_000;
  const room = { bytes: 0 };
  let body: StoredBody | undefined;
  const writer = new BodyWriter({
    ...{ maxBytes: bytes, length: undefined, disk: undefined, budget: room },
    put: (stored) => {
      body = stored;
      return undefined;
    },
    finish: () => {},
  });
  const before = heldNow();
  for (let i = 0; i < bytes; i++) assert.ok(writer.push(Buffer.allocUnsafe(1).fill(i & 0xff)));
  const held = heldNow() - before;
  assert.is(room.bytes, bytes);
  assert.ok(held < 10 * bytes, `${held / bytes} for each byte`);
  writer.end();
  assert.is(room.bytes, 0);
  assert.equal(body?.whole, Buffer.from(Array.from({ length: bytes }, (_, i) => i & 0xff)));
});

test.run();

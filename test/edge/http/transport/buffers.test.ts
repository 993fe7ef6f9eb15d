import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BUFFER, giveBuffer, takeBuffer } from '../../../../edge/http/transport/buffers.ts';

test('released buffers are reused, each by one user', () => {
  const [bytes, other] = [takeBuffer(), takeBuffer()];
  assert.is(bytes.length, BUFFER);
  assert.is.not(bytes.buffer, other.buffer);
  giveBuffer(bytes.subarray(5, 7));
  const again = takeBuffer();
  assert.is(again.buffer, bytes.buffer, 'the whole of it');
  assert.is(again.length, BUFFER);
  assert.is.not(takeBuffer().buffer, bytes.buffer);
});

test('foreign memory is not accepted', () => {
  const foreign = Buffer.allocUnsafeSlow(BUFFER);
  giveBuffer(foreign);
  giveBuffer(Buffer.from('abc'));
  for (let n = 0; n < 300; n++) assert.is.not(takeBuffer().buffer, foreign.buffer);
});

test.run();

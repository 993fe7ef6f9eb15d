/** SipHash-2-4 with the vectors of its authors: keys 00…0f, messages 00, 00 01, and so on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { sipHash24, sipKey } from '../../../../core/zone/answer/siphash.ts';

const KEY = sipKey(Uint8Array.from({ length: 16 }, (_, i) => i));
/** For messages of 0, 1, … bytes, in byte order. */
const VECTORS = [
  '310e0edd47db6f72',
  'fd67dc93c539f874',
  '5a4fa9d909806c0d',
  '2d7efbd796666785',
  'b7877127e09427cf',
  '8da699cd64557618',
  'cee3fe586e46c9cb',
  '37d1018bf50002ab',
  '6224939a79f5f593',
  'b0e4a90bdf82009e',
  'f3b9dd94c5bb5d7a',
  'a7ad6b22462fb3f4',
  'fbe50e86bc8f1e75',
  '903d84c02756ea14',
  'eef27a8e90ca23f7',
  'e545be4961ca29a1',
];

/** Little-endian words, zeros, and the length in the last byte. */
function sipBlocks(message: Uint8Array): Int32Array {
  const bytes = new Uint8Array(((message.length >>> 3) + 1) * 8);
  bytes.set(message);
  bytes[bytes.length - 1] = message.length;
  return Int32Array.from({ length: bytes.length / 4 }, (_, i) => new DataView(bytes.buffer).getInt32(i * 4, true));
}

const hash = (length: number): string => {
  const out = new Int32Array(2);
  const blocks = sipBlocks(Uint8Array.from({ length }, (_, i) => i));
  sipHash24(blocks, blocks.length / 2, KEY, out);
  return Buffer.from(out.buffer).toString('hex');
};

VECTORS.forEach((expected, length) => {
  test(`${length} bytes`, () => assert.is(hash(length), expected));
});

test('blocks after the message do not affect the hash', () => {
  const out = new Int32Array(2);
  const blocks = new Int32Array(10).fill(-1);
  blocks.set(sipBlocks(Uint8Array.of(0, 1, 2, 3, 4)));
  sipHash24(blocks, 1, KEY, out);
  assert.is(Buffer.from(out.buffer).toString('hex'), VECTORS[5]);
});

test.run();

/** The hash of the rate limit equals a reference implementation of HalfSipHash. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { halfSipHash } from '../../../core/nameserver/rate-limit-table.ts';
import { Random } from '../../support/random.ts';

/** HalfSipHash as published, in BigInt on 32-bit words, with a given number of rounds. */
function reference(key: readonly bigint[], words: readonly bigint[], perWord: number, last: number): number {
  const low = 0xffff_ffffn;
  const turn = (x: bigint, by: bigint): bigint => ((x << by) | (x >> (32n - by))) & low;
  let [v0, v1, v2, v3] = [key[0], key[1], key[0] ^ 0x6c796765n, key[1] ^ 0x74656462n];
  const round = (): void => {
    v0 = (v0 + v1) & low;
    v1 = turn(v1, 5n) ^ v0;
    v0 = turn(v0, 16n);
    v2 = (v2 + v3) & low;
    v3 = turn(v3, 8n) ^ v2;
    v0 = (v0 + v3) & low;
    v3 = turn(v3, 7n) ^ v0;
    v2 = (v2 + v1) & low;
    v1 = turn(v1, 13n) ^ v2;
    v2 = turn(v2, 16n);
  };
  for (const word of words) {
    v3 ^= word;
    for (let i = 0; i < perWord; i++) round();
    v0 ^= word;
  }
  v2 ^= 0xffn;
  for (let i = 0; i < last; i++) round();
  return Number(BigInt.asIntN(32, v1 ^ v3));
}

test('the reference matches the first published vectors of HalfSipHash', () => {
  // Key 00 01 … 07. Messages of zero and one bytes, padded, with the length in the last byte
  // (vectors_hsip32, HalfSipHash-2-4).
  const key = [0x03020100n, 0x07060504n];
  const bytesOf = (value: number): string => {
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(value);
    return bytes.toString('hex');
  };
  assert.is(bytesOf(reference(key, [0x0000_0000n], 2, 4)), 'a9359f5b');
  assert.is(bytesOf(reference(key, [0x0100_0000n], 2, 4)), '27475ab8');
});

test('the hash equals the reference with one round per word and three final rounds', () => {
  const random = new Random(11);
  const bytes = Buffer.from(random.bytes(24 * 500));
  for (let at = 0; at < bytes.length; at += 24) {
    const words = Array.from({ length: 6 }, (_, i) => bytes.readUInt32LE(at + i * 4));
    const big = words.map(BigInt);
    const hash = halfSipHash(Int32Array.from(words.slice(0, 2)), Int32Array.from(words.slice(2)));
    assert.is(hash, reference(big.slice(0, 2), big.slice(2), 1, 3));
  }
});

test.run();

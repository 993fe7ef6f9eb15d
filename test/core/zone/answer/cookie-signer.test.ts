/** Cached signatures equal computed ones, in any order of messages that displace each other. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CookieSigner } from '../../../../core/zone/answer/cookies.ts';
import { sipHash24, sipKey } from '../../../../core/zone/answer/siphash.ts';
import fc from '../../../support/fc.ts';

const KEY = sipKey(Uint8Array.from({ length: 16 }, (_, i) => i * 17));
const BLOCKS = fc.constantFrom(3, 5);
/** Few words, so that messages repeat, differ in one word, share slots, or have a common prefix. */
const message = fc.record({
  blocks: BLOCKS,
  words: fc.array(fc.constantFrom(0, 1, -1, 20 << 24, 0x01020304), { minLength: 10, maxLength: 10 }),
});

test('signatures equal those of SipHash', () => {
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 200 }), (messages) => {
      const signer = new CookieSigner(KEY);
      for (const { blocks, words } of messages) {
        const input = Int32Array.from(words);
        const signed = new Int32Array(2);
        const expected = new Int32Array(2);
        signer.sign(input, blocks, signed);
        sipHash24(input, blocks, KEY, expected);
        assert.equal(signed, expected);
      }
    }),
  );
});

test('an unused slot matches no message', () => {
  const input = new Int32Array(10);
  const [signed, expected] = [new Int32Array(2), new Int32Array(2)];
  new CookieSigner(KEY).sign(input, 3, signed);
  sipHash24(input, 3, KEY, expected);
  assert.equal(signed, expected);
});

test.run();

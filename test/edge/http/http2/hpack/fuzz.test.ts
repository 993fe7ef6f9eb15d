/**
 * Header blocks damaged in every way: nothing throws or grows, and the outcome is what the
 * reference has, field by field.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type HeaderListLimits, HpackDecoder } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { encodeStateless, HpackEncoder } from '../../../../../edge/http/http2/hpack/encoder.ts';
import type { OutcomeName } from '../../../../../edge/http/http2/hpack/outcome.ts';
import { scratchFor } from '../../../../../edge/http/http2/hpack/string-reader.ts';
import { depth } from '../../../../support/depth.ts';
import { Random } from '../../../../support/random.ts';
import { SEED } from '../../../../support/seed.ts';
import { decode, encode } from './fixture.ts';
import { Lists } from './lists.ts';
import { ReferenceDecoder } from './reference.ts';

const CASES = depth({ quick: 20_000, moderate: 20_000, full: 1_000_000 });
const LONGEST = 2_000;
const LIMITS: readonly HeaderListLimits[] = [
  { maxListSize: 16_384, maxListCount: 100 },
  { maxListSize: 300, maxListCount: 100 },
  { maxListSize: 16_384, maxListCount: 3 },
];
/** Where the representations begin and end, integers that go on, Huffman flags, sizes of tables. */
const EDGES = [0, 1, 0x0f, 0x10, 0x1f, 0x20, 0x3f, 0x40, 0x7f, 0x80, 0xbe, 0xbf, 0xfe, 0xff];

const test = suite(`HPACK, fuzzed, seed ${SEED}`);

type Mutation = (block: Uint8Array, other: Uint8Array, random: Random) => Uint8Array;

const MUTATIONS: readonly Mutation[] = [
  (block) => block,
  (block, _, random) => {
    const out = block.slice();
    for (let n = 1 + random.below(4); n > 0 && out.length > 0; n--)
      out[random.below(out.length)] ^= 1 << random.below(8);
    return out;
  },
  (block, _, random) => {
    const out = block.slice();
    for (let n = 1 + random.below(3); n > 0 && out.length > 0; n--) out[random.below(out.length)] = random.pick(EDGES);
    return out;
  },
  (block, _, random) => block.slice(0, random.below(block.length + 1)),
  (block, _, random) => block.slice(random.below(block.length + 1)),
  (block, other, random) => {
    const at = random.below(block.length + 1);
    const from = random.below(other.length + 1);
    return Uint8Array.from([...block.subarray(0, at), ...other.subarray(from), ...block.subarray(at)]);
  },
  (block, _, random) => {
    const at = random.below(block.length + 1);
    const inserted = Array.from({ length: 1 + random.below(6) }, () => random.pick(EDGES));
    return Uint8Array.from([...block.subarray(0, at), ...inserted, ...block.subarray(at)]);
  },
  (block, _, random) => Uint8Array.from([...sizeUpdate(random), ...block]),
  (_, __, random) => random.bytes(random.below(60)),
  // Strings whose length is right and whose bytes are anything, or mostly ones, as the long codes
  // and EOS are.
  (_, __, random) => {
    const bytes = random.bytes(random.below(40));
    if (random.below(2) === 0) for (let i = 0; i < bytes.length; i++) if (random.below(4) > 0) bytes[i] = 0xff;
    return Uint8Array.from([random.pick([0x00, 0x10, 0x40]), 1, 0x78, 0x80 | bytes.length, ...bytes, 0x82]);
  },
];

const sizeUpdate = (random: Random): number[] => [0x3f, 0x80 | random.below(128), random.below(36)];

/** Good blocks, each of its own encoder's second list, so that it needs a table, or of none. */
function corpus(random: Random): Uint8Array[][] {
  const lists = new Lists(random);
  return Array.from({ length: 200 }, () => {
    const encoder = new HpackEncoder(random.pick([100, 4096]));
    const sent = [lists.request().flat, lists.response().flat, lists.response().flat];
    return [...sent.map((flat) => encode(encoder, flat)), encodeStateless(200, sent[1])].filter(
      (block) => block.length < LONGEST,
    );
  });
}

/** What of a list is given out: as many lines as fit. */
function given(
  lines: readonly (readonly [string, string])[],
  limits: HeaderListLimits,
): { lines: string[]; isCut: boolean } {
  const fitting: string[] = [];
  let size = 0;
  let count = 0;
  for (const [i, [name, value]] of lines.entries()) {
    size += name.length + value.length + 32;
    // The crumbs of a cookie are one field.
    if (name !== 'cookie' || lines.findIndex(([other]) => other === 'cookie') === i) count++;
    if (size > limits.maxListSize || count > limits.maxListCount) return { lines: fitting, isCut: true };
    fitting.push(name, value);
  }
  return { lines: fitting, isCut: false };
}

test('any bytes: no exception, no growth, and the result of the reference', () => {
  const random = new Random(SEED);
  const connections = corpus(random);
  for (const limits of LIMITS) decode(new HpackDecoder(limits), new Uint8Array(0));
  const scratch = scratchFor(0).length;
  const outcomes = new Map<OutcomeName, number>();
  for (let done = 0; done < CASES; ) {
    const limits = random.pick(LIMITS);
    const decoder = new HpackDecoder(limits);
    const reference = new ReferenceDecoder();
    let allowed = 4096;
    let outcome: OutcomeName = 'decoded';
    for (const good of random.pick(connections)) {
      if (random.below(10) === 0) {
        const size = random.pick([0, 64, 1000, 4096]);
        // until the peer follows, the table may have any of these sizes
        allowed = Math.max(allowed, size);
        decoder.acknowledgeTableSize(size);
        reference.acknowledgeTableSize(size);
      }
      const other = random.pick(random.pick(connections)) ?? good;
      const block = random.pick(MUTATIONS)(good, other, random).slice(0, LONGEST);
      const before = block.slice();
      const got = decode(decoder, block);
      const expected = reference.decode(block);
      done++;
      const fitting = given(expected.lines, limits);
      outcome = expected.outcome === 'decoded' && fitting.isCut ? 'tooLarge' : expected.outcome;
      const what = () => `limits ${JSON.stringify(limits)}, block ${Buffer.from(before).toString('hex')}`;
      if (got.outcome !== outcome) assert.is(got.outcome, outcome, what());
      assert.equal(got.lines, fitting.lines, `lines of ${outcome}`);
      assert.equal(block, before, 'the block was written to');
      assert.ok(decoder.tableSize <= allowed);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      if (outcome === 'decoded' || outcome === 'tooLarge') assert.is(decoder.tableSize, reference.tableSize);
      else {
        const after = decode(decoder, good);
        assert.equal([after.outcome, after.lines], [outcome, []], 'after an error');
        break;
      }
    }
  }
  assert.is(scratchFor(0).length, scratch, 'the scratch buffer grew');
  if (CASES >= 20_000) assert.is(outcomes.size, 10, `each outcome was met: ${JSON.stringify([...outcomes])}`);
});

test.run();

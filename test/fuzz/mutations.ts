/**
 * Changes of inputs that know no format: bits, bytes at edges, lengths, pieces, and words of the
 * target.
 */
import type { Random } from '../support/random.ts';

const EDGE_BYTES = [0, 1, 0x0a, 0x0d, 0x20, 0x22, 0x2e, 0x3a, 0x3b, 0x40, 0x5c, 0x7f, 0x80, 0xc0, 0xff];
const EDGE_NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x4000, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0xffffffff];

export interface Materials {
  readonly random: Random;
  /** Another input, to take pieces from. */
  readonly other: Buffer;
  readonly words: readonly string[];
}

type Mutation = (input: Buffer, materials: Materials) => Buffer;

const cut = (input: Buffer, from: number, to: number, piece: Uint8Array): Buffer =>
  Buffer.concat([input.subarray(0, from), piece, input.subarray(to)]);

const NOTHING = Buffer.alloc(0);

const MUTATIONS: readonly Mutation[] = [
  (input, { random }) => {
    const out = Buffer.from(input);
    for (let n = 1 + random.below(4); n > 0 && out.length > 0; n--)
      out[random.below(out.length)] ^= 1 << random.below(8);
    return out;
  },
  (input, { random }) => {
    const out = Buffer.from(input);
    for (let n = 1 + random.below(3); n > 0 && out.length > 0; n--)
      out[random.below(out.length)] = random.pick(EDGE_BYTES);
    return out;
  },
  (input, { random }) => {
    const out = Buffer.from(input);
    const size = random.pick([1, 2, 4]);
    if (out.length < size) return out;
    const at = random.below(out.length - size + 1);
    const value = random.pick([...EDGE_NUMBERS, out.length, out.length - at]) % 256 ** size;
    if (random.below(2) === 0) out.writeUIntBE(value, at, size);
    else out.writeUIntLE(value, at, size);
    return out;
  },
  (input, { random }) => {
    const from = random.below(input.length + 1);
    return cut(input, from, Math.min(input.length, from + 1 + random.below(16)), NOTHING);
  },
  (input, { random }) => {
    const from = random.below(input.length + 1);
    const piece = input.subarray(from, from + 1 + random.below(64));
    const at = random.below(input.length + 1);
    return cut(input, at, at, piece);
  },
  (input, { random }) => {
    const at = random.below(input.length + 1);
    return cut(input, at, at, random.bytes(1 + random.below(8)));
  },
  (input, { random }) => input.subarray(0, random.below(input.length + 1)),
  (input, { random, other }) => {
    const from = random.below(other.length + 1);
    const at = random.below(input.length + 1);
    return cut(input, at, Math.min(input.length, at + random.below(32)), other.subarray(from, from + random.below(64)));
  },
  (input, { random, other }) =>
    Buffer.concat([input.subarray(0, random.below(input.length + 1)), other.subarray(random.below(other.length + 1))]),
  (input, { random, words }) => {
    const at = random.below(input.length + 1);
    const word = Buffer.from(words.length === 0 ? 'a' : random.pick(words), 'latin1');
    return cut(input, at, random.below(2) === 0 ? at : Math.min(input.length, at + word.length), word);
  },
  (input, { random }) => {
    // A digit of a number in text.
    const digits = [...input.keys()].filter((i) => input[i] >= 0x30 && input[i] <= 0x39);
    if (digits.length === 0) return input;
    const at = random.pick(digits);
    const text = random.pick(['0', '9', '65535', '65536', '4294967295', '4294967296', '99999999999999999999', '-1']);
    return cut(input, at, at + 1, Buffer.from(text));
  },
  (input, { random }) => {
    if (input.length === 0) return input;
    const at = random.below(input.length);
    return cut(input, at, at + 1, Buffer.alloc(1 + random.below(300), input[at]));
  },
];

/** One to four changes; at most `maxBytes` bytes. */
export function mutate(input: Buffer, materials: Materials, maxBytes: number): Buffer {
  let out = input;
  for (let n = 1 + materials.random.below(4); n > 0; n--) out = materials.random.pick(MUTATIONS)(out, materials);
  return Buffer.from(out.subarray(0, maxBytes));
}

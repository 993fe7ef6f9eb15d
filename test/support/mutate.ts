/**
 * Mutates valid queries into packets that no resolver sends, in ways that have broken DNS parsers
 * before.
 */
import { HEADER_LENGTH } from '../../core/dns/wire/header.ts';
import type { Random } from './random.ts';

/**
 * Boundary values of 8-bit and 16-bit fields, and first bytes of pointers and reserved label types.
 */
const EDGES = [0, 1, 0x3f, 0x40, 0x7f, 0x80, 0xc0, 0xff];

type Mutation = (packet: Uint8Array, random: Random) => Uint8Array;

const flipBits: Mutation = (packet, random) => {
  const out = packet.slice();
  for (let n = 1 + random.below(8); n > 0 && out.length > 0; n--) out[random.below(out.length)] ^= 1 << random.below(8);
  return out;
};

const truncate: Mutation = (packet, random) => packet.slice(0, random.below(packet.length + 1));

/** Spreading the arrays would take longer than the tests. */
function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

const extend: Mutation = (packet, random) => concat(packet, random.bytes(1 + random.below(300)));

/** Pointers to themselves, to each other, forwards, into the header, and past the end. */
const pointerLoop: Mutation = (packet, random) => {
  const out = packet.slice();
  for (let n = 1 + random.below(3); n > 0 && out.length > HEADER_LENGTH + 1; n--) {
    const at = HEADER_LENGTH + random.below(out.length - HEADER_LENGTH - 1);
    const target = random.pick([at, at + 2, at - 2, HEADER_LENGTH, 0, out.length, 0x3fff, random.below(out.length)]);
    out[at] = 0xc0 | (target >> 8);
    out[at + 1] = target & 255;
  }
  return out;
};

const absurdCounts: Mutation = (packet, random) => {
  const out = packet.slice();
  for (let n = 1 + random.below(4); n > 0; n--) {
    const at = 4 + 2 * random.below(4);
    if (out.length < at + 2) break;
    out[at] = random.pick(EDGES);
    out[at + 1] = random.pick(EDGES);
  }
  return out;
};

const edgeBytes: Mutation = (packet, random) => {
  const out = packet.slice();
  for (let n = 1 + random.below(4); n > 0 && out.length > 0; n--) out[random.below(out.length)] = random.pick(EDGES);
  return out;
};

/** OPT records with wrong lengths, duplicates, or an owner name. */
const brokenOpt: Mutation = (packet, random) => {
  const opt = (): number[] => [
    random.pick([0, 0, 0, 1]),
    0,
    41,
    random.below(256),
    random.below(256),
    0,
    random.pick([0, 0, 1]),
    0,
    0,
  ];
  const length = random.pick([0, 0, 4, 8, 255]);
  const records = [
    ...opt(),
    0,
    length,
    ...random.bytes(random.pick([length, 0, 3])),
    ...(random.below(4) === 0 ? [...opt(), 0, 0] : []),
  ];
  const out = concat(packet, Uint8Array.from(records));
  out[11] = random.pick([1, 1, 2, 3, 255]);
  return out;
};

const longName: Mutation = (packet, random) => {
  const label = random.pick([1, 1, 62, 63, 64]);
  const length = Uint8Array.of(label);
  const labels = Array.from({ length: random.below(140) }, () => [length, random.bytes(label)]).flat();
  return concat(packet.subarray(0, HEADER_LENGTH), ...labels, packet.subarray(HEADER_LENGTH));
};

const noise: Mutation = (_, random) => random.bytes(random.below(600));

const MUTATIONS = [flipBits, truncate, extend, pointerLoop, absurdCounts, edgeBytes, brokenOpt, longName, noise];

/** Applies one or two mutations. The result has at most 9,000 bytes. */
export function mutate(packet: Uint8Array, random: Random): Uint8Array {
  const once = random.pick(MUTATIONS)(packet, random);
  return random.below(4) === 0 ? random.pick(MUTATIONS)(once, random).subarray(0, 9000) : once;
}

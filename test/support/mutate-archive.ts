/**
 * Mutates ZIP archives, by random or crafted damage: bits, lengths, header fields, and pieces of
 * another archive.
 */
import type { Random } from './random.ts';

type Mutation = (archive: Buffer, random: Random, other: Buffer) => Buffer;

const EDGES = [0, 1, 7, 8, 0x7f, 0x80, 0xff];

const flipBits: Mutation = (archive, random) => {
  const out = Buffer.from(archive);
  for (let n = 1 + random.below(4); n > 0 && out.length > 0; n--) out[random.below(out.length)] ^= 1 << random.below(8);
  return out;
};

const truncate: Mutation = (archive, random) => archive.subarray(0, random.below(archive.length + 1));

const insert: Mutation = (archive, random) => {
  const at = random.below(archive.length + 1);
  return Buffer.concat([archive.subarray(0, at), random.bytes(1 + random.below(40)), archive.subarray(at)]);
};

/** Inserts a piece of another archive, or overwrites with it. */
const splice: Mutation = (archive, random, other) => {
  const from = random.below(other.length);
  const piece = other.subarray(from, from + 1 + random.below(100));
  const at = random.below(archive.length + 1);
  const rest = archive.subarray(random.below(2) === 0 ? at : at + piece.length);
  return Buffer.concat([archive.subarray(0, at), piece, rest]);
};

/**
 * Overwrites fields of a record, found by its signature: local header, directory entry, end
 * records.
 */
const editField: Mutation = (archive, random) => {
  const out = Buffer.from(archive);
  for (let n = 1 + random.below(2); n > 0; n--) {
    const starts: number[] = [];
    for (let at = out.indexOf('PK'); at >= 0; at = out.indexOf('PK', at + 1)) starts.push(at);
    if (starts.length === 0) break;
    const at = random.pick(starts) + 4 + random.below(46);
    for (let width = random.pick([1, 2, 4]), i = at; width > 0 && i < out.length; width--, i++)
      out[i] = random.pick(EDGES);
  }
  return out;
};

/** Replaces a letter everywhere, so that the headers still agree on names. */
const rename: Mutation = (archive, random) => {
  const out = Buffer.from(archive);
  const letter = random.pick([...'abhijmnostx.']).charCodeAt(0);
  const other = random.pick([...'abAB/.\\:\0 ']).charCodeAt(0);
  for (let at = out.indexOf(letter); at >= 0; at = out.indexOf(letter, at + 1)) out[at] = other;
  return out;
};

const MUTATIONS = [flipBits, flipBits, truncate, insert, splice, editField, editField, rename];

export function mutateArchive(archive: Buffer, random: Random, other: Buffer): Buffer {
  const once = random.pick(MUTATIONS)(archive, random, other);
  return random.below(4) === 0 ? random.pick(MUTATIONS)(once, random, other) : once;
}

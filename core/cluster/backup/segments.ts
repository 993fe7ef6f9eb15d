/**
 * Copies of the journal between two backups. A segment is a file with consecutive entries:
 *
 *   "waypost-entries 1\n", then { length u32, entry }, …, a length of 0, SHA-256 of all before
 *
 * Its name has the sequences and times (milliseconds since 1970, hexadecimal) of the first and the
 * last entry, and the hash before the first and after the last, 16 digits of each:
 *
 *   journal/FIRST-LAST-FIRSTTIME-LASTTIME-BEFORE-AFTER.entries[.age]
 *
 * The names alone determine which segments follow a backup. A restore starts a new history, in
 * which other entries have the same sequences. The hashes distinguish the histories.
 */
import { createHash } from 'node:crypto';
import { InvalidError } from '../../base/errors.ts';
import { decodeEntry, type Entry, hashEntry } from '../../journal/entry-codec.ts';
import type { Environment } from '../../store/environment.ts';
import { sequenceKey } from '../../store/keys.ts';
import { ENCRYPTED } from './names.ts';
import type { StoredFile } from './target.ts';

export const SEGMENTS = 'journal/';
const MAGIC = Buffer.from('waypost-entries 1\n');
/** Bytes of entries after which a segment ends. */
const MAX_SEGMENT = 16 << 20;
const NAME =
  /^journal\/(\d{12,})-(\d{12,})-([0-9a-f]{12})-([0-9a-f]{12})-([0-9a-f]{16})-([0-9a-f]{16})\.entries(?:\.age)?$/;

/** A position in a history: a sequence, and the first 16 or more hexadecimal digits of its hash. */
export interface Position {
  readonly sequence: number;
  readonly hash: string;
}

export interface Segment extends StoredFile {
  readonly first: number;
  readonly last: number;
  readonly firstTime: number;
  readonly lastTime: number;
  readonly before: string;
  readonly after: string;
  readonly isEncrypted: boolean;
}

/** Undefined: not the name of a segment. */
export function parseSegment({ name, size }: StoredFile): Segment | undefined {
  const [match, first, last, firstTime, lastTime, before, after] = NAME.exec(name) ?? [];
  if (match === undefined) return undefined;
  return {
    name,
    size,
    before,
    after,
    first: Number(first),
    last: Number(last),
    firstTime: Number.parseInt(firstTime, 16),
    lastTime: Number.parseInt(lastTime, 16),
    isEncrypted: name.endsWith(ENCRYPTED),
  };
}

/**
 * The segments that follow a position, in order. Where histories fork, follows the branch that
 * started last, but not after `until` (milliseconds since 1970).
 */
export function segmentsAfter(all: readonly Segment[], from: Position, until = Number.POSITIVE_INFINITY): Segment[] {
  const byFirst = new Map<number, Segment[]>();
  for (const segment of all) {
    const others = byFirst.get(segment.first);
    if (others === undefined) byFirst.set(segment.first, [segment]);
    else others.push(segment);
  }
  const chain: Segment[] = [];
  for (let at: Position = from; ; ) {
    const next = (byFirst.get(at.sequence + 1) ?? [])
      .filter(({ before, firstTime }) => at.hash.startsWith(before) && firstTime <= until)
      .sort((a, b) => b.firstTime - a.firstTime || b.last - a.last)[0];
    if (next === undefined) return chain;
    chain.push(next);
    at = { sequence: next.last, hash: next.after };
  }
}

export const positionAfter = (segments: readonly Segment[], from: Position): Position => {
  const last = segments.at(-1);
  return last === undefined ? from : { sequence: last.last, hash: last.after };
};

/** Entries of the store after a position. Null: the journal does not reach back to it. */
export function readSegment(
  { journal }: Pick<Environment, 'journal'>,
  from: Position,
): { readonly entries: readonly Buffer[]; readonly position: Position } | null {
  const stored = journal.get(sequenceKey(from.sequence));
  if (stored !== undefined && !hashOf(stored).startsWith(from.hash)) return null;
  const entries: Buffer[] = [];
  let size = 0;
  let sequence = from.sequence;
  for (const { value } of journal.getRange({ start: sequenceKey(from.sequence + 1) })) {
    const entry = decodeEntry(value);
    const isNext = entry.sequence === sequence + 1;
    const isLinked = entries.length > 0 || entry.previousHash.toString('hex').startsWith(from.hash);
    if (!isNext || !isLinked) return null;
    entries.push(value);
    sequence = entry.sequence;
    size += value.length;
    if (size >= MAX_SEGMENT) break;
  }
  const last = entries.at(-1);
  return { entries, position: last === undefined ? from : { sequence, hash: hashOf(last) } };
}

const hashOf = (entry: Buffer): string => hashEntry(entry).toString('hex');

export function segmentName(entries: readonly Buffer[], isEncrypted: boolean): string {
  const [first, last] = [decodeEntry(entries[0]), decodeEntry(entries[entries.length - 1])];
  const sequence = (n: number): string => String(n).padStart(12, '0');
  const time = (ms: number): string => ms.toString(16).padStart(12, '0');
  const hashes = [first.previousHash.toString('hex'), hashOf(entries[entries.length - 1])];
  const parts = [sequence(first.sequence), sequence(last.sequence), time(first.time), time(last.time)];
  return `${SEGMENTS}${[...parts, ...hashes.map((hash) => hash.slice(0, 16))].join('-')}.entries${isEncrypted ? ENCRYPTED : ''}`;
}

export async function* encodeSegment(entries: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  const sum = createHash('sha256').update(MAGIC);
  yield MAGIC;
  for (const entry of [...entries, END]) {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(entry.length);
    sum.update(length).update(entry);
    yield Buffer.concat([length, entry]);
  }
  yield sum.digest();
}

const END = Buffer.alloc(0);

/** Throws InvalidError `damaged_segment`. */
export function decodeSegment(bytes: Buffer, name: string): Buffer[] {
  const damaged = new InvalidError('damaged_segment', `The copy of changes ${name} is damaged.`);
  const end = bytes.length - 32;
  if (end < MAGIC.length || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw damaged;
  const sum = createHash('sha256').update(bytes.subarray(0, end)).digest();
  if (!sum.equals(bytes.subarray(end))) throw damaged;
  const entries: Buffer[] = [];
  for (let at = MAGIC.length; ; ) {
    const length = bytes.readUInt32BE(at);
    if (length === 0) return entries;
    entries.push(bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
}

/** Verifies the hash chain of consecutive entries. Throws InvalidError. */
export class EntryChain {
  constructor(private position: { readonly sequence: number; readonly hash: Buffer }) {}

  get sequence(): number {
    return this.position.sequence;
  }

  get hash(): Buffer {
    return this.position.hash;
  }

  /** Null: an entry up to the position, which is skipped. */
  next(bytes: Buffer): Entry | null {
    const entry = decodeEntry(bytes);
    const { sequence, hash } = this.position;
    if (entry.sequence <= sequence) return null;
    if (entry.sequence !== sequence + 1 || !entry.previousHash.equals(hash))
      throw new InvalidError(
        'broken_chain',
        `Change ${entry.sequence} does not follow change ${sequence}: they are of different histories, or changes between them are missing.`,
      );
    this.position = { sequence: entry.sequence, hash: hashEntry(bytes) };
    return entry;
  }
}

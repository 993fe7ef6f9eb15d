/**
 * After a start: the index of what earlier processes left on the disk, made in the background by one thread, a segment at a time. What it has not come to yet is a miss. Of
 * several entries of a URL the one that came last counts, and none that a tombstone is for.
 */
import { open as openFile } from 'node:fs/promises';
import type { DiskIndex } from './disk-index.ts';
import { WITH_HEAD } from './disk-reader.ts';
import { FILE_HEAD, TOMBSTONE } from './disk-writer.ts';
import { type DiskPlace, type Entry, headLengthAt, isAlone, isSealed, MAX_HEAD, readHead, saltOf } from './entry.ts';
import type { KeyHash } from './key-hash.ts';
import { LARGE_END, LARGE_HEAD } from './large-file.ts';
import { fileOf, type SegmentFiles } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';

const WINDOW = 2 * MAX_HEAD;

export interface LoadOptions {
  readonly folder: string;
  readonly secret: number;
  readonly hash: KeyHash;
  readonly index: DiskIndex;
  readonly segments: SegmentTable;
  readonly files: SegmentFiles;
  /** The sequence of the last removal in this process. */
  removedAt(a: number): number;
  isStopped(): boolean;
}

/** What is known of the entry that a slot points at. */
interface Found {
  readonly times: Float64Array;
  readonly marks: Float64Array;
  /** URL (some 53 bits of its hash; two that share them are a miss) ─► mark of its tombstone. */
  readonly graves: Map<number, number>;
}

/** Resolves when all segments are read. */
export async function loadDisk(options: LoadOptions): Promise<void> {
  const { segments, index, files } = options;
  const { slots } = index;
  const found: Found = { times: new Float64Array(slots), marks: new Float64Array(slots), graves: new Map() };
  // The newest first: they are the likeliest to be asked for, and a tombstone is in a newer segment than what it is for.
  for (let segment = segments.first - 1; segment >= segments.oldest; segment--) {
    if (options.isStopped()) return;
    const isOne = await readSegment(options, segment, (entry, place) => take(options, found, entry, place)).catch(
      () => false,
    );
    if (isOne || !segments.isLive(segment)) continue;
    segments.resize(segment, 0);
    files.remove([segment]);
  }
  segments.setLoaded();
}

/** One entry that was found. */
function take(options: LoadOptions, found: Found, { head, frame }: Entry, place: DiskPlace): void {
  const { index, segments, hash, removedAt } = options;
  const { times, marks, graves } = found;
  const { a, b } = hash.of(head.domainId, head.key);
  const grave = a + (b & 0x1fffff) * 2 ** 32;
  const known = index.find(a, b);
  const at = known < 0 ? undefined : index.place(known);
  // Written by this process: newer than all that is found.
  if (at !== undefined && at.segment >= segments.first) return;
  if (head.status === TOMBSTONE) {
    graves.set(grave, Math.max(frame.mark, graves.get(grave) ?? 0));
    if (at !== undefined && marks[known] < frame.mark) index.delete(a, b, at);
    return;
  }
  if (frame.mark < (graves.get(grave) ?? 0) || removedAt(a) > 0) return;
  if (at !== undefined && !isNewer(head.responseTime, place.segment, times[known], at.segment)) return;
  const slot = index.add(a, b, place, isAlone(head.selecting, frame.siblings), segments.oldest);
  if (slot < 0) return;
  times[slot] = head.responseTime;
  marks[slot] = frame.mark;
  if (removedAt(a) > 0) index.delete(a, b, place);
}

const isNewer = (time: number, segment: number, thanTime: number, thanSegment: number): boolean =>
  time > thanTime || (time === thanTime && segment >= thanSegment);

/** Tells of each entry that is whole. False: no segment of ours. */
async function readSegment(
  { folder, secret }: LoadOptions,
  segment: number,
  onEntry: (entry: Entry, place: DiskPlace) => void,
): Promise<boolean> {
  const file = await openFile(fileOf(folder, segment), 'r');
  try {
    const { size } = await file.stat();
    const salt = saltOf(secret, segment);
    const read = async (offset: number, length: number): Promise<Buffer> => {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    };
    const kind = await read(0, FILE_HEAD.length);
    if (kind.equals(LARGE_HEAD)) return await readLarge(read, size, segment, salt, onEntry);
    if (!kind.equals(FILE_HEAD)) return false;
    for (let offset = FILE_HEAD.length; offset < size; ) {
      const bytes = await read(offset, WINDOW);
      offset += readWindow(bytes, offset, offset + bytes.length >= size, segment, salt, onEntry);
      if (bytes.length === 0) break;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** Returns how many bytes are done with. */
function readWindow(
  bytes: Buffer,
  offset: number,
  isLast: boolean,
  segment: number,
  salt: number,
  onEntry: (entry: Entry, place: DiskPlace) => void,
): number {
  let at = 0;
  // The longest head has to be in the window whole, but for the end of the file.
  const end = isLast ? bytes.length : bytes.length - MAX_HEAD;
  while (at < end) {
    const length = headLengthAt(bytes, at);
    // Behind damage the next entry is looked for; bodies cannot pass for one (`saltOf`).
    if (length === 0 || !isSealed(bytes, at, salt)) {
      at += 8;
      continue;
    }
    const entry = readHead(bytes, at);
    const size = dataOf(entry);
    const isHere = entry.frame.place.segment === segment && entry.frame.place.offset === offset + at;
    const first = length + (size <= WITH_HEAD ? size : 0);
    if (isHere) onEntry(entry, { segment, offset: offset + at, length: first });
    const isBehind = entry.frame.data.segment === segment && entry.frame.data.offset === offset + at + length;
    at += (length + (isBehind ? size : 0) + 7) & ~7;
  }
  return at;
}

async function readLarge(
  read: (offset: number, length: number) => Promise<Buffer>,
  size: number,
  segment: number,
  salt: number,
  onEntry: (entry: Entry, place: DiskPlace) => void,
): Promise<boolean> {
  const end = await read(Math.max(0, size - 16), 16);
  if (end.length < 16 || !end.subarray(0, 8).equals(LARGE_END)) return false;
  const offset = end.readUInt32LE(8) * 8;
  const length = end.readUInt32LE(12);
  if (length > MAX_HEAD || offset + length + 16 !== size) return false;
  const bytes = await read(offset, length);
  if (!isSealed(bytes, 0, salt)) return false;
  onEntry(readHead(bytes, 0), { segment, offset, length });
  return true;
}

function dataOf({ frame }: Entry): number {
  return frame.codings.reduce((sum, { length }) => sum + length, frame.bodyLength);
}

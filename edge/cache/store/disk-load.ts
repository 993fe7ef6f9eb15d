/**
 * Rebuilds the index of the disk after a start. One thread reads the segments of earlier processes
 * in the background, one at a time. An entry that is not indexed yet is a miss. If a URL has
 * several entries, the latest is indexed, unless a tombstone voids it.
 */
import { open as openFile } from 'node:fs/promises';
import type { DiskIndex } from './disk-index.ts';
import { type DiskReader, READ_WITH_HEAD_BYTES } from './disk-reader.ts';
import { FILE_HEAD, TOMBSTONE } from './disk-writer.ts';
import {
  type DiskLocation,
  type Entry,
  headLengthAt,
  isSealed,
  isSingleEntry,
  MAX_HEAD,
  readHead,
  saltOf,
} from './entry.ts';
import type { KeyHash } from './key-hash.ts';
import { LARGE_END, LARGE_HEAD } from './large-file.ts';
import { fileOf, type SegmentFiles } from './segment-files.ts';
import type { SegmentTable } from './segment-table.ts';

const WINDOW = 2 * MAX_HEAD;

interface LoadOptions {
  readonly folder: string;
  readonly secret: number;
  readonly hash: KeyHash;
  readonly index: DiskIndex;
  readonly segments: SegmentTable;
  readonly files: SegmentFiles;
  readonly reader: Pick<DiskReader, 'noteDamage'>;
  /** The sequence of the last removal in this process. */
  removedAt(a: number): number;
  isStopped(): boolean;
}

/** Data that is not in the index: response times and marks by slot, and tombstones. */
interface LoadState {
  readonly times: Float64Array;
  readonly marks: Float64Array;
  /** Mark of a tombstone by URL, as 53 bits of its hash. A collision is a miss. */
  readonly tombstones: Map<number, number>;
}

/** Resolves when all segments are read. */
export async function loadDisk(options: LoadOptions): Promise<void> {
  const { segments, index, files, reader } = options;
  const { slots } = index;
  const state: LoadState = { times: new Float64Array(slots), marks: new Float64Array(slots), tombstones: new Map() };
  // Newest segments first: their entries are requested most, and a tombstone is never in an older
  // segment than the entries that it voids.
  for (let segment = segments.first - 1; segment >= segments.oldest; segment--) {
    if (options.isStopped()) return;
    const isSegment = await readSegment(options, segment, (entry, location) =>
      indexEntry(options, state, entry, location),
    ).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') reader.noteDamage({ segment });
      return false;
    });
    if (isSegment || !segments.isLive(segment)) continue;
    segments.resize(segment, 0);
    files.remove([segment]);
  }
  segments.setLoaded();
}

/** Indexes one entry of a segment. */
function indexEntry(options: LoadOptions, state: LoadState, { head, frame }: Entry, location: DiskLocation): void {
  const { index, segments, hash, removedAt } = options;
  const { times, marks, tombstones } = state;
  const { a, b } = hash.of(head.domainId, head.key);
  const urlHash = a + (b & 0x1fffff) * 2 ** 32;
  const existing = index.find(a, b);
  const existingLocation = existing < 0 ? undefined : index.locationOf(existing);
  // This process wrote the indexed entry, so it is newer than any entry of this scan.
  if (existingLocation !== undefined && existingLocation.segment >= segments.first) return;
  if (head.status === TOMBSTONE) {
    tombstones.set(urlHash, Math.max(frame.mark, tombstones.get(urlHash) ?? 0));
    if (existingLocation !== undefined && marks[existing] < frame.mark) index.delete(a, b, existingLocation);
    return;
  }
  if (frame.mark < (tombstones.get(urlHash) ?? 0) || removedAt(a) > 0) return;
  if (
    existingLocation !== undefined &&
    !isNewer(head.responseTime, location.segment, times[existing], existingLocation.segment)
  )
    return;
  const slot = index.add(a, b, location, isSingleEntry(head.selecting, frame.siblings), segments.oldest);
  if (slot < 0) return;
  times[slot] = head.responseTime;
  marks[slot] = frame.mark;
  if (removedAt(a) > 0) index.delete(a, b, location);
}

const isNewer = (time: number, segment: number, thanTime: number, thanSegment: number): boolean =>
  time > thanTime || (time === thanTime && segment >= thanSegment);

/** Calls `onEntry` for each intact entry, and notes damage. False: not a segment file. */
async function readSegment(
  { folder, secret, reader }: LoadOptions,
  segment: number,
  onEntry: (entry: Entry, location: DiskLocation) => void,
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
    const noteDamage = (): unknown => reader.noteDamage({ segment });
    if (kind.equals(LARGE_HEAD)) return await readLarge(read, size, segment, salt, onEntry, noteDamage);
    if (!kind.equals(FILE_HEAD)) {
      // A file that was just created may have no header yet.
      if (kind.length === FILE_HEAD.length) noteDamage();
      return false;
    }
    // Unreadable bytes up to the next entry count once: the number of lost entries is unknown.
    let isInDamage = false;
    const scan = {
      onEntry(entry: Entry, location: DiskLocation) {
        isInDamage = false;
        onEntry(entry, location);
      },
      onDamage() {
        if (!isInDamage) noteDamage();
        isInDamage = true;
      },
    };
    for (let offset = FILE_HEAD.length; offset < size; ) {
      const bytes = await read(offset, WINDOW);
      offset += readWindow(bytes, offset, offset + bytes.length >= size, segment, salt, scan);
      if (bytes.length === 0) break;
    }
    return true;
  } finally {
    await file.close();
  }
}

/** Returns the number of processed bytes. */
function readWindow(
  bytes: Buffer,
  offset: number,
  isLast: boolean,
  segment: number,
  salt: number,
  { onEntry, onDamage }: { onEntry(entry: Entry, location: DiskLocation): void; onDamage(): void },
): number {
  let at = 0;
  // The longest possible head must fit in the window, except at the end of the file.
  const end = isLast ? bytes.length : bytes.length - MAX_HEAD;
  while (at < end) {
    const length = headLengthAt(bytes, at);
    // After damage the scan searches for the next head. A body cannot imitate one (`saltOf`).
    if (length === 0 || !isSealed(bytes, at, salt)) {
      onDamage();
      at += 8;
      continue;
    }
    const entry = readHead(bytes, at);
    const size = dataLengthOf(entry);
    const isAtOwnLocation = entry.frame.location.segment === segment && entry.frame.location.offset === offset + at;
    const firstRead = length + (size <= READ_WITH_HEAD_BYTES ? size : 0);
    if (isAtOwnLocation) onEntry(entry, { segment, offset: offset + at, length: firstRead });
    else onDamage();
    const hasDataBehind = entry.frame.data.segment === segment && entry.frame.data.offset === offset + at + length;
    at += (length + (hasDataBehind ? size : 0) + 7) & ~7;
  }
  return at;
}

async function readLarge(
  read: (offset: number, length: number) => Promise<Buffer>,
  size: number,
  segment: number,
  salt: number,
  onEntry: (entry: Entry, location: DiskLocation) => void,
  noteDamage: () => void,
): Promise<boolean> {
  const end = await read(Math.max(0, size - 16), 16);
  // Without its end, the file was not finished when the process ended.
  if (end.length < 16 || !end.subarray(0, 8).equals(LARGE_END)) return false;
  const offset = end.readUInt32LE(8) * 8;
  const length = end.readUInt32LE(12);
  const isAtEnd = length <= MAX_HEAD && offset + length + 16 === size;
  const bytes = isAtEnd ? await read(offset, length) : Buffer.alloc(0);
  if (!isAtEnd || !isSealed(bytes, 0, salt)) {
    noteDamage();
    return false;
  }
  onEntry(readHead(bytes, 0), { segment, offset, length });
  return true;
}

function dataLengthOf({ frame }: Entry): number {
  return frame.codings.reduce((sum, { length }) => sum + length, frame.bodyLength);
}

/**
 * Opens a package and checks all of it once: structure, names, and the content of every entry.
 * First reads the archive into memory, bounded by its limit. So later reads return the checked
 * bytes.
 */
import { open } from 'node:fs/promises';
import { crc32, inflateRawSync } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import type { PackageContent, PackageFile } from '../content.ts';
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import { type Entry, readCentralDirectory } from './central-directory.ts';
import { findDirectory } from './end-record.ts';
import type { PackageLimits } from './limits.ts';
import { descriptorFits, type Extent, kindOf, readLocalHeader, readName } from './local-header.ts';
import { isAppleDouble, Names } from './names.ts';
import { archiveFormat } from './nested.ts';
import { Budget, canUnpack, DEFLATE } from './packing.ts';

const LARGEST_CHUNK = 1 << 20;
const SMALLEST_CHUNK = 64;

/**
 * Unpacked bytes kept in memory. Small packages are unpacked once. In larger packages, each read of
 * the remaining files unpacks them unpackAgain.
 */
const CACHE_BYTES = 8 << 20;

/**
 * Undefined: not a ZIP archive, or it exceeds the limits; a finding has the reason. Throws file
 * system errors.
 */
export async function openArchive(
  path: string,
  limits: PackageLimits,
  findings: Findings,
): Promise<PackageContent | undefined> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    if (size > limits.archiveBytes) {
      findings.add('archive_too_large', PACKAGE, `The archive has ${size} bytes; ${limits.archiveBytes} are allowed.`);
      return;
    }
    // readFile would continue for as long as the file grows.
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(size), 0, size, 0);
    return await openArchiveBytes(buffer.subarray(0, bytesRead), limits, findings);
  } finally {
    await file.close();
  }
}

/** As `openArchive`, for an archive in memory. The caller must not modify `bytes`. */
export async function openArchiveBytes(
  bytes: Buffer,
  limits: PackageLimits,
  findings: Findings,
): Promise<PackageContent | undefined> {
  const before = findings.summary().errors;
  const directory = findDirectory(bytes, findings);
  if (directory === undefined) return;
  const entries = readCentralDirectory(bytes, directory, limits, findings);
  if (entries === undefined) return;

  const names = new Names(limits, findings);
  const found = entries.map((entry) => inspectEntry(entry, names, findings));
  names.finish();
  const placed = found.flatMap(({ entry, shown }): Placed[] => {
    const extent = readLocalHeader(bytes, entry, directory.start, shown, findings);
    return extent === undefined ? [] : [{ entry, shown, ...extent }];
  });
  const complete = placed.length === entries.length;
  const sound = checkLayout(bytes, placed, complete, directory.start, findings);
  // Readers may disagree on an archive that is already faulty.
  if (findings.summary().errors === before)
    await checkAgreement(bytes.subarray(0, directory.archiveEnd), entries, placed, findings);

  const placeOf = new Map(placed.filter((located) => sound.has(located)).map((located) => [located.entry, located]));
  const budget = new Budget(limits, findings);
  let left = CACHE_BYTES;
  const files = new Map<string, PackageFile>();
  for (const { entry, shown, path, unpacks, isFile } of found) {
    const located = budget.allows(entry, shown) && unpacks ? placeOf.get(entry) : undefined;
    const content = located && verify(bytes, located, findings);
    if (path === undefined) continue;
    // Valid, but only relevant to the system that packed it.
    if (content !== undefined && isAppleDouble(path, content)) continue;
    const format = content && archiveFormat(path, content);
    if (format !== undefined) findings.add('archive_nested', wholeFile(shown), `It is ${format}.`);
    if (!isFile) continue;
    // An unreadable file is listed as well, so that it is not reported as missing.
    const isKept = content !== undefined && content.length <= left;
    if (isKept) left -= content.length;
    // Closures must not capture `content`, which would keep it in memory.
    const isReadable = content !== undefined;
    const unpackAgain = async () => (isReadable && located !== undefined ? contentOf(bytes, located) : undefined);
    const read = isKept ? returning(content) : unpackAgain;
    files.set(path, { path, size: entry.size, read });
  }
  budget.finish();
  return { files, close: async () => {} };
}

interface Found {
  readonly entry: Entry;
  readonly shown: string;
  /** Undefined: the path is not valid in a package. */
  readonly path: string | undefined;
  readonly unpacks: boolean;
  readonly isFile: boolean;
}

/** Checks the directory entry itself. */
function inspectEntry(entry: Entry, names: Names, findings: Findings): Found {
  const name = readName(entry, findings);
  const kind = kindOf(entry, name.shown, findings);
  const slash = name.path?.endsWith('/') ?? false;
  const path = slash ? name.path?.slice(0, -1) : name.path;
  const accepted = path !== undefined && names.accept(path, slash);
  if (entry.commentLength > 0)
    findings.add('archive_comment', wholeFile(name.shown), `It has a comment of ${entry.commentLength} bytes.`);
  if (entry.disk !== 0)
    findings.add('archive_multi_disk', wholeFile(name.shown), `It begins in part ${entry.disk} of the archive.`);
  return {
    entry,
    shown: name.shown,
    path: accepted ? path : undefined,
    unpacks: canUnpack(entry, name.shown, findings) && kind !== undefined,
    isFile: kind !== 'folder',
  };
}

/** Undefined: damaged; a finding is added. */
function verify(bytes: Buffer, located: Placed, findings: Findings): Buffer | undefined {
  const content = unpack(bytes, located);
  if (Buffer.isBuffer(content)) return content;
  findings.add(content.code, wholeFile(located.shown), content.message);
  return undefined;
}

const returning = (content: Buffer) => async () => content;

function contentOf(bytes: Buffer, located: Placed): Buffer | undefined {
  const content = unpack(bytes, located);
  return Buffer.isBuffer(content) ? content : undefined;
}

/**
 * Checks that a second reader, yauzl, finds the same entries at the same offsets. An archive that
 * two readers read differently may be made to bypass one of them.
 *
 * `bytes`: the archive without trailing data, which yauzl treats as damage. `placed`: entries with
 * their local headers, in directory order.
 */
export async function checkAgreement(
  bytes: Buffer,
  entries: readonly Entry[],
  placed: readonly Placed[],
  findings: Findings,
): Promise<boolean> {
  try {
    // Names are compared as bytes. Other modules check names and sizes.
    const other = await fromBufferPromise(bytes, { decodeStrings: false, validateEntrySizes: false });
    const byEntry = new Map(placed.map((located) => [located.entry, located]));
    let n = 0;
    for await (const theirs of other.eachEntry()) {
      const ours = entries[n++];
      const same =
        ours?.name.equals(theirs.fileNameRaw) &&
        ours.method === theirs.compressionMethod &&
        ours.crc === theirs.crc32 &&
        ours.size === theirs.uncompressedSize &&
        ours.compressedSize === theirs.compressedSize &&
        ours.offset === theirs.relativeOffsetOfLocalHeader;
      const where = ours === undefined ? undefined : byEntry.get(ours)?.dataStart;
      const header =
        where === undefined ? undefined : await other.readLocalFileHeaderPromise(theirs, { minimal: true });
      if (!same || header?.fileDataStart !== where) return disagree(findings, `on file ${n} of the directory`);
    }
    return n === entries.length || disagree(findings, 'on the number of files');
  } catch (error) {
    return disagree(findings, `since one reads: ${(error as Error).message}`);
  }
}

function disagree(findings: Findings, about: string): false {
  findings.add('archive_unreadable', PACKAGE, `Two readers do not agree on this archive, ${about}.`);
  return false;
}

interface Damage {
  readonly code: 'archive_crc' | 'archive_damaged';
  readonly message: string;
}

/**
 * Unpacks an entry with Node's zlib, from the bytes that this reader and yauzl agree on.
 * yauzl's stream checks no CRC and ignores bytes after the end of deflated data,
 * which could hide a second content. Returns at most the declared size, which was checked against
 * the limits.
 */
function unpack(bytes: Buffer, { entry, dataStart, dataEnd }: Placed): Buffer | Damage {
  const data = bytes.subarray(dataStart, dataEnd);
  const content = entry.method === DEFLATE ? inflate(data, entry.size) : data;
  if (typeof content === 'string') return { code: 'archive_damaged', message: content };
  if (crc32(content) !== entry.crc)
    return { code: 'archive_crc', message: 'Its content has another CRC than declared.' };
  return content;
}

/** A string: the fault of the data. */
function inflate(data: Buffer, size: number): Buffer | string {
  const chunkSize = Math.min(Math.max(size, SMALLEST_CHUNK), LARGEST_CHUNK);
  try {
    // With `info` the result has the engine, whose `bytesWritten` is the number of bytes consumed.
    const { buffer, engine } = inflateRawSync(data, {
      info: true,
      maxOutputLength: Math.max(size, 1),
      chunkSize,
    }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
    if (buffer.length !== size) return `It unpacks to ${buffer.length} bytes, but declares ${size}.`;
    const left = data.length - engine.bytesWritten;
    return left === 0 ? buffer : `${left} bytes follow the end of its deflated data.`;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      return `It unpacks to more than the ${size} bytes that it declares.`;
    return `Its deflated data cannot be unpacked (${(error as Error).message}).`;
  }
}

interface Placed extends Extent {
  readonly entry: Entry;
  readonly shown: string;
}

/**
 * Checks that entries follow each other from the first byte to the directory, without overlaps or
 * gaps. Returns the entries without faults. `complete`: no entry is missing, so a gap belongs to no
 * entry.
 */
function checkLayout(
  bytes: Buffer,
  placed: readonly Placed[],
  complete: boolean,
  directoryStart: number,
  findings: Findings,
): ReadonlySet<Placed> {
  const sound = new Set(placed);
  const inOrder = placed.toSorted((a, b) => a.entry.offset - b.entry.offset || a.dataEnd - b.dataEnd);
  const first = inOrder[0]?.entry.offset ?? directoryStart;
  if (complete && first > 0) findings.add('archive_prepended_data', PACKAGE, `${first} bytes precede the first file.`);
  // The previous entry with the highest end, since entries may contain each other.
  let farthest: Placed | undefined;
  for (const [n, located] of inOrder.entries()) {
    if (farthest !== undefined && located.entry.offset < farthest.dataEnd) {
      sound.delete(located);
      sound.delete(farthest);
      findings.add(
        'archive_overlap',
        wholeFile(located.shown),
        `It shares bytes of the archive with ${farthest.shown}.`,
      );
    }
    if (farthest === undefined || located.dataEnd >= farthest.dataEnd) farthest = located;
    const next = inOrder[n + 1]?.entry.offset ?? directoryStart;
    // The next iteration reports the overlap.
    if (farthest !== located || next < located.dataEnd) continue;
    const gap = bytes.subarray(located.dataEnd, next);
    if (descriptorFits(gap, located.entry)) continue;
    if ((located.entry.flags & 8) !== 0) {
      sound.delete(located);
      findings.add(
        'archive_data_descriptor',
        wholeFile(located.shown),
        'No data descriptor with the sizes and the CRC of the directory follows its data.',
      );
    } else if (complete)
      findings.add('archive_hidden_data', wholeFile(located.shown), `${gap.length} bytes behind it belong to no file.`);
  }
  return sound;
}

/**
 * Opens a package and checks all of it once: structure, names, and the content of every entry.
 * First reads the archive into memory, bounded by its limit. So later reads return the checked
 * bytes.
 */
import { open } from 'node:fs/promises';
import type { PackageContent, PackageFile } from '../content.ts';
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import { checkAgreement } from './agreement.ts';
import { type Entry, readCentralDirectory } from './central-directory.ts';
import { findDirectory } from './end-record.ts';
import { readName } from './entry-name.ts';
import { isAppleDouble } from './junk.ts';
import { kindOf } from './kind.ts';
import { checkLayout, type Placed } from './layout.ts';
import type { PackageLimits } from './limits.ts';
import { readLocalHeader } from './local-header.ts';
import { Names } from './names.ts';
import { archiveFormat } from './nested.ts';
import { Budget, canUnpack } from './packing.ts';
import { unpack } from './unpack.ts';

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

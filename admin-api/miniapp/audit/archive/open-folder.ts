/**
 * Opens an unpacked package: a folder, with the limits and path rules of an archive. Does not
 * follow links.
 */

import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PackageContent, PackageFile } from '../content.ts';
import { type Findings, PACKAGE, wholeFile } from '../findings.ts';
import type { PackageLimits } from './limits.ts';
import { junkIn, Names, wrongPath } from './names.ts';
import { archiveFormat } from './nested.ts';
import { shown } from './shown.ts';

interface Found {
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'special';
}

/**
 * Throws file system errors for the folder. Undefined: exceeds the limits; a finding is added.
 * Leaves junk out.
 */
export async function openFolder(
  folder: string,
  limits: PackageLimits,
  findings: Findings,
): Promise<PackageContent | undefined> {
  const names = new Names(limits, findings);
  const found: Found[] = [];
  if (!(await list(folder, '', limits, names, found))) {
    const message = `The folder has more than ${limits.entries} files and folders.`;
    findings.add('archive_too_many_entries', PACKAGE, message);
    return;
  }
  const files = new Map<string, PackageFile>();
  let total = 0;
  // Sorted as in a packed archive, independent of the file system.
  for (const { path, kind } of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    const at = wholeFile(shown(path));
    if (kind === 'link') findings.add('archive_symlink', at, 'It is a link to another file.');
    else if (kind === 'special')
      findings.add('archive_special_file', at, 'It is neither a file nor a folder, but a device or the like.');
    else if (names.accept(path, kind === 'folder') && kind === 'file') {
      const content = await readBounded(join(folder, path), limits.fileBytes);
      const size = content?.length;
      total += size ?? 0;
      if (total > limits.totalBytes) break;
      const format = content && archiveFormat(path, content);
      if (size === undefined) {
        const message = `It has more than the ${limits.fileBytes} bytes that are allowed.`;
        findings.add('archive_file_too_large', at, message);
      } else if (format !== undefined) findings.add('archive_nested', at, `It is ${format}.`);
      const read = async () => (size === undefined ? undefined : readBounded(join(folder, path), limits.fileBytes));
      files.set(path, { path, size: size ?? 0, read });
    }
  }
  names.finish();
  if (total <= limits.totalBytes) return { files, close: async () => {} };
  const message = `Its files have more than the allowed ${limits.totalBytes} bytes.`;
  findings.add('archive_content_too_large', PACKAGE, message);
  return;
}

/** False: too many entries. */
async function list(
  root: string,
  below: string,
  limits: PackageLimits,
  names: Names,
  found: Found[],
): Promise<boolean> {
  for await (const entry of await opendir(join(root, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (names.isJunk(path)) continue;
    if (found.length === limits.entries) return false;
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'special';
    found.push({ path, kind });
    // Deeper paths are rejected anyway, and a file system may be endless.
    const deeper = path.split('/').length <= limits.depth + 1;
    if (kind === 'folder' && deeper && !(await list(root, path, limits, names, found))) return false;
  }
  return true;
}

/**
 * Reads files of an unpacked package. Does not follow links. Undefined: the file exceeds `most`
 * bytes, or is no longer a regular file.
 */
async function readBounded(path: string, most: number): Promise<Buffer | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stat = await file.stat();
    if (!stat.isFile() || stat.size > most) return;
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(stat.size), 0, stat.size, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Reason why a folder has no readable package file at a path. */
export interface NoFile {
  /** `path`: the path is invalid in packages, or the audit ignores it. */
  readonly why: 'path' | 'link' | 'missing' | 'too_large';
  readonly message: string;
}

/**
 * Returns the content of the file at the path. As in the audit, junk and dot files are left out, as
 * are files below dot folders.
 */
export async function readFolderFile(folder: string, path: string, limits: PackageLimits): Promise<Buffer | NoFile> {
  const wrong = wrongPath(path, limits);
  if (wrong !== undefined) return { why: 'path', message: wrong.message };
  if (junkIn(path) !== undefined || /(?:^|\/)\./.test(path))
    return { why: 'path', message: 'The audit leaves this file out of the package.' };
  const segments = path.split('/');
  try {
    for (let length = 1; length <= segments.length; length++) {
      const stat = await lstat(join(folder, ...segments.slice(0, length)));
      if (stat.isSymbolicLink()) return { why: 'link', message: 'Packages have no links.' };
      if (length < segments.length ? !stat.isDirectory() : !stat.isFile()) return MISSING;
    }
    const content = await readBounded(join(folder, path), limits.fileBytes);
    return content ?? { why: 'too_large', message: `Files have at most ${limits.fileBytes} bytes.` };
  } catch {
    return MISSING;
  }
}

const MISSING: NoFile = { why: 'missing', message: 'The package has no such file.' };

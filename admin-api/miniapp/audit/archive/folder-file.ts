/** Reads files of an unpacked package. Does not follow links. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { junkIn } from './junk.ts';
import type { PackageLimits } from './limits.ts';
import { wrongPath } from './path.ts';

/** Undefined: the file exceeds `most` bytes, or is no longer a regular file. */
export async function readBounded(path: string, most: number): Promise<Buffer | undefined> {
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

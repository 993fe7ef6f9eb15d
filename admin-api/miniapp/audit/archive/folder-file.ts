/** Files of a folder that is a package before it is packed. Links are not followed. */
import { constants } from 'node:fs';
import { lstat, open } from 'node:fs/promises';
import { join } from 'node:path';
import { junkIn } from './junk.ts';
import type { PackageLimits } from './limits.ts';
import { wrongPath } from './path.ts';

/** Undefined: it has more bytes, or has become something else since the folder was listed. */
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

/** Why a folder has no file of a package at a path. */
export interface NoFile {
  /** `path`: no package can have a file there, or the audit leaves it out. */
  readonly why: 'path' | 'link' | 'missing' | 'too_large';
  readonly message: string;
}

/**
 * The content of the file that a package of this folder has at the path. As in the audit, junk is
 * left out, and so are files whose name, or whose folder's name, begins with a dot.
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

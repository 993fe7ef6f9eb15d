/**
 * Files with a secret: readable only by their owner, and created once even if several processes
 * start at the same time.
 */
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './errors.ts';

export const keyFileError = (file: string, problem: string, cause?: unknown): ConfigError =>
  new ConfigError('bad_key_file', `The key file ${file} ${problem}`, { cause });

/**
 * Returns the text of a file; undefined if it does not exist. Throws ConfigError `bad_key_file` if
 * other users may access it, or if it cannot be read.
 */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    // The mode of the open file; its name may refer to another file by now.
    const { mode } = fstatSync(descriptor);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32')
      throw keyFileError(
        file,
        `is accessible to other users (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${file}`,
      );
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw keyFileError(file, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Creates a file, unless it exists. The text is written to a draft, synced, then linked to the
 * name. link(2) fails if the name exists. So no process reads half a key, and of two processes that
 * start at the same time both use the key of the first. Throws ConfigError `bad_key_file`.
 */
export function createPrivateFile(file: string, text: string): void {
  publishDraft(file, text, (draft) => {
    try {
      linkSync(draft, file);
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
    }
  });
}

/**
 * Creates or replaces a file. Readers find the old or the new file, complete, even if this process
 * is killed. Throws ConfigError `bad_key_file`.
 */
export function replacePrivateFile(file: string, text: string): void {
  publishDraft(file, text, (draft) => renameSync(draft, file));
}

/** `rename` gives the synced draft its final name. */
function publishDraft(file: string, text: string, rename: (draft: string) => void): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    rename(draft);
  } catch (error) {
    throw keyFileError(file, `cannot be created: ${error instanceof Error ? error.message : String(error)}`, error);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(file));
}

/**
 * Returns options with which LMDB creates a database and its lock file for their owner only,
 * regardless of the umask. Also restricts the mode of existing files from an earlier version.
 */
export function privateDatabase(path: string): { readonly path: string; readonly permissionsMode: number } {
  for (const file of [path, `${path}-lock`])
    try {
      const { mode } = statSync(file);
      if ((mode & 0o077) !== 0) chmodSync(file, mode & 0o700);
    } catch (error) {
      // The file does not exist yet. LMDB reports a file of another user and a read-only disk.
      if (!['ENOENT', 'EPERM', 'EROFS'].includes(String(codeOf(error)))) throw error;
    }
  return { path, permissionsMode: 0o600 };
}

/** A new name is durable only after its folder is synced, too. */
export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

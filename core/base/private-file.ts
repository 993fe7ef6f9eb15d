/** Files that hold a secret: readable by their owner alone, and made once though several processes may start at a time. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from './errors.ts';

export const badFile = (file: string, why: string, cause?: unknown): ConfigError =>
  new ConfigError('bad_key_file', `The key file ${file} ${why}`, { cause });

/** The text of a file, undefined when there is none. Throws ConfigError `bad_key_file` when others may use it, or it cannot be read. */
export function readPrivateFile(file: string): string | undefined {
  let descriptor: number | undefined;
  try {
    descriptor = openSync(file, 'r');
    // Of the file that is open, not of what the name leads to a moment later.
    const { mode } = fstatSync(descriptor);
    if ((mode & 0o077) !== 0 && process.platform !== 'win32')
      throw badFile(file, `is accessible to other users (mode ${(mode & 0o777).toString(8)}). Run: chmod 600 ${file}`);
    return readFileSync(descriptor, 'utf8');
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (codeOf(error) === 'ENOENT') return undefined;
    throw badFile(file, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/**
 * Makes a file, unless there is one of that name by then. Written beside, synced, then linked to its name: link(2) fails when the name is taken, so nobody
 * ever reads half a key, and of two processes that start at once both use the key of the first. Throws ConfigError `bad_key_file`.
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

/** Makes a file, or one in the place of another: whoever reads it, and whatever ends this process, there is the old one or the new one, whole. Throws ConfigError `bad_key_file`. */
export function replacePrivateFile(file: string, text: string): void {
  publishDraft(file, text, (draft) => renameSync(draft, file));
}

/** `name` gives the draft, which is on disk by then, its name. */
function publishDraft(file: string, text: string, name: (draft: string) => void): void {
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      writeSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    name(draft);
  } catch (error) {
    throw badFile(file, `cannot be created: ${error instanceof Error ? error.message : String(error)}`, error);
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(file));
}

/** A new name lasts only when its folder is on disk, too. */
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

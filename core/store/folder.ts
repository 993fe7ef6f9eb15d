import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../errors.ts';

/**
 * Makes a folder and those above it that are missing, for their owner alone. Node's own recursive way goes round for ever where the file system says ENOENT for a folder whose parent is
 * there, as /proc does. Throws ConfigError `no_folder`.
 */
export function makeFolder(folder: string): void {
  try {
    make(folder);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError('no_folder', `The folder ${folder} can't be made: ${message}.`, { cause: error });
  }
}

/** Throws what the file system does. */
function make(folder: string): void {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) make(above);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have been sooner.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

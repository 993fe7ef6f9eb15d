import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../base/errors.ts';

/**
 * Makes a folder and those above it that are missing; `mode`: for their owner alone unless it says
 * otherwise, less the umask. Node's own recursive way goes round for ever where the file system
 * says ENOENT for a folder whose parent is there, as /proc does. Throws ConfigError `no_folder`.
 */
export function makeFolder(folder: string, mode = 0o700): void {
  try {
    make(folder, mode);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError('no_folder', `Cannot create the folder ${folder}: ${message}.`, { cause: error });
  }
}

/** Throws what the file system does. */
function make(folder: string, mode: number): void {
  const above = dirname(folder);
  if (above !== folder && !existsSync(above)) make(above, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have been sooner.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

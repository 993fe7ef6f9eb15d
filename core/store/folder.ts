import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError } from '../base/errors.ts';

/**
 * Creates a folder and its missing parents. `mode`: less the umask; default: access for the owner
 * only. The recursive mode of Node.js loops forever if the file system reports ENOENT for a folder
 * whose parent exists, as /proc does. Throws ConfigError `no_folder`.
 */
export function makeFolder(folder: string, mode = 0o700): void {
  try {
    createFolder(folder, mode);
  } catch (error) {
    const { message } = error as Error;
    throw new ConfigError('no_folder', `Cannot create the folder ${folder}: ${message}.`, { cause: error });
  }
}

/** Throws the error of the file system. */
function createFolder(folder: string, mode: number): void {
  const parent = dirname(folder);
  if (parent !== folder && !existsSync(parent)) createFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it meanwhile.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

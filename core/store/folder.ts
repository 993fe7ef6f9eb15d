/** The data folder: creates it, and removes what killed processes left in it. */
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { processState } from '../os/process-state.ts';

/** Names of files that killed processes leave. The first group is the process id. */
const NAMES: readonly RegExp[] = [
  // Locks of earlier versions.
  /^waypost\.pid\.(\d+)(?:\.stale)?$/,
  // Drafts of private files (core/base/private-file.ts).
  /\.(\d+)\.[0-9a-f]{8}$/,
  // Files of backups, restores, drills and the doctor.
  /^backup\.(\d+)$/,
  /^(?:journal|drill)-(\d+)-\w+$/,
  /^doctor-(\d+)\.tmp$/,
];

/** Folders in the data folder with private files. */
const FOLDERS = ['.', 'cluster'];

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

/**
 * Removes temporary files of killed processes from the data folder: drafts and copies with a
 * process id in their names. Keeps the files of running processes, since commands may use the
 * folder at the same time.
 */
export function removeLeftovers(directory: string): void {
  for (const folder of FOLDERS)
    for (const name of namesIn(join(directory, folder))) {
      const pid = NAMES.map((pattern) => pattern.exec(name)?.[1]).find((found) => found !== undefined);
      if (pid === undefined || processState(Number(pid)) === 'running') continue;
      rmSync(join(directory, folder, name), { recursive: true, force: true });
    }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

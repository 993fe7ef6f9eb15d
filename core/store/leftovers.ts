/**
 * Removes temporary files of killed processes from the data folder: drafts and copies with a
 * process id in their names.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processState } from '../os/process-state.ts';

/** Patterns of file names. The first group is the process id. */
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

/** Keeps the files of running processes, since commands may use the folder at the same time. */
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

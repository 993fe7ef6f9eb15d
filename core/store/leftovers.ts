/**
 * Removes files that killed processes have left in the data folder: drafts and copies whose names
 * have the number of the process that makes them.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { processState } from '../os/process-state.ts';

/** Each with the number of the process as its first group. */
const NAMES: readonly RegExp[] = [
  // Locks of earlier versions.
  /^waypost\.pid\.(\d+)(?:\.stale)?$/,
  // Drafts of private files (core/base/private-file.ts).
  /\.(\d+)\.[0-9a-f]{8}$/,
  // Of backups, restores, drills and the doctor.
  /^backup\.(\d+)$/,
  /^(?:journal|drill)-(\d+)-\w+$/,
  /^doctor-(\d+)\.tmp$/,
];

/** Folders in the data folder with private files. */
const FOLDERS = ['.', 'cluster'];

/** Commands may work in the folder at the same time: what belongs to a process that runs stays. */
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

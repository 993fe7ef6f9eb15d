/**
 * Commands of the operator run as root, the service as a user of its own, to whom systemd has given
 * the data folder. What root creates there must be readable for the service.
 */
import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Gives files and folders of root in a data folder to the owner of the folder. Links are not
 * followed, and files with several names stay as they are: nothing outside can change its owner.
 */
export function adoptOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  give(folder, uid, gid);
}

function give(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || (found.isFile() && found.nlink > 1)) continue;
    if (found.uid === 0) lchownSync(path, uid, gid);
    if (found.isDirectory()) give(path, uid, gid);
  }
}

/**
 * Gives files of root in the data folder to the user of the service. Operators run commands as
 * root, and the service must be able to read the files that they create.
 */
import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Changes the owner of root's files and folders in a data folder to the owner of the folder.
 * Symbolic links are not followed, and files with several hard links are skipped, so no file
 * outside the folder can change its owner.
 */
export function adoptOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  changeOwner(folder, uid, gid);
}

function changeOwner(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || (found.isFile() && found.nlink > 1)) continue;
    if (found.uid === 0) lchownSync(path, uid, gid);
    if (found.isDirectory()) changeOwner(path, uid, gid);
  }
}

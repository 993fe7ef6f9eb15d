/**
 * A small tmpfs that a test fills up. It is mounted in a mount namespace of this process, so no
 * other process sees it. The kernel unmounts it with the last process of the namespace.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, statfsSync, writeSync } from 'node:fs';
import koffi from 'koffi';
import { removeFolder, temporaryFolder } from './temp.ts';

const CLONE_NEWNS = 0x0002_0000;
let isInNamespace = false;

/** Moves this thread into a new mount namespace, which its child processes inherit. */
function enterNamespace(): void {
  if (isInNamespace) return;
  const unshare = koffi.load(null).func('int unshare(int)');
  if (unshare(CLONE_NEWNS) !== 0) throw new Error(`no mount namespace can be made (errno ${koffi.errno()})`);
  execFileSync('mount', ['--make-rprivate', '/'], { stdio: 'pipe' });
  isInNamespace = true;
}

/**
 * Calls `use` with the folder of a new file system of `bytes` bytes. Skips and prints the reason if
 * none can be mounted. Only synchronous calls see it, since other threads are in another namespace.
 */
export async function withSmallDisk(bytes: number, use: (folder: string) => Promise<void>): Promise<void> {
  const folder = temporaryFolder('small-disk');
  try {
    enterNamespace();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], { stdio: 'pipe' });
  } catch (error) {
    console.log(`skipped: no file system can be mounted: ${(error as Error).message.trim()}`);
    removeFolder(folder);
    return;
  }
  try {
    await use(folder);
  } finally {
    execFileSync('umount', ['--lazy', folder]);
    removeFolder(folder);
  }
}

/** The file that `fill` writes. */
export const FILLER = 'filler';

/** Fills the file system until `left` bytes are free; 0: until no byte can be written. */
export function fill(folder: string, left: number): void {
  const file = openSync(`${folder}/${FILLER}`, 'a');
  try {
    for (const size of left === 0 ? [65_536, 4096, 1] : [65_536]) fillBy(file, folder, size, left);
  } finally {
    closeSync(file);
  }
}

function fillBy(file: number, folder: string, size: number, left: number): void {
  const piece = Buffer.alloc(size, 'x');
  for (;;) {
    const { bavail, bsize } = statfsSync(folder);
    if (left > 0 && bavail * bsize <= left + size) return;
    try {
      writeSync(file, piece);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      return;
    }
  }
}

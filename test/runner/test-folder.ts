/**
 * Folders for the files that tests write, in memory: a sync of a commit costs nothing there, and on
 * a disk milliseconds. What a sync promises shows only after a power failure, which no test has.
 * Under stress they are on the disk.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isStressed } from './stress.ts';

const MEMORY = '/dev/shm';
/** Not in memory: what it has outlives a start of the machine (hier(7)). */
const DISK = '/var/tmp';
/** Bytes that must be free, many times what the tests of all lanes need. */
const FREE = 4 * 2 ** 30;

/** Whether tests may use the memory: much room, and programs run there. */
function hasMemory(): boolean {
  try {
    const { bsize, bavail } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, path]) => path === MEMORY);
    if (mount === undefined || bsize * bavail < FREE) return false;
    const [, , type, options] = mount;
    return type === 'tmpfs' && !options.split(',').some((option) => option === 'noexec' || option === 'ro');
  } catch {
    return false;
  }
}

const isMemoryUsable = hasMemory();
const made = new Set<string>();

/** Files whose tests need the disk: images of machines, and daemons in a group of little memory. */
const NEEDS_DISK = /^release\/|^system\/scenario\/(unread|hold)/;

/** A new folder for the files of the process that runs `files`; undefined: it uses `TMPDIR`. */
export function testFolder(files: readonly string[]): string | undefined {
  if (process.env.TMPDIR !== undefined || files.some((file) => NEEDS_DISK.test(file))) return undefined;
  if (!isStressed() && !isMemoryUsable) return undefined;
  const folder = mkdtempSync(join(isStressed() ? DISK : MEMORY, 'waypost-tests-'));
  made.add(folder);
  return folder;
}

/** With what killed processes left in it. */
export function removeTestFolder(folder: string): void {
  made.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

export const removeTestFolders = (): void => made.forEach(removeTestFolder);
process.on('exit', removeTestFolders);

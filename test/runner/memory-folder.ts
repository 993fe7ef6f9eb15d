/**
 * Folders in memory for the files that tests write: a sync of a commit costs nothing there, and on
 * a disk milliseconds. What a sync promises shows only after a power failure, which no test has.
 */
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const PARENT = '/dev/shm';
/** Bytes that must be free, many times what the tests of all lanes need. */
const FREE = 4 * 2 ** 30;

/** Whether tests may use it: much room, and programs run there. */
function isUsable(): boolean {
  try {
    const { bsize, bavail } = statfsSync(PARENT);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, path]) => path === PARENT);
    if (mount === undefined || bsize * bavail < FREE) return false;
    const [, , type, options] = mount;
    return type === 'tmpfs' && !options.split(',').some((option) => option === 'noexec' || option === 'ro');
  } catch {
    return false;
  }
}

const usable = isUsable();
const made = new Set<string>();

/** Files whose tests need the disk: images of machines, and daemons in a group of little memory. */
const NEEDS_DISK = /^release\/|^system\/scenario\/(unread|hold)/;

/** A new folder for the `TMPDIR` of the process that runs `files`; undefined: it uses the disk. */
export function memoryFolder(files: readonly string[]): string | undefined {
  if (!usable || process.env.TMPDIR !== undefined || files.some((file) => NEEDS_DISK.test(file))) return undefined;
  const folder = mkdtempSync(join(PARENT, 'waypost-tests-'));
  made.add(folder);
  return folder;
}

/** With what killed processes left in it. */
export function removeMemoryFolder(folder: string): void {
  made.delete(folder);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

export const removeMemoryFolders = (): void => made.forEach(removeMemoryFolder);
process.on('exit', removeMemoryFolders);

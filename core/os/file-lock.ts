/**
 * flock(2) through koffi: a lock of an open file or folder. The kernel releases it when the process
 * ends for any reason. It needs no disk space.
 */
import { readFileSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import koffi from 'koffi';

const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Locks a descriptor exclusively. False: another process holds the lock. Null: the system or its
 * file system does not support such locks.
 */
export function tryLock(descriptor: number): boolean | null {
  const { EWOULDBLOCK, EINTR } = constants.errno;
  try {
    const flock = koffi.load(null).func('int flock(int, int)');
    for (;;) {
      if (flock(descriptor, LOCK_EX | LOCK_NB) === 0) return true;
      const errno = koffi.errno();
      if (errno === EWOULDBLOCK) return false;
      if (errno !== EINTR) return null;
    }
  } catch {
    return null;
  }
}

/**
 * The id of the process that holds the lock of a file or folder (proc_locks(5)); null: none, or
 * unknown.
 */
export function lockHolder(path: string): number | null {
  try {
    const { dev, ino } = statSync(path);
    // As the kernel encodes a device number for stat(2).
    const major = ((dev >>> 8) & 0xfff).toString(16).padStart(2, '0');
    const minor = ((dev & 0xff) | ((dev >>> 12) & 0xfff00)).toString(16).padStart(2, '0');
    const id = `${major}:${minor}:${ino}`;
    for (const line of readFileSync('/proc/locks', 'latin1').split('\n')) {
      const [, kind, , , pid, file] = line.split(/\s+/);
      if (kind === 'FLOCK' && file === id) return Number(pid);
    }
    return null;
  } catch {
    return null;
  }
}

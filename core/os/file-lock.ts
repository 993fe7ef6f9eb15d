/**
 * flock(2) through koffi: a lock of an open file or folder, which the kernel releases when the
 * process ends, however that happens. It needs no space on the disk.
 */
import { constants } from 'node:os';
import koffi from 'koffi';

const LOCK_EX = 2;
const LOCK_NB = 4;

/**
 * Locks a descriptor for this process alone. False: another one has the lock. Null: the system or
 * its file system has no such locks.
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

/**
 * Reserves the blocks of a file that will be mapped into memory. On a full disk, a write to a
 * mapped page without a block ends the process with SIGBUS.
 */
import { closeSync, constants as flags, openSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';

/** Bytes of a block in stat(2). */
const BLOCK = 512;

/**
 * Creates the file if it is missing, and allocates blocks for at least `bytes`. Its content is
 * kept. If the blocks exist, the file is not opened: closing a descriptor would release the locks
 * of this process on the file (fcntl(2)). Throws the error of the system, with the path.
 */
export function reserveSpace(path: string, bytes: number): void {
  const found = statSync(path, { throwIfNoEntry: false });
  const size = Math.max(bytes, found?.size ?? 0);
  if (found !== undefined && found.size === size && found.blocks * BLOCK >= size) return;
  const descriptor = openSync(path, flags.O_RDWR | flags.O_CREAT, 0o600);
  try {
    const errno = allocate(descriptor, size);
    const { ENOSPC, EDQUOT } = constants.errno;
    if (errno === ENOSPC || errno === EDQUOT) throw full(path, errno);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns an errno; 0: success. Does nothing if the call is unavailable. */
function allocate(descriptor: number, bytes: number): number {
  try {
    return koffi.load(null).func('int posix_fallocate(int, int64_t, int64_t)')(descriptor, 0, bytes) as number;
  } catch {
    return 0;
  }
}

function full(path: string, errno: number): Error {
  const code = getSystemErrorName(-errno);
  const error = new Error(`${code}: no space left on device, fallocate '${path}'`);
  return Object.assign(error, { code, errno: -errno, syscall: 'fallocate', path });
}

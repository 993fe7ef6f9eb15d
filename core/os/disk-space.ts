/** Free space of a file system, the reserve that must stay free, and blocks of mapped files. */
import { closeSync, constants as flags, openSync, statfsSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import koffi from 'koffi';

export interface DiskSpace {
  /** Bytes that this process can still write. */
  readonly free: number;
  readonly total: number;
}

/** The default reserve as a share of the file system, at most MAX_RESERVE bytes. */
const RESERVE_SHARE = 0.05;
const MAX_RESERVE = 1024 ** 3;

/** The space of the file system of a folder. Throws errors of the file system. */
export function readDiskSpace(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** The same as readDiskSpace; null: the space cannot be read. */
export function diskSpace(folder: string): DiskSpace | null {
  try {
    return readDiskSpace(folder);
  } catch {
    return null;
  }
}

/** Bytes that must stay free. `setting`: protection.disk_reserve; omitted: the default. */
export const reserveOf = ({ total }: DiskSpace, setting: number | undefined): number =>
  setting ?? Math.min(MAX_RESERVE, Math.floor(total * RESERVE_SHARE));

/** Bytes of a block in stat(2). */
const BLOCK = 512;

/**
 * Reserves the blocks of a file that will be mapped into memory. On a full disk, a write to a
 * mapped page without a block ends the process with SIGBUS. Creates the file if it is missing, and
 * allocates blocks for at least `bytes`. Its content is kept. If the blocks exist, the file is not
 * opened: closing a descriptor would release the locks of this process on the file (fcntl(2)).
 * Throws the error of the system, with the path.
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

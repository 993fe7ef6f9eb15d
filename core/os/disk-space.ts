/** Free space of a file system, and the reserve that must stay free. */
import { statfsSync } from 'node:fs';

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

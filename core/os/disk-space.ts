/** How much a file system has left, and how much of it must stay free. */
import { statfsSync } from 'node:fs';

export interface DiskSpace {
  /** Bytes that this process can still write. */
  readonly free: number;
  readonly total: number;
}

/** The default reserve: this part of the file system, at most MAX_RESERVE bytes. */
const RESERVE_SHARE = 0.05;
const MAX_RESERVE = 1024 ** 3;

/** Of the file system of a folder. Throws what the file system does. */
export function readDiskSpace(folder: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** The same; null: it cannot be read. */
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

/** The disk of the data folder. */
import { closeSync, fdatasyncSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readDiskSpace, reserveOf } from '../../../core/os/disk-space.ts';
import { type AnyCheck, check, failure, NotChecked, NotNeeded, note, ok, warning } from './check.ts';
import { type Context, rootHint } from './context.ts';
import { pathExists, quoted, size } from './machine.ts';

interface SpaceReading {
  readonly folder: string;
  readonly free: number;
  readonly total: number;
  /** Minimum free bytes: below them, the daemon rejects writes. */
  readonly reserve: number;
  /** Null: the file system does not count inodes. */
  readonly freeInodes: number | null;
}

function existingFolder({ config }: Context): string {
  if (!pathExists(config.dataDir)) throw new NotNeeded(`${config.dataDir} does not exist yet`);
  return config.dataDir;
}

export const space = check<SpaceReading>({
  id: 'disk.space',
  why: 'Below the reserve (protection.disk_reserve) the node refuses writes.',
  read(context) {
    const folder = existingFolder(context);
    const { files, ffree } = statfsSync(folder);
    const disk = readDiskSpace(folder);
    const reserve = reserveOf(disk, context.config.protection.diskReserve);
    return { folder, ...disk, reserve, freeInodes: files === 0 ? null : ffree };
  },
  judge({ folder, free, total, reserve, freeInodes }) {
    const found = `${size(free)} of ${size(total)} are free in ${folder}; the reserve is ${size(reserve)}`;
    const fix = `sudo du -xh --max-depth=1 ${quoted(folder)} | sort -h`;
    if (free < reserve) return failure(found, fix);
    if (freeInodes !== null && freeInodes < 1000) return failure(`${freeInodes} inodes are free in ${folder}`, fix);
    return free < 3 * reserve ? warning(found, fix) : ok(found);
  },
});

interface SyncReading {
  /** Duration of each write with fdatasync, in milliseconds. */
  readonly times: readonly number[];
  readonly folder: string;
}

const SYNCS = 20;
/** Time budget of the measurement, in milliseconds. */
const SYNC_MS = 3000;
const PAGE = Buffer.alloc(4096);

export const sync = check<SyncReading>({
  id: 'disk.fsync',
  why: 'Each group of writes waits for one sync of the disk.',
  read(context) {
    const folder = existingFolder(context);
    const path = join(folder, `doctor-${process.pid}.tmp`);
    const times: number[] = [];
    let file: number;
    try {
      file = openSync(path, 'wx', 0o600);
    } catch (error) {
      throw new NotChecked(`cannot write in ${folder} (${(error as NodeJS.ErrnoException).code})`, rootHint(context));
    }
    try {
      const end = performance.now() + SYNC_MS;
      for (let i = 0; i < SYNCS && performance.now() < end; i++) {
        const begin = performance.now();
        writeSync(file, PAGE, 0, PAGE.length, i * PAGE.length);
        fdatasyncSync(file);
        times.push(performance.now() - begin);
      }
    } catch (error) {
      throw new NotChecked(`cannot write in ${folder} (${(error as NodeJS.ErrnoException).code})`);
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
    return { folder, times };
  },
  judge({ times, folder }) {
    const sorted = [...times].sort((a, b) => a - b);
    const median = sorted[sorted.length >> 1];
    const slowest = sorted[sorted.length - 1];
    const found = `a sync takes ${median.toFixed(1)} ms, the slowest of ${times.length} took ${slowest.toFixed(1)} ms`;
    const fix = `iostat -x 1 5   # the disk of ${quoted(folder)}`;
    if (median > 100) return failure(found, fix);
    return median > 20 ? warning(found, fix) : ok(found);
  },
});

interface FileSystemReading {
  readonly folder: string;
  /** `f_type` of statfs(2). */
  readonly type: number;
}

/** Magic number of statfs(2) to the reason why the file system does not suit LMDB. */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'CIFS',
  4266872130: 'SMB2',
  12805120: 'Ceph',
  16914839: '9P',
  1702057286: 'FUSE',
};
const MEMORY: Readonly<Record<number, string>> = { 16914836: 'tmpfs', 2240043254: 'ramfs' };
const OVERLAY = 0x794c7630;

export const fileSystem = check<FileSystemReading>({
  id: 'disk.file_system',
  why: 'LMDB needs a local disk: network file systems can damage it, memory is lost at a restart.',
  read(context) {
    const folder = existingFolder(context);
    return { folder, type: statfsSync(folder).type >>> 0 };
  },
  judge({ folder, type }) {
    const move = 'sudo systemctl stop waypost   # then move the folder to a local disk, and set data_dir';
    if (NETWORK[type] !== undefined) return failure(`${folder} is on ${NETWORK[type]}`, move);
    if (MEMORY[type] !== undefined) return warning(`${folder} is on ${MEMORY[type]}, in memory`, move);
    if (type === OVERLAY) return note(`${folder} is in the layer of a container, which is lost with it`, move);
    return ok(`${folder} is on a local file system (0x${type.toString(16)})`);
  },
});

export const DISK_CHECKS: readonly AnyCheck[] = [space, sync, fileSystem];

/** One daemon for a data folder: a second one would write past the first one's index. */
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { makeFolder } from './folder.ts';
import { adoptOwner } from './ownership.ts';

/** Others may take and release the folder meanwhile; more rounds than this they do not. */
const ATTEMPTS = 20;

/**
 * Throws ConfigError `data_dir_in_use` when a process that lives holds the folder, `no_folder` when
 * there can be none.
 */
export function lockDirectory(directory: string): { release(): void } {
  makeFolder(directory);
  const file = join(directory, 'waypost.pid');
  // Written next to it and linked, so that nobody ever reads a lock that is half written.
  const own = `${file}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${startTime(process.pid) ?? ''}\n`, { mode: 0o600 });
  try {
    let holder = '';
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (tryLink(own, file))
        return {
          release() {
            rmSync(file, { force: true });
            adoptOwner(directory);
          },
        };
      holder = read(file);
      const [pid, started] = holder.trim().split(' ');
      if (isAlive(Number(pid), started)) break;
      takeAway(file, `${own}.stale`, holder);
    }
    throw new ConfigError(
      'data_dir_in_use',
      `The data folder ${directory} is in use by process ${holder.trim().split(' ')[0]}. Stop it, or set another folder with WAYPOST_DATA_DIR.`,
    );
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Removes the lock of a process that was killed, unless another one has put its own there since it
 * was read.
 */
function takeAway(file: string, aside: string, stale: string): void {
  try {
    renameSync(file, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (read(aside) !== stale) tryLink(aside, file);
  rmSync(aside, { force: true });
}

/** False when the file is there already. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Empty when it has gone. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Whether another process has this number. `started`: when that was; where the system tells it too,
 * it decides.
 */
export function isAlive(pid: number, started: string | undefined): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = startTime(pid);
  return now === undefined || started === undefined || now === started;
}

/**
 * Start time of a process in clock ticks since boot (proc(5), field 22); undefined where /proc does
 * not say.
 */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

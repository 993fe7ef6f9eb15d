/** One daemon for a data folder: a second one would write past the first one's index. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../errors.ts';

/** Throws ConfigError `data_dir_in_use` when a process that lives holds the folder. */
export function lockDirectory(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = join(directory, 'waypost.pid');
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, `${process.pid} ${startTime(process.pid) ?? ''}\n`, { flag: 'wx', mode: 0o600 });
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 0) throw error;
      const [pid, started] = readFileSync(file, 'utf8').trim().split(' ');
      if (isAlive(Number(pid), started))
        throw new ConfigError(
          'data_dir_in_use',
          `The data folder ${directory} is in use by process ${pid}. Stop it, or choose another with WAYPOST_DATA_DIR.`,
        );
      // Left by a process that was killed.
      rmSync(file, { force: true });
    }
  }
}

/** A process with this number may be another one by now; where the system tells when it started, that decides. */
function isAlive(pid: number, started: string | undefined): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  const now = startTime(pid);
  return now === undefined || started === undefined || now === started;
}

/** Start time of a process in clock ticks since boot (proc(5), field 22); undefined where /proc does not say. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

/** The state of a process, identified by its id and its start time. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * `exiting`: the process was killed or is exiting, but its threads may still have files open.
 * `ended`: the process does not exist, or is a zombie.
 */
type ProcessState = 'running' | 'exiting' | 'ended';

/** Flag of a thread that exits (PF_EXITING of <linux/sched.h>). */
const PF_EXITING = 4;
/** SIGKILL in the masks of pending signals. */
const KILLED = 1n << 8n;

/**
 * Indices of fields of /proc/PID/stat (proc(5)) after the name, which can contain any character.
 */
const STATE = 0;
const FLAGS = 6;
const START_TIME = 19;

/**
 * `started`: a result of `startTime`. A process with another start time is a different process, so
 * the state is `ended`. The id of this process gives `ended` too: an earlier process had the same
 * id.
 */
export function processState(pid: number, started?: string): ProcessState {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return 'ended';
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return 'ended';
  }
  const stat = readStat(pid);
  if (stat === undefined) return 'running';
  if (started !== undefined && started !== stat[START_TIME]) return 'ended';
  // The first thread may be a zombie while other threads still exit.
  if (stat[STATE] === 'Z' || stat[STATE] === 'X') return countThreads(pid) > 1 ? 'exiting' : 'ended';
  return (Number(stat[FLAGS]) & PF_EXITING) !== 0 || isKilled(pid) ? 'exiting' : 'running';
}

/** The start time in clock ticks since boot; undefined: the system does not report it. */
export const startTime = (pid: number): string | undefined => readStat(pid)?.[START_TIME];

/** Undefined: there is no /proc, or no such process. */
function readStat(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function countThreads(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/task`).length;
  } catch {
    return 0;
  }
}

/** Whether SIGKILL is pending: a process in a disk operation ends only after it. */
function isKilled(pid: number): boolean {
  try {
    const masks = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^S(?:ig|hd)Pnd:\s*([0-9a-f]+)/gm);
    return [...masks].some(([, mask]) => (BigInt(`0x${mask}`) & KILLED) !== 0n);
  } catch {
    return false;
  }
}

/** What the system knows of another process, by its number and the time of its start. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * `exiting`: it was killed or is at its end, but its threads may still have files open. `ended`: it
 * is gone, or only waits for its parent to read its exit status.
 */
type ProcessState = 'running' | 'exiting' | 'ended';

/** Flag of a thread that exits (PF_EXITING of <linux/sched.h>). */
const PF_EXITING = 4;
/** SIGKILL in the masks of pending signals. */
const KILLED = 1n << 8n;

/** Fields of proc(5)'s stat, counted behind the name, which may contain anything. */
const STATE = 0;
const FLAGS = 6;
const START_TIME = 19;

/**
 * `started`: when it was started, as `startTime` says; where the system tells it, a process that
 * started at another time is not meant. This process itself has `ended`: what it left was left by
 * an earlier one with its number.
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
  // The first thread may be a zombie while others still exit.
  if (stat[STATE] === 'Z' || stat[STATE] === 'X') return countThreads(pid) > 1 ? 'exiting' : 'ended';
  return (Number(stat[FLAGS]) & PF_EXITING) !== 0 || isKilled(pid) ? 'exiting' : 'running';
}

/** In clock ticks since boot; undefined where the system does not tell it. */
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

/** Whether SIGKILL is pending: a process that waits for a disk ends only afterwards. */
function isKilled(pid: number): boolean {
  try {
    const masks = readFileSync(`/proc/${pid}/status`, 'utf8').matchAll(/^S(?:ig|hd)Pnd:\s*([0-9a-f]+)/gm);
    return [...masks].some(([, mask]) => (BigInt(`0x${mask}`) & KILLED) !== 0n);
  } catch {
    return false;
  }
}

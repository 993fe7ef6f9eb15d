/**
 * One daemon for a data folder: a second one would write past the first one's index. The folder
 * itself is locked (flock), so a full disk does not matter, and the kernel releases the lock when
 * the process ends. `waypost.pid` names the holder for people and commands, and is all that earlier
 * versions look at.
 */
import { closeSync, constants, ftruncateSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { lockHolder, tryLock } from '../os/file-lock.ts';
import { processState, startTime } from '../os/process-state.ts';
import { makeFolder } from './folder.ts';
import { removeLeftovers } from './leftovers.ts';
import { adoptOwner } from './ownership.ts';

/** Milliseconds that a holder which was killed gets to end, such as one with much memory. */
const EXIT_MS = 10_000;
/** Milliseconds in which a holder that has just locked the folder writes its number. */
const UNNAMED_MS = 1000;
const POLL_MS = 20;

/**
 * Throws ConfigError `data_dir_in_use` when a process that lives holds the folder, `no_folder` when
 * there can be none. Waits for a holder that is about to end.
 */
export function lockDirectory(directory: string): { release(): void } {
  makeFolder(directory);
  const file = join(directory, 'waypost.pid');
  const descriptor = openSync(directory, 'r');
  try {
    takeLock(directory, descriptor);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  writeHolder(file);
  removeLeftovers(directory);
  return {
    release() {
      rmSync(file, { force: true });
      adoptOwner(directory);
      closeSync(descriptor);
    },
  };
}

function takeLock(directory: string, descriptor: number): void {
  for (const began = performance.now(); ; pause(POLL_MS)) {
    // Without such locks the file alone decides, which two starts at the same moment could pass.
    const isLocked = tryLock(descriptor) !== false;
    const holder = holderOf(directory);
    const state = holder === null ? 'ended' : processState(holder.pid, holder.started);
    // With the lock, a holder that runs is an earlier version, which has the file alone.
    if (isLocked && state === 'ended') return;
    const patience = state === 'exiting' ? EXIT_MS : state === 'ended' ? UNNAMED_MS : 0;
    if (performance.now() - began >= patience) throw inUse(directory, state === 'ended' ? null : holder);
  }
}

const inUse = (directory: string, holder: Holder | null): ConfigError =>
  new ConfigError(
    'data_dir_in_use',
    `The data folder ${directory} is in use by ${holder === null ? 'another process' : `process ${holder.pid}`}. Stop it, or set another folder with WAYPOST_DATA_DIR.`,
  );

export interface Holder {
  readonly pid: number;
  /** Undefined where the system does not tell it. */
  readonly started: string | undefined;
}

/**
 * The process that has locked a data folder; otherwise the one that `waypost.pid` names, which may
 * have ended. Null: none.
 */
export function holderOf(directory: string): Holder | null {
  const pid = lockHolder(directory);
  if (pid !== null && pid !== process.pid) return { pid, started: undefined };
  try {
    const [number, started] = readFileSync(join(directory, 'waypost.pid'), 'utf8').trim().split(' ');
    return /^\d+$/.test(number) ? { pid: Number(number), started } : null;
  } catch {
    return null;
  }
}

/** Over what a killed process has left, which needs no new block of the disk. */
function writeHolder(file: string): void {
  const text = `${process.pid} ${startTime(process.pid) ?? ''}\n`;
  try {
    const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600);
    try {
      writeSync(descriptor, text, 0);
      ftruncateSync(descriptor, text.length);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // The disk is full. The lock holds without it; only the number of the process is not known.
    rmSync(file, { force: true });
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function pause(milliseconds: number): void {
  Atomics.wait(sleeper, 0, 0, milliseconds);
}

/**
 * Ensures that a data folder has only one daemon. A second daemon would change the store without
 * updating the index of the first. The lock (flock) is on the folder, so it works on a full disk,
 * and the kernel releases it when the process ends. `waypost.pid` shows the holder to operators and
 * commands. Earlier versions check only this file.
 */
import {
  closeSync,
  constants,
  ftruncateSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../base/errors.ts';
import { lockHolder, tryLock } from '../os/file-lock.ts';
import { processState, startTime } from '../os/process-state.ts';
import { makeFolder, removeLeftovers } from './folder.ts';

/** Milliseconds to wait for a killed holder to end. Releasing much memory takes time. */
const EXIT_MS = 10_000;
/** Milliseconds to wait for a new holder of the lock to write its process id. */
const UNNAMED_MS = 1000;
const POLL_MS = 20;

/**
 * Locks the data folder, and waits for a holder that is ending. Throws ConfigError
 * `data_dir_in_use` if a running process holds the lock, `no_folder` if the folder cannot be
 * created.
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
  for (const waitStart = performance.now(); ; pause(POLL_MS)) {
    // Without flock only the file decides, and two concurrent starts may both succeed.
    const isLocked = tryLock(descriptor) !== false;
    const holder = holderOf(directory);
    const state = holder === null ? 'ended' : processState(holder.pid, holder.started);
    // If this process has the lock, a running holder is an earlier version, which only writes the
    // file.
    if (isLocked && state === 'ended') return;
    const timeout = state === 'exiting' ? EXIT_MS : state === 'ended' ? UNNAMED_MS : 0;
    if (performance.now() - waitStart >= timeout) throw inUse(directory, state === 'ended' ? null : holder);
  }
}

const inUse = (directory: string, holder: Holder | null): ConfigError =>
  new ConfigError(
    'data_dir_in_use',
    `The data folder ${directory} is in use by ${holder === null ? 'another process' : `process ${holder.pid}`}. Stop it, or set another folder with WAYPOST_DATA_DIR.`,
  );

export interface Holder {
  readonly pid: number;
  /** Undefined if the system does not report it. */
  readonly started: string | undefined;
}

/**
 * The process that has locked a data folder, or else the process in `waypost.pid`, which may have
 * ended. Null: none.
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

/** Overwrites the file of a killed process in place, which needs no new disk block. */
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
    // The disk is full. The lock works without the file, but the process id is unknown.
    rmSync(file, { force: true });
  }
}

const sleeper = new Int32Array(new SharedArrayBuffer(4));

function pause(milliseconds: number): void {
  Atomics.wait(sleeper, 0, 0, milliseconds);
}

/**
 * Changes the owner of root's files and folders in a data folder to the owner of the folder:
 * operators run commands as root, and the service must be able to read the files that they create.
 * Symbolic links are not followed, and files with several hard links are skipped, so no file
 * outside the folder can change its owner.
 */
function adoptOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  changeOwner(folder, uid, gid);
}

function changeOwner(folder: string, uid: number, gid: number): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || (found.isFile() && found.nlink > 1)) continue;
    if (found.uid === 0) lchownSync(path, uid, gid);
    if (found.isDirectory()) changeOwner(path, uid, gid);
  }
}

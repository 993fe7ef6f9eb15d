/**
 * The task file of a scheduler. A write replaces the file atomically, so a crash leaves the old or
 * the new file complete. The write has succeeded once the file's content and name are synced.
 */
import { open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Task } from './tasks.ts';

const VERSION = 1;

/** The file is unreadable, or is no list of tasks. */
export class TaskFileError extends Error {
  constructor(path: string, problem: string, cause?: unknown) {
    super(`The file of tasks ${path} ${problem}. Delete it to start without tasks.`, { cause });
    this.name = 'TaskFileError';
  }
}

/** Empty if there is no file. Throws TaskFileError. */
async function readTaskFile(path: string): Promise<readonly Task[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new TaskFileError(path, `cannot be read: ${(error as Error).message}`, error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new TaskFileError(path, 'is not JSON', error);
  }
  const { version, tasks } = (value ?? {}) as { readonly version?: unknown; readonly tasks?: unknown };
  if (version !== VERSION || !Array.isArray(tasks) || !tasks.every(isTask))
    throw new TaskFileError(path, `is not a list of tasks of version ${VERSION}`);
  return tasks.map(({ appId, taskId, id, scheduledAt, dueAt, attempts }) => ({
    appId,
    taskId,
    id,
    scheduledAt,
    dueAt,
    attempts,
  }));
}

function isTask(value: unknown): value is Task {
  if (typeof value !== 'object' || value === null) return false;
  const { appId, taskId, id, scheduledAt, dueAt, attempts } = value as Record<keyof Task, unknown>;
  const numbers = [id, scheduledAt, dueAt, attempts];
  return typeof appId === 'string' && typeof taskId === 'string' && numbers.every(Number.isSafeInteger);
}

/** Persistent storage of a scheduler's tasks. */
export interface TaskStorage {
  read(): Promise<readonly Task[]>;
  /** Replaces the stored tasks. Resolves once they are on disk. */
  write(tasks: readonly Task[]): Promise<void>;
}

/** A file, whose folder exists. */
export const taskFile = (path: string): TaskStorage => ({
  read: () => readTaskFile(path),
  write: (tasks) => writeTaskFile(path, tasks),
});

async function writeTaskFile(path: string, tasks: readonly Task[]): Promise<void> {
  const draft = `${path}.new`;
  try {
    const file = await open(draft, 'w', 0o600);
    try {
      await file.writeFile(`${JSON.stringify({ version: VERSION, tasks }, null, 1)}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/**
 * The tasks of a scheduler: pure values and what changes them. Ids of apps and tasks are any text:
 * they are values of a list and keys of maps, and neither names of files nor keys of objects.
 */
import { HostFault } from '../bridge/errors.ts';
import { LIMITS } from '../bridge/operations.ts';

export interface Task {
  readonly appId: string;
  readonly taskId: string;
  /** Rises with each call of `schedule`: a replaced task is another task. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly scheduledAt: number;
  /** Epoch milliseconds: of the next attempt. */
  readonly dueAt: number;
  /** Attempts that were begun. */
  readonly attempts: number;
}

/** Milliseconds, as WorkManager of Android has them. */
export const FIRST_BACK_OFF = 30_000;
const LONGEST_BACK_OFF = 5 * 60 * 60 * 1000;
/** Then the task is given up: more than four hours after the first attempt. */
export const MOST_ATTEMPTS = 10;

/** Between the end of a failed attempt and the next one. `attempts` counts the failed one. */
export const backOffAfter = (attempts: number): number =>
  Math.min(FIRST_BACK_OFF * 2 ** (attempts - 1), LONGEST_BACK_OFF);

/** Throws HostFault `invalid_argument`. */
export function checkTaskId(taskId: unknown): asserts taskId is string {
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > LIMITS.taskId)
    throw new HostFault('invalid_argument', `"taskId" is a string of 1 to ${LIMITS.taskId} characters.`);
}

/** The delay that counts. Throws HostFault `invalid_argument`. */
export function readDelay(delayMs: unknown): number {
  if (!Number.isInteger(delayMs) || (delayMs as number) < 0 || (delayMs as number) > LIMITS.delayMax)
    throw new HostFault('invalid_argument', `"delayMs" is an integer from 0 to ${LIMITS.delayMax}.`);
  return Math.max(delayMs as number, LIMITS.delayMin);
}

/** All tasks: of each app, by their ids. Immutable. */
export class TaskList {
  static readonly EMPTY = new TaskList(new Map(), 1);

  readonly #apps: ReadonlyMap<string, ReadonlyMap<string, Task>>;
  /** Of the next task. */
  readonly nextId: number;

  private constructor(apps: ReadonlyMap<string, ReadonlyMap<string, Task>>, nextId: number) {
    this.#apps = apps;
    this.nextId = nextId;
  }

  static of(tasks: readonly Task[]): TaskList {
    const apps = new Map<string, Map<string, Task>>();
    let nextId = 1;
    for (const task of tasks) {
      const own = apps.get(task.appId) ?? new Map<string, Task>();
      apps.set(task.appId, own.set(task.taskId, task));
      nextId = Math.max(nextId, task.id + 1);
    }
    return new TaskList(apps, nextId);
  }

  get(appId: string, taskId: string): Task | undefined {
    return this.#apps.get(appId)?.get(taskId);
  }

  countOf(appId: string): number {
    return this.#apps.get(appId)?.size ?? 0;
  }

  /** The next ones first; of equal ones, those that were scheduled first. */
  all(): readonly Task[] {
    const tasks = [...this.#apps.values()].flatMap((own) => [...own.values()]);
    return tasks.sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
  }

  /** In place of the task of the same ids. Throws HostFault `quota_exceeded`. */
  withScheduled(appId: string, taskId: string, now: number, delay: number): TaskList {
    if (this.get(appId, taskId) === undefined && this.countOf(appId) >= LIMITS.tasks)
      throw new HostFault('quota_exceeded', `The limit of an app is ${LIMITS.tasks} scheduled tasks.`);
    return this.with({ appId, taskId, id: this.nextId, scheduledAt: now, dueAt: now + delay, attempts: 0 });
  }

  with(task: Task): TaskList {
    const own = new Map(this.#apps.get(task.appId)).set(task.taskId, task);
    return new TaskList(new Map(this.#apps).set(task.appId, own), Math.max(this.nextId, task.id + 1));
  }

  without(appId: string, taskId: string): TaskList {
    const own = new Map(this.#apps.get(appId));
    own.delete(taskId);
    const apps = new Map(this.#apps);
    if (own.size === 0) apps.delete(appId);
    else apps.set(appId, own);
    return new TaskList(apps, this.nextId);
  }

  withoutApp(appId: string): TaskList {
    const apps = new Map(this.#apps);
    apps.delete(appId);
    return new TaskList(apps, this.nextId);
  }
}

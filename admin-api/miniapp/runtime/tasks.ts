/**
 * The tasks of a scheduler, as immutable values. Ids of apps and tasks are any text. So they are
 * only list values and map keys, never file names or object keys.
 */
import { HostFault } from '../bridge/errors.ts';
import { LIMITS } from '../bridge/operations.ts';

export interface Task {
  readonly appId: string;
  readonly taskId: string;
  /** Increases with each call of `schedule`: a replacement has a new id. */
  readonly id: number;
  /** Epoch milliseconds. */
  readonly scheduledAt: number;
  /** Epoch milliseconds of the next attempt. */
  readonly dueAt: number;
  /** Number of started attempts. */
  readonly attempts: number;
}

/** Milliseconds, as in Android's WorkManager. */
export const FIRST_BACK_OFF = 30_000;
const LONGEST_BACK_OFF = 5 * 60 * 60 * 1000;
/** The task is then given up, more than four hours after the first attempt. */
export const MOST_ATTEMPTS = 10;

/** Delay from the end of a failed attempt to the next one. `attempts` includes the failed one. */
export const backOffAfter = (attempts: number): number =>
  Math.min(FIRST_BACK_OFF * 2 ** (attempts - 1), LONGEST_BACK_OFF);

/** Throws HostFault `invalid_argument`. */
export function checkTaskId(taskId: unknown): asserts taskId is string {
  if (typeof taskId !== 'string' || taskId === '' || taskId.length > LIMITS.taskId)
    throw new HostFault('invalid_argument', `"taskId" is a string of 1 to ${LIMITS.taskId} characters.`);
}

/** The delay, raised to the minimum. Throws HostFault `invalid_argument`. */
export function readDelay(delayMs: unknown): number {
  if (!Number.isInteger(delayMs) || (delayMs as number) < 0 || (delayMs as number) > LIMITS.delayMax)
    throw new HostFault('invalid_argument', `"delayMs" is an integer from 0 to ${LIMITS.delayMax}.`);
  return Math.max(delayMs as number, LIMITS.delayMin);
}

/** All tasks, by app and task id. Immutable. */
export class TaskList {
  static readonly EMPTY = new TaskList(new Map(), 1);

  private constructor(
    private readonly apps: ReadonlyMap<string, ReadonlyMap<string, Task>>,
    /** Of the next task. */
    readonly nextId: number,
  ) {}

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
    return this.apps.get(appId)?.get(taskId);
  }

  countOf(appId: string): number {
    return this.apps.get(appId)?.size ?? 0;
  }

  /** Sorted by due time, then by order of scheduling. */
  all(): readonly Task[] {
    const tasks = [...this.apps.values()].flatMap((own) => [...own.values()]);
    return tasks.sort((a, b) => a.dueAt - b.dueAt || a.id - b.id);
  }

  /** Replaces the task with the same ids. Throws HostFault `quota_exceeded`. */
  withScheduled(appId: string, taskId: string, now: number, delay: number): TaskList {
    if (this.get(appId, taskId) === undefined && this.countOf(appId) >= LIMITS.tasks)
      throw new HostFault('quota_exceeded', `The limit of an app is ${LIMITS.tasks} scheduled tasks.`);
    return this.with({ appId, taskId, id: this.nextId, scheduledAt: now, dueAt: now + delay, attempts: 0 });
  }

  with(task: Task): TaskList {
    const own = new Map(this.apps.get(task.appId)).set(task.taskId, task);
    return new TaskList(new Map(this.apps).set(task.appId, own), Math.max(this.nextId, task.id + 1));
  }

  without(appId: string, taskId: string): TaskList {
    const own = new Map(this.apps.get(appId));
    own.delete(taskId);
    const apps = new Map(this.apps);
    if (own.size === 0) apps.delete(appId);
    else apps.set(appId, own);
    return new TaskList(apps, this.nextId);
  }

  withoutApp(appId: string): TaskList {
    const apps = new Map(this.apps);
    apps.delete(appId);
    return new TaskList(apps, this.nextId);
  }
}

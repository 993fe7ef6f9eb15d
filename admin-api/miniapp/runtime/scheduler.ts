/**
 * Runs scheduled tasks like the work scheduler of a phone (docs/mini-apps/background.md). A task
 * stays in the file until its event succeeds or is given up, so events are delivered at least once.
 */
import { type Clock, SystemClock } from './clock.ts';
import { type BackgroundEvent, canRetry, type Failed, notRun, type Outcome } from './outcome.ts';
import type { TaskStorage } from './task-file.ts';
import { TaskStore } from './task-store.ts';
import {
  backOffAfter,
  checkTaskId,
  FIRST_BACK_OFF,
  MOST_ATTEMPTS,
  readDelay,
  type Task,
  type TaskList,
} from './tasks.ts';

export type RunEvent = (event: BackgroundEvent, signal: AbortSignal) => Promise<Outcome>;

export interface SchedulerOptions {
  readonly storage: TaskStorage;
  readonly run: RunEvent;
  readonly clock?: Clock | undefined;
  /** Maximum concurrent events, each of a different app. */
  readonly parallel?: number | undefined;
}

export type SchedulerEvent =
  /** Tasks were scheduled, replaced, cancelled or changed. */
  | { readonly type: 'tasks' }
  | { readonly type: 'started'; readonly task: Task; readonly at: number }
  | { readonly type: 'finished'; readonly task: Task; readonly at: number; readonly outcome: Outcome }
  | {
      readonly type: 'failed';
      readonly task: Task;
      readonly at: number;
      readonly outcome: Failed;
      /** Epoch milliseconds; null: there is no retry. */
      readonly retryAt: number | null;
    }
  /** The task file cannot be written; events are delayed. */
  | { readonly type: 'fault'; readonly at: number; readonly message: string };

interface Running {
  readonly task: Task;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

const PARALLEL = 4;

export class Scheduler {
  readonly #clock: Clock;
  readonly #run: RunEvent;
  readonly #parallel: number;
  readonly #listeners = new Set<(event: SchedulerEvent) => void>();
  /** By app. */
  readonly #running = new Map<string, Running>();
  #cancelAlarm: (() => void) | undefined;
  #state: 'new' | 'started' | 'closed' = 'new';
  /** Time until which no event starts, because the file could not be written. */
  #notBefore = Number.NEGATIVE_INFINITY;

  /** Reads the tasks. Nothing runs before `start`. Throws TaskFileError. */
  static async open(options: SchedulerOptions): Promise<Scheduler> {
    return new Scheduler(await TaskStore.open(options.storage), options);
  }

  private constructor(
    private readonly store: TaskStore,
    { clock, run, parallel }: SchedulerOptions,
  ) {
    this.#clock = clock ?? new SystemClock();
    this.#run = run;
    this.#parallel = parallel ?? PARALLEL;
  }

  /** Runs due tasks, including those that became due before the start. */
  start(): void {
    if (this.#state !== 'new') return;
    this.#state = 'started';
    this.#startDue();
  }

  /**
   * Resolves to the task once it is on disk. It replaces the one of the same ids. Rejects with
   * HostFault `invalid_argument` and `quota_exceeded`.
   */
  async schedule(appId: string, taskId: string, delayMs: number): Promise<Task> {
    checkTaskId(taskId);
    const delay = readDelay(delayMs);
    let task: Task | undefined;
    await this.#change((tasks) => {
      const changed = tasks.withScheduled(appId, taskId, this.#clock.now(), delay);
      task = changed.get(appId, taskId);
      return changed;
    });
    return task!;
  }

  /** Sorted by due time. */
  list(appId?: string): readonly Task[] {
    const tasks = this.store.tasks.all();
    return appId === undefined ? tasks : tasks.filter((task) => task.appId === appId);
  }

  isRunning(appId: string, taskId: string): boolean {
    return this.#running.get(appId)?.task.taskId === taskId;
  }

  /** Makes the task due now. False: there is no such task. */
  async runNow(appId: string, taskId: string): Promise<boolean> {
    let exists = false;
    await this.#change((tasks) => {
      const task = tasks.get(appId, taskId);
      exists = task !== undefined;
      return task === undefined ? tasks : tasks.with({ ...task, dueAt: Math.min(task.dueAt, this.#clock.now()) });
    });
    return exists;
  }

  /** Deletes the task and cancels its running event. False: there is no such task. */
  async cancel(appId: string, taskId: string): Promise<boolean> {
    let exists = false;
    await this.#change((tasks) => {
      exists = tasks.get(appId, taskId) !== undefined;
      return tasks.without(appId, taskId);
    });
    const running = this.#running.get(appId);
    if (running?.task.taskId === taskId) running.controller.abort();
    return exists;
  }

  /** Deletes all tasks of an uninstalled app. Resolves once its events have ended. */
  async cancelApp(appId: string): Promise<void> {
    await this.#change((tasks) => tasks.withoutApp(appId));
    const running = this.#running.get(appId);
    running?.controller.abort();
    await running?.ended;
  }

  /** Returns a function that removes the listener. */
  onEvent(listener: (event: SchedulerEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Cancels running events. Their tasks remain and run again after the next start. */
  async close(): Promise<void> {
    this.#state = 'closed';
    this.#cancelAlarm?.();
    const running = [...this.#running.values()];
    for (const { controller } of running) controller.abort();
    await Promise.all(running.map(({ ended }) => ended));
    await this.store.settled();
  }

  async #change(apply: (tasks: TaskList) => TaskList): Promise<void> {
    await this.store.change(apply);
    this.#emit({ type: 'tasks' });
    this.#startDue();
  }

  #emit(event: SchedulerEvent): void {
    for (const listener of [...this.#listeners]) listener(event);
  }

  #startDue(): void {
    if (this.#state !== 'started') return;
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    const now = this.#clock.now();
    for (const task of this.store.tasks.all()) {
      if (this.#running.size >= this.#parallel) return;
      if (this.#running.has(task.appId)) continue;
      const dueAt = Math.max(task.dueAt, this.#notBefore);
      if (dueAt > now) {
        this.#cancelAlarm = this.#clock.wakeAt(dueAt, () => this.#startDue());
        return;
      }
      this.#startTask(task);
    }
  }

  #startTask(task: Task): void {
    const controller = new AbortController();
    const ended = this.#attempt(task, controller.signal)
      .catch((error: unknown) => {
        const now = this.#clock.now();
        this.#notBefore = now + FIRST_BACK_OFF;
        this.#emit({ type: 'fault', at: now, message: error instanceof Error ? error.message : String(error) });
      })
      .then(() => {
        this.#running.delete(task.appId);
        this.#startDue();
      });
    this.#running.set(task.appId, { task, controller, ended });
  }

  /** Rejects if the task file cannot be written. */
  async #attempt(task: Task, signal: AbortSignal): Promise<void> {
    // The process may have ended during the last attempt.
    if (task.attempts >= MOST_ATTEMPTS) return this.#finish(task, UNFINISHED, signal);
    const begun = { ...task, attempts: task.attempts + 1 };
    let isCurrent = false;
    await this.store.change((tasks) => {
      isCurrent = tasks.get(task.appId, task.taskId)?.id === task.id;
      return isCurrent ? tasks.with(begun) : tasks;
    });
    if (!isCurrent) return;
    const timestamp = this.#clock.now();
    this.#emit({ type: 'started', task: begun, at: timestamp });
    const outcome = await this.#run({ type: 'schedule', timestamp, appId: task.appId }, signal);
    await this.#finish(begun, outcome, signal);
  }

  async #finish(task: Task, outcome: Outcome, signal: AbortSignal): Promise<void> {
    const { appId, taskId, id, attempts } = task;
    const at = this.#clock.now();
    const isClosed = this.#state === 'closed' && signal.aborted;
    const retries = outcome.state === 'failed' && canRetry(outcome) && attempts < MOST_ATTEMPTS;
    let retryAt: number | null = retries ? at + backOffAfter(attempts) : null;
    await this.store.change((tasks) => {
      const current = tasks.get(appId, taskId);
      // The task was cancelled or replaced in the meantime.
      if (current?.id !== id) {
        retryAt = null;
        return tasks;
      }
      if (isClosed && outcome.state === 'failed') return tasks.with({ ...current, attempts: attempts - 1 });
      return retryAt === null ? tasks.without(appId, taskId) : tasks.with({ ...current, dueAt: retryAt });
    });
    if (outcome.state === 'finished') this.#emit({ type: 'finished', task, at, outcome });
    else this.#emit({ type: 'failed', task, at, outcome, retryAt });
    this.#emit({ type: 'tasks' });
  }
}

const UNFINISHED = notRun('crashed', 'The host ended during the last attempt.');

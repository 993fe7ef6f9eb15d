/**
 * Background tasks: the work that a node repeats by itself. One queue by time, one clock, one
 * back-off and one set of metrics serve all tasks. docs/internals/background-tasks.md lists them.
 */
import { DueQueue } from './due-queue.ts';
import type { Logger } from './log/index.ts';
import { FaultLog } from './log/throttle.ts';
import type { Registry } from './metrics/index.ts';

/**
 * Which node of a cluster does the work:
 * - `node`: each node, for itself.
 * - `first`: the first by name of the nodes that serve. The others run `standby`.
 * - `region`: the same in each region.
 * - `rank`: all nodes run the task, and a hash ranks them for each item: see `Ownership.rank`.
 * - `claim`: all nodes run the task, and a commit claims each item for one node.
 */
type Owner = 'node' | 'first' | 'region' | 'rank' | 'claim';

/** How nodes share tasks: core/cluster/ownership.ts. */
export interface Ownership {
  isFirst(): boolean;
  isFirstOfRegion(): boolean;
  /** The rank of this node for an item; 0: this node does the work. Others do it if 0 does not. */
  rank(item: string): number;
}

/** A node without a cluster. */
export const SINGLE_NODE: Ownership = { isFirst: () => true, isFirstOfRegion: () => true, rank: () => 0 };

interface TaskOptions {
  /** In lower case, with hyphens. */
  readonly name: string;
  readonly owner: Owner;
  readonly log: Logger;
  /**
   * Milliseconds from the end of a run to the next. Or a function that returns the milliseconds
   * from now until the next run, infinite for none: called after each run and on `reschedule`.
   * It is also called every second, since a clock may have changed, but then only to run earlier.
   */
  readonly due: number | (() => number);
  /** Milliseconds from the start of the task to the first run; 0: at once; omitted: as `due`. */
  readonly first?: number;
  /** If it returns a promise, the run lasts until that settles. An error is logged and retried. */
  readonly run: (task: Task) => unknown;
  /** Runs instead on nodes that do not own a task of `first` or `region`. */
  readonly standby?: (task: Task) => unknown;
  /** Milliseconds before the first retry of a failed run, and the maximum. It doubles. */
  readonly retry?: { readonly first: number; readonly longest: number };
  /** The log messages of the start and the end of a fault. */
  readonly messages?: readonly [failed: string, recovered: string];
  /** Replaces the log messages. Called after each run: with null, or the error and the delay. */
  readonly report?: (error: unknown, retryMs: number) => void;
}

/** The clocks of the machine. A timer does not keep the process alive. */
export interface TaskClock {
  /** Milliseconds since 1970. It may jump. */
  date(): number;
  /** Milliseconds. It never jumps. */
  steady(): number;
  /** Returns a function that cancels the call. */
  after(milliseconds: number, call: () => void): () => void;
}

const SYSTEM_CLOCK: TaskClock = {
  date: () => Date.now(),
  steady: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds).unref();
    return () => clearTimeout(timer);
  },
};

/** Maximum of milliseconds between two looks at the clock and at due functions. */
const LOOK_MS = 1000;
/**
 * A jump of the date: all tasks run soon after it. Time services may set the clock back by less
 * than SET_BACK_MS without effect.
 */
const SET_FORWARD_MS = 1000;
const SET_BACK_MS = 60_000;
const RETRY = { first: 5000, longest: 60_000 };

interface TasksOptions {
  readonly metrics: Registry;
  readonly clock?: TaskClock;
  readonly ownership?: Ownership;
}

export class Tasks {
  /** Null: this node owns no shared task yet, since its journal is not open. */
  ownership: Ownership | null;
  readonly #clock: TaskClock;
  readonly #queue: TaskQueue;
  readonly #tasks = new Map<string, Task>();

  constructor({ metrics, clock = SYSTEM_CLOCK, ownership }: TasksOptions) {
    this.ownership = ownership ?? null;
    this.#clock = clock;
    this.#queue = new TaskQueue(clock);
    this.#expose(metrics);
  }

  /** Adds a task without starting it. Throws if another one has its name. */
  add(options: TaskOptions): Task {
    const { name, owner } = options;
    if (this.#tasks.has(name)) throw new Error(`there are two tasks with the name ${name}`);
    const isOwner = (): boolean => {
      if (owner === 'first') return this.ownership?.isFirst() === true;
      return owner !== 'region' || this.ownership?.isFirstOfRegion() === true;
    };
    const task = new Task(options, this.#clock, this.#queue, isOwner);
    this.#tasks.set(name, task);
    return task;
  }

  /** See Ownership. */
  rank(item: string): number {
    return this.ownership?.rank(item) ?? Number.POSITIVE_INFINITY;
  }

  #expose(metrics: Registry): void {
    metrics.read(
      'counter',
      'waypost_task_runs_total',
      'Runs of background tasks on this node, by result: success or failure.',
      ['task', 'result'],
      (emit) => {
        for (const [name, { counts }] of this.#tasks) {
          emit(counts.success, name, 'success');
          emit(counts.failure, name, 'failure');
        }
      },
    );
    metrics.read(
      'counter',
      'waypost_task_seconds_total',
      'Time from the start to the end of the runs of background tasks.',
      ['task'],
      (emit) => {
        for (const [name, { counts }] of this.#tasks) emit(counts.milliseconds / 1000, name);
      },
    );
    metrics.read(
      'gauge',
      'waypost_task_failures',
      'Failed runs of background tasks since their last success.',
      ['task'],
      (emit) => {
        for (const [name, { failures }] of this.#tasks) emit(failures, name);
      },
    );
    metrics.read(
      'gauge',
      'waypost_task_owned',
      'Whether this node does the work of a background task (1) or another node does (0).',
      ['task'],
      (emit) => {
        for (const [name, { isOwner }] of this.#tasks) emit(isOwner ? 1 : 0, name);
      },
    );
  }
}

/** Runs of a task never overlap. */
export class Task {
  readonly counts = { success: 0, failure: 0, milliseconds: 0 };
  /** Consecutive failed runs. */
  failures = 0;
  /** Set by the queue. */
  plannedAt = Number.POSITIVE_INFINITY;
  readonly #isOwner: () => boolean;
  readonly #stop = new AbortController();
  readonly #fault: FaultLog;
  #isRunning = false;
  #currentRun: Promise<void> = Promise.resolve();
  /** By the steady clock: the end of the last run, the requested run, the end of the back-off. */
  #endedAt = 0;
  #wokenAt = Number.POSITIVE_INFINITY;
  #resumesAt = 0;

  constructor(
    private readonly options: TaskOptions,
    private readonly clock: TaskClock,
    private readonly queue: TaskQueue,
    isOwner: () => boolean,
  ) {
    this.#isOwner = isOwner;
    const { name, log, messages = ['background task failed; retrying', 'background task works again'] } = options;
    this.#fault = new FaultLog(log, ...messages, { task: name });
  }

  /** Whether this node does the work. It may change during a run. */
  get isOwner(): boolean {
    return this.#isOwner();
  }

  /** Lets long work stop early. */
  get isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  start(): void {
    this.#endedAt = this.clock.steady();
    const { first } = this.options;
    if (first !== undefined) this.#wokenAt = this.#endedAt + first;
    this.queue.add(this);
  }

  /** Starts no further run. Resolves when the current run has ended; never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('the service is stopping'));
    this.queue.delete(this);
    await this.#currentRun;
  }

  /**
   * Requests a run within `delay` milliseconds; after the current run if there is one. A failed
   * task waits for its retry.
   */
  wake(delay = 0): void {
    this.#wokenAt = Math.min(this.#wokenAt, this.clock.steady() + delay);
    this.advance();
  }

  /** Called by the queue: the next run may be due earlier. It is not postponed. */
  advance(): void {
    if (!this.#isRunning && this.dueAt < this.plannedAt) this.queue.set(this);
  }

  /** To be called when the result of the due function has changed. */
  reschedule(): void {
    if (!this.#isRunning) this.queue.set(this);
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Called by the queue: the time of the next run by the steady clock. */
  get dueAt(): number {
    const { due } = this.options;
    const at = typeof due === 'number' ? this.#endedAt + due : this.clock.steady() + due();
    return Math.max(this.#resumesAt, Math.min(this.#wokenAt, at));
  }

  /** Called by the queue when the task is due. */
  begin(): void {
    this.#isRunning = true;
    this.#currentRun = this.#run();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#wokenAt = Number.POSITIVE_INFINITY;
    const { run, standby } = this.options;
    const work = this.#isOwner() ? run : standby;
    const startedAt = this.clock.steady();
    let error: unknown = null;
    try {
      await work?.(this);
    } catch (thrown) {
      error = thrown ?? new Error('unknown');
    }
    this.#isRunning = false;
    this.#endedAt = this.clock.steady();
    this.counts.milliseconds += this.#endedAt - startedAt;
    // Failures during the shutdown are not reported.
    if (this.isStopped) return;
    if (work === undefined) this.#resumesAt = this.#endedAt + LOOK_MS;
    else this.#noteResult(error);
    this.queue.set(this);
  }

  #noteResult(error: unknown): void {
    const { retry = RETRY, report = (fault) => this.#fault.report(fault) } = this.options;
    this.counts[error === null ? 'success' : 'failure']++;
    const delay = error === null ? 0 : Math.min(retry.longest, retry.first * 2 ** this.failures);
    this.failures = error === null ? 0 : this.failures + 1;
    this.#resumesAt = this.#endedAt + delay;
    if (delay > 0) this.#wokenAt = this.#resumesAt;
    report(error, delay);
  }
}

/** The started tasks by the time of their next run. One timer serves all. */
class TaskQueue {
  readonly #tasks = new Set<Task>();
  readonly #due = new DueQueue<Task>();
  #cancelTimer: () => void = () => {};
  #timerAt = Number.POSITIVE_INFINITY;
  /** The last look at the clock, and the difference of the date to the steady clock. */
  #lookedAt = 0;
  #offset = 0;

  constructor(private readonly clock: TaskClock) {}

  add(task: Task): void {
    if (this.#tasks.size === 0) this.#lookAtClock();
    this.#tasks.add(task);
    if (task.dueAt <= this.clock.steady()) task.begin();
    else this.set(task);
  }

  delete(task: Task): void {
    this.#tasks.delete(task);
    this.#due.set(task, null);
    this.#setTimer();
  }

  /** The time of the next run may have changed. */
  set(task: Task): void {
    if (!this.#tasks.has(task)) return;
    task.plannedAt = task.dueAt;
    this.#due.set(task, Number.isFinite(task.plannedAt) ? task.plannedAt : null);
    this.#setTimer();
  }

  #setTimer(): void {
    const next = Math.min(this.#due.first ?? Number.POSITIVE_INFINITY, this.#lookedAt + LOOK_MS);
    const at = this.#tasks.size === 0 ? Number.POSITIVE_INFINITY : next;
    if (at === this.#timerAt) return;
    this.#cancelTimer();
    this.#timerAt = at;
    if (at === Number.POSITIVE_INFINITY) return;
    this.#cancelTimer = this.clock.after(Math.max(0, at - this.clock.steady()), () => this.#onTimer());
  }

  #onTimer(): void {
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.clock.steady();
    if (now >= this.#lookedAt + LOOK_MS) {
      const jump = this.#lookAtClock();
      const isJump = jump >= SET_FORWARD_MS || jump <= -SET_BACK_MS;
      for (const task of this.#tasks) {
        if (isJump) task.wake();
        else task.advance();
      }
    }
    for (let task = this.#due.take(now); task !== null; task = this.#due.take(now)) task.begin();
    this.#setTimer();
  }

  /** Returns by how many milliseconds the date has jumped since the last look. */
  #lookAtClock(): number {
    const before = this.#offset;
    this.#lookedAt = this.clock.steady();
    this.#offset = this.clock.date() - this.#lookedAt;
    return this.#offset - before;
  }
}

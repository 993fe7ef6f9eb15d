/** Background tasks of the app: the phones' scheduler and engine, with an adjustable clock. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '../audit/archive/limits.ts';
import { readFolderFile } from '../audit/archive/open-folder.ts';
import type { AppStorage } from '../host/app-storage.ts';
import { callInBackground } from '../host/background-calls.ts';
import type { Permissions } from '../host/permissions.ts';
import type { HostedApp } from '../host/services.ts';
import { SystemClock } from '../runtime/clock.ts';
import type { CallHost, Engine, Failed, HostCall, Outcome, Program } from '../runtime/outcome.ts';
import { Scheduler, type SchedulerEvent } from '../runtime/scheduler.ts';
import { taskFile } from '../runtime/task-file.ts';
import type { BackgroundView, RunView } from './protocol.ts';
import { Recent } from './recent.ts';

const MOST_RUNS = 50;
const LONGEST_LINE = 2000;

interface BackgroundOptions {
  /** Of the package. */
  readonly folder: string;
  readonly stateFolder: string;
  readonly storage: AppStorage;
  openEngine(): Promise<Engine>;
  warn(text: string): void;
  onChange(view: BackgroundView): void;
}

interface BackgroundApp {
  readonly hosted: HostedApp;
  readonly permissions: Permissions;
  /** Undefined: the app has no background file. */
  readonly entry: string | undefined;
}

export class BackgroundTasks {
  readonly #clock = new SystemClock();
  readonly #runs = new Recent<RunView>(MOST_RUNS);
  #app: BackgroundApp | undefined;
  #scheduler: Scheduler | undefined;
  #engine: Promise<Engine> | undefined;
  #running: string | null = null;
  #count = 0;

  constructor(private readonly options: BackgroundOptions) {
    this.#changed();
  }

  /** Resumes the tasks of the app. Throws TaskFileError. */
  async install(app: BackgroundApp, isReset: boolean): Promise<void> {
    const before = this.#app;
    this.#app = app;
    if (before?.hosted.id !== app.hosted.id) {
      await this.#scheduler?.close();
      const scheduler = await Scheduler.open({
        // Each app has its own file, because several simulators may run.
        storage: taskFile(join(this.options.stateFolder, `tasks-${hashOf(app.hosted.id)}.json`)),
        clock: this.#clock,
        run: (event, signal) => this.#run(event, signal),
      });
      scheduler.onEvent((event) => this.#observe(event));
      this.#scheduler = scheduler;
      if (isReset) await scheduler.cancelApp(app.hosted.id);
      scheduler.start();
    }
    this.#changed();
  }

  /** Throws HostFault. */
  async schedule(appId: string, taskId: string, delayMs: number): Promise<void> {
    await this.#scheduler?.schedule(appId, taskId, delayMs);
  }

  async runNow(taskId: string): Promise<void> {
    await this.#scheduler?.runNow(this.#app!.hosted.id, taskId);
  }

  async cancel(taskId: string): Promise<void> {
    await this.#scheduler?.cancel(this.#app!.hosted.id, taskId);
  }

  /** Delivers an event without a task. */
  async sendEvent(): Promise<void> {
    const { id } = this.#app!.hosted;
    const at = this.#clock.now();
    const outcome = await this.#run({ type: 'schedule', timestamp: at, appId: id }, new AbortController().signal);
    this.#record('', at, outcome, null);
  }

  moveClock(milliseconds: number): void {
    this.#clock.advance(milliseconds);
    this.#changed();
  }

  async close(): Promise<void> {
    await this.#scheduler?.close();
    await (await this.#engine)?.close();
  }

  async #run(event: Parameters<Engine['run']>[1], signal: AbortSignal): Promise<Outcome> {
    // Imported for the first event: most apps have none during development.
    const { eventRunner } = await import('../runtime/run-event.ts');
    this.#engine ??= this.options.openEngine();
    return eventRunner(await this.#engine, () => this.#load(), this.#callHost)(event, signal);
  }

  async #load(): Promise<Program | undefined> {
    const entry = this.#app?.entry;
    if (entry === undefined) return undefined;
    const content = await readFolderFile(this.options.folder, entry, DEFAULT_LIMITS);
    if (!Buffer.isBuffer(content)) throw new Error(content.message);
    return { appId: this.#app!.hosted.id, path: entry, text: content.toString('utf8') };
  }

  readonly #callHost: CallHost = (_, operation, params) => {
    const { hosted, permissions } = this.#app!;
    return callInBackground({ storage: this.options.storage, permissions }, hosted, operation, params);
  };

  #observe(event: SchedulerEvent): void {
    if (event.type === 'fault') this.options.warn(`Background tasks: ${event.message}`);
    else if (event.type === 'started') this.#running = event.task.taskId;
    else if (event.type === 'finished' || event.type === 'failed') {
      this.#running = null;
      this.#record(event.task.taskId, event.at, event.outcome, event.type === 'failed' ? event.retryAt : null);
    }
    this.#changed();
  }

  #record(taskId: string, at: number, outcome: Outcome, retryAt: number | null): void {
    const { milliseconds, calls, omittedCalls } = outcome;
    const ended =
      outcome.state === 'finished'
        ? { outcome: 'finished' as const, detail: outcome.value ?? '' }
        : { outcome: outcome.reason, detail: textOf(outcome) };
    const findings =
      outcome.state === 'failed' ? outcome.findings.map(({ line, message }) => `${line}: ${message}`) : [];
    const lines = [ended.detail, ...findings, ...calls.map(lineOf)].filter((line) => line !== '');
    this.#runs.add({
      id: ++this.#count,
      taskId,
      at,
      milliseconds,
      retryAt,
      outcome: ended.outcome,
      lines: lines.map((line) => line.slice(0, LONGEST_LINE)),
      omittedCalls,
    });
    this.#changed();
  }

  #changed(): void {
    const id = this.#app?.hosted.id;
    const tasks = id === undefined ? [] : (this.#scheduler?.list(id) ?? []);
    this.options.onChange({
      clockOffset: this.#clock.offset,
      hasFile: this.#app?.entry !== undefined,
      tasks: tasks.map(({ taskId, dueAt, attempts }) => ({
        taskId,
        dueAt,
        attempts,
        isRunning: this.#running === taskId,
      })),
      runs: this.#runs.entries,
    });
  }
}

/** Some engines omit the message from the stack. */
function textOf({ message, stack }: Failed): string {
  if (stack === null || stack.includes(message)) return stack ?? message;
  return `${message}\n${stack}`;
}

const hashOf = (text: string): string => createHash('sha256').update(text, 'utf16le').digest('hex').slice(0, 32);

const lineOf = ({ operation, error, milliseconds }: HostCall): string =>
  `Host.call('${operation}') ${error ?? 'ok'}, ${milliseconds.toFixed(1)} ms`;

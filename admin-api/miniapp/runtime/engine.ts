/** Runs events sequentially, and terminates runaway ones. */
import { withTimeout } from '../../../core/base/timers.ts';
import { HostAnswers } from './host-answer.ts';
import { type EngineLimits, START_TIME } from './limits.ts';
import {
  type BackgroundEvent,
  type CallHost,
  type Engine,
  type EngineOutcome,
  failure,
  type Outcome,
  type Program,
  type RunOptions,
} from './outcome.ts';
import type { Runner } from './runner.ts';

interface Job {
  readonly program: Program;
  readonly event: BackgroundEvent;
  readonly answers: HostAnswers;
  readonly limits: EngineLimits;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (outcome: Outcome) => void;
}

const CANCELLED = failure('cancelled', 'The event was cancelled.');

export class SerialEngine<R extends Runner> implements Engine {
  readonly #closed = new AbortController();
  readonly #jobs: Job[] = [];
  #isRunning = false;
  #runner: R | undefined;

  /** `start` starts a thread or process; called again after one was stopped. */
  constructor(
    private readonly limits: EngineLimits,
    private readonly start: () => Promise<R>,
  ) {}

  /** The started runner, if any. */
  get runner(): R | undefined {
    return this.#runner;
  }

  run(program: Program, event: BackgroundEvent, callHost: CallHost, options: RunOptions = {}): Promise<Outcome> {
    return new Promise((resolve) => {
      this.#jobs.push({
        program,
        event,
        limits: { ...this.limits, time: options.time ?? this.limits.time },
        answers: new HostAnswers(event.appId, callHost),
        signal: options.signal,
        resolve,
      });
      void this.#runJobs();
    });
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#replace();
  }

  async #runJobs(): Promise<void> {
    if (this.#isRunning) return;
    this.#isRunning = true;
    for (let job = this.#jobs.shift(); job !== undefined; job = this.#jobs.shift()) {
      const start = performance.now();
      const outcome = await this.#runJob(job);
      const { calls, omittedCalls } = job.answers;
      job.resolve({ ...outcome, milliseconds: performance.now() - start, calls, omittedCalls });
    }
    this.#isRunning = false;
  }

  async #runJob({ program, event, limits, answers, signal }: Job): Promise<EngineOutcome> {
    // Not AbortSignal.any: Node 20 never frees signals that depend on a long-lived signal.
    const signals = [this.#closed.signal, signal].filter((source) => source !== undefined);
    if (signals.some(({ aborted }) => aborted)) return CANCELLED;
    let cancel = (): void => {};
    const cancelled = new Promise<EngineOutcome>((resolve) => {
      cancel = () => resolve(CANCELLED);
    });
    for (const source of signals) source.addEventListener('abort', cancel);
    let ended: EngineOutcome;
    try {
      const runner = await this.#startRunner(cancelled);
      if ('state' in runner) return runner;
      const work = runner.run(program, event, limits, (request) => answers.answer(request));
      const result = await this.#within(limits.time + limits.grace, work, cancelled);
      if (result === undefined) ended = failure('timeout', `The event took longer than ${limits.time} ms.`);
      else if ('state' in result) ended = result;
      else if (!result.isSpent) return result.outcome;
      else ended = result.outcome;
    } catch (error) {
      ended = failure('crashed', `The engine ended: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      for (const source of signals) source.removeEventListener('abort', cancel);
    }
    await this.#replace();
    return ended;
  }

  /** Returns an outcome if no runner could be started. */
  async #startRunner(cancelled: Promise<EngineOutcome>): Promise<R | EngineOutcome> {
    if (this.#runner !== undefined) return this.#runner;
    const starting = this.start();
    const started = await this.#within(START_TIME, starting, cancelled);
    if (started !== undefined && !('state' in started)) {
      this.#runner = started;
      return started;
    }
    // Stops a runner that starts too late.
    void starting.then((runner) => runner.stop()).catch(() => undefined);
    return started ?? failure('crashed', 'The engine did not start in time.');
  }

  /** Undefined: timeout. */
  #within<T>(time: number, work: T | Promise<T>, cancelled: Promise<EngineOutcome>) {
    return withTimeout(Promise.race([work, cancelled]), time, () => undefined);
  }

  async #replace(): Promise<void> {
    const runner = this.#runner;
    this.#runner = undefined;
    await runner?.stop();
  }
}

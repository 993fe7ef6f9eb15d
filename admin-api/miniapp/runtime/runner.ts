/** A thread or process that runs one event at a time. */
import type { EngineLimits } from './limits.ts';
import type { BackgroundEvent, EngineOutcome, Program } from './outcome.ts';

/** Answers a call of `Host.call`. */
export type Answer = (request: string) => Promise<string>;

export interface RunnerResult {
  readonly outcome: EngineOutcome;
  /** It cannot run another event. */
  readonly isSpent: boolean;
}

export interface Runner {
  /** Rejects if the thread or process ends before the event does. */
  run(program: Program, event: BackgroundEvent, limits: EngineLimits, answer: Answer): Promise<RunnerResult>;
  /** Terminates the thread or process, even during an event. */
  stop(): Promise<void>;
}

/** What engines have in common: an event of a background file, and its outcome. */

import type { Finding } from '../audit/finding.ts';
import type { ErrorCode } from '../bridge/errors.ts';

/** The argument of `onBackgroundEvent`. */
export interface BackgroundEvent {
  readonly type: 'schedule';
  /** Epoch milliseconds: when the event was delivered. */
  readonly timestamp: number;
  readonly appId: string;
}

/** The background file of an app. */
export interface Program {
  readonly appId: string;
  /** In the package; for messages. */
  readonly path: string;
  readonly text: string;
}

/**
 * Makes a call of `Host.call` and returns its result, a value of JSON. Permissions, arguments and
 * quotas are checked here: `operation` is any string and `params` any value of JSON. Throws
 * HostFault for what the app did wrong; everything else is a fault of the host.
 */
export type CallHost = (appId: string, operation: string, params: unknown) => unknown;

const FAILURES = [
  /** The engine of a phone does not read the file, or reads it differently. */
  'refused',
  'no_handler',
  'threw',
  'timeout',
  'memory',
  'stack',
  /** The engine ended. */
  'crashed',
  'cancelled',
] as const;
export type FailureReason = (typeof FAILURES)[number];

/** A call of `Host.call`. */
export interface HostCall {
  readonly operation: string;
  /** Null: it had a result. */
  readonly error: ErrorCode | null;
  readonly milliseconds: number;
}

interface Ran {
  readonly milliseconds: number;
  /** The first ones. */
  readonly calls: readonly HostCall[];
  /** How many calls are not in the list. */
  readonly omittedCalls: number;
}

export interface Finished extends Ran {
  readonly state: 'finished';
  /** What the handler returned, as JSON; null: nothing that JSON has, or more than the limit. */
  readonly value: string | null;
}

export interface Failed extends Ran {
  readonly state: 'failed';
  readonly reason: FailureReason;
  readonly message: string;
  readonly stack: string | null;
  /** Why it was refused, in the words of the audit. */
  readonly findings: readonly Finding[];
}

export type Outcome = Finished | Failed;

/** What an engine itself knows of an outcome. */
export type EngineOutcome =
  | { readonly state: 'finished'; readonly value: string | null }
  | {
      readonly state: 'failed';
      readonly reason: FailureReason;
      readonly message: string;
      readonly stack: string | null;
      readonly findings: readonly Finding[];
    };

export function failure(
  reason: FailureReason,
  message: string,
  findings: readonly Finding[] = [],
): EngineOutcome & { readonly state: 'failed' } {
  return { state: 'failed', reason, message, stack: null, findings };
}

/** An event that did not get to an engine. */
export const notRun = (reason: FailureReason, message: string): Failed => ({
  ...failure(reason, message),
  milliseconds: 0,
  calls: [],
  omittedCalls: 0,
});

/** Whether another attempt may end otherwise: what the file says does not change by itself. */
export const canRetry = ({ reason }: Failed): boolean => reason !== 'refused' && reason !== 'no_handler';

export interface RunOptions {
  /** Ends the event, also while it runs. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds, in place of the engine's limit. */
  readonly time?: number | undefined;
}

/** Runs background files, one event at a time; others wait. */
export interface Engine {
  /** Never rejects. */
  run(program: Program, event: BackgroundEvent, callHost: CallHost, options?: RunOptions): Promise<Outcome>;
  /** Ends what runs and waits as `cancelled`. */
  close(): Promise<void>;
}

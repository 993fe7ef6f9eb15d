/** Types of all engines: an event of a background file, and its outcome. */

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
 * HostFault for an error of the app; any other error is a fault of the host.
 */
export type CallHost = (appId: string, operation: string, params: unknown) => unknown;

const FAILURES = [
  /** The engine of a phone cannot parse the file, or parses it differently. */
  'refused',
  'no_handler',
  'threw',
  'timeout',
  'memory',
  'stack',
  /** The engine ended unexpectedly. */
  'crashed',
  'cancelled',
] as const;
export type FailureReason = (typeof FAILURES)[number];

/** A call of `Host.call`. */
export interface HostCall {
  readonly operation: string;
  /** Null: the call succeeded. */
  readonly error: ErrorCode | null;
  readonly milliseconds: number;
}

interface Ran {
  readonly milliseconds: number;
  /** The first calls, up to LISTED_CALLS. */
  readonly calls: readonly HostCall[];
  /** Number of calls that are not in the list. */
  readonly omittedCalls: number;
}

export interface Finished extends Ran {
  readonly state: 'finished';
  /** The handler's result as JSON. Null: no JSON value, or larger than the limit. */
  readonly value: string | null;
}

export interface Failed extends Ran {
  readonly state: 'failed';
  readonly reason: FailureReason;
  readonly message: string;
  readonly stack: string | null;
  /** Audit findings for a refused file. */
  readonly findings: readonly Finding[];
}

export type Outcome = Finished | Failed;

/** The engine's part of an outcome. */
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

/** The outcome of an event that no engine ran. */
export const notRun = (reason: FailureReason, message: string): Failed => ({
  ...failure(reason, message),
  milliseconds: 0,
  calls: [],
  omittedCalls: 0,
});

/** Whether a retry can succeed. Failures that depend only on the file are permanent. */
export const canRetry = ({ reason }: Failed): boolean => reason !== 'refused' && reason !== 'no_handler';

export interface RunOptions {
  /** Cancels the event, even while it runs. */
  readonly signal?: AbortSignal | undefined;
  /** Timeout in milliseconds; overrides the engine's limit. */
  readonly time?: number | undefined;
}

/** Runs background files, one event at a time; further events are queued. */
export interface Engine {
  /** Never rejects. */
  run(program: Program, event: BackgroundEvent, callHost: CallHost, options?: RunOptions): Promise<Outcome>;
  /** Ends running and queued events as `cancelled`. */
  close(): Promise<void>;
}

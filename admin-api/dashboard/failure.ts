/** Failed requests. Messages of the API are put into the words of the forms (wording.ts). */
import { TEXTS } from './texts.ts';
import { wordMessage } from './wording.ts';

export interface Failure {
  /** HTTP status. 0: no response. */
  readonly status: number;
  /** The error code of the API. Empty: no code. */
  readonly code: string;
  readonly message: string;
  /** JSON pointer of the faulty field. */
  readonly pointer?: string;
  readonly choices?: readonly string[];
  /** All faults of the request. Empty: the failure is the only one. */
  readonly details: readonly Fault[];
  /** Seconds before a retry. */
  readonly retryAfter?: number;
}

export interface Fault {
  readonly message: string;
  readonly pointer?: string;
  /** Values of the field that would be accepted. */
  readonly choices?: readonly string[];
  /** Location in the package. */
  readonly file?: string;
  readonly line?: number;
  readonly fix?: string;
}

interface ErrorBody {
  readonly error?: {
    readonly code: string;
    readonly message: string;
    readonly pointer?: string;
    readonly choices?: readonly string[];
    readonly details?: readonly Fault[];
  };
}

/**
 * `body`: the decoded response; undefined if it is not JSON. `retryAfter`: the header Retry-After.
 */
export function failureOf(status: number, body: unknown, retryAfter: string | null = null): Failure {
  const error = (body as ErrorBody | undefined)?.error;
  const seconds = retryAfter === null ? {} : { retryAfter: Number(retryAfter) };
  if (error !== undefined) {
    return { status, ...error, message: wordMessage(error), details: wordFaults(error.details ?? []), ...seconds };
  }
  const message = status === 0 ? TEXTS.errors.unreachable : TEXTS.errors.unexpected(status);
  return { status, code: '', message, details: [] };
}

export const wordFaults = (faults: readonly Fault[]): Fault[] =>
  faults.map((fault) => ({ ...fault, message: wordMessage(fault) }));

/** The messages of the faults of a failure, by JSON pointer. */
export function faultsOf(failure: Failure | null): ReadonlyMap<string, string> {
  const faults = failure === null ? [] : [...failure.details, failure];
  return new Map(faults.flatMap(({ pointer, message }) => (pointer === undefined ? [] : [[pointer, message]])));
}

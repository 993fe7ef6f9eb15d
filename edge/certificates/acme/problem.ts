/**
 * Failures of requests to a directory: problem documents (RFC 7807, RFC 8555 6.7), and missing
 * responses.
 */

export interface Problem {
  /** Without `urn:ietf:params:acme:error:`; empty: none. */
  readonly type: string;
  /** Human-readable text in one line of limited length. */
  readonly detail: string;
}

/** No usable response: the connection or TLS failed, a timeout expired, or the body is not JSON. */
export class DirectoryUnreachable extends Error {}

export class DirectoryProblem extends Error {
  constructor(
    readonly problem: Problem,
    readonly status: number,
    /** Seconds; null: no Retry-After. */
    readonly retryAfter: number | null,
    /** See problemNames. */
    readonly names: readonly string[] = [],
  ) {
    super(`${status} ${problem.type}: ${problem.detail}`);
  }
}

const PREFIX = 'urn:ietf:params:acme:error:';
const MAX_LENGTH = 400;

/**
 * Never throws. `value`: the parsed JSON. Prefers the first subproblem (RFC 8555 6.7.1), which is
 * more specific than the whole.
 */
export function readProblem(value: unknown): Problem {
  if (typeof value !== 'object' || value === null) return { type: '', detail: '' };
  const { type, detail, subproblems } = value as Record<string, unknown>;
  const [first] = Array.isArray(subproblems) ? subproblems : [];
  if (typeof first === 'object' && first !== null && 'detail' in first)
    return readProblem({ ...first, subproblems: [] });
  const name = typeof type === 'string' ? oneLine(type) : '';
  return {
    type: name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name,
    detail: typeof detail === 'string' ? oneLine(detail) : '',
  };
}

/** The identifiers of subproblems (RFC 8555 6.7.1), in lower case. Never throws. */
export function problemNames(value: unknown): string[] {
  const { subproblems } = (value ?? {}) as { subproblems?: unknown };
  if (!Array.isArray(subproblems)) return [];
  return subproblems
    .slice(0, MAX_SUBPROBLEMS)
    .map((each) => (each as { identifier?: { value?: unknown } } | null)?.identifier?.value)
    .filter((name) => typeof name === 'string')
    .map((name) => name.toLowerCase());
}

/** More than an order has names. */
const MAX_SUBPROBLEMS = 100;

const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_LENGTH);

/** Seconds from `now`; null: absent or invalid. A number or a date (RFC 9110 10.2.3). */
export function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text) / 1000;
  return Number.isFinite(at) ? Math.max(0, Math.ceil(at - now)) : null;
}

/**
 * `directory`: other orders would fail now too. `limit`: other orders may fail too. `operator`:
 * fails until the operator changes a setting. `domain`: only this domain is affected.
 */
export type Fault = 'domain' | 'directory' | 'limit' | 'operator';

/** Why an order failed: for the customer, and for scheduling the retry. */
export class OrderFailure extends Error {
  readonly fault: Fault;
  /** Additional detail for the operator's log; null: none. */
  readonly detail: string | null;
  /** Seconds; null: the directory sent no Retry-After. */
  readonly retryAfter: number | null;
  /**
   * If only some names of the order are at fault: why, for each of them. The others can be ordered
   * without them. Empty: the whole order failed.
   */
  readonly names: ReadonlyMap<string, string>;

  /** `message`: for the customer, a sentence or two: the problem and the next step. */
  constructor(
    /** Stable, for metrics and the log. */
    readonly code: string,
    message: string,
    options: {
      fault?: Fault;
      detail?: string;
      retryAfter?: number | null;
      names?: ReadonlyMap<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.fault = options.fault ?? 'domain';
    this.detail = options.detail ?? null;
    this.retryAfter = options.retryAfter ?? null;
    this.names = options.names ?? NO_NAMES;
  }
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * What a directory answers when it does not do what it was asked for: problem documents (RFC 7807,
 * RFC 8555 6.7), and no answer at all.
 */

export interface Problem {
  /** Without `urn:ietf:params:acme:error:`; empty: none was said. */
  readonly type: string;
  /** For people. One line, bounded. */
  readonly detail: string;
}

/** No usable answer has come: the connection, its TLS, a time-out, or what is not JSON. */
export class DirectoryUnreachable extends Error {}

export class DirectoryProblem extends Error {
  readonly problem: Problem;
  readonly status: number;
  /** Seconds; null: not said. */
  readonly retryAfter: number | null;

  constructor(problem: Problem, status: number, retryAfter: number | null) {
    super(`${status} ${problem.type}: ${problem.detail}`);
    this.problem = problem;
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const PREFIX = 'urn:ietf:params:acme:error:';
const MOST = 400;

/**
 * Never throws; `value` is the parsed JSON. Of several faults (RFC 8555 6.7.1) the first tells
 * more than the whole.
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

const oneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST);

/** Seconds from now; null for what says none. A number or a date (RFC 9110 10.2.3). */
export function readRetryAfter(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  const at = Date.parse(text) / 1000;
  return Number.isFinite(at) ? Math.max(0, Math.ceil(at - now)) : null;
}

/** Converts errors to HTTP responses: one table of statuses, and one JSON shape. */
import {
  ConfigError,
  ConflictError,
  InvalidError,
  StateError,
  UnavailableError,
  WaypostError,
} from '../../core/base/errors.ts';
import type { HttpResponse } from './transport.ts';

export interface ErrorDetail {
  readonly message: string;
  /** JSON pointer into the body. */
  readonly pointer?: string;
  /** Values of the field that would be accepted. */
  readonly choices?: readonly string[];
  /** Line of a zone file, or of a file of a package, from 1. */
  readonly line?: number;
  /** For a finding in a package: the rule, the file, and the fix. */
  readonly code?: string;
  readonly file?: string;
  readonly fix?: string;
}

/** An error of the HTTP request, or an error with its own status. */
export class HttpError extends WaypostError {
  readonly details?: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  /** The rest of the request cannot be read: the connection is closed after the response. */
  readonly close: boolean;

  constructor(
    readonly status: number,
    code: string,
    message: string,
    options: {
      pointer?: string;
      choices?: readonly string[];
      details?: readonly ErrorDetail[];
      headers?: Readonly<Record<string, string>>;
      close?: boolean;
    } = {},
  ) {
    super(code, message, options);
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.close = options.close ?? false;
  }
}

/** Codes whose status differs from that of their class. */
const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([
  ['write_conflict', 503],
  ['disk_full', 507],
]);

const STATUS_BY_CLASS: readonly (readonly [new (...args: never[]) => WaypostError, number])[] = [
  [InvalidError, 422],
  [StateError, 409],
  [ConflictError, 503],
  [UnavailableError, 503],
  [ConfigError, 500],
];

/**
 * Status of an expected error; undefined for an unexpected one, whose text is not shown to clients.
 */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpError) return error.status;
  if (!(error instanceof WaypostError)) return undefined;
  return STATUS_BY_CODE.get(error.code) ?? STATUS_BY_CLASS.find(([kind]) => error instanceof kind)?.[1];
}

const RETRY_SECONDS = '1';

/** The response to an error. For an unexpected error it contains only the request id. */
export function errorResponse(error: unknown, requestId: string): HttpResponse {
  const status = statusOf(error) ?? 500;
  const isExpected = error instanceof WaypostError && status !== 500;
  const body = {
    ok: false,
    error: {
      code: isExpected ? error.code : 'internal',
      message: isExpected
        ? error.message
        : `Internal server error. Report the request id ${requestId} to the operators.`,
      pointer: isExpected ? error.pointer : undefined,
      choices: isExpected ? error.choices : undefined,
      details: error instanceof HttpError ? error.details : undefined,
    },
    request_id: requestId,
  };
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      ...(status === 503 || status === 507 ? { 'Retry-After': RETRY_SECONDS } : {}),
      ...(error instanceof HttpError ? error.headers : {}),
    },
    body: JSON.stringify(body),
    close: error instanceof HttpError && error.close,
  };
}

export const tooLarge = (limit: number): HttpError =>
  new HttpError(413, 'body_too_large', `The body is longer than ${limit} bytes.`, { close: true });

export const tooMuchPending = (): HttpError =>
  new HttpError(
    503,
    'busy',
    'Your requests in flight take too much memory of this node; send the request again when they are done.',
    { close: true, headers: { 'Retry-After': '5' } },
  );

export const tooSlow = (): HttpError =>
  new HttpError(408, 'body_too_slow', 'The body arrived too slowly; send the request again.', { close: true });

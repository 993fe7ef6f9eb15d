/** What an error says to the client: one table from error to status, one shape. */
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
  /** Line of a zone file, or of a file of a package, from 1. */
  readonly line?: number;
  /** Of what was found in a package: its rule, the file, and what to do. */
  readonly code?: string;
  readonly file?: string;
  readonly fix?: string;
}

/** An error that is about the request as HTTP, or that has a status of its own. */
export class HttpError extends WaypostError {
  readonly status: number;
  readonly details?: readonly ErrorDetail[];
  readonly headers: Readonly<Record<string, string>>;
  /** The rest of the request can't be read: the connection ends with the answer. */
  readonly close: boolean;

  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      pointer?: string;
      details?: readonly ErrorDetail[];
      headers?: Readonly<Record<string, string>>;
      close?: boolean;
    } = {},
  ) {
    super(code, message, options);
    this.status = status;
    this.details = options.details;
    this.headers = options.headers ?? {};
    this.close = options.close ?? false;
  }
}

/** Codes whose status is not that of their class. */
const STATUS_BY_CODE: ReadonlyMap<string, number> = new Map([['write_conflict', 503]]);

const STATUS_BY_CLASS: readonly (readonly [new (...args: never[]) => WaypostError, number])[] = [
  [InvalidError, 422],
  [StateError, 409],
  [ConflictError, 503],
  [UnavailableError, 503],
  [ConfigError, 500],
];

/** Status of an error that may be told; undefined for anything that was not foreseen. */
export function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpError) return error.status;
  if (!(error instanceof WaypostError)) return undefined;
  return STATUS_BY_CODE.get(error.code) ?? STATUS_BY_CLASS.find(([kind]) => error instanceof kind)?.[1];
}

const RETRY_SECONDS = '1';

/** The answer to an error. Of one that was not foreseen, only the request id is told. */
export function errorResponse(error: unknown, requestId: string): HttpResponse {
  const status = statusOf(error) ?? 500;
  const known = error instanceof WaypostError && status !== 500;
  const body = {
    ok: false,
    error: {
      code: known ? error.code : 'internal',
      message: known ? error.message : `Internal server error. Report the request id ${requestId} to the operators.`,
      pointer: known ? error.pointer : undefined,
      details: error instanceof HttpError ? error.details : undefined,
    },
    request_id: requestId,
  };
  return {
    status,
    headers: {
      'Content-Type': 'application/json',
      ...(status === 503 ? { 'Retry-After': RETRY_SECONDS } : {}),
      ...(error instanceof HttpError ? error.headers : {}),
    },
    body: JSON.stringify(body),
    close: error instanceof HttpError && error.close,
  };
}

export const tooLarge = (limit: number): HttpError =>
  new HttpError(413, 'body_too_large', `The body is longer than ${limit} bytes.`, { close: true });

export const tooSlow = (): HttpError =>
  new HttpError(408, 'body_too_slow', 'The body arrived too slowly; send the request again.', { close: true });

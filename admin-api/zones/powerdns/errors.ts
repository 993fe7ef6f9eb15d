/**
 * Errors in the shape of PowerDNS's API: `{"error": "…", "errors": ["…"]}`. Clients without
 * `Accept: application/json` receive the text alone, except for 422, which is always JSON.
 */
import { InvalidError, StateError, WaypostError } from '../../../core/base/errors.ts';
import { errorResponse, HttpError } from '../../http/errors.ts';
import type { HttpRequest, HttpResponse } from '../../http/transport.ts';

/** All paths of the API. */
export const PREFIX = '/api/v1/servers';

/** The fixed message of PowerDNS for a status. */
const TEXTS: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [404, 'Not Found'],
  [405, 'Method Not Allowed'],
  [409, 'Conflict'],
]);

/** Codes of errors that PowerDNS reports with 409. Other conflicts of records are 422 there. */
const CONFLICTS: ReadonlySet<string> = new Set(['zone_exists']);

/** An error of the content of a request. */
export const unprocessable = (message: string, code = 'unprocessable'): InvalidError => new InvalidError(code, message);

/** A feature of PowerDNS that this service lacks: the request is rejected instead of ignored. */
export const unsupported = (message: string): InvalidError => new InvalidError('unsupported', message);

/** An object that already exists. */
export const conflict = (message: string): HttpError => new HttpError(409, 'conflict', message);

export const notFound = (message = 'There is no such object.'): HttpError => new HttpError(404, 'not_found', message);

/** The response to an error of a path below PREFIX. */
export function powerDnsError(error: unknown, requestId: string, request: Pick<HttpRequest, 'header'>): HttpResponse {
  const { status: usual, headers, close } = errorResponse(error, requestId);
  const status = error instanceof StateError && !CONFLICTS.has(error.code) ? 422 : usual;
  const reason =
    error instanceof WaypostError && status !== 500
      ? error.message
      : `Internal server error. Report the request id ${requestId} to the operators.`;
  const text = TEXTS.get(status) ?? reason;
  const more = error instanceof HttpError ? error.details?.map((detail) => detail.message) : undefined;
  const errors = text === reason ? more : [reason];
  const { 'WWW-Authenticate': challenge, ...rest } = headers;
  const isJson = status === 422 || (request.header('accept') ?? '').includes('application/json');
  return {
    status,
    close,
    headers: {
      ...rest,
      ...(challenge !== undefined && { 'WWW-Authenticate': 'X-API-Key realm="Waypost"' }),
      'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    },
    body: isJson ? JSON.stringify({ error: text, ...(errors !== undefined && { errors }) }) : text,
  };
}

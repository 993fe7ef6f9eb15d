/**
 * Errors in the shape of PowerDNS's API: `{"error": "…", "errors": ["…"]}`. Clients that accept
 * other content only receive the text alone, except for 422, which is always JSON.
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

/** Codes of errors for which PowerDNS gives the reason in place of the fixed message. */
const REASONED: ReadonlySet<string> = new Set(['no_such_tsig_key', 'tsig_key_exists']);

/** Codes of errors that PowerDNS reports with 409. Other conflicts of records are 422 there. */
const CONFLICTS: ReadonlySet<string> = new Set(['zone_exists', 'tsig_key_exists']);

/**
 * Pages of other sites may use the API: they need a key in a header, and cookies are not accepted.
 */
export const CORS = { 'Access-Control-Allow-Origin': '*' } as const;

/** Headers of the response to a preflight request. `allow`: the methods of the path. */
export const preflightHeaders = (allow: string) => ({
  ...CORS,
  'Access-Control-Allow-Headers': 'Content-Type, X-API-Key',
  'Access-Control-Allow-Methods': allow,
  'Access-Control-Max-Age': '3600',
});

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
  const hasReason = error instanceof WaypostError && REASONED.has(error.code);
  const text = hasReason ? reason : (TEXTS.get(status) ?? reason);
  const more = error instanceof HttpError ? error.details?.map((detail) => detail.message) : undefined;
  const errors = text === reason ? more : [reason];
  const { 'WWW-Authenticate': challenge, ...rest } = headers;
  const isJson = status === 422 || /application\/(json|\*)|\*\/\*|^$/.test(request.header('accept') ?? '');
  return {
    status,
    close,
    headers: {
      ...rest,
      ...CORS,
      ...(challenge !== undefined && { 'WWW-Authenticate': 'X-API-Key realm="Waypost"' }),
      'Content-Type': isJson ? 'application/json' : 'text/plain; charset=utf-8',
    },
    body: isJson ? JSON.stringify({ error: text, ...(errors !== undefined && { errors }) }) : text,
  };
}

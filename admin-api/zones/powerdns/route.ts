/**
 * Routes of the PowerDNS-compatible API. Their contract is PowerDNS's own, so the OpenAPI document
 * does not list them: see docs/powerdns.md.
 */
import { isUtf8 } from 'node:buffer';
import { accountQuery } from '../../change/acting.ts';
import type { Caller, Scope } from '../../http/caller.ts';
import { HttpError } from '../../http/errors.ts';
import type { NoParameters, Parameters, Query } from '../../http/query.ts';
import { type Context, foreignRoute, type RawReply, type ServedRoute, withAuthorization } from '../../http/route.ts';
import type { Method } from '../../http/router.ts';
import type { HttpRequest } from '../../http/transport.ts';
import { CORS, PREFIX, unprocessable } from './errors.ts';

/** Path of the only server. */
export const SERVER = `${PREFIX}/localhost`;
/** Maximum size of a body: enough for a zone as text. */
const MAX_BODY = 8 << 20;

/** Every endpoint has the parameter `account`. */
export type PowerDnsContext<P extends Parameters = NoParameters> = Context<
  Caller,
  Buffer,
  Query<P & typeof accountQuery>
>;

interface PowerDnsRoute<P extends Parameters> {
  readonly method: Method;
  readonly path: string;
  readonly scope: Scope;
  /** Accepts tokens with policies: see Description in admin-api/http/route.ts. */
  readonly forLimited?: true;
  /** False: a method other than GET that changes nothing. */
  readonly changes?: false;
  /** The query parameters besides `account`. */
  readonly query?: P;
  run(context: PowerDnsContext<P>): RawReply | Promise<RawReply>;
}

export function powerDnsRoute<P extends Parameters = NoParameters>({
  changes,
  ...route
}: PowerDnsRoute<P>): ServedRoute {
  const access = changes === false || route.method === 'GET' ? 'read' : 'write';
  const query = { ...accountQuery, ...route.query } as P & typeof accountQuery;
  const run = (context: PowerDnsContext<P>) => {
    Object.assign(context.headers, CORS);
    return route.run(context);
  };
  return foreignRoute({ ...route, run, query, access, limit: MAX_BODY, credentials: withApiKey });
}

/**
 * The request with its X-API-Key as the token. Without one, `Authorization: Bearer` is used.
 * Cookies of the dashboard are not: they would need its CSRF token.
 */
function withApiKey(request: HttpRequest): HttpRequest {
  const key = request.header('x-api-key');
  return withAuthorization(request, key === undefined ? (request.header('authorization') ?? '') : `Bearer ${key}`);
}

/** The JSON object of the body. Throws HttpError 400 and InvalidError. */
export function readObject({ body }: Pick<PowerDnsContext, 'body'>): Readonly<Record<string, unknown>> {
  let value: unknown;
  try {
    value = isUtf8(body) ? JSON.parse(body.toString()) : undefined;
  } catch {
    // Below.
  }
  if (value === undefined) throw new HttpError(400, 'malformed_json', 'The body is not valid JSON.');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unprocessable('The body must be a JSON object.');
  return value as Readonly<Record<string, unknown>>;
}

/** A JSON response. */
export function json({ headers }: Pick<PowerDnsContext, 'headers'>, value: unknown, status = 200): RawReply {
  headers['Content-Type'] = 'application/json';
  return { raw: JSON.stringify(value), status };
}

/** Success without a body. */
export const noContent = (): RawReply => ({ raw: '', status: 204 });

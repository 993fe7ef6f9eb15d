/**
 * From a request to an answer: route, caller, rate limit, body, service, headers. What a service returns becomes the JSON body beside
 * `"ok": true`; what it throws becomes an error.
 */
import type { Static, TObject } from '@sinclair/typebox';
import type { Logger } from '../../core/log/index.ts';
import type { Account, Token } from '../../core/store/rows.ts';
import { type Authenticator, requireAccess } from '../auth/authenticate.ts';
import { errorResponse, HttpError, statusOf } from './errors.ts';
import { type BodySchema, MAX_JSON } from './json-body.ts';
import type { RateLimit } from './rate-limit.ts';
import { newRequestId } from './request-id.ts';
import { type Method, type Params, Router } from './router.ts';
import { Aborted, type Handler, type HttpRequest, type HttpResponse, type ResponseBody } from './transport.ts';

export type Scope = 'dns' | 'proxy' | 'packages' | 'account';

export interface Caller {
  readonly account: Account;
  readonly token: Token;
}

export interface Context<C, B> {
  readonly params: Params;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly caller: C;
  readonly body: B;
  readonly remoteAddress: string;
  /** A request header, by its name in lower case. */
  header(name: string): string | undefined;
  /** Headers of the answer. */
  readonly headers: Record<string, string>;
}

/** A body that is sent as it is; its Content-Type is among the context's headers. */
export interface RawReply {
  readonly raw: ResponseBody;
  readonly status?: number;
}

export type Reply = { readonly [key: string]: unknown } | RawReply;

export interface Route {
  readonly method: Method;
  readonly path: string;
  handle(request: HttpRequest, match: { params: Params; query: URLSearchParams }, app: AppParts): Promise<HttpResponse>;
}

export interface AppParts {
  readonly authenticator: Authenticator;
  readonly requests: RateLimit;
  readonly headers: Record<string, string>;
}

interface Common<C, B> {
  readonly method: Method;
  readonly path: string;
  run(context: Context<C, B>): Reply | Promise<Reply>;
}

const NO_QUERY = new URLSearchParams();

/** A route that anyone may call. */
export function publicRoute<T extends TObject>(
  route: Common<null, Static<T>> & { readonly body?: BodySchema<T> },
): Route {
  return {
    method: route.method,
    path: route.path,
    async handle(request, match, app) {
      const body = await readJson(request, route.body);
      return reply(await route.run(context(request, match, app, null, body)), app.headers);
    },
  };
}

/** A route for the scope; GET needs its `:read`. `admin`: for that role alone. */
export function route<T extends TObject>(
  route: Common<Caller, Static<T>> & { readonly scope: Scope; readonly admin?: boolean; readonly body?: BodySchema<T> },
): Route {
  return {
    method: route.method,
    path: route.path,
    async handle(request, match, app) {
      const caller = enter(request, app, route);
      const body = await readJson(request, route.body);
      return reply(await route.run(context(request, match, app, caller, body)), app.headers);
    },
  };
}

/** A route whose body is bytes of one of the `types`. */
export function bytesRoute(
  route: Common<Caller, Buffer> & { readonly scope: Scope; readonly types: readonly string[]; readonly limit: number },
): Route {
  return {
    method: route.method,
    path: route.path,
    async handle(request, match, app) {
      const caller = enter(request, app, route);
      requireType(request, route.types);
      const body = await request.body(route.limit);
      return reply(await route.run(context(request, match, app, caller, body)), app.headers);
    },
  };
}

function enter(request: HttpRequest, app: AppParts, route: { scope: Scope; admin?: boolean; method: Method }): Caller {
  const caller = app.authenticator.authenticate(request.header('authorization'));
  app.requests.take(caller.token.id, app.headers);
  requireAccess(caller, route.scope, route.method === 'GET' ? 'read' : 'write', route.admin ?? false);
  return caller;
}

function context<C, B>(
  request: HttpRequest,
  match: { params: Params; query: URLSearchParams },
  app: AppParts,
  caller: C,
  body: B,
): Context<C, B> {
  return {
    params: match.params,
    path: request.path,
    query: match.query,
    caller,
    body,
    remoteAddress: request.remoteAddress,
    header: (name) => request.header(name),
    headers: app.headers,
  };
}

async function readJson<T extends TObject>(request: HttpRequest, schema: BodySchema<T> | undefined) {
  if (schema === undefined) return {};
  requireType(request, ['application/json']);
  return schema.parse(await request.body(MAX_JSON));
}

function requireType(request: HttpRequest, types: readonly string[]): void {
  const type = request.header('content-type');
  if (type !== undefined && types.includes(type.split(';', 1)[0].trim().toLowerCase())) return;
  throw new HttpError(415, 'unsupported_media_type', `Send the body with Content-Type: ${types.join(' or ')}.`, {
    headers: { Accept: types.join(', ') },
  });
}

function reply(result: Reply, headers: Record<string, string>): HttpResponse {
  if (isRaw(result)) return { status: result.status ?? 200, headers, body: result.raw };
  headers['Content-Type'] = 'application/json';
  return { status: 200, headers, body: JSON.stringify({ ok: true, ...result }) };
}

function isRaw(result: Reply): result is RawReply {
  return 'raw' in result;
}

export interface AppOptions {
  readonly routes: readonly Route[];
  readonly authenticator: Authenticator;
  readonly requests: RateLimit;
  readonly log: Logger;
}

export function createApp({ routes, authenticator, requests, log }: AppOptions): Handler {
  const router = new Router(routes);
  return async (request) => {
    const requestId = newRequestId();
    const headers: Record<string, string> = { 'X-Request-Id': requestId };
    try {
      const match = router.match(request.method, request.path);
      if (match.kind === 'options') return { status: 200, headers: { ...headers, Allow: match.allow }, body: '' };
      const query = request.query === '' ? NO_QUERY : new URLSearchParams(request.query);
      const found = { params: match.params, query };
      return await match.route.handle(request, found, { authenticator, requests, headers });
    } catch (error) {
      if (statusOf(error) === undefined && !(error instanceof Aborted))
        log.error('A request failed unexpectedly.', {
          request_id: requestId,
          method: request.method,
          path: request.path,
          error,
        });
      const response = errorResponse(error, requestId);
      return { ...response, headers: { ...headers, ...response.headers } };
    }
  };
}

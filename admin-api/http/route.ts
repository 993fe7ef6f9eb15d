/**
 * What an endpoint is: where it stands, who may call it, what it takes, what it answers and how it can fail. One description checks
 * requests, gives the handler its types, and is written out as OpenAPI (openapi/).
 */
import type { Static, TObject } from '@sinclair/typebox';
import type { Journal } from '../../core/journal/journal.ts';
import type { Authentication, Caller, Scope } from './caller.ts';
import { HttpError } from './errors.ts';
import { type Idempotency, readIdempotency } from './idempotency.ts';
import { type BodySchema, MAX_JSON } from './json-body.ts';
import { withNews } from './later.ts';
import { judged } from './not-found.ts';
import type { RateLimit } from './rate-limit.ts';
import { REVISION } from './revision.ts';
import type { Method, Params } from './router.ts';
import type { HttpRequest, HttpResponse, ResponseBody } from './transport.ts';
import { refuseUnknownParameters } from './unknown.ts';

export type Tag = 'tokens' | 'accounts' | 'domains' | 'records' | 'proxy' | 'packages' | 'operations';

export interface Context<C, B = unknown> {
  readonly params: Params;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly caller: C;
  readonly body: B;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Of a POST that came with an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
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

/** What the answer holds beside `"ok": true`. */
export type Reply = { readonly [key: string]: unknown } | RawReply;

/** Error codes by status, beyond those that every endpoint has. */
export type Faults = Readonly<Record<number, readonly string[]>>;

/** What OpenAPI tells of an endpoint. */
export interface Description {
  /** Names it for generated clients, as `createRecord`; no two have the same. It stays, whatever becomes of the path. */
  readonly operationId: string;
  readonly tag: Tag;
  /** One line, as "Create a record". */
  readonly summary: string;
  readonly description?: string;
  /** Parameters of the query as values; they come as strings, which `run` reads and checks. Others are refused where a token is needed. */
  readonly query?: TObject;
  /** The answer beside `ok`; left out when it is not JSON. */
  readonly answer?: TObject;
  /** Content type of an answer that is no JSON: the only one, or the other one. */
  readonly answerType?: string;
  /** By status. An empty list is no error: the body is that of an answer. */
  readonly faults?: Faults;
  /** Reads give an ETag, writes take it in If-Match. */
  readonly conditional?: boolean;
  /** False: it changes nothing, though it is no GET. */
  readonly changes?: false;
}

export interface Route extends Description {
  readonly method: Method;
  readonly path: string;
  /** Null: no token is asked for. */
  readonly scope: Scope | null;
  readonly admin: boolean;
  /** Schema of a JSON body. */
  readonly body?: TObject;
  /** No body at all counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** Content types of a body that is bytes. */
  readonly bodyTypes?: readonly string[];
  /** What a form of multipart/form-data holds. */
  readonly form?: TObject;
  handle(request: HttpRequest, at: Arrival, app: AppParts): Promise<HttpResponse>;
}

/** A request as the router has placed it. */
export interface Arrival {
  readonly params: Params;
  readonly query: URLSearchParams;
  readonly requestId: string;
  readonly headers: Record<string, string>;
}

export interface AppParts {
  readonly authenticator: Authentication;
  readonly requests: RateLimit;
  readonly journal: Pick<Journal, 'head' | 'latest'>;
  /** Resolves when this node has what others had written by now: one look for all who wait, and few a second; null: there are no others. */
  readonly news: { join(): Promise<unknown> } | null;
  /** The first answer to a request that came before under the same Idempotency-Key, or null. Throws HttpError 422 when it was another request. */
  replay(idempotency: Idempotency, headers: Record<string, string>): Reply | null;
  /** Who serves a change, which the answer to a write says; null: this node is alone, and nothing is said. */
  sync(sequence: number): Sync | null;
}

/** Names of nodes. */
export interface Sync {
  readonly seq: number;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

interface Common<C, B, A extends TObject> extends Description {
  readonly method: Method;
  readonly path: string;
  readonly answer?: A;
  run(context: Context<C, B>): Answered<A> | Promise<Answered<A>>;
}

/** What a handler gives is held to the schema of its answer. */
type Answered<A extends TObject> = Static<A> | RawReply;

/** A route that anyone may call. */
export function publicRoute<T extends TObject, A extends TObject>(
  route: Common<null, Static<T>, A> & { readonly body?: BodySchema<T> },
): Route {
  return {
    ...route,
    body: route.body?.schema,
    scope: null,
    admin: false,
    async handle(request, at, app) {
      const body = route.body?.parse(await readJson(request)) ?? {};
      return reply(await route.run(context<null, Static<T>>(request, at, null, body, null)), at.headers, app);
    },
  };
}

/** A route for the scope; GET needs its `:read`. `admin`: for that role alone. */
export function route<T extends TObject, A extends TObject>(
  route: Common<Caller, Static<T>, A> & {
    readonly scope: Scope;
    readonly admin?: boolean;
    readonly body?: BodySchema<T>;
    /** No body at all counts as `{}`. */
    readonly bodyOptional?: boolean;
    /** Bytes of the body at most; MAX_JSON when left out. */
    readonly limit?: number;
  },
): Route {
  return {
    ...route,
    body: route.body?.schema,
    admin: route.admin ?? false,
    handle: withNews(route.body === undefined ? 0 : (route.limit ?? MAX_JSON), async (request, at, app) => {
      let caller = enter(request, at, app, route);
      let bytes: Buffer = NO_BYTES;
      if (route.body !== undefined) {
        bytes = await readJson(request, route.limit, route.bodyOptional);
        caller = admit(request, app, route);
      }
      const body = route.body?.parse(bytes) ?? {};
      const idempotency = route.method === 'POST' ? readIdempotency(request, caller.token, bytes) : null;
      const before = idempotency === null ? null : app.replay(idempotency, at.headers);
      const run = () => route.run(context(request, at, caller, body, idempotency));
      return reply(before ?? (await judged(app.journal, run)), at.headers, app);
    }),
  };
}

/** A route whose body is bytes of one of the `bodyTypes`, at most `limit` of them. */
export function bytesRoute<A extends TObject>(
  route: Common<Caller, Buffer, A> & {
    readonly scope: Scope;
    readonly bodyTypes: readonly string[];
    readonly limit: number;
  },
): Route {
  return {
    ...route,
    admin: false,
    handle: withNews(route.limit, async (request, at, app) => {
      enter(request, at, app, route);
      requireType(request, route.bodyTypes);
      const body = await request.body(route.limit);
      const caller = admit(request, app, route);
      const run = () => route.run(context(request, at, caller, body, null));
      return reply(await judged(app.journal, run), at.headers, app);
    }),
  };
}

/** As bytesRoute, for anyone. `admit` is asked before the body is read, and throws HttpError. */
export function publicBytesRoute<A extends TObject>(
  route: Common<null, Buffer, A> & {
    readonly bodyTypes: readonly string[];
    readonly limit: number;
    admit(from: Pick<Context<null>, 'remoteAddress' | 'headers'>): void;
  },
): Route {
  return {
    ...route,
    scope: null,
    admin: false,
    async handle(request, at, app) {
      route.admit({ remoteAddress: request.remoteAddress, headers: at.headers });
      requireType(request, route.bodyTypes);
      const body = await request.body(route.limit);
      return reply(await route.run(context(request, at, null, body, null)), at.headers, app);
    },
  };
}

/** What has become of a form that was received. */
export interface Received<V> {
  readonly value: V;
  /** Says which request it was, as the bytes of another one's body do. */
  readonly identity: Buffer;
}

/** A route that takes a form, at most `limit` bytes, as it comes. */
export function formRoute<V, A extends TObject>(
  route: Common<Caller, V, A> & {
    readonly scope: Scope;
    readonly form: TObject;
    readonly limit: number;
    /** Reads all of the body, and changes nothing that is seen: the request may have been answered before, or be refused when all has come. */
    receive(context: Context<Caller, AsyncIterable<Buffer>>): Promise<Received<V>>;
  },
): Route {
  return {
    ...route,
    bodyTypes: FORM_TYPES,
    admin: false,
    handle: withNews(route.limit, async (request, at, app) => {
      const entered = enter(request, at, app, route);
      requireType(request, FORM_TYPES);
      const stream = request.stream(route.limit);
      const { value, identity } = await route.receive(context(request, at, entered, stream, null));
      const caller = admit(request, app, route);
      const idempotency = readIdempotency(request, caller.token, identity);
      const before = idempotency === null ? null : app.replay(idempotency, at.headers);
      return reply(before ?? (await route.run(context(request, at, caller, value, idempotency))), at.headers, app);
    }),
  };
}

const FORM_TYPES = ['multipart/form-data'];
const NO_BYTES = Buffer.alloc(0);

type Guarded = {
  readonly scope: Scope;
  readonly admin?: boolean;
  readonly method: Method;
  readonly query?: TObject;
};

function enter(request: HttpRequest, at: Arrival, app: AppParts, route: Guarded): Caller {
  const caller = app.authenticator.authenticate(request.header('authorization'));
  app.requests.take(caller.token.id, at.headers);
  requireRoute(app, caller, route);
  // Endpoints for anyone ignore what they do not know: probes and links bring parameters of their own.
  refuseUnknownParameters(at.query, route.query);
  return caller;
}

/** Once more when the body is there, which a slow client can take minutes for: the token may have been revoked meanwhile. */
function admit(request: HttpRequest, app: AppParts, route: Guarded): Caller {
  const caller = app.authenticator.authenticate(request.header('authorization'));
  requireRoute(app, caller, route);
  return caller;
}

function requireRoute({ authenticator }: AppParts, caller: Caller, { scope, method, admin = false }: Guarded): void {
  authenticator.requireAccess(caller, scope, method === 'GET' ? 'read' : 'write', admin);
}

function context<C, B>(
  request: HttpRequest,
  at: Arrival,
  caller: C,
  body: B,
  idempotency: Idempotency | null,
): Context<C, B> {
  const { params, query, requestId, headers } = at;
  const { path, remoteAddress } = request;
  const header = (name: string): string | undefined => request.header(name);
  return { params, query, requestId, headers, path, remoteAddress, caller, body, idempotency, header };
}

async function readJson(request: HttpRequest, limit = MAX_JSON, isOptional = false): Promise<Buffer> {
  // Clients that send nothing name no type.
  const untyped = isOptional && request.header('content-type') === undefined;
  if (!untyped) requireType(request, ['application/json']);
  const bytes = await request.body(limit);
  if (isOptional && bytes.length === 0) return EMPTY_OBJECT;
  if (untyped) requireType(request, ['application/json']);
  return bytes;
}

const EMPTY_OBJECT = Buffer.from('{}');

function requireType(request: HttpRequest, types: readonly string[]): void {
  const type = request.header('content-type');
  if (type !== undefined && types.includes(type.split(';', 1)[0].trim().toLowerCase())) return;
  throw new HttpError(415, 'unsupported_media_type', `Send the body with Content-Type: ${types.join(' or ')}.`, {
    headers: { Accept: types.join(', ') },
  });
}

function reply(result: Reply, headers: Record<string, string>, app: AppParts): HttpResponse {
  if (isRaw(result)) return { status: result.status ?? 200, headers, body: result.raw };
  headers['Content-Type'] = 'application/json';
  const sync = headers[REVISION] === undefined ? null : app.sync(Number(headers[REVISION]));
  const text = JSON.stringify(sync === null ? result : { ...result, sync });
  return { status: 200, headers, body: text === '{}' ? '{"ok":true}' : `{"ok":true,${text.slice(1)}` };
}

function isRaw(result: Reply): result is RawReply {
  return 'raw' in result;
}

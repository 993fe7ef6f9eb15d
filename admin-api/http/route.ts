/**
 * Describes an endpoint: path, access, parameters, body, response and errors. One description
 * checks the requests, types the handler, and generates the OpenAPI document (openapi/).
 */
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { Journal } from '../../core/journal/journal.ts';
import { type AccessParts, authorize, reauthorize, requireForLimited, takeRequest } from './access.ts';
import { holderOfAccount } from './body-memory.ts';
import type { Caller, Scope } from './caller.ts';
import { retryNotFound, withCatchUp } from './catch-up.ts';
import { type Idempotency, readIdempotency } from './idempotency.ts';
import { type BodySchema, MAX_JSON, readJson, requireType } from './json-body.ts';
import { type NoParameters, type Parameters, type Query, queryReader } from './query.ts';
import { REVISION } from './revision.ts';
import type { Method, Params } from './router.ts';
import { type HttpRequest, type HttpResponse, type ResponseBody, withParts } from './transport.ts';

export type Tag =
  | 'tokens'
  | 'sessions'
  | 'accounts'
  | 'domains'
  | 'records'
  | 'dnssec'
  | 'proxy'
  | 'packages'
  | 'webhooks'
  | 'operations';

export interface Context<C, B = unknown, Q = unknown> {
  readonly params: Params;
  readonly path: string;
  /** The values of the query parameters. */
  readonly query: Q;
  /** The query parameters as the client sent them. */
  readonly parameters: URLSearchParams;
  readonly caller: C;
  readonly body: B;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** `signal` aborts when the client disconnects. */
  readonly client: Pick<HttpRequest, 'signal'>;
  /** A proxy received the request over TLS. */
  readonly isSecure: boolean;
  /** Set for a POST with an Idempotency-Key. */
  readonly idempotency: Idempotency | null;
  /** A header of the request; `name` in lower case. */
  header(name: string): string | undefined;
  /** Headers of the response. */
  readonly headers: Record<string, string>;
}

/**
 * A body that is sent unchanged. The handler sets its Content-Type in the headers of the context.
 */
export interface RawReply {
  readonly raw: ResponseBody;
  /** See HttpResponse. */
  readonly length?: number;
  readonly status?: number;
  /** The connection is closed after the response. */
  readonly close?: boolean;
}

/** The fields of a response next to `"ok": true`, or a body that is sent unchanged. */
export type Reply = { readonly [key: string]: unknown } | RawReply;

/** Error codes by status, without the codes that every endpoint has. */
export type Faults = Readonly<Record<number, readonly string[]>>;

/** The example of an endpoint in the reference: a request, and the command that does the same. */
export interface Example<P extends Parameters = Parameters, B = unknown> {
  readonly query?: { readonly [K in keyof P]?: string | number };
  readonly body?: B;
  /** The name of the file that is the body, or is in the form. */
  readonly file?: string;
  /**
   * Without `$`. It names the domain example.com, and other objects by the ids of the path (17).
   */
  readonly command?: string;
}

/** The part of a route that the OpenAPI document describes. */
interface Description {
  /**
   * Unique name in generated clients, such as `createRecord`. It never changes, even if the path
   * does.
   */
  readonly operationId: string;
  readonly tag: Tag;
  /** One line, such as "Create a record". */
  readonly summary: string;
  readonly description?: string;
  /** Omitted: the request has neither a query nor a body, and there is no command for it. */
  readonly example?: Example;
  /**
   * Schemas of the query parameters (query.ts). A route that requires a token rejects all other
   * parameters.
   */
  readonly query?: Parameters;
  /** Fields of the response next to `ok`; omitted if it is not JSON. */
  readonly response?: TSchema;
  /** Content type of a response that is not JSON, or the alternative to JSON. */
  readonly responseType?: string;
  /** By status. A status with an empty list is not an error: it has the body of a response. */
  readonly faults?: Faults;
  /** Reads return an ETag; writes accept it in If-Match. */
  readonly conditional?: boolean;
  /** Whether the route changes something. Omitted: unless its method is GET. */
  readonly changes?: boolean;
  /**
   * Accepts tokens that are restricted to domains; `run` checks the restriction. By default such a
   * token can use only endpoints below a domain.
   */
  readonly forRestricted?: true;
  /**
   * Accepts tokens with policies; `run` checks what they may read. Changes are checked when they
   * are committed (change/record-policies.ts).
   */
  readonly forLimited?: true;
}

export interface Route extends Description {
  readonly method: Method;
  readonly path: string;
  /** Null: the route requires no token. */
  readonly scope: Scope | null;
  readonly admin: boolean;
  /** Schema of a JSON body. */
  readonly body?: TObject;
  /** An empty body counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** Content types of a body that is not JSON. */
  readonly bodyTypes?: readonly string[];
  /** Schema of a body of multipart/form-data. */
  readonly form?: TObject;
  handle(request: HttpRequest, at: MatchedRequest, app: AppParts): Promise<HttpResponse>;
}

/** A route with the types of its parts, from which clients are typed: see client.ts. */
export interface RouteOf<
  Id extends string,
  M extends Method,
  Path extends string,
  P extends Parameters,
  T extends TObject,
  A extends TSchema,
> extends Route {
  readonly operationId: Id;
  readonly method: M;
  readonly path: Path;
  readonly query?: P;
  readonly body?: T;
  readonly response?: A;
}

/** The part of a route that serves requests. */
export type ServedRoute = Pick<Route, 'method' | 'path' | 'scope' | 'changes' | 'handle'>;

/** A request that matches a route. */
interface MatchedRequest {
  readonly params: Params;
  readonly query: URLSearchParams;
  readonly requestId: string;
  readonly headers: Record<string, string>;
}

export interface AppParts extends AccessParts {
  readonly journal: Pick<Journal, 'head' | 'latest'>;
  /**
   * Resolves when this node has applied all changes that other nodes have committed so far.
   * Concurrent callers share one read. Null: this is the only node.
   */
  readonly catchUp: { join(): Promise<unknown> } | null;
  /**
   * The stored response to an earlier request with the same Idempotency-Key, or null. Throws
   * HttpError 422 if the earlier request had other content.
   */
  replay(idempotency: Idempotency, headers: Record<string, string>): Reply | null;
  /**
   * The nodes that have applied a change, for the response to a write; null: this is the only node.
   */
  sync(sequence: number): Sync | null;
}

/** Names of nodes. */
export interface Sync {
  readonly seq: number;
  readonly applied: readonly string[];
  readonly pending: readonly string[];
}

interface Common<
  Id extends string,
  M extends Method,
  Path extends string,
  P extends Parameters,
  C,
  B,
  A extends TSchema,
> extends Description {
  readonly operationId: Id;
  readonly method: M;
  readonly path: Path;
  readonly query?: P;
  readonly example?: Example<P, NoInfer<B>>;
  readonly response?: A;
  run(context: Context<C, B, Query<P>>): HandlerResult<A> | Promise<HandlerResult<A>>;
}

/** The result type of a handler follows from the schema of the response. */
type HandlerResult<A extends TSchema> = Static<A> | RawReply;

/** A route that requires no token. */
export function publicRoute<
  const Id extends string,
  const M extends Method,
  const Path extends string,
  P extends Parameters = NoParameters,
  T extends TObject = never,
  A extends TSchema = never,
>(
  definition: Common<Id, M, Path, P, null, Static<T>, A> & { readonly body?: BodySchema<T> },
): RouteOf<Id, M, Path, P, T, A> {
  const readQuery = queryReader(definition.query);
  return {
    ...definition,
    body: definition.body?.schema,
    scope: null,
    admin: false,
    async handle(request, at, app) {
      const body = definition.body?.parse(await readJson(request)) ?? {};
      return createResponse(
        await definition.run(createContext(request, at, readQuery, null, body as Static<T>, null)),
        at.headers,
        app,
      );
    },
  };
}

/** A route that requires `scope`; a GET also accepts `scope:read`. `admin`: only for that role. */
export function route<
  const Id extends string,
  const M extends Method,
  const Path extends string,
  P extends Parameters = NoParameters,
  T extends TObject = never,
  A extends TSchema = never,
>(
  definition: Common<Id, M, Path, P, Caller, Static<T>, A> & {
    readonly scope: Scope;
    readonly admin?: boolean;
    readonly body?: BodySchema<T>;
    readonly bodyOptional?: boolean;
    /**
     * Requires only read access from a session: every role may sign out and change its own
     * credentials.
     */
    readonly ownAccess?: boolean;
    /** The route ends access to an account. Its requests have a separate rate limit. */
    readonly revokes?: true;
    /**
     * Adds the fields that depend on the commit to a response, also to a stored response for an
     * Idempotency-Key.
     */
    readonly complete?: (reply: Reply) => Promise<Reply>;
    /** Maximum size of the body in bytes; MAX_JSON if omitted. */
    readonly limit?: number;
  },
): RouteOf<Id, M, Path, P, T, A> {
  const readQuery = queryReader(definition.query);
  return {
    ...definition,
    body: definition.body?.schema,
    admin: definition.admin ?? false,
    handle: withCatchUp(
      definition.body === undefined ? 0 : (definition.limit ?? MAX_JSON),
      async (request, at, app) => {
        let caller = authorize(request, at, app, definition);
        let bytes: Buffer = NO_BYTES;
        if (definition.body !== undefined) {
          bytes = await readJson(
            request,
            definition.limit,
            definition.bodyOptional,
            holderOfAccount(caller.account.id),
          );
          caller = reauthorize(request, app, definition);
        }
        const body = definition.body?.parse(bytes) ?? {};
        const idempotency = definition.method === 'POST' ? readIdempotency(request, caller.token, bytes) : null;
        const before = idempotency === null ? null : app.replay(idempotency, at.headers);
        const run = () => definition.run(createContext(request, at, readQuery, caller, body as Static<T>, idempotency));
        const reply = before ?? (await retryNotFound(app.journal, run));
        const completed = definition.complete === undefined ? reply : await definition.complete(reply as Reply);
        return createResponse(completed, at.headers, app);
      },
    ),
  };
}

/** A route whose body has one of the `bodyTypes`, and at most `limit` bytes. */
export function bytesRoute<
  const Id extends string,
  const M extends Method,
  const Path extends string,
  P extends Parameters = NoParameters,
  A extends TSchema = never,
>(
  definition: Common<Id, M, Path, P, Caller, Buffer, A> & {
    readonly scope: Scope;
    readonly bodyTypes: readonly string[];
    readonly limit: number;
  },
): RouteOf<Id, M, Path, P, never, A> {
  const readQuery = queryReader(definition.query);
  return {
    ...definition,
    admin: false,
    handle: withCatchUp(definition.limit, async (request, at, app) => {
      const sender = authorize(request, at, app, definition);
      requireType(request, definition.bodyTypes);
      const body = await request.body(definition.limit, holderOfAccount(sender.account.id));
      const caller = reauthorize(request, app, definition);
      const idempotency = definition.method === 'POST' ? readIdempotency(request, caller.token, body) : null;
      const before = idempotency === null ? null : app.replay(idempotency, at.headers);
      const run = () => definition.run(createContext(request, at, readQuery, caller, body, idempotency));
      return createResponse(before ?? (await retryNotFound(app.journal, run)), at.headers, app);
    }),
  };
}

/**
 * A route of an API that is compatible with another product. `run` reads and checks the body, and
 * the domains of restricted tokens. A GET has no body. Unknown query parameters are ignored.
 */
export function foreignRoute<P extends Parameters>(definition: {
  readonly method: Method;
  readonly path: string;
  readonly query?: P;
  readonly scope: Scope;
  readonly forLimited?: true;
  readonly access: 'read' | 'write';
  /** Maximum size of the body in bytes. */
  readonly limit: number;
  /** The request with its credentials in the Authorization header. */
  credentials(request: HttpRequest): HttpRequest;
  run(context: Context<Caller, Buffer, Query<P>>): RawReply | Promise<RawReply>;
}): ServedRoute {
  const { method, path, scope, forLimited, access, limit, credentials, run } = definition;
  const readQuery = queryReader(definition.query);
  const hasBody = method !== 'GET';
  const serve = withCatchUp<MatchedRequest, AppParts>(hasBody ? limit : 0, async (request, at, app) => {
    const { authenticator } = app;
    let caller = authenticator.authenticate(request);
    takeRequest(app, caller, at.headers);
    authenticator.requireAccess(caller, scope, access, false);
    requireForLimited(caller, forLimited);
    let body: Buffer = NO_BYTES;
    if (hasBody) {
      body = await request.body(limit, holderOfAccount(caller.account.id));
      caller = authenticator.authenticate(request);
      authenticator.requireAccess(caller, scope, access, false);
    }
    const reply = () => run(createContext(request, at, readQuery, caller, body, null));
    return createResponse(await retryNotFound(app.journal, reply), at.headers, app);
  });
  const changes = access === 'write';
  return { method, path, scope, changes, handle: (request, at, app) => serve(credentials(request), at, app) };
}

/** A request with other credentials. If they are empty, cookies are not used either. */
export function withAuthorization(request: HttpRequest, authorization: string): HttpRequest {
  return withParts(request, { header: (name) => (name === 'authorization' ? authorization : request.header(name)) });
}

/**
 * Like bytesRoute, without a token. `admit` is called before the body is read; it throws HttpError.
 */
export function publicBytesRoute<
  const Id extends string,
  const M extends Method,
  const Path extends string,
  P extends Parameters = NoParameters,
  A extends TSchema = never,
>(
  definition: Common<Id, M, Path, P, null, Buffer, A> & {
    readonly bodyTypes: readonly string[];
    readonly limit: number;
    admit(from: Pick<Context<null>, 'remoteAddress' | 'headers'>): void;
  },
): RouteOf<Id, M, Path, P, never, A> {
  const readQuery = queryReader(definition.query);
  return {
    ...definition,
    scope: null,
    admin: false,
    async handle(request, at, app) {
      definition.admit({ remoteAddress: request.remoteAddress, headers: at.headers });
      requireType(request, definition.bodyTypes);
      const body = await request.body(definition.limit);
      const context = createContext(request, at, readQuery, null, body, null);
      return createResponse(await definition.run(context), at.headers, app);
    },
  };
}

/** The result of reading a form. */
export interface Received<V> {
  readonly value: V;
  /**
   * Identifies the content of the request for an Idempotency-Key, like the bytes of a JSON body.
   */
  readonly identity: Buffer;
}

/** A route that reads a form of at most `limit` bytes as a stream. */
export function formRoute<
  const Id extends string,
  const M extends Method,
  const Path extends string,
  V,
  P extends Parameters = NoParameters,
  A extends TSchema = never,
>(
  definition: Common<Id, M, Path, P, Caller, V, A> & {
    readonly scope: Scope;
    readonly form: TObject;
    readonly limit: number;
    /**
     * Reads the whole body without visible effects, because the request may be a retry or be
     * rejected afterwards.
     */
    receive(context: Context<Caller, AsyncIterable<Buffer>, Query<P>>): Promise<Received<V>>;
  },
): RouteOf<Id, M, Path, P, never, A> {
  const readQuery = queryReader(definition.query);
  return {
    ...definition,
    bodyTypes: FORM_TYPES,
    admin: false,
    handle: withCatchUp(definition.limit, async (request, at, app) => {
      const sender = authorize(request, at, app, definition);
      requireType(request, FORM_TYPES);
      const stream = request.stream(definition.limit, holderOfAccount(sender.account.id));
      const received = createContext(request, at, readQuery, sender, stream, null);
      const { value, identity } = await definition.receive(received);
      const caller = reauthorize(request, app, definition);
      const idempotency = readIdempotency(request, caller.token, identity);
      const before = idempotency === null ? null : app.replay(idempotency, at.headers);
      return createResponse(
        before ?? (await definition.run(createContext(request, at, readQuery, caller, value, idempotency))),
        at.headers,
        app,
      );
    }),
  };
}

const FORM_TYPES = ['multipart/form-data'];
const NO_BYTES = Buffer.alloc(0);

function createContext<C, B, Q>(
  request: HttpRequest,
  at: MatchedRequest,
  readQuery: (parameters: URLSearchParams) => Q,
  caller: C,
  body: B,
  idempotency: Idempotency | null,
): Context<C, B, Q> {
  const { params, query: parameters, requestId, headers } = at;
  const { path, remoteAddress, isSecure = false } = request;
  const header = (name: string): string | undefined => request.header(name);
  return {
    params,
    query: readQuery(parameters),
    parameters,
    requestId,
    headers,
    path,
    remoteAddress,
    isSecure,
    caller,
    body,
    idempotency,
    header,
    client: request,
  };
}

/** `result`: of the handler, a Reply whose type its schema has checked. */
function createResponse(result: unknown, headers: Record<string, string>, app: AppParts): HttpResponse {
  const reply = result as Reply;
  if (isRaw(reply)) {
    const { raw: body, status = 200, length, close } = reply;
    return { status, headers, body, length, close };
  }
  headers['Content-Type'] = 'application/json';
  const sync = headers[REVISION] === undefined ? null : app.sync(Number(headers[REVISION]));
  const text = JSON.stringify(sync === null ? reply : { ...reply, sync });
  return { status: 200, headers, body: text === '{}' ? '{"ok":true}' : `{"ok":true,${text.slice(1)}` };
}

function isRaw(result: Reply): result is RawReply {
  return 'raw' in result;
}

/**
 * A client of the API over fetch, for browsers and Node. Its calls are typed from the routes, which
 * are imported as types only: `createClient<ApiRoute>(url)`. It imports nothing, so that the
 * package for other programs (admin-api/client) has the same calls. The command line makes them
 * over its own connections (cli/base/client.ts).
 */

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type NoParameters = Record<never, never>;

/** A schema of TypeBox, or what says the same of its values. */
interface Typed {
  readonly static: unknown;
}

/** The parts of a route (route.ts) that type its calls. */
export interface AnyRoute {
  readonly method: Method;
  readonly path: string;
  readonly query?: Readonly<Record<string, Typed>>;
  readonly body?: Typed;
  readonly response?: Typed;
}

/** The body of an error (openapi/shared.ts). */
export interface ErrorBody {
  readonly ok: false;
  readonly error: ErrorPart & { readonly code: string; readonly details?: readonly ErrorDetail[] };
  readonly request_id: string;
}

interface ErrorPart {
  /** What is wrong, and what to do. */
  readonly message: string;
  /** The field of the body that is wrong (RFC 6901). */
  readonly pointer?: string;
  /** Values that would be accepted. */
  readonly choices?: readonly string[];
}

export interface ErrorDetail extends ErrorPart {
  readonly code?: string;
  readonly line?: number;
  readonly file?: string;
  readonly fix?: string;
}

/** The body of a request to a route. */
export type RequestOf<R extends AnyRoute> = StaticOf<R['body']>;

/** The fields of a response of a route, besides `ok`. */
export type ResponseOf<R extends AnyRoute> = StaticOf<R['response']>;

type StaticOf<S> = [NonNullable<S>] extends [never]
  ? never
  : NonNullable<S> extends Typed
    ? NonNullable<S>['static']
    : never;

type QueryOf<R extends AnyRoute> = R extends { readonly query?: infer P extends Readonly<Record<string, Typed>> }
  ? { readonly [K in keyof P]?: P[K]['static'] | undefined }
  : never;

type Names<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

type PathOf<R extends AnyRoute> = { readonly [N in Names<R['path']>]: string | number };

interface RequestHeaders {
  readonly 'If-Match'?: string;
  readonly 'Idempotency-Key'?: string;
}

/** The parameters of a call. */
export type ParamsOf<R extends AnyRoute> = {
  readonly query?: QueryOf<R>;
  readonly header?: RequestHeaders;
} & Optional<'path', PathOf<R>>;

/** Omittable if all its fields are. */
type Optional<Name extends string, T> = NoParameters extends T
  ? { readonly [N in Name]?: T }
  : { readonly [N in Name]: T };

/** The paths of a method. */
export type PathsOf<R extends AnyRoute, M extends Method> = Extract<R, { readonly method: M }>['path'];

export type RouteAt<R extends AnyRoute, M extends Method, Path extends string> = Extract<
  R,
  { readonly method: M; readonly path: Path }
>;

/** What a call of a route passes. `Raw`: a body that is not JSON, which is sent unchanged. */
type CallOf<R extends AnyRoute, Raw> = Optional<'params', ParamsOf<R>> &
  ([RequestOf<R>] extends [never] ? { readonly body?: Raw } : Optional<'body', RequestOf<R>>) & {
    readonly headers?: Readonly<Record<string, string>>;
  };

/** The arguments of a call after its path. `More`: further options of the client. */
export type CallArguments<R extends AnyRoute, Raw, More> =
  NoParameters extends CallOf<R, Raw> ? [call?: CallOf<R, Raw> & More] : [call: CallOf<R, Raw> & More];

/** The body of a successful response. */
export type DataOf<R extends AnyRoute> = { readonly ok: true } & ResponseOf<R>;

/** Either `data` or `error` is set; neither, if the body of the response is not JSON. */
export interface Outcome<T> {
  readonly data?: T;
  readonly error?: ErrorBody;
  readonly response: Response;
}

interface CallOptions<As> {
  readonly signal?: AbortSignal;
  /** `text`: the response is not JSON. */
  readonly parseAs?: As;
}

export type Client<R extends AnyRoute> = {
  readonly [M in Method]: <const Path extends PathsOf<R, M>, As extends 'json' | 'text' = 'json'>(
    path: Path,
    ...call: CallArguments<RouteAt<R, M, Path>, string | Blob, CallOptions<As>>
  ) => Promise<Outcome<As extends 'text' ? string : DataOf<RouteAt<R, M, Path>>>>;
};

export interface ClientRequest<Raw = string | Blob> {
  readonly method: Method;
  /** Of the route, such as `/api/v1/domains/{domain_id}`. */
  readonly route: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Raw | undefined;
  readonly signal: AbortSignal | undefined;
}

type Send = (request: ClientRequest) => Promise<Response>;

export const sendRequest: Send = ({ url, method, headers, body, signal }) =>
  fetch(url, { method, headers, body, signal });

export interface AnyCall {
  readonly params?: {
    readonly path?: Readonly<Record<string, string | number>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly header?: RequestHeaders;
  };
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly parseAs?: string;
}

/** `send`: sends a request, by default with fetch. Calls reject if it does. */
export function createClient<R extends AnyRoute>(baseUrl: string, send: Send = sendRequest): Client<R> {
  const caller =
    (method: Method) =>
    async (route: string, call: AnyCall = {}): Promise<Outcome<unknown>> => {
      const response = await send(requestOf(baseUrl, method, route, call));
      const text = await response.text();
      if (!response.ok) return { error: parseJson(text) as Outcome<unknown>['error'], response };
      return { data: call.parseAs === 'text' ? text : parseJson(text), response };
    };
  const client = Object.fromEntries(METHODS.map((method) => [method, caller(method)]));
  return client as unknown as Client<R>;
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Bodies that fetch sends as they are. */
const isSentRaw = (body: unknown): boolean =>
  body instanceof Blob || body instanceof FormData || ArrayBuffer.isView(body);

/** The request of a call. A body that is an object, and not `Raw`, is JSON. */
export function requestOf<Raw = string | Blob>(
  baseUrl: string,
  method: Method,
  route: string,
  { params = {}, body, headers, signal }: AnyCall,
): ClientRequest<Raw> {
  const isJson = typeof body === 'object' && !isSentRaw(body);
  return {
    method,
    route,
    url: urlOf(baseUrl, route, params),
    headers: { ...(isJson ? { 'Content-Type': 'application/json' } : {}), ...params.header, ...headers },
    body: isJson ? JSON.stringify(body) : (body as Raw | undefined),
    signal,
  };
}

function urlOf(baseUrl: string, route: string, { path = {}, query = {} }: NonNullable<AnyCall['params']>): string {
  const filled = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? baseUrl + filled : `${baseUrl}${filled}?${search}`;
}

/** Undefined: the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

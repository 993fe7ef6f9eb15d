/**
 * A client of the API over fetch, for browsers and Node. Its calls are typed from the routes, which
 * are imported as types only: `createClient<ApiRoute>(url)`. It imports nothing at run time.
 */
import type { Static, TSchema } from '@sinclair/typebox';
import type { errorSchema } from './openapi/shared.ts';
import type { NoParameters, Parameters } from './query.ts';
import type { RouteOf } from './route.ts';
import type { Method } from './router.ts';

// biome-ignore lint/suspicious/noExplicitAny: any schema
type AnyRoute = RouteOf<string, Method, string, any, any, any>;

/** The body of a request to a route. */
export type RequestOf<R extends AnyRoute> = StaticOf<R['body']>;

/** The fields of a response of a route, besides `ok`. */
export type ResponseOf<R extends AnyRoute> = StaticOf<R['response']>;

type StaticOf<S> = [NonNullable<S>] extends [never]
  ? never
  : NonNullable<S> extends TSchema
    ? Static<NonNullable<S>>
    : never;

type QueryOf<R extends AnyRoute> = R extends { readonly query?: infer P extends Parameters }
  ? { readonly [K in keyof P]?: Static<P[K]> | undefined }
  : never;

type Names<Path> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

type PathOf<R extends AnyRoute> = { readonly [N in Names<R['path']>]: string | number };

interface RequestHeaders {
  readonly 'If-Match'?: string;
  readonly 'Idempotency-Key'?: string;
}

interface Parts<R extends AnyRoute> {
  readonly query?: QueryOf<R>;
  readonly header?: RequestHeaders;
}

/** Omittable if all its fields are. */
type Optional<Name extends string, T> = NoParameters extends T
  ? { readonly [N in Name]?: T }
  : { readonly [N in Name]: T };

type CallOf<R extends AnyRoute> = Optional<'params', Parts<R> & Optional<'path', PathOf<R>>> &
  // A body that is not JSON is sent unchanged.
  ([RequestOf<R>] extends [never] ? { readonly body?: string | Blob } : Optional<'body', RequestOf<R>>) & {
    readonly headers?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
    /** The response is not JSON. */
    readonly parseAs?: 'text';
  };

type DataOf<R extends AnyRoute, C> = C extends { readonly parseAs: 'text' }
  ? string
  : { readonly ok: true } & ResponseOf<R>;

/** Either `data` or `error` is set; neither, if the body of the response is not JSON. */
export interface Outcome<T> {
  readonly data?: T;
  readonly error?: Static<typeof errorSchema>;
  readonly response: Response;
}

type Arguments<R extends AnyRoute, C extends CallOf<R>> = NoParameters extends CallOf<R> ? [call?: C] : [call: C];

export type Client<R extends AnyRoute> = {
  readonly [M in Method]: <
    const Path extends Extract<R, { readonly method: M }>['path'],
    const C extends CallOf<Extract<R, { readonly method: M; readonly path: Path }>>,
  >(
    path: Path,
    ...call: Arguments<Extract<R, { readonly method: M; readonly path: Path }>, C>
  ) => Promise<Outcome<DataOf<Extract<R, { readonly method: M; readonly path: Path }>, C>>>;
};

export interface ClientRequest {
  readonly method: Method;
  /** Of the route, such as `/api/v1/domains/{domain_id}`. */
  readonly route: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | Blob | undefined;
  readonly signal: AbortSignal | undefined;
}

type Send = (request: ClientRequest) => Promise<Response>;

export const sendRequest: Send = ({ url, method, headers, body, signal }) =>
  fetch(url, { method, headers, body, signal });

interface AnyCall {
  readonly params?: {
    readonly path?: Readonly<Record<string, string | number>>;
    readonly query?: Readonly<Record<string, unknown>>;
    readonly header?: RequestHeaders;
  };
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  readonly parseAs?: 'text';
}

/** `send`: sends a request, by default with fetch. Calls reject if it does. */
export function createClient<R extends AnyRoute>(baseUrl: string, send: Send = sendRequest): Client<R> {
  const caller =
    (method: Method) =>
    async (route: string, call: AnyCall = {}): Promise<Outcome<unknown>> => {
      const { params = {}, signal, parseAs } = call;
      const isJson = typeof call.body === 'object' && !(call.body instanceof Blob);
      const headers: Record<string, string> = {
        ...(isJson ? { 'Content-Type': 'application/json' } : {}),
        ...params.header,
        ...call.headers,
      };
      const body = isJson ? JSON.stringify(call.body) : (call.body as string | Blob | undefined);
      const response = await send({ method, route, url: urlOf(baseUrl, route, params), headers, body, signal });
      if (!response.ok) return { error: parse(await response.text()) as Outcome<unknown>['error'], response };
      const text = await response.text();
      return { data: parseAs === 'text' ? text : parse(text), response };
    };
  const client = Object.fromEntries(METHODS.map((method) => [method, caller(method)]));
  return client as unknown as Client<R>;
}

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

function urlOf(baseUrl: string, route: string, { path = {}, query = {} }: NonNullable<AnyCall['params']>): string {
  const filled = route.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name]));
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return given.length === 0 ? baseUrl + filled : `${baseUrl}${filled}?${search}`;
}

/** Undefined: the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The client of the package: calls that resolve with the body of the response or throw
 * WaypostError, retries of requests that may be repeated, and lists as async iterators.
 */
import {
  type AnyCall,
  type AnyRoute,
  type CallArguments,
  type DataOf,
  type ErrorBody,
  type ErrorDetail,
  type ParamsOf,
  type PathsOf,
  parseJson,
  type ResponseOf,
  type RouteAt,
  requestOf,
} from '../http/client.ts';

type Method = AnyRoute['method'];
type Body = string | Blob | FormData | Uint8Array<ArrayBuffer>;

export interface ClientOptions {
  /** Where the API is; `http://127.0.0.1:8300` if omitted. */
  readonly url?: string;
  /** Omitted: for endpoints without a token, or in a browser with the cookie of a session. */
  readonly token?: string;
  /** The number of times that a request is sent again; 4 if omitted. */
  readonly retries?: number;
  /**
   * Longest wait before a retry, in milliseconds; 60,000 if omitted. A call whose Retry-After is
   * longer fails.
   */
  readonly maxWait?: number;
  /** Replaces the global fetch. */
  readonly fetch?: typeof fetch;
}

/** What a call resolves with. */
interface Parsed<T> {
  readonly json: T;
  readonly text: string;
  readonly blob: Blob;
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>;
}

interface CallOptions<As> {
  readonly signal?: AbortSignal;
  /** `json` if omitted. */
  readonly parseAs?: As;
}

type Listed<R extends AnyRoute, P extends PathsOf<R, 'GET'>> = ResponseOf<RouteAt<R, 'GET', P>>;
/** The fields of a response that are lists. */
type ListKey<T> = { [K in keyof T]: T[K] extends readonly unknown[] ? K : never }[keyof T];
type ItemOf<T, K extends keyof T> = T[K] extends readonly (infer I)[] ? I : never;
type ListParams<R extends AnyRoute> = ParamsOf<R> & { readonly signal?: AbortSignal };
type ListArguments<R extends AnyRoute> =
  Record<never, never> extends ParamsOf<R> ? [params?: ListParams<R>] : [params: ListParams<R>];

export type WaypostClient<R extends AnyRoute> = {
  readonly [M in Method]: <const Path extends PathsOf<R, M>, As extends keyof Parsed<unknown> = 'json'>(
    path: Path,
    ...call: CallArguments<RouteAt<R, M, Path>, Body, CallOptions<As>>
  ) => Promise<Parsed<DataOf<RouteAt<R, M, Path>>>[As]>;
} & {
  /** The items in the field `key` of all pages. A page is read when the items before it are. */
  readonly list: <const Path extends PathsOf<R, 'GET'>, K extends ListKey<Listed<R, Path>>>(
    path: Path,
    key: K,
    ...params: ListArguments<RouteAt<R, 'GET', Path>>
  ) => AsyncGenerator<ItemOf<Listed<R, Path>, K>, void, undefined>;
};

/** A call that failed: the API refused it, or could not be reached. */
export class WaypostError extends Error {
  override readonly name = 'WaypostError';
  /** Of the response; 0: there was none, and `cause` says why. */
  readonly status: number;
  /** Stable, such as `zone_exists`; `unreachable` without a response. */
  readonly code: string;
  /** JSON pointer to the field of the body that is wrong. */
  readonly pointer: string | undefined;
  /** Values that would be accepted. */
  readonly choices: readonly string[];
  /** All faults, if there are several. */
  readonly details: readonly ErrorDetail[];
  /** Include it when you ask for help. */
  readonly requestId: string | undefined;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter: number | undefined;

  constructor(status: number, body: Partial<ErrorBody>, options: { cause?: unknown; retryAfter?: number } = {}) {
    const error: Partial<ErrorBody['error']> = body.error ?? {};
    const { code = `http_${status}`, message = `The response has the status ${status}.` } = error;
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.status = status;
    this.code = code;
    this.pointer = error.pointer;
    this.choices = error.choices ?? [];
    this.details = error.details ?? [];
    this.requestId = body.request_id;
    this.retryAfter = options.retryAfter;
  }
}

const DEFAULT_URL = 'http://127.0.0.1:8300';
const RETRIES = 4;
const MAX_WAIT = 60_000;
const FIRST_WAIT = 250;
const MAX_PAGE = 1000;
const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const BUSY: ReadonlySet<number> = new Set([429, 503]);

type Options = Required<Omit<ClientOptions, 'token'>> & Pick<ClientOptions, 'token'>;

interface Sent extends AnyCall {
  readonly parseAs?: keyof Parsed<unknown>;
}

export function createClient<R extends AnyRoute>(given: ClientOptions = {}): WaypostClient<R> {
  const options: Options = {
    ...given,
    url: (given.url ?? DEFAULT_URL).replace(/\/$/, ''),
    retries: given.retries ?? RETRIES,
    maxWait: given.maxWait ?? MAX_WAIT,
    fetch: given.fetch ?? ((...request) => fetch(...request)),
  };
  const caller = (method: Method) => (path: string, call: Sent) => send(options, method, path, call);
  const calls = Object.fromEntries(METHODS.map((method) => [method, caller(method)]));
  const list = (path: string, key: string, params: Sent['params'] & { signal?: AbortSignal } = {}) =>
    readList(options, path, key, params);
  return { ...calls, list } as unknown as WaypostClient<R>;
}

async function* readList(
  options: Options,
  path: string,
  key: string,
  { signal, ...params }: Sent['params'] & { signal?: AbortSignal },
): AsyncGenerator<unknown> {
  let cursor: string | null = null;
  do {
    const query: Record<string, unknown> = { limit: MAX_PAGE, ...params.query };
    if (cursor !== null) query.cursor = cursor;
    const page = (await send(options, 'GET', path, { params: { ...params, query }, signal })) as Record<
      string,
      unknown
    >;
    yield* page[key] as readonly unknown[];
    cursor = (page.next_cursor as string | null | undefined) ?? null;
  } while (cursor !== null);
}

/** Sends the request, again if that is safe, and reads the response. */
async function send(options: Options, method: Method, path: string, call: Sent = {}): Promise<unknown> {
  const { url, headers, body, signal } = requestOf<Body>(options.url, method, path, call);
  headers.Accept ??= call.parseAs === undefined || call.parseAs === 'json' ? 'application/json' : '*/*';
  if (options.token !== undefined) headers.Authorization ??= `Bearer ${options.token}`;
  // The same for all attempts, so that none does the work of another again.
  if (method === 'POST' && options.token !== undefined) headers['Idempotency-Key'] ??= randomKey();
  const mayRepeat = method !== 'PATCH' && (method !== 'POST' || headers['Idempotency-Key'] !== undefined);
  for (let attempt = 0; ; attempt++) {
    const isLast = attempt >= options.retries;
    let response: Response;
    try {
      response = await options.fetch(url, { method, headers, body: body ?? null, signal: signal ?? null });
    } catch (cause) {
      signal?.throwIfAborted();
      if (isLast || !mayRepeat) throw unreachable(options.url, cause);
      await wait(backoff(attempt, options.maxWait), signal);
      continue;
    }
    if (response.ok) return read(response, call.parseAs ?? 'json');
    const error = await errorOf(response);
    const pause = error.retryAfter === undefined ? backoff(attempt, options.maxWait) : error.retryAfter * 1000;
    // A code would expire during the wait, and count as a wrong one.
    if (isLast || !BUSY.has(error.status) || error.code === 'code_locked' || pause > options.maxWait) throw error;
    await wait(pause, signal);
  }
}

async function read(response: Response, as: keyof Parsed<unknown>): Promise<unknown> {
  if (as === 'stream') return response.body;
  if (as === 'blob') return response.blob();
  const text = await response.text();
  if (as === 'text') return text;
  const body = parseJson(text);
  if (typeof body === 'object' && body !== null) return body;
  throw new WaypostError(response.status, {
    error: { code: 'not_the_api', message: 'The response is not from the API of Waypost; check the URL.' },
  });
}

async function errorOf(response: Response): Promise<WaypostError> {
  const body = parseJson(await response.text());
  const seconds = response.headers.get('Retry-After') ?? '';
  const retryAfter = /^\d{1,9}$/.test(seconds) ? Number(seconds) : undefined;
  return new WaypostError(response.status, typeof body === 'object' && body !== null ? body : {}, { retryAfter });
}

const unreachable = (url: string, cause: unknown): WaypostError =>
  new WaypostError(0, { error: { code: 'unreachable', message: `Cannot reach the API at ${url}.` } }, { cause });

/** Exponential, with jitter, so that refused clients do not all retry at the same time. */
const backoff = (attempt: number, most: number): number =>
  Math.min(most, FIRST_WAIT * 2 ** attempt) * (0.5 + Math.random() / 2);

/** Rejects with the reason of the signal when it aborts. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** randomUUID is only in secure contexts of browsers. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

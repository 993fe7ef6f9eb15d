/**
 * HTTP client of the API, typed from its routes: keep-alive connections, and retries after 429, 503
 * and lost connections.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher, FormData, Pool } from 'undici';
import { describeConnectFault } from '../../../core/net/dial/connect-fault.ts';
import {
  type AnyCall,
  type CallArguments,
  type ClientRequest,
  type DataOf,
  type PathsOf,
  parseJson,
  type RouteAt,
  requestOf,
} from '../../http/client.ts';
import type { Method } from '../../http/router.ts';
import type { ApiRoute } from '../../routes/routes.ts';
import { ApiError, CliError, type ErrorDetail, HOW_TO_GET_A_TOKEN } from './errors.ts';
import { type CliIo, type GlobalOptions, print } from './io.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8300';
const ATTEMPTS = 8;
const FIRST_DELAY = 250;
const MAX_DELAY = 30_000;
/** Shortest wait that is reported, and the time between two reports, in milliseconds. */
const REPORTED_WAIT = 2000;
const REPORT_INTERVAL = 10_000;
/** Maximum Retry-After, in milliseconds: the window of the daemon's rate limit. */
const MAX_RETRY_AFTER = 300_000;
/** Long, because the daemon compiles a large zone before it sends the header of the response. */
const HEADERS_TIMEOUT = 600_000;

export type Json = { readonly [key: string]: unknown };

/** A body that is not JSON. Called for every attempt, because a stream can be sent only once. */
type RawBody = () => Readable | Uint8Array | FormData;

/** A response with an unread body. */
type Reply = Dispatcher.ResponseData;

export interface Change {
  /** The sequence number of a write. */
  readonly change?: number;
}

/** What a call resolves with. */
interface Parsed<T> {
  /** The body; after a write, with the field `change`. */
  readonly json: T & Change;
  readonly text: string;
  readonly stream: Reply['body'];
  /** A response with any status, without retries. */
  readonly reply: { readonly status: number; readonly body: T };
}

interface CallOptions<As> {
  readonly parseAs?: As;
  /** False: the request needs no token. */
  readonly authorized?: false;
}

/** A failed call throws ApiError, or CliError `unreachable`. */
type Calls = {
  readonly [M in Method]: <const Path extends PathsOf<ApiRoute, M>, As extends keyof Parsed<unknown> = 'json'>(
    path: Path,
    ...call: CallArguments<RouteAt<ApiRoute, M, Path>, RawBody, CallOptions<As>>
  ) => Promise<Parsed<DataOf<RouteAt<ApiRoute, M, Path>>>[As]>;
};

export class ApiClient implements Calls {
  readonly GET: Calls['GET'] = this.#caller('GET');
  readonly POST: Calls['POST'] = this.#caller('POST');
  readonly PUT: Calls['PUT'] = this.#caller('PUT');
  readonly PATCH: Calls['PATCH'] = this.#caller('PATCH');
  readonly DELETE: Calls['DELETE'] = this.#caller('DELETE');

  constructor(
    readonly url: string,
    private readonly token: string | undefined,
    private readonly pool: Pool,
    private readonly sleep: (ms: number, why?: CliError) => Promise<void>,
    /** Id of the account for lists and creations; undefined: the account of the token. */
    readonly account?: number,
  ) {}

  /** The same client, with another `account`. */
  actFor(account: number): ApiClient {
    return new ApiClient(this.url, this.token, this.pool, this.sleep, account);
  }

  #caller<M extends Method>(method: M): Calls[M] {
    const call = async (route: string, options: AnyCall & CallOptions<keyof Parsed<unknown>> = {}) => {
      const prefix = new URL(this.url).pathname.replace(/\/$/, '');
      const reply = await this.#send(requestOf(prefix, method, route, options), options);
      if (options.parseAs === 'stream') return reply.body;
      const text = await reply.body.text();
      if (options.parseAs === 'text') return text;
      const { statusCode: status, headers } = reply;
      const body = asObject(parseJson(text));
      if (body === undefined) throw notTheApi(this.url, status);
      if (options.parseAs === 'reply') return { status, body };
      if (body.ok !== true) throw notTheApi(this.url, status);
      const revision = headers['x-waypost-revision'];
      return typeof revision === 'string' && /^\d{1,15}$/.test(revision) ? { ...body, change: Number(revision) } : body;
    };
    return call as Calls[M];
  }

  async #send(request: ClientRequest<RawBody>, { authorized, parseAs }: CallOptions<unknown>): Promise<Reply> {
    const { method, url: path, body } = request;
    const headers = this.#headers(request, authorized !== false);
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS;
      let response: Reply;
      try {
        const sent = typeof body === 'function' ? body() : body;
        response = await this.pool.request({ method, path, headers, body: sent ?? null });
      } catch (error) {
        if (last && isLostConnection(error) && typeof body === 'function') throw connectionClosed(this.url, error);
        if (last || !isLostConnection(error)) throw unreachable(this.url, error);
        await this.sleep(backoff(attempt));
        continue;
      }
      if (response.statusCode < 300 || parseAs === 'reply') return response;
      const text = await response.body.text();
      const retry = response.statusCode === 429 || response.statusCode === 503;
      const fault = this.#fault(response.statusCode, text);
      // The code would expire during the wait, and count as a wrong code.
      if (last || !retry || fault.code === 'code_locked') throw fault;
      await this.sleep(retryAfter(response.headers['retry-after']) ?? backoff(attempt), fault);
    }
  }

  async close(): Promise<void> {
    // Does not wait for requests that a failed command has left in flight.
    await this.pool.destroy();
  }

  #headers(request: ClientRequest<RawBody>, isAuthorized: boolean): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
    if (isAuthorized) {
      if (this.token === undefined)
        throw new CliError('no_token', 'An API token is required.', { next: HOW_TO_GET_A_TOKEN });
      headers.authorization = `Bearer ${this.token}`;
      // A retry must not create the same object twice.
      if (request.method === 'POST') headers['idempotency-key'] = randomUUID();
    }
    return headers;
  }

  #fault(status: number, text: string): CliError {
    const body = asObject(parseJson(text));
    const error = body === undefined ? undefined : asObject(body.error);
    if (body === undefined || error === undefined) return notTheApi(this.url, status);
    return new ApiError(status, {
      code: asText(error.code) ?? `http_${status}`,
      message: asText(error.message) ?? `The daemon returned status ${status}.`,
      pointer: asText(error.pointer),
      details: Array.isArray(error.details) ? error.details.flatMap(asDetail) : [],
      requestId: asText(body.request_id),
    });
  }
}

/** Creates a client from the global options and the environment, and closes it after `use`. */
export async function withClient<T>(
  io: CliIo,
  options: GlobalOptions,
  use: (client: ApiClient) => Promise<T>,
  connections = 1,
): Promise<T> {
  const url = options.url ?? (io.env.WAYPOST_URL || DEFAULT_URL);
  const token = options.token ?? (io.env.WAYPOST_TOKEN || undefined);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) {
    throw new CliError('invalid_token', 'The API token contains invalid characters.', {
      next: HOW_TO_GET_A_TOKEN,
    });
  }
  const { origin } = parseUrl(url);
  // Imported here, because many commands send no request. undici is CommonJS: in the bundle, its
  // only export is the default.
  const undici = (await import('undici')).default;
  const pool = new undici.Pool(origin, { connections, headersTimeout: HEADERS_TIMEOUT, bodyTimeout: HEADERS_TIMEOUT });
  const client = new ApiClient(url, token, pool, reportingSleep(io));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** A sleep that reports long waits for a busy daemon. */
function reportingSleep(io: CliIo): (ms: number, why?: CliError) => Promise<void> {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return async (ms, why) => {
    const now = performance.now();
    if (why !== undefined && ms >= REPORTED_WAIT && now - reportedAt >= REPORT_INTERVAL) {
      reportedAt = now;
      print(io.stderr, `waiting ${Math.round(ms / 1000)} s before the next attempt: ${why.message}`);
    }
    await (io.sleep ?? wait)(ms);
  };
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function asDetail(value: unknown): ErrorDetail[] {
  const detail = asObject(value);
  const message = asText(detail?.message);
  if (detail === undefined || message === undefined) return [];
  return [
    {
      message,
      file: asText(detail.file),
      line: typeof detail.line === 'number' ? detail.line : undefined,
      pointer: asText(detail.pointer),
    },
  ];
}

function parseUrl(url: string): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed !== undefined && /^https?:$/.test(parsed.protocol)) return parsed;
  throw new CliError('invalid_url', `"${url}" is not a valid daemon URL.`, {
    next: `Pass --url or set WAYPOST_URL, for example to ${DEFAULT_URL}.`,
  });
}

/** Exponential backoff with jitter, so that rejected clients do not all retry at the same time. */
function backoff(attempt: number): number {
  return Math.min(MAX_DELAY, FIRST_DELAY * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Retry-After in milliseconds; undefined for a date (RFC 9110 10.2.3), which is not supported. */
function retryAfter(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^\d{1,9}$/.test(header)) return undefined;
  return Math.min(MAX_RETRY_AFTER, Number(header) * 1000);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** The daemon can close an idle connection just before a request is sent on it. */
function isLostConnection(error: unknown): boolean {
  return ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'].includes(codeOf(error));
}

function unreachable(url: string, error: unknown): Error {
  const code = codeOf(error);
  if (error instanceof CliError || ['ENOENT', 'EACCES', 'EISDIR'].includes(code)) return error as Error;
  const reason = describeConnectFault(error) || code || (error instanceof Error ? error.message : String(error));
  return new CliError('unreachable', `Cannot reach the daemon at ${url}: ${reason}.`, {
    cause: error,
    next: 'Start it with "waypost serve", or pass --url (WAYPOST_URL).',
  });
}

/**
 * If the body is too large, the daemon can close the connection before the client, which is still
 * sending, reads the error response.
 */
const connectionClosed = (url: string, cause: unknown): CliError =>
  new CliError('broken_off', `The daemon at ${url} closed the connection before it had received the whole request.`, {
    cause,
    next: 'The request may be too large; "packages.max_bytes" limits the size of a package.',
  });

function notTheApi(url: string, status: number): CliError {
  return new CliError(
    'not_the_api',
    `${url} returned status ${status}, but its response is not from the Waypost API.`,
    {
      next: 'Check --url (WAYPOST_URL).',
    },
  );
}

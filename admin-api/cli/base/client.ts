/**
 * HTTP client of the API: keep-alive connections, and retries after 429, 503 and lost connections.
 */
import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher, FormData, Pool } from 'undici';
import { ApiError, CliError, type ErrorDetail, HOW_TO_GET_A_TOKEN } from './errors.ts';
import type { CliIo, GlobalOptions } from './io.ts';

export const DEFAULT_URL = 'http://127.0.0.1:8300';
const ATTEMPTS = 8;
const FIRST_DELAY = 250;
const MAX_DELAY = 30_000;
/** Maximum Retry-After, in milliseconds: the window of the daemon's rate limit. */
const MAX_RETRY_AFTER = 300_000;
/** Long, because the daemon compiles a large zone before it sends the header of the response. */
const HEADERS_TIMEOUT = 600_000;

export type Json = { readonly [key: string]: unknown };

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with its query, after the base URL. */
  readonly path: string;
  readonly json?: object;
  /** A body that is not JSON. Called for every attempt, because a stream can be sent only once. */
  readonly body?: () => Readable | Uint8Array | FormData;
  readonly headers?: { readonly [name: string]: string };
  /** False: the request needs no token. */
  readonly authorized?: boolean;
  /** Returns a response with any status, without retries. */
  readonly anyStatus?: boolean;
}

export class ApiClient {
  readonly #prefix: string;
  readonly #token: string | undefined;
  readonly #sleep: (milliseconds: number) => Promise<void>;

  constructor(
    readonly url: string,
    token: string | undefined,
    private readonly pool: Pool,
    sleep: (ms: number) => Promise<void>,
    /** Id of the account for lists and creations; undefined: the account of the token. */
    readonly account?: string,
  ) {
    this.#prefix = new URL(url).pathname.replace(/\/$/, '');
    this.#token = token;
    this.#sleep = sleep;
  }

  /** The same client, with another `account`. */
  actFor(account: string): ApiClient {
    return new ApiClient(this.url, this.#token, this.pool, this.#sleep, account);
  }

  /**
   * Returns the JSON body of a successful response. For a write, adds the field `change`. Throws
   * ApiError, or CliError `unreachable`.
   */
  async json(request: ApiRequest): Promise<Json> {
    const { body, headers } = await this.fetchJson(request);
    const revision = headers['x-waypost-revision'];
    return typeof revision === 'string' && /^\d{1,15}$/.test(revision) ? { ...body, change: Number(revision) } : body;
  }

  /** Like `json`, with status and headers, and without the field `change`. */
  async fetchJson(
    request: ApiRequest,
  ): Promise<{ status: number; body: Json; headers: Dispatcher.ResponseData['headers'] }> {
    const response = await this.send(request);
    const body = parseJson(await response.body.text());
    if (body === undefined) throw notTheApi(this.url, response.statusCode);
    return { status: response.statusCode, body, headers: response.headers };
  }

  /** A successful response with an unread body. Throws ApiError, or CliError `unreachable`. */
  async send(request: ApiRequest): Promise<Dispatcher.ResponseData> {
    const headers = this.#headers(request);
    for (let attempt = 1; ; attempt++) {
      const last = attempt === ATTEMPTS;
      let response: Dispatcher.ResponseData;
      try {
        response = await this.pool.request({
          method: request.method,
          path: this.#prefix + request.path,
          headers,
          body: request.json === undefined ? (request.body?.() ?? null) : JSON.stringify(request.json),
        });
      } catch (error) {
        if (last && isLostConnection(error) && request.body !== undefined) throw connectionClosed(this.url, error);
        if (last || !isLostConnection(error)) throw unreachable(this.url, error);
        await this.#sleep(backoff(attempt));
        continue;
      }
      if (response.statusCode < 300 || request.anyStatus) return response;
      const text = await response.body.text();
      const retry = response.statusCode === 429 || response.statusCode === 503;
      const fault = this.#fault(response.statusCode, text);
      // The code would expire during the wait, and count as a wrong code.
      if (last || !retry || fault.code === 'code_locked') throw fault;
      await this.#sleep(retryAfter(response.headers['retry-after']) ?? backoff(attempt));
    }
  }

  async close(): Promise<void> {
    // Does not wait for requests that a failed command has left in flight.
    await this.pool.destroy();
  }

  #headers(request: ApiRequest): Record<string, string> {
    const headers: Record<string, string> = { accept: 'application/json', ...request.headers };
    if (request.authorized !== false) {
      if (this.#token === undefined)
        throw new CliError('no_token', 'An API token is required.', { next: HOW_TO_GET_A_TOKEN });
      headers.authorization = `Bearer ${this.#token}`;
    }
    if (request.json !== undefined) headers['content-type'] = 'application/json';
    // A retry must not create the same object twice.
    if (request.method === 'POST' && request.authorized !== false) headers['idempotency-key'] = randomUUID();
    return headers;
  }

  #fault(status: number, text: string): CliError {
    const body = parseJson(text);
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
  const client = new ApiClient(url, token, pool, io.sleep ?? ((ms) => wait(ms)));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
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

function parseJson(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
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
  const reason = code || (error instanceof Error ? error.message : String(error));
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

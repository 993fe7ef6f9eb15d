/**
 * Requests of the edge to servers of identity, for JSON. They use the client of origins: its check
 * of addresses and its limits hold. Redirects are not followed.
 */
import { NO_BODY } from '../../http/exchange/body-queue.ts';
import type { RequestBody } from '../../http/exchange/exchange.ts';
import type { FieldList } from '../../http/exchange/field-list.ts';
import type { Fetch } from '../../origin/origin.ts';
import type { Origin } from '../../origin/origin-address.ts';
import { readWhole } from '../../origin/whole-body.ts';

/** Milliseconds of a connection with TLS, and of a request with its response. */
const CONNECT_MS = 5000;
const REQUEST_MS = 10_000;
const MAX_BYTES = 256 * 1024;

export interface Target {
  readonly origin: Origin;
  readonly authority: string;
  /** Path and query. */
  readonly path: string;
}

/** `url`: of http or https. Throws TypeError for another text. */
export function targetOf(url: string): Target {
  const { hostname, host, port, pathname, search, protocol } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') throw new TypeError(`not a URL of http or https: ${url}`);
  const isSecure = protocol === 'https:';
  const origin: Origin = {
    host: hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    protocol: isSecure ? 'https' : 'http',
    connectTimeoutMs: CONNECT_MS,
    responseTimeoutMs: REQUEST_MS,
  };
  return { origin, authority: host, path: pathname + search };
}

export interface JsonRequest {
  readonly url: string;
  /** The site that causes the request, for its share of connections. */
  readonly site: string;
  readonly headers?: FieldList;
  /** Sent with POST. Omitted: GET. */
  readonly form?: URLSearchParams;
}

/** Returns the object of a response 200. Rejects with an error for the operator's log. */
export async function fetchJson(fetch: Fetch, request: JsonRequest): Promise<Readonly<Record<string, unknown>>> {
  const { url, site, headers = [], form } = request;
  const { origin, authority, path } = targetOf(url);
  const type = form === undefined ? [] : ['content-type', 'application/x-www-form-urlencoded'];
  const signal = AbortSignal.timeout(REQUEST_MS);
  const { status, body } = await fetch(
    {
      origin,
      serverName: origin.host,
      method: form === undefined ? 'GET' : 'POST',
      path,
      authority,
      headers: ['accept', 'application/json', 'user-agent', 'waypost', ...type, ...headers],
      body: form === undefined ? NO_BODY : bodyOf(Buffer.from(form.toString())),
      site,
      protocol: '',
    },
    signal,
  );
  const text = (await readWhole(body, MAX_BYTES)).toString();
  if (status !== 200) throw new Error(`${authority} answered with the status ${status}`);
  const value: unknown = JSON.parse(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${authority} did not answer with an object`);
  return value as Readonly<Record<string, unknown>>;
}

function bodyOf(bytes: Buffer): RequestBody {
  let rest: Buffer | null = bytes;
  return {
    length: bytes.length,
    trailers: [],
    read: async () => {
      const part = rest;
      rest = null;
      return part;
    },
    discard: () => {
      rest = null;
    },
  };
}

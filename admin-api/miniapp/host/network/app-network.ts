/**
 * `network.fetch` retrieves data over http and https from public addresses. Requests contain no
 * user data: no cookies, credentials or referrer, and the same User-Agent for every app.
 */
import { performance } from 'node:perf_hooks';
import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import { FairSlots } from '../../../../core/base/fair-slots.ts';
import { readHost } from '../../../../core/net/address/index.ts';
import {
  createConnector,
  type Fixture,
  ForbiddenAddress,
  type Resolve,
  resolveBySystem,
} from '../../../../core/net/dial/checked-connector.ts';
import { type ConnectFault, connectFault } from '../../../../core/net/dial/connect-fault.ts';
import { HostFault } from '../../bridge/errors.ts';
import { type FetchResult, LIMITS } from '../../bridge/operations.ts';
import type { Call, FetchRequest } from '../services.ts';
import { ACCEPT_ENCODING, BodyError, bodyText, readBody } from './body.ts';
import { type NetworkConditions, ONLINE, waitForBytes, waitForLatency } from './conditions.ts';

export interface NetworkLogEntry {
  readonly appId: string;
  readonly method: string;
  /** As the app requested it. */
  readonly url: string;
  /** Undefined without a response. */
  readonly status: number | undefined;
  /** Of the body, decoded. */
  readonly bytes: number;
  readonly ms: number;
  /** For the developer. May contain addresses, which apps must not receive. */
  readonly error: string | undefined;
}

export interface NetworkOptions {
  /** Called for each request. The default is `online`. */
  readonly conditions?: () => NetworkConditions;
  readonly log?: (entry: NetworkLogEntry) => void;
  /** The default is the system's resolver. All resolved addresses are checked. */
  readonly resolve?: Resolve;
  /** Test servers by host name, so that apps can be tested without the Internet. */
  readonly fixtures?: ReadonlyMap<string, Fixture>;
  /** Timeout of a request with its redirects, in ms. The default is LIMITS.fetchTime. */
  readonly timeoutMs?: number;
}

/** All requests of an app share one queue. */
const NO_OWNER = { account: '', network: '' } as const;
/** Maximum concurrent requests of an app; further ones are queued. */
const CONCURRENT = 6;
/** Maximum queued requests of an app. */
const MAX_QUEUED = 1000;
/** Maximum bytes of the header section of a response. */
const HEADER_LIMIT = 32 * 1024;
const USER_AGENT = 'Waypost-MiniApp/1';
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 304]);
/** Response header fields that are hidden from apps. */
const HIDDEN: ReadonlySet<string> = new Set(['set-cookie', 'set-cookie2']);

interface Hop {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Readable;
}

/** A request with its redirects. */
interface Exchange {
  readonly agent: Agent;
  readonly signal: AbortSignal;
  readonly conditions: NetworkConditions;
  readonly method: FetchRequest['method'];
}

interface Outcome {
  status: number | undefined;
  bytes: number;
}

export class AppNetwork {
  readonly #slots = new Map<string, FairSlots>();
  readonly #running = new Set<AbortController>();
  #isClosed = false;

  constructor(private readonly options: NetworkOptions = {}) {}

  /**
   * The service `fetch`. Throws HostFault: `network_error`, `timeout`, `invalid_argument` for a
   * URL that apps may not request, `cancelled` when the call's signal aborts.
   */
  async fetch({ appId, signal }: Call, request: FetchRequest): Promise<FetchResult> {
    const slots = this.#slots.get(appId) ?? new FairSlots({ slots: CONCURRENT, queue: MAX_QUEUED });
    this.#slots.set(appId, slots);
    const slot = await slots.acquire(NO_OWNER, signal);
    if (slot === 'aborted') throw cancelled();
    if (slot === 'full') throw new HostFault('network_error', `More than ${MAX_QUEUED} requests of the app wait.`);
    try {
      if (this.#isClosed) throw cancelled();
      return await this.#withDeadline(appId, signal, request);
    } finally {
      slot.release();
      if (slots.inUse === 0 && this.#slots.get(appId) === slots) this.#slots.delete(appId);
    }
  }

  /** Aborts the requests in flight. */
  close(): void {
    this.#isClosed = true;
    for (const controller of this.#running) controller.abort(cancelled());
  }

  async #withDeadline(appId: string, signal: AbortSignal, request: FetchRequest): Promise<FetchResult> {
    const limit = this.options.timeoutMs ?? LIMITS.fetchTime;
    const controller = new AbortController();
    const leave = (): void => controller.abort(cancelled());
    const timer = setTimeout(
      () => controller.abort(new HostFault('timeout', `There was no complete response within ${limit} ms.`)),
      limit,
    );
    signal.addEventListener('abort', leave, { once: true });
    this.#running.add(controller);
    const began = performance.now();
    const outcome: Outcome = { status: undefined, bytes: 0 };
    let problem: string | undefined;
    try {
      return await this.#follow(request, controller.signal, outcome);
    } catch (error) {
      const cause = controller.signal.aborted ? controller.signal.reason : error;
      problem = textOf(cause);
      throw faultOf(cause);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      this.#running.delete(controller);
      this.#report({
        appId,
        method: request.method,
        url: request.url,
        ...outcome,
        ms: Math.round(performance.now() - began),
        error: problem,
      });
    }
  }

  async #follow({ url, method }: FetchRequest, signal: AbortSignal, outcome: Outcome): Promise<FetchResult> {
    const { fixtures, resolve = resolveBySystem, conditions } = this.options;
    const fixtureOf = (host: string): Fixture | undefined => fixtures?.get(host.toLowerCase());
    // A separate agent for each request, so that apps never share a connection.
    const agent = new Agent({
      connect: createConnector({ resolve, fixtureOf, signal }),
      maxHeaderSize: HEADER_LIMIT,
      pipelining: 0,
    });
    const exchange: Exchange = { agent, signal, method, conditions: conditions?.() ?? ONLINE };
    try {
      let target = readTarget(url, undefined, fixtureOf);
      for (let redirects = 0; ; redirects++) {
        const hop = await send(exchange, target);
        outcome.status = hop.status;
        const location = REDIRECTS.has(hop.status) ? hop.headers.get('location') : undefined;
        if (location === undefined) return await readResult(exchange, target, hop, outcome);
        hop.body.destroy();
        if (redirects >= LIMITS.fetchRedirects)
          throw new HostFault('network_error', `There were more than ${LIMITS.fetchRedirects} redirects.`);
        target = readTarget(location, target, fixtureOf);
      }
    } finally {
      void agent.destroy();
    }
  }

  #report(entry: NetworkLogEntry): void {
    try {
      this.options.log?.(entry);
    } catch {
      // A failure of the log must not fail the request.
    }
  }
}

/**
 * The URL of a request, or of a redirect from `base`. The addresses of its host are checked when it
 * is connected to.
 */
function readTarget(text: string, base: URL | undefined, fixtureOf: (host: string) => Fixture | undefined): URL {
  const refuse = (why: string): never => {
    throw base === undefined
      ? new HostFault('invalid_argument', `"url" ${why}.`)
      : new HostFault('network_error', `A redirect ${why}.`);
  };
  if (!URL.canParse(text, base?.href)) refuse('is not a URL');
  const url = new URL(text, base);
  url.hash = '';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') refuse('is not a URL of http or https');
  if (url.username !== '' || url.password !== '') refuse('has credentials');
  if (base?.protocol === 'https:' && url.protocol === 'http:') refuse('leads from https to http');
  if (url.port === '0') refuse('has the port 0');
  if (Buffer.byteLength(url.href) > LIMITS.fetchUrl) refuse(`is longer than ${LIMITS.fetchUrl} bytes`);
  if (fixtureOf(url.hostname) === undefined) {
    try {
      readHost(url.hostname);
    } catch (error) {
      throw new ForbiddenAddress((error as Error).message);
    }
  }
  return url;
}

async function send({ agent, signal, method, conditions }: Exchange, url: URL): Promise<Hop> {
  if (conditions.mode === 'offline') throw new HostFault('network_error', 'The device is offline.');
  await waitForLatency(conditions, signal);
  if (conditions.mode === 'error') throw new HostFault('network_error', 'The network failed.');
  const { statusCode, headers, body } = await agent.request({
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers: { 'user-agent': USER_AGENT, accept: '*/*', 'accept-encoding': ACCEPT_ENCODING },
    responseHeaders: 'raw',
    signal,
  });
  // An unread body may emit an error later, for example when it is destroyed.
  body.on('error', () => {});
  return { status: statusCode, headers: readFields(headers as unknown as readonly unknown[]), body };
}

/** Names in lower case; several values of a name are joined. */
function readFields(raw: readonly unknown[]): Map<string, string> {
  const fields = new Map<string, string>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase();
    const value = String(raw[i + 1]);
    const previous = fields.get(name);
    fields.set(name, previous === undefined ? value : `${previous}, ${value}`);
  }
  return fields;
}

async function readResult(exchange: Exchange, url: URL, hop: Hop, outcome: Outcome): Promise<FetchResult> {
  const { method, signal, conditions } = exchange;
  const { status, headers, body: stream } = hop;
  const isEmpty = method === 'HEAD' || WITHOUT_BODY.has(status);
  if (isEmpty) stream.destroy();
  else if (Number(headers.get('content-length') ?? 0) > LIMITS.fetchBody)
    throw new BodyError(`The response is larger than ${LIMITS.fetchBody} bytes.`);
  const body = isEmpty
    ? Buffer.alloc(0)
    : await readBody(stream, {
        coding: headers.get('content-encoding') ?? '',
        limit: LIMITS.fetchBody,
        onChunk: (bytes) => waitForBytes(conditions, bytes, signal),
      });
  outcome.bytes = body.length;
  return {
    ok: status >= 200 && status <= 299,
    status,
    url: url.href,
    headers: Object.fromEntries([...headers].filter(([name]) => !HIDDEN.has(name))),
    ...bodyText(body),
  };
}

const cancelled = (): HostFault => new HostFault('cancelled', 'The request was cancelled.');

/** The error for the app. Original messages contain addresses, so they go only to the log. */
function faultOf(error: unknown): HostFault {
  if (error instanceof HostFault) return error;
  if (error instanceof BodyError) return new HostFault('network_error', error.message);
  if (error instanceof ForbiddenAddress)
    return new HostFault('network_error', 'The host has no public address; a host connects to no others.');
  if (codeOf(error) === 'UND_ERR_HEADERS_OVERFLOW')
    return new HostFault('network_error', `The header section is larger than ${HEADER_LIMIT} bytes.`);
  const fault = connectFault(error);
  return new HostFault('network_error', fault === undefined ? INCOMPLETE : REASONS[fault]);
}

const INCOMPLETE = 'There was no complete response.';

const REASONS: Readonly<Record<ConnectFault, string>> = {
  unresolved: 'The host name has no address.',
  refused: 'The server refused the connection.',
  unreachable: 'There is no route to the server.',
  'timed out': 'There was no connection in time.',
  closed: INCOMPLETE,
};

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';

function textOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message === '' ? codeOf(error) : message;
}

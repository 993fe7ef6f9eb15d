/** Routes a request and turns the result of the route, or its exception, into a response. */
import { diskFull, isDiskFull } from '../../core/base/disk-full.ts';
import { WaypostError } from '../../core/base/errors.ts';
import type { Logger } from '../../core/base/log/index.ts';
import { LogThrottle } from '../../core/base/log/throttle.ts';
import type { WriteTraces } from '../../core/observe/traces/write-traces.ts';
import { holderAt } from './body-memory.ts';
import { errorResponse, statusOf } from './errors.ts';
import { type ForwardedBy, isOverTls, type KnownHosts, withForwardedClient, withStatedClient } from './forwarded.ts';
import { assertAccepted, type WriteProtection } from './protection.ts';
import { newRequestId } from './request-id.ts';
import { matchesTag, REVISION } from './revision.ts';
import type { AppParts, ServedRoute } from './route.ts';
import { Router } from './router.ts';
import { Aborted, discard, type Handler, type HttpRequest, type HttpResponse, SMALL_RESPONSE } from './transport.ts';

interface Tracing {
  readonly traces: Pick<WriteTraces, 'start' | 'end'>;
}

const isWrite = ({ method, changes }: Pick<ServedRoute, 'method' | 'changes'>): boolean => changes ?? method !== 'GET';

/** `isTrusted`: the edge or a trusted proxy sent the request, so its traceparent is used. */
function traceWrite(
  { traces }: Tracing,
  request: HttpRequest,
  { path: route }: Pick<ServedRoute, 'path'>,
  requestId: string,
  isTrusted: boolean,
): void {
  const { method, path, remoteAddress } = request;
  const scheme = isOverTls(request) ? 'https' : 'http';
  const context = {
    traceParent: request.header('traceparent') ?? '',
    traceState: request.header('tracestate') ?? '',
  };
  traces.start({ requestId, method, path, route, remoteAddress, scheme, context, isTrusted });
}

/**
 * Headers of API responses: browsers must not sniff the type or frame the response, and caches must
 * not store it (RFC 9111 5.2.2.5). Routes whose response is public set their own Cache-Control.
 */
const PROTECTION = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
} as const;
const NO_QUERY = new URLSearchParams();
/** Route label of all pages in the metrics. */
const PAGES_ROUTE = 'dashboard';

/** Serves files outside of the API. */
interface Pages {
  /** The response at this path, or null. Throws HttpError 405. */
  respond(request: HttpRequest): HttpResponse | null;
  /** The response where there is neither a page nor an endpoint; null: that of the API. */
  notFound(request: HttpRequest): HttpResponse | null;
}

/** Paths of APIs that are compatible with another product. */
interface ForeignPaths {
  readonly prefix: string;
  respondToError(error: unknown, requestId: string, request: HttpRequest): HttpResponse;
  /** More headers of the response to OPTIONS. `allow`: the methods of the path. Omitted: none. */
  preflightHeaders?(allow: string): Readonly<Record<string, string>>;
}

interface AppOptions extends AppParts {
  readonly routes: readonly ServedRoute[];
  /** Omitted: no such paths. */
  readonly foreign?: readonly ForeignPaths[];
  readonly log: Logger;
  /** The dashboard; omitted: no dashboard. */
  readonly pages?: Pages;
  /** Rejects writes while memory or disk space is low; omitted: accepts all. */
  readonly protection?: WriteProtection;
  /** Omitted: requests for any host are served. */
  readonly hosts?: KnownHosts;
  /** How the edge passes the client address; omitted: forwarded requests are not trusted. */
  readonly forwardedBy?: ForwardedBy;
  /** Whether an address belongs to a trusted proxy; omitted: no proxy is trusted. */
  readonly trusts?: (address: string) => boolean;
  /** Omitted: traces are off. */
  readonly tracing?: Tracing;
  /** Receives every response. `route`: the path template of the route; null: no route matched. */
  readonly observer: {
    observe(method: string, route: string | null, status: number, seconds: number, requestId: string): void;
  };
}

export function createApp({
  routes,
  log,
  pages,
  observer,
  forwardedBy,
  trusts = () => false,
  foreign = [],
  hosts,
  protection,
  tracing,
  ...parts
}: AppOptions): Handler {
  const router = new Router(routes);
  const diskFaults = new LogThrottle();
  const foreignAt = (path: string) => foreign.find(({ prefix }) => isBelow(path, prefix));
  return async (received) => {
    const start = performance.now();
    const forwarded = forwardedBy === undefined ? received : withForwardedClient(received, forwardedBy);
    const isForwarded = forwarded !== received;
    const request = isForwarded ? forwarded : withStatedClient(received, trusts);
    // The edge replaces a client's traceparent with its own.
    const isTrusted = isForwarded || trusts(received.remoteAddress);
    const requestId = newRequestId();
    const { route, response } = await respond(request, requestId, isTrusted);
    tracing?.traces.end(requestId, response.status, response.headers[REVISION]);
    observer.observe(request.method, route, response.status, (performance.now() - start) / 1000, requestId);
    return withHolder(response, request.remoteAddress);
  };

  /** A full disk is an expected error: clients receive its code, and the log has the reason. */
  function expectDiskFull(error: unknown, requestId: string): unknown {
    if (!isDiskFull(error)) return error;
    const refusal = error instanceof WaypostError ? error : diskFull(error);
    const count = refusal.cause === undefined ? 0 : diskFaults.due('full');
    if (count > 0)
      log.warn('cannot write: the disk is full', {
        count,
        request_id: requestId,
        reason: (refusal.cause as Error).message,
      });
    return refusal;
  }

  async function respond(
    request: HttpRequest,
    requestId: string,
    isTrusted: boolean,
  ): Promise<{ route: string | null; response: HttpResponse }> {
    let route: string | null = null;
    const headers: Record<string, string> = { 'X-Request-Id': requestId };
    try {
      hosts?.require(request);
      const page = pages?.respond(request) ?? null;
      if (page !== null) return { route: PAGES_ROUTE, response: pageResponse(request, page, headers) };
      Object.assign(headers, PROTECTION);
      const match = router.match(request.method, request.path);
      if (match.kind === 'options') {
        const more = foreignAt(request.path)?.preflightHeaders?.(match.allow);
        return { route, response: { status: 200, headers: { ...headers, ...more, Allow: match.allow }, body: '' } };
      }
      route = match.route.path;
      if (tracing !== undefined && isWrite(match.route))
        traceWrite(tracing, request, match.route, requestId, isTrusted);
      if (protection !== undefined) assertAccepted(protection, request, match.route);
      const query = request.query === '' ? NO_QUERY : new URLSearchParams(request.query);
      const response = await match.route.handle(request, { params: match.params, query, requestId, headers }, parts);
      return { route, response: hasCurrentCopy(request, response) ? notModified(response) : response };
    } catch (given) {
      const error = expectDiskFull(given, requestId);
      const page = route === null && statusOf(error) === 404 ? (pages?.notFound(request) ?? null) : null;
      if (page !== null) return { route, response: pageResponse(request, page, headers) };
      if (statusOf(error) === undefined && !(error instanceof Aborted))
        log.error('request failed unexpectedly', {
          request_id: requestId,
          method: request.method,
          path: request.path,
          error,
        });
      const response =
        foreignAt(request.path)?.respondToError(error, requestId, request) ?? errorResponse(error, requestId);
      return { route, response: { ...response, headers: { ...headers, ...PROTECTION, ...response.headers } } };
    }
  }
}

/**
 * Charges a long response to the client address, which the transport cannot see behind the edge.
 */
function withHolder(response: HttpResponse, address: string): HttpResponse {
  const { body } = response;
  const isLong = (typeof body === 'string' || body instanceof Uint8Array) && body.length > SMALL_RESPONSE;
  return isLong ? { holder: holderAt(address), ...response } : response;
}

const isBelow = (path: string, prefix: string): boolean =>
  path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');

function pageResponse(
  request: HttpRequest,
  page: HttpResponse,
  headers: Readonly<Record<string, string>>,
): HttpResponse {
  const response = { ...page, headers: { ...headers, ...page.headers } };
  return hasCurrentCopy(request, response) ? notModified(response) : response;
}

function notModified(response: HttpResponse): HttpResponse {
  discard(response.body);
  return { ...response, status: 304, body: '' };
}

/** Whether If-None-Match has the ETag of the response (RFC 9110 13.1.2). */
function hasCurrentCopy(request: HttpRequest, { status, headers }: HttpResponse): boolean {
  if (headers.ETag === undefined || status !== 200) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return matchesTag(request.header('if-none-match'), headers.ETag);
}

/** From a request to an answer: what a route returns becomes the answer, and what it throws becomes an error. */
import type { Logger } from '../../core/base/log/index.ts';
import { errorResponse, statusOf } from './errors.ts';
import { type ForwardedBy, forwarded } from './forwarded.ts';
import { newRequestId } from './request-id.ts';
import type { AppParts, Route } from './route.ts';
import { Router } from './router.ts';
import { Aborted, type Handler, type HttpRequest, type HttpResponse } from './transport.ts';

const NO_QUERY = new URLSearchParams();

export interface AppOptions extends AppParts {
  readonly routes: readonly Route[];
  readonly log: Logger;
  /** How the edge says whom it passes a request on for; left out: nobody is believed. */
  readonly forwardedBy?: ForwardedBy;
  /** Is told of every answer. `route`: the route's path as a template; null: there was none. */
  readonly observer: { observe(method: string, route: string | null, status: number, seconds: number): void };
}

export function createApp({ routes, log, observer, forwardedBy, ...parts }: AppOptions): Handler {
  const router = new Router(routes);
  return async (received) => {
    const start = performance.now();
    const request = forwardedBy === undefined ? received : forwarded(received, forwardedBy);
    const { route, response } = await answer(request);
    observer.observe(request.method, route, response.status, (performance.now() - start) / 1000);
    return response;
  };

  async function answer(request: HttpRequest): Promise<{ route: string | null; response: HttpResponse }> {
    let route: string | null = null;
    const requestId = newRequestId();
    const headers: Record<string, string> = { 'X-Request-Id': requestId };
    try {
      const match = router.match(request.method, request.path);
      if (match.kind === 'options')
        return { route, response: { status: 200, headers: { ...headers, Allow: match.allow }, body: '' } };
      route = match.route.path;
      const query = request.query === '' ? NO_QUERY : new URLSearchParams(request.query);
      const response = await match.route.handle(request, { params: match.params, query, requestId, headers }, parts);
      return { route, response: isKnown(request, response) ? { ...response, status: 304 } : response };
    } catch (error) {
      if (statusOf(error) === undefined && !(error instanceof Aborted))
        log.error('request failed unexpectedly', {
          request_id: requestId,
          method: request.method,
          path: request.path,
          error,
        });
      const response = errorResponse(error, requestId);
      return { route, response: { ...response, headers: { ...headers, ...response.headers } } };
    }
  }
}

/**
 * Whether the client has what it asks for already (RFC 9110 13.1.2: compared weakly). The transports leave the body of a 304 away, and tell its length; one that
 * comes in pieces has none, and is sent.
 */
function isKnown(request: HttpRequest, { status, headers, body }: HttpResponse): boolean {
  const known = request.header('if-none-match');
  if (known === undefined || headers.ETag === undefined || status !== 200) return false;
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) return false;
  return known.split(',').some((tag) => ['*', headers.ETag].includes(tag.trim().replace(/^W\//, '')));
}

/** Calls of the REST API, typed by its OpenAPI document. */
import createClient from 'openapi-fetch';
import { ACTED_ENDPOINTS } from './acted-endpoints.ts';
import type { paths } from './api/generated.ts';
import { failureOf } from './failure.ts';
import type { Result } from './result.ts';
import { ACCOUNT, currentQuery, readAccount } from './router.ts';
import { session } from './session.ts';

export type { Result } from './result.ts';

export const api = createClient<paths>({ baseUrl: window.location.origin });

let sent = 0;

/** The number of requests so far. */
export const sentRequests = (): number => sent;

api.use({
  async onRequest({ request, schemaPath }) {
    sent++;
    const token = session.peek()?.csrf_token;
    if (token !== undefined && request.method !== 'GET') request.headers.set('X-Waypost-CSRF', token);
    return addAccount(request, schemaPath);
  },
  onResponse({ response }) {
    // The session has expired or was ended elsewhere: the sign-in page returns to this page.
    if (response.status === 401) session.value = null;
  },
});

/** Adds the account that an administrator acts for, unless the request names one. */
async function addAccount(request: Request, path: string): Promise<Request> {
  const { method, headers, signal } = request;
  const url = actedUrl(method, path, request.url);
  if (url === request.url) return request;
  // A copied request would send its body as a stream, which HTTP/1.1 cannot do.
  const body = method === 'GET' ? null : await request.text();
  return new Request(url, { method, headers, signal, body });
}

/** The URL with the account that an administrator acts for. `path`: of the endpoint. */
export function actedUrl(method: string, path: string, requested: string): string {
  const account = readAccount(currentQuery.peek());
  const url = new URL(requested, window.location.origin);
  if (account === null || url.searchParams.has(ACCOUNT) || !ACTED_ENDPOINTS.has(`${method} ${path}`)) return requested;
  url.searchParams.set(ACCOUNT, String(account));
  return url.href;
}

/** The result of a call, without exceptions. */
export async function settle<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<Result<T>> {
  try {
    const { data, error, response } = await call;
    if (data !== undefined && response.ok) return { ok: true, data, response };
    return { ok: false, failure: failureOf(response.status, error, response.headers.get('Retry-After')) };
  } catch {
    return { ok: false, failure: failureOf(0, undefined) };
  }
}

/** Like settle, for an endpoint whose alternative is text, which the dashboard does not request. */
export const settleJson = async <T>(
  call: Promise<{ data?: T; error?: unknown; response: Response }>,
): Promise<Result<Exclude<T, string>>> => (await settle(call)) as Result<Exclude<T, string>>;

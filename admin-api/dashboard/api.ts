/** Calls of the REST API, typed from its routes. */
import { type ClientRequest, createClient, type Outcome, sendRequest } from '../http/client.ts';
import type { ApiRoute } from '../routes/routes.ts';
import { ACTED_ENDPOINTS } from './acted-endpoints.ts';
import { checkConnection } from './connection.ts';
import { failureOf } from './failure.ts';
import type { Result } from './result.ts';
import { ACCOUNT, currentQuery, readAccount } from './router.ts';
import { noteEnd, session } from './session.ts';

export type { Result } from './result.ts';

export const api = createClient<ApiRoute>(window.location.origin, send);

let sent = 0;

/** The number of requests so far. */
export const sentRequests = (): number => sent;

async function send({ method, route, url, headers, ...request }: ClientRequest): Promise<Response> {
  sent++;
  const token = session.peek()?.csrf_token;
  if (token !== undefined && method !== 'GET') headers['X-Waypost-CSRF'] = token;
  const response = await sendRequest({ ...request, method, route, url: actedUrl(method, route, url), headers });
  if (response.status === 401) noteEnd();
  return response;
}

/** Adds the account that an administrator acts for. `path`: path of the endpoint. */
export function actedUrl(method: string, path: string, requested: string): string {
  const account = readAccount(currentQuery.peek());
  const url = new URL(requested, window.location.origin);
  if (account === null || url.searchParams.has(ACCOUNT) || !ACTED_ENDPOINTS.has(`${method} ${path}`)) return requested;
  url.searchParams.set(ACCOUNT, String(account));
  return url.href;
}

/** The result of a call, without exceptions. */
export async function settle<T>(call: Promise<Outcome<T>>): Promise<Result<T>> {
  try {
    const { data, error, response } = await call;
    if (data !== undefined && response.ok) return { ok: true, data, response };
    return { ok: false, failure: failureOf(response.status, error, response.headers.get('Retry-After')) };
  } catch {
    void checkConnection();
    return { ok: false, failure: failureOf(0, undefined) };
  }
}

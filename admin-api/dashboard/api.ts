/** Calls of the REST API, typed by its OpenAPI document. */
import createClient from 'openapi-fetch';
import type { paths } from './api/generated.ts';
import { type Failure, failureOf } from './failure.ts';
import { session } from './session.ts';

export const api = createClient<paths>({ baseUrl: window.location.origin });

api.use({
  onRequest({ request }) {
    const token = session.peek()?.csrf_token;
    if (token !== undefined && request.method !== 'GET') request.headers.set('X-Waypost-CSRF', token);
  },
  onResponse({ response }) {
    // The session has expired or was ended elsewhere: the sign-in page returns to this page.
    if (response.status === 401) session.value = null;
  },
});

export type Result<T> =
  | { readonly ok: true; readonly data: T; readonly response: Response }
  | { readonly ok: false; readonly failure: Failure };

/** The result of a call, without exceptions. */
export async function settle<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<Result<T>> {
  try {
    const { data, error, response } = await call;
    if (data !== undefined && response.ok) return { ok: true, data, response };
    return { ok: false, failure: failureOf(response.status, error) };
  } catch {
    return { ok: false, failure: failureOf(0, undefined) };
  }
}

/** The signed-in user. The cookie of the session is not readable here (HttpOnly). */
import { computed, signal } from '@preact/signals';
import { type Failure, failureOf } from './failure.ts';

const ENDPOINT = '/api/v1/session';
const PASSKEY_ENDPOINT = `${ENDPOINT}/passkey`;

export interface User {
  readonly id: number;
  readonly username: string;
  readonly role: string;
  readonly plan: string;
}

interface Session {
  readonly user: User;
  /** Sent with each request that changes something. */
  readonly csrf_token: string;
  /** The sequence number of the last change before the session was read. */
  readonly seq: number;
}

/** Undefined: not loaded yet. Null: not signed in. */
export const session = signal<Session | null | undefined>(undefined);
/**
 * The session has expired or was ended elsewhere. The page stays as it is, with the edits in its
 * forms, until its user signs in again.
 */
export const hasEnded = signal(false);

/** After a response with status 401. */
export function noteEnd(): void {
  if (session.peek()) hasEnded.value = true;
  else session.value = null;
}

/** Whether the user's role is read-only. */
export const isReader = computed(() => session.value?.user.role === 'viewer');
/** Why the session could not be read. */
export const sessionFailure = signal<Failure | null>(null);

/** Loads the session of the signed-in user. */
export async function readSession(): Promise<void> {
  const result = await call<Session>('GET');
  sessionFailure.value = null;
  if (result.ok) session.value = result.body;
  else if (result.failure.status === 401) noteEnd();
  else sessionFailure.value = result.failure;
}

/** Null on success. */
export async function signIn(login: string, password: string, code: string): Promise<Failure | null> {
  return enter(await call('POST', code === '' ? { login, password } : { login, password, code }));
}

/** Null on success. `fields`: request body with the passkey's signature. */
export async function signInWithPasskey(fields: object): Promise<Failure | null> {
  return enter(await call('POST', fields, PASSKEY_ENDPOINT));
}

/** Requests the WebAuthn options for a sign-in. */
export const readPasskeyOptions = (): Promise<Answer<{ readonly options: unknown }>> =>
  call('GET', undefined, PASSKEY_ENDPOINT);

function enter(result: Answer<Session>): Failure | null {
  if (!result.ok) return result.failure;
  // Nothing of the previous user may be left.
  if (hasEnded.peek() && session.peek()?.user.id !== result.body.user.id) window.location.reload();
  session.value = result.body;
  hasEnded.value = false;
  return null;
}

export async function signOut(): Promise<Failure | null> {
  const result = await call('DELETE');
  if (!result.ok && result.failure.status !== 401) return result.failure;
  session.value = null;
  hasEnded.value = false;
  return null;
}

type Answer<T> = { readonly ok: true; readonly body: T } | { readonly ok: false; readonly failure: Failure };

async function call<T>(method: string, body?: object, path = ENDPOINT): Promise<Answer<T>> {
  const headers: Record<string, string> = {};
  const token = session.peek()?.csrf_token;
  if (token !== undefined && method !== 'GET') headers['X-Waypost-CSRF'] = token;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
  } catch {
    return { ok: false, failure: failureOf(0, undefined) };
  }
  const content: unknown = await response.json().catch(() => undefined);
  return response.ok ? { ok: true, body: content as T } : { ok: false, failure: failureOf(response.status, content) };
}

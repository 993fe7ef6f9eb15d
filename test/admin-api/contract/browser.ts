/** A browser with a dashboard session: it keeps the cookie and sends the CSRF token. */
import * as assert from 'uvu/assert';
import type { Answer } from '../daemon.ts';
import { type Client, type Member, succeeded, type World } from './world.ts';

export const SESSION = '/api/v1/session';
export const SESSIONS = '/api/v1/sessions';
export const CSRF = 'x-waypost-csrf';
/** Of a proxy with TLS in front of the API. */
export const OVER_TLS = { 'x-forwarded-proto': 'https' };

type Headers = Readonly<Record<string, string>>;

export class Browser {
  readonly #client: Client;
  /** Header fields of every request. */
  readonly #fields: Headers;
  readonly #host: string | undefined;
  cookie = '';
  csrfToken = '';

  constructor({ nobody }: Pick<World, 'nobody'>, fields: Headers = {}, host?: string) {
    this.#client = nobody;
    this.#fields = fields;
    this.#host = host;
  }

  /** The text of a session contains its id. */
  get id(): number {
    return Number(/=wps_([0-9]{16})/.exec(this.cookie)?.[1]);
  }

  /** The secret text in the cookie. */
  get text(): string {
    return this.cookie.slice(this.cookie.indexOf('=') + 1);
  }

  async signIn({ username, password }: Pick<Member, 'username' | 'password'>, code?: string): Promise<Answer> {
    return this.enter(await this.send('POST', SESSION, { login: username, password, code }));
  }

  /** Keeps the session of a sign-in, which must have succeeded. */
  enter(answer: Answer): Answer {
    succeeded(answer);
    const field = answer.headers.get('set-cookie');
    assert.ok(field !== null, 'Set-Cookie');
    this.cookie = field.split(';', 1)[0];
    this.csrfToken = String(answer.body.csrf_token);
    return answer;
  }

  /** `more` replaces header fields; an empty value omits one. */
  send(method: string, path: string, json?: unknown, more: Headers = {}): Promise<Answer> {
    const all = { ...this.#fields, cookie: this.cookie, [CSRF]: this.csrfToken, ...more };
    const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    return this.#client.send(method, path, { json, headers, host: this.#host });
  }

  get(path: string, more?: Headers): Promise<Answer> {
    return this.send('GET', path, undefined, more);
  }
}

export async function signedIn(world: World, member: Pick<Member, 'username' | 'password'>): Promise<Browser> {
  const browser = new Browser(world);
  await browser.signIn(member);
  return browser;
}

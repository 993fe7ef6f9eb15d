/** A client of the admin API, with a timeout for each request. */
import { PATIENCE_MS } from './patience.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface ApiResponse {
  readonly status: number;
  /** The JSON body; empty for other content types. */
  readonly body: { readonly [key: string]: Json };
  readonly text: string;
  readonly headers: Headers;
}

export class ApiClient {
  readonly base: string;
  token = '';

  constructor(base: string) {
    this.base = base;
  }

  /**
   * Sends a request. A body that is not a string is sent as JSON. `more`: additional headers.
   * Throws on timeout.
   */
  async request(
    method: string,
    path: string,
    body?: Json,
    type = 'application/json',
    more: Readonly<Record<string, string>> = {},
  ): Promise<ApiResponse> {
    const headers: Record<string, string> = { ...more };
    if (this.token !== '') headers.Authorization = `Bearer ${this.token}`;
    if (body !== undefined) headers['Content-Type'] = type;
    const response = await fetch(this.base + path, {
      method,
      headers,
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? JSON.parse(text) : {}, text, headers: response.headers };
  }

  /** Like `request`, but throws if the status is not 200. */
  async call(method: string, path: string, body?: Json, type?: string): Promise<ApiResponse> {
    const response = await this.request(method, path, body, type);
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return response;
  }

  /** Exchanges a login for a token, which later requests use. */
  async logIn(login: string, password: string): Promise<void> {
    const { body } = await this.call('POST', '/api/v1/auth/token', { login, password, name: 'test' });
    this.token = String(body.token);
  }

  /** Creates a domain and returns its id. */
  async createDomain(domain: string): Promise<string> {
    const { body } = await this.call('POST', '/api/v1/domains', { domain });
    return idOf(body.domain);
  }

  /** Creates a record and returns its id. */
  async createRecord(domainId: string, name: string, type: string, content: string, ttl = 300): Promise<string> {
    const { body } = await this.call('POST', `/api/v1/domains/${domainId}/records`, { name, type, content, ttl });
    return idOf(body.record);
  }
}

function idOf(value: Json | undefined): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) throw new Error(`no object: ${value}`);
  return String(value.id);
}

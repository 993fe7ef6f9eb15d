/**
 * A client that knows only the endpoints and fields which the API contract gives. It knows nothing
 * of pages, conditions or batches, and reads each field with the type that the contract gives it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../../support/patience.ts';

/** Attempts of a request that is 429. */
const MAX_ATTEMPTS = 6;

export interface Domain {
  readonly id: number;
  readonly domain: string;
}

export interface RecordFields {
  readonly name: string;
  readonly type: string;
  readonly content: string;
  readonly ttl: number;
}

export interface ZoneRecord extends RecordFields {
  readonly id: number;
}

export interface Proxy {
  readonly domain_id: number;
  readonly is_enabled: number;
  readonly origin_host: string;
  readonly origin_port: number;
  readonly origin_protocol: string;
  readonly ssl_status: string;
}

type Body = Readonly<Record<string, unknown>>;

export class GivenClient {
  readonly #base: string;
  #token = '';

  constructor(base: string) {
    this.#base = base;
  }

  async logIn(login: string, password: string): Promise<void> {
    this.#token = text((await this.#send('POST', '/auth/token', { login, password, name: 'given' })).token);
  }

  async account() {
    const account = object((await this.#send('GET', '/account')).account);
    return { domains: integer(account.domain_count), records: integer(account.dns_record_count) };
  }

  async domains(): Promise<Domain[]> {
    return list((await this.#send('GET', '/domains')).domains).map(readDomain);
  }

  async createDomain(domain: string): Promise<Domain> {
    return readDomain(object((await this.#send('POST', '/domains', { domain })).domain));
  }

  async deleteDomain(id: number): Promise<void> {
    await this.#send('DELETE', `/domains/${id}`);
  }

  async records(domainId: number): Promise<ZoneRecord[]> {
    return list((await this.#send('GET', `/domains/${domainId}/records`)).records).map(readRecord);
  }

  async createRecord(domainId: number, fields: RecordFields): Promise<ZoneRecord> {
    return readRecord(object((await this.#send('POST', `/domains/${domainId}/records`, { ...fields })).record));
  }

  async replaceRecord(domainId: number, { id, ...fields }: ZoneRecord): Promise<ZoneRecord> {
    return readRecord(object((await this.#send('PUT', `/domains/${domainId}/records/${id}`, fields)).record));
  }

  async deleteRecord(domainId: number, id: number): Promise<void> {
    await this.#send('DELETE', `/domains/${domainId}/records/${id}`);
  }

  async proxy(domainId: number): Promise<Proxy> {
    return readProxy(object((await this.#send('GET', `/domains/${domainId}/proxy`)).proxy));
  }

  async setOrigin(domainId: number, origin: string, port: number): Promise<Proxy> {
    return readProxy(object((await this.#send('PUT', `/domains/${domainId}/proxy`, { origin, port })).proxy));
  }

  async toggle(domainId: number, enable: boolean): Promise<Proxy> {
    return readProxy(object((await this.#send('POST', `/domains/${domainId}/proxy/toggle`, { enable })).proxy));
  }

  async #send(method: string, path: string, body?: Body): Promise<Body> {
    for (let attempt = 1; ; attempt++) {
      const headers: Record<string, string> = {};
      if (this.#token !== '') headers.Authorization = `Bearer ${this.#token}`;
      if (body !== undefined) headers['Content-Type'] = 'application/json';
      const response = await fetch(`${this.#base}/api/v1${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      const answer = object(await response.json());
      if (response.status === 200 && answer.ok === true) return answer;
      if (response.status !== 429 || attempt === MAX_ATTEMPTS)
        throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
      await sleep(2 ** attempt * 100);
    }
  }
}

function object(value: unknown): Body {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw typeError('an object', value);
  return value as Body;
}

function list(value: unknown): Body[] {
  if (!Array.isArray(value)) throw typeError('a list', value);
  return value.map(object);
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw typeError('a string', value);
  return value;
}

function integer(value: unknown): number {
  if (!Number.isSafeInteger(value)) throw typeError('an integer', value);
  return value as number;
}

const typeError = (wanted: string, found: unknown): Error => new Error(`not ${wanted}: ${JSON.stringify(found)}`);

const readDomain = ({ id, domain }: Body): Domain => ({ id: integer(id), domain: text(domain) });

const readRecord = ({ id, name, type, content, ttl }: Body): ZoneRecord => ({
  ...{ id: integer(id), name: text(name), type: text(type) },
  ...{ content: text(content), ttl: integer(ttl) },
});

const readProxy = (proxy: Body): Proxy => ({
  domain_id: integer(proxy.domain_id),
  is_enabled: integer(proxy.is_enabled),
  origin_host: text(proxy.origin_host),
  origin_port: integer(proxy.origin_port),
  origin_protocol: text(proxy.origin_protocol),
  ssl_status: text(proxy.ssl_status),
});

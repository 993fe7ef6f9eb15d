/**
 * The few calls of the admin API that the write benchmark makes, over connections that are kept.
 */
import { Pool } from 'undici';

export interface Reply {
  readonly status: number;
  /** The body's `error.code`, or empty. */
  readonly code: string;
}

export interface DomainRef {
  readonly id: string;
  readonly domain: string;
}

export class AdminApi {
  readonly #pool: Pool;
  readonly #headers: Record<string, string>;

  /** `connections`: how many requests may be out at a time, each on its own connection. */
  constructor(url: string, token: string, connections: number) {
    this.#pool = new Pool(url, { connections, pipelining: 1 });
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  /**
   * The account's domains, at most `limit` (1 to 1000). Throws an Error when the daemon says no.
   */
  async domains(limit: number): Promise<DomainRef[]> {
    const answer = await this.#pool.request({
      method: 'GET',
      path: `/api/v1/domains?limit=${limit}`,
      headers: this.#headers,
    });
    const body = (await answer.body.json()) as { domains?: DomainRef[] };
    if (!body.domains) throw new Error(`No domains: ${answer.statusCode} ${JSON.stringify(body)}`);
    return body.domains;
  }

  /** Throws an Error when the daemon says no. */
  async createDomain(domain: string): Promise<DomainRef> {
    const answer = await this.#pool.request({
      method: 'POST',
      path: '/api/v1/domains',
      headers: this.#headers,
      body: JSON.stringify({ domain }),
    });
    const body = (await answer.body.json()) as { domain?: DomainRef };
    if (!body.domain) throw new Error(`${domain}: ${answer.statusCode} ${JSON.stringify(body)}`);
    return body.domain;
  }

  /** Replaces the records of a domain. Throws an Error when the daemon says no. */
  async importZone(domainId: string, file: Buffer): Promise<void> {
    const answer = await this.#pool.request({
      method: 'PUT',
      path: `/api/v1/domains/${domainId}/zonefile`,
      headers: { ...this.#headers, 'content-type': 'text/dns' },
      body: file,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`Import: ${answer.statusCode} ${text.slice(0, 500)}`);
  }

  /**
   * Creates an A record; resolves when the whole answer is here. No stream is made for its body:
   * the generator shares the machine with what it measures.
   */
  createAddress(domainId: string, name: string): Promise<Reply> {
    const request = {
      method: 'POST',
      path: `/api/v1/domains/${domainId}/records`,
      headers: this.#headers,
      body: JSON.stringify({ name, type: 'A', content: '198.51.100.7', ttl: 300 }),
    } as const;
    return new Promise((resolve, reject) => {
      let status = 0;
      let text = '';
      this.#pool.dispatch(request, {
        onRequestStart() {},
        onResponseStart(_, code) {
          status = code;
        },
        onResponseData(_, chunk) {
          if (status !== 200) text += chunk.toString('latin1');
        },
        onResponseEnd() {
          resolve({ status, code: /"code":"([^"]*)"/.exec(text)?.[1] ?? '' });
        },
        onResponseError(_, error) {
          reject(error);
        },
      });
    });
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

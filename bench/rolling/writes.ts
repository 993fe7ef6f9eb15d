/** Writes over the API at a fixed rate: each creates a record with its own name and value. */
import { Pool } from 'undici';
import { percentile } from '../writes/statistics.ts';

export interface WritesOptions {
  /** Base of each node's API, in order. */
  readonly urls: readonly string[];
  readonly token: string;
  /** Ids of the domains that get the records. */
  readonly domains: readonly string[];
  /** A second, over all nodes. */
  readonly rate: number;
}

export interface WritesResult {
  readonly sent: number;
  readonly acknowledged: number;
  /** Without an answer of success, in words. */
  readonly failures: readonly string[];
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** An acknowledged record: its number gives name and value. */
export interface Written {
  readonly number: number;
  /** Index of its domain. */
  readonly domain: number;
}

const TICK_MS = 5;
const CONNECTIONS = 64;
const REQUEST_MS = 30_000;

/** 10.0.0.0/8 has room for 16 million. */
export const addressOf = (number: number): string => `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}`;
export const labelOf = (number: number): string => `w${number}`;

export class Writes {
  readonly acknowledged: Written[] = [];
  readonly #options: WritesOptions;
  readonly #pools: readonly Pool[];
  readonly #isUsed: boolean[];
  readonly #inFlight: number[];
  readonly #times: number[] = [];
  readonly #failures: string[] = [];
  readonly #began = performance.now();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #turn = 0;

  constructor(options: WritesOptions) {
    const { urls } = options;
    this.#options = options;
    this.#pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS, headersTimeout: REQUEST_MS }));
    this.#isUsed = urls.map(() => true);
    this.#inFlight = urls.map(() => 0);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  /** Resolves when no write is in flight at a node that is not used any more. */
  async route(node: number, isUsed: boolean): Promise<void> {
    this.#isUsed[node] = isUsed;
    while (!isUsed && this.#inFlight[node] > 0) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }

  /** Resolves when the last answer is there. */
  async end(): Promise<WritesResult> {
    clearInterval(this.#timer);
    while (this.#inFlight.some((count) => count > 0)) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    await Promise.all(this.#pools.map((pool) => pool.close()));
    return {
      sent: this.#sent,
      acknowledged: this.acknowledged.length,
      failures: this.#failures,
      p50: percentile(this.#times, 50),
      p99: percentile(this.#times, 99),
      max: Math.max(...this.#times),
    };
  }

  #tick(): void {
    const due = Math.floor(((performance.now() - this.#began) * this.#options.rate) / 1000);
    while (this.#sent < due) {
      do this.#turn = (this.#turn + 1) % this.#pools.length;
      while (!this.#isUsed[this.#turn]);
      void this.#write(this.#turn, this.#sent++);
    }
  }

  async #write(node: number, number: number): Promise<void> {
    const { token, domains } = this.#options;
    const domain = number % domains.length;
    const began = performance.now();
    this.#inFlight[node]++;
    try {
      const { statusCode, body } = await this.#pools[node].request({
        method: 'POST',
        path: `/api/v1/domains/${domains[domain]}/records`,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: labelOf(number), type: 'A', content: addressOf(number), ttl: 60 }),
      });
      const text = await body.text();
      this.#times.push(performance.now() - began);
      if (statusCode === 200) this.acknowledged.push({ number, domain });
      else this.#fail(node, `${statusCode} ${text}`);
    } catch (error) {
      this.#fail(node, String(error));
    } finally {
      this.#inFlight[node]--;
    }
  }

  #fail(node: number, why: string): void {
    const at = ((performance.now() - this.#began) / 1000).toFixed(1);
    this.#failures.push(`second ${at}, node ${node + 1}: ${why}`);
  }
}

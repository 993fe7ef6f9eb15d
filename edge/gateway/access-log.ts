/**
 * The access log: one request in so many as a line of JSON. Lines are gathered in the thread and sent to main some at a time; when more come than are taken they are dropped, and
 * counted. Of a request it says who asked for which path: not the query, which may hold secrets, and no header field.
 */

import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';

/** Milliseconds that a line waits for others. */
const WAIT_MS = 200;
/** Characters that are not kept for longer; and that wait at most while main does not take what was sent before. */
const BATCH = 64 * 1024;
const MOST = 1024 * 1024;
/** Batches on their way to main. */
const AT_ONCE = 2;
const LONGEST_PATH = 2048;

/** What is known when an exchange has ended, beside the exchange. */
export interface AccessEntry {
  readonly exchange: Exchange;
  /** Empty: no site's. */
  readonly domain: string;
  readonly requestId: string;
  readonly status: number;
  readonly bytes: number;
  readonly cache: string;
  /** Milliseconds; negative: no origin was asked. */
  readonly originMs: number;
}

export interface AccessLogOptions {
  /** One request in so many, 1 or more. */
  readonly every: number;
  /** Takes lines, each with its line feed; whoever writes them then raises the number in `taken` by one. */
  send(lines: string, taken: SharedArrayBuffer): void;
  onDropped(lines: number): void;
}

export class AccessLog {
  readonly #options: AccessLogOptions;
  /** When those exchanges began that are going to be written. */
  readonly #begun = new WeakMap<Exchange, number>();
  #left: number;
  #lines = '';
  readonly #taken = new Int32Array(new SharedArrayBuffer(4));
  #sent = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(options: AccessLogOptions) {
    this.#options = options;
    this.#left = 1 + Math.floor(Math.random() * options.every);
  }

  /** To be called for each exchange when it begins. */
  begin(exchange: Exchange): void {
    if (--this.#left > 0) return;
    this.#left = this.#options.every;
    this.#begun.set(exchange, performance.now());
  }

  /** To be called when it has ended. */
  end(entry: AccessEntry): void {
    const begun = this.#begun.get(entry.exchange);
    if (begun === undefined) return;
    this.#begun.delete(entry.exchange);
    if (this.#lines.length >= MOST) {
      this.#options.onDropped(1);
      return;
    }
    this.#lines += `${lineOf(entry, performance.now() - begun)}\n`;
    if (this.#lines.length >= BATCH && this.#sent - Atomics.load(this.#taken, 0) < AT_ONCE) this.#send();
    else this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  /** Sends what is left. */
  close(): void {
    this.#send();
  }

  /** No more than main takes: what it has not read is in memory that nobody bounds. */
  #flush(): void {
    this.#timer = null;
    if (this.#sent - Atomics.load(this.#taken, 0) < AT_ONCE) this.#send();
    else this.#timer = setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  #send(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lines === '') return;
    this.#sent++;
    this.#options.send(this.#lines, this.#taken.buffer as SharedArrayBuffer);
    this.#lines = '';
  }
}

function lineOf({ exchange, domain, requestId, status, bytes, cache, originMs }: AccessEntry, ms: number): string {
  const { client, method, authority, path, version, scheme } = exchange;
  const end = path.indexOf('?');
  return JSON.stringify({
    time: new Date().toISOString(),
    client: client.address,
    scheme,
    host: siteHost(authority),
    method,
    path: path.slice(0, Math.min(end < 0 ? path.length : end, LONGEST_PATH)),
    version,
    status,
    bytes: bytes,
    ms: round(ms),
    cache,
    origin_ms: originMs < 0 ? null : round(originMs),
    domain: domain === '' ? null : domain,
    request_id: requestId === '' ? null : requestId,
  });
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

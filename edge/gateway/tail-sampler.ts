/**
 * Samples requests of watched domains for the live tail. Without watched domains, a request costs
 * one comparison.
 *
 * For each interval, a thread sends a uniform sample of a domain's requests (reservoir sampling),
 * so a busy site costs no more than a quiet one. A line omits the query, which may contain secrets,
 * and all header fields except User-Agent.
 */

import type { Logger } from '../../core/base/log/index.ts';
import type { Tasks } from '../../core/base/tasks.ts';
import type { RequestTail } from '../../core/observe/tail/request-tail.ts';
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { ExchangeRecord } from '../proxy/record.ts';
import type { AddressOf } from '../proxy/visitor.ts';

/** Milliseconds between two samples of a domain. */
const INTERVAL_MS = 200;
/** Maximum lines per domain and sample: 50 a second. */
export const MAX_LINES = 10;
/**
 * Maximum number of domains with lines per interval, which limits the load of the main thread.
 * Requests of further watched domains are only counted as omitted.
 */
const MAX_DOMAINS = 100;
/** Maximum characters of a path, a User-Agent and a method; the rest is cut off. */
const MAX_PATH = 512;
const MAX_AGENT = 256;
const MAX_METHOD = 32;
/** Milliseconds after which the watched domains expire, unless the main thread renews them. */
export const EXPIRY_MS = 15_000;

type TailEntry = Pick<ExchangeRecord, 'exchange' | 'site' | 'status' | 'bytes' | 'cache' | 'originMs'>;

export interface DomainSample {
  readonly domainId: string;
  /** Lines, each a JSON object. */
  readonly requests: readonly string[];
  readonly omitted: number;
}

interface Reservoir {
  readonly maxLines: number;
  readonly lines: { readonly order: number; readonly text: string }[];
  count: number;
}

interface TailOptions {
  readonly addressOf: AddressOf;
  send(samples: readonly DomainSample[]): void;
  /** 0 ≤ r < 1; omitted: Math.random. */
  readonly random?: () => number;
  /** Milliseconds; omitted: performance.now. */
  readonly now?: () => number;
}

export class TailSampler {
  readonly #addressOf: AddressOf;
  readonly #send: TailOptions['send'];
  readonly #random: () => number;
  readonly #now: () => number;
  /** Null: no domain is watched. */
  #watched: ReadonlySet<string> | null = null;
  #expiresAt = 0;
  #startTimes = new WeakMap<Exchange, number>();
  readonly #reservoirs = new Map<string, Reservoir>();
  #timer: NodeJS.Timeout | null = null;

  constructor({ addressOf, send, random = Math.random, now = () => performance.now() }: TailOptions) {
    this.#addressOf = addressOf;
    this.#send = send;
    this.#random = random;
    this.#now = now;
  }

  /** Replaces the watched domains. */
  watch(domainIds: readonly string[]): void {
    this.#watched = domainIds.length === 0 ? null : new Set(domainIds);
    this.#expiresAt = this.#now() + EXPIRY_MS;
  }

  /** Call it at the start of each exchange. */
  recordStart(exchange: Exchange): void {
    if (this.#watched === null) return;
    const now = this.#now();
    if (now > this.#expiresAt) this.#watched = null;
    else this.#startTimes.set(exchange, now);
  }

  /** Call it at the end of each exchange that belongs to a site. */
  recordEnd(entry: TailEntry): void {
    const { domainId } = entry.site;
    if (this.#watched === null || !this.#watched.has(domainId)) return;
    const startTime = this.#startTimes.get(entry.exchange);
    if (startTime === undefined) return;
    let reservoir = this.#reservoirs.get(domainId);
    if (reservoir === undefined) {
      reservoir = { maxLines: this.#reservoirs.size < MAX_DOMAINS ? MAX_LINES : 0, lines: [], count: 0 };
      this.#reservoirs.set(domainId, reservoir);
      this.#timer ??= setTimeout(() => this.flush(), INTERVAL_MS).unref();
    }
    const order = reservoir.count++;
    const { maxLines } = reservoir;
    const position = order < maxLines ? order : Math.floor(this.#random() * reservoir.count);
    if (position >= maxLines) return;
    const text = lineOf(entry, this.#addressOf(entry.exchange), this.#now() - startTime);
    reservoir.lines[position] = { order, text };
  }

  /** Sends the collected samples. */
  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#reservoirs.size === 0) return;
    const samples = [...this.#reservoirs].map(([domainId, { lines, count }]) => ({
      domainId,
      requests: lines.sort((a, b) => a.order - b.order).map(({ text }) => text),
      omitted: count - lines.length,
    }));
    this.#reservoirs.clear();
    this.#send(samples);
  }
}

function lineOf({ exchange, status, bytes, cache, originMs }: TailEntry, client: string, ms: number): string {
  const { method, authority, path, version, scheme, headers } = exchange;
  const query = path.indexOf('?');
  return JSON.stringify({
    time: new Date().toISOString(),
    client,
    scheme,
    host: siteHost(authority),
    method: method.slice(0, MAX_METHOD),
    path: path.slice(0, Math.min(query < 0 ? path.length : query, MAX_PATH)),
    version,
    status,
    bytes,
    ms: round(ms),
    origin_ms: originMs < 0 ? null : round(originMs),
    cache,
    user_agent: userAgent(headers)?.slice(0, MAX_AGENT) ?? null,
  });
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

function userAgent(headers: FieldList): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === 'user-agent') return headers[i + 1];
  return undefined;
}

/** Repeats reach newly started threads, and arrive before the domains expire in other threads. */
const REPEAT_MS = EXPIRY_MS / 3;

interface Watched {
  readonly kind: 'watched';
  readonly domainIds: readonly string[];
}

/** Sends the domains with a live tail to the threads, which sample their requests. */
export function followWatched(
  tail: RequestTail,
  send: (message: Watched) => void,
  { tasks, log }: { readonly tasks: Tasks; readonly log: Logger },
): { close(): void } {
  const update = (): void => send({ kind: 'watched', domainIds: tail.watched.map(String) });
  const repeat = (): void => {
    if (tail.watched.length > 0) update();
  };
  const task = tasks.add({ name: 'watched-domains', owner: 'node', due: REPEAT_MS, log, run: repeat });
  tail.onWatched(update);
  // Other nodes may watch a domain before this node's threads start.
  repeat();
  task.start();
  return {
    close() {
      tail.onWatched(() => {});
      void task.stop();
    },
  };
}

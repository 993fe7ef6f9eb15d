/**
 * The access log writes one request in `every` as a line of JSON.
 *
 * A thread collects lines and sends them to the main thread in batches. If the main thread cannot
 * keep up, lines are dropped and counted. A line contains the client and the path. It omits the
 * query, which may contain secrets, and all header fields.
 */

import { BatchFlow } from '../../core/base/batch-flow.ts';
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { ExchangeRecord } from '../proxy/record.ts';
import type { AddressOf } from '../proxy/visitor.ts';
import type { Site } from '../sites/site.ts';

/** Milliseconds from the first line of a batch until it is sent. */
const FLUSH_DELAY_MS = 200;
/** Characters at which a batch is sent immediately, and the maximum of pending lines. */
const BATCH_LENGTH = 64 * 1024;
const MAX_LENGTH = 1024 * 1024;
const MAX_PATH_LENGTH = 2048;

type AccessEntry = Pick<
  ExchangeRecord<Site | null>,
  'exchange' | 'site' | 'requestId' | 'status' | 'bytes' | 'cache' | 'originMs'
>;

interface AccessLogOptions {
  /** One request in `every` is logged, 1 or more. */
  readonly every: number;
  readonly addressOf: AddressOf;
  /** Sends complete lines. The writer increments the number in `writtenBatches` afterwards. */
  send(lines: string, writtenBatches: SharedArrayBuffer): void;
  onDropped(lines: number): void;
}

export class AccessLog {
  /** Start times of the exchanges that will be logged. */
  readonly #startTimes = new WeakMap<Exchange, number>();
  #untilNext: number;
  #lines = '';
  readonly #flow = new BatchFlow({ delayMs: FLUSH_DELAY_MS, flush: () => this.#send() });

  constructor(private readonly options: AccessLogOptions) {
    this.#untilNext = 1 + Math.floor(Math.random() * options.every);
  }

  /** Call it at the start of each exchange. */
  recordStart(exchange: Exchange): void {
    if (--this.#untilNext > 0) return;
    this.#untilNext = this.options.every;
    this.#startTimes.set(exchange, performance.now());
  }

  /** Call it at the end of each exchange. */
  recordEnd(entry: AccessEntry): void {
    const startTime = this.#startTimes.get(entry.exchange);
    if (startTime === undefined) return;
    this.#startTimes.delete(entry.exchange);
    if (this.#lines.length >= MAX_LENGTH) {
      this.options.onDropped(1);
      return;
    }
    this.#lines += `${lineOf(entry, this.options.addressOf(entry.exchange), performance.now() - startTime)}\n`;
    if (this.#lines.length >= BATCH_LENGTH && this.#flow.isOpen) this.#flow.flush();
    else this.#flow.schedule();
  }

  /** Sends the remaining lines. */
  close(): void {
    this.#flow.flush();
  }

  #send(): void {
    if (this.#lines === '') return;
    this.options.send(this.#lines, this.#flow.next());
    this.#lines = '';
  }
}

function lineOf(
  { exchange, site, requestId, status, bytes, cache, originMs }: AccessEntry,
  client: string,
  ms: number,
): string {
  const { method, authority, path, version, scheme } = exchange;
  const end = path.indexOf('?');
  return JSON.stringify({
    time: new Date().toISOString(),
    client,
    scheme,
    host: siteHost(authority),
    method,
    path: path.slice(0, Math.min(end < 0 ? path.length : end, MAX_PATH_LENGTH)),
    version,
    status,
    bytes: bytes,
    ms: round(ms),
    cache,
    origin_ms: originMs < 0 ? null : round(originMs),
    domain: site?.domain ?? null,
    request_id: requestId === '' ? null : requestId,
  });
}

const round = (ms: number): number => Math.round(ms * 10) / 10;

/**
 * Collects the lines of customers' request logs (core/site/logs). For a site without logs, a
 * request costs one comparison.
 *
 * A thread sends the lines of each domain to the main thread in batches. If the main thread cannot
 * keep up, lines are dropped and counted for the domain.
 */

import { BatchFlow } from '../../core/base/batch-flow.ts';
import { formatAddress, parseAddress } from '../../core/net/address/index.ts';
import type { DomainLines } from '../../core/site/logs/deliverer.ts';
import type { LogField, LogPlan } from '../../core/site/logs/document.ts';
import { siteHost } from '../http/exchange/authority.ts';
import type { Exchange } from '../http/exchange/exchange.ts';
import type { FieldList } from '../http/exchange/field-list.ts';
import type { ExchangeRecord } from '../proxy/record.ts';
import type { AddressOf } from '../proxy/visitor.ts';

/** Milliseconds from the first line of a batch until it is sent. */
const FLUSH_DELAY_MS = 200;
/** Characters of all lines at which a batch is sent immediately. */
const BATCH_LENGTH = 256 * 1024;
/** Maximum characters of all pending lines, and of those of a domain. */
const MAX_LENGTH = 1024 * 1024;
const MAX_DOMAIN_LENGTH = 256 * 1024;
/** Maximum domains in a batch. For a further domain, the batch is sent, or the line is dropped. */
const MAX_DOMAINS = 4096;
/** Maximum characters of a path, and of other text from clients; the rest is cut off. */
const MAX_PATH = 2048;
const MAX_TEXT = 512;

export type LogEntry = Omit<ExchangeRecord, 'detail' | 'isWhole'>;

interface LogLinesOptions {
  readonly nodeName: string;
  readonly addressOf: AddressOf;
  /** The receiver increments the number in `processed` afterwards. */
  send(lines: readonly DomainLines[], processed: SharedArrayBuffer): void;
  /** Counts dropped lines of domains beyond MAX_DOMAINS, which have no count of their own. */
  onDropped(lines: number): void;
  /** 0 ≤ r < 1; omitted: Math.random. */
  readonly random?: () => number;
  /** Milliseconds; omitted: performance.now. */
  readonly now?: () => number;
}

interface PendingLines {
  text: string;
  lines: number;
  dropped: number;
}

export class LogLines {
  readonly #random: () => number;
  readonly #now: () => number;
  /** Start times of the exchanges that will be logged. */
  readonly #startTimes = new WeakMap<Exchange, number>();
  readonly #pending = new Map<string, PendingLines>();
  #length = 0;
  readonly #flow = new BatchFlow({ delayMs: FLUSH_DELAY_MS, flush: () => this.#send() });

  constructor(private readonly options: LogLinesOptions) {
    this.#random = options.random ?? Math.random;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Call it when the site of an exchange with logs is found. */
  recordStart(exchange: Exchange, { sample }: LogPlan): void {
    if (sample < 1 && this.#random() >= sample) return;
    this.#startTimes.set(exchange, this.#now());
  }

  /** Call it at the end of each exchange of a site with logs. */
  recordEnd(entry: LogEntry, plan: LogPlan): void {
    const startTime = this.#startTimes.get(entry.exchange);
    if (startTime === undefined) return;
    this.#startTimes.delete(entry.exchange);
    const pending = this.#pendingOf(entry.site.domainId);
    if (pending === null) {
      this.options.onDropped(1);
      return;
    }
    // A domain may use only as much of the limit as it leaves free for other domains.
    if (pending.text.length >= Math.min(MAX_DOMAIN_LENGTH, MAX_LENGTH - this.#length)) {
      pending.dropped++;
      return;
    }
    const line = `${formatLine(entry, plan, this.#now() - startTime, this.options)}\n`;
    pending.text += line;
    pending.lines++;
    this.#length += line.length;
    if ((this.#length >= BATCH_LENGTH || pending.text.length >= MAX_DOMAIN_LENGTH / 2) && this.#flow.isOpen)
      this.#flow.flush();
    else this.#flow.schedule();
  }

  /** Sends the remaining lines. */
  close(): void {
    this.#flow.flush();
  }

  /** Null: the batch has too many domains, and cannot be sent yet. */
  #pendingOf(domainId: string): PendingLines | null {
    const pending = this.#pending.get(domainId);
    if (pending !== undefined) return pending;
    if (this.#pending.size >= MAX_DOMAINS) {
      if (!this.#flow.isOpen) return null;
      this.#flow.flush();
    }
    const added: PendingLines = { text: '', lines: 0, dropped: 0 };
    this.#pending.set(domainId, added);
    return added;
  }

  #send(): void {
    if (this.#pending.size === 0) return;
    const lines = [...this.#pending].map(([domainId, pending]) => ({ domainId: Number(domainId), ...pending }));
    this.#pending.clear();
    this.#length = 0;
    this.options.send(lines, this.#flow.next());
  }
}

let timeMs = 0;
let timeText = '';

/** Cached: formatting costs as much as half of the other fields, and many lines share a time. */
function currentTime(): string {
  const now = Date.now();
  if (now !== timeMs) {
    timeMs = now;
    timeText = `"${new Date(now).toISOString()}"`;
  }
  return timeText;
}

type LoggingNode = Pick<LogLinesOptions, 'nodeName' | 'addressOf'>;

/** Returns the value of each field as JSON. */
const VALUES: Readonly<Record<LogField, (entry: LogEntry, plan: LogPlan, ms: number, node: LoggingNode) => string>> = {
  time: currentTime,
  node: (_entry, _plan, _ms, { nodeName }) => JSON.stringify(nodeName),
  client({ exchange }, { clientAddress }, _ms, { addressOf }) {
    if (clientAddress === 'omitted') return 'null';
    const address = addressOf(exchange);
    return `"${clientAddress === 'full' ? address : truncateAddress(address)}"`;
  },
  scheme: ({ exchange }) => `"${exchange.scheme}"`,
  host: ({ exchange }) => JSON.stringify(siteHost(exchange.authority)),
  method: ({ exchange }) => text(exchange.method, MAX_TEXT),
  path({ exchange: { path } }) {
    const end = path.indexOf('?');
    return text(end < 0 ? path : path.slice(0, end), MAX_PATH);
  },
  query({ exchange: { path } }) {
    const end = path.indexOf('?');
    return end < 0 ? '""' : text(path.slice(end + 1), MAX_PATH);
  },
  version: ({ exchange }) => `"${exchange.version}"`,
  status: ({ status }) => String(status),
  bytes: ({ bytes }) => String(bytes),
  ms: (_entry, _plan, ms) => round(ms),
  cache: ({ cache }) => `"${cache}"`,
  origin_ms: ({ originMs }) => (originMs < 0 ? 'null' : round(originMs)),
  fault: ({ fault }) => (fault === null ? 'null' : `"${fault}"`),
  referer: ({ exchange }) => field(exchange.headers, 'referer'),
  user_agent: ({ exchange }) => field(exchange.headers, 'user-agent'),
  request_id: ({ requestId }) => (requestId === '' ? 'null' : `"${requestId}"`),
  sample: (_entry, { sample }) => String(sample),
};

export function formatLine(entry: LogEntry, plan: LogPlan, ms: number, node: LoggingNode): string {
  let line = '{';
  for (const name of plan.fields) line += `${line === '{' ? '' : ','}"${name}":${VALUES[name](entry, plan, ms, node)}`;
  return `${line}}`;
}

/** The network of an address: /24 of IPv4, /48 of IPv6. */
export function truncateAddress(address: string): string {
  const bytes = parseAddress(address);
  if (bytes === undefined) return '';
  return formatAddress(bytes.fill(0, bytes.length === 4 ? 3 : 6));
}

const text = (value: string, length: number): string => JSON.stringify(value.slice(0, length));

function field(headers: FieldList, name: string): string {
  for (let i = 0; i < headers.length; i += 2) if (headers[i] === name) return text(headers[i + 1], MAX_TEXT);
  return 'null';
}

const round = (ms: number): string => String(Math.round(ms * 10) / 10);

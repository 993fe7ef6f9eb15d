/**
 * Counters of the DNS threads.
 *
 * Each thread has a slice of one shared buffer and is its only writer. Plain stores into its own
 * cache cost 4 ns of a query's 2 µs and allocate nothing. The main thread adds the slices up when
 * the metrics are read. It owns the buffer, so a restarted thread continues its counts.
 *
 * The counts are doubles, exact up to 2^53. A thread with ten million queries a second reaches that
 * in 28 years; 32 bits would overflow after seven minutes, and BigInt would allocate. Every
 * processor that Node.js supports loads an aligned double atomically.
 */

import { RCODE, TYPE } from '../dns/wire/types.ts';
import type { Client, TransportName } from '../net/address/client.ts';
import type { IndexReader } from '../zone/answer/index-reader.ts';
import type { Query } from '../zone/answer/query.ts';

/** Response codes 0 to 23 (BADCOOKIE, the highest that is sent), and one column for all others. */
const CODES = RCODE.BADCOOKIE + 2;
/** Types with their own column. */
const OWN_TYPES = ['A', 'NS', 'CNAME', 'SOA', 'PTR', 'MX', 'TXT', 'AAAA', 'SRV', 'DS', 'HTTPS', 'ANY', 'CAA'] as const;
/** RFC 4034 section 2. No zone here has such records, but validating resolvers query them. */
const DNSKEY = 48;

/** Label of each type column. `none`: the question could not be parsed. */
export const TYPE_LABELS: readonly string[] = ['none', ...OWN_TYPES, 'DNSKEY', 'other'];
export const RCODE_LABELS: readonly (string | undefined)[] = Array.from({ length: CODES }, (_, code) =>
  code === CODES - 1 ? 'other' : Object.entries(RCODE).find(([, value]) => value === code)?.[0],
);
export const FAMILY_LABELS: readonly string[] = ['ipv4', 'ipv6'];
/** Indexed by the values of COOKIE. */
export const COOKIE_LABELS: readonly string[] = ['none', 'client', 'valid', 'bad'];
/** Upper bounds in milliseconds. A batch of one packet takes about 20 µs, a full batch 150 µs. */
export const LATENCY_BOUNDS: readonly number[] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250];

const NO_TYPE = 0;
const OTHER_TYPE = TYPE_LABELS.length - 1;
/** Column of each type below 512. */
const TYPE_COLUMN = new Uint8Array(512).fill(OTHER_TYPE);
for (const [i, name] of OWN_TYPES.entries()) TYPE_COLUMN[TYPE[name]] = 1 + i;
TYPE_COLUMN[DNSKEY] = OTHER_TYPE - 1;

/**
 * First columns of each group in a slice: response codes over IPv4, response codes over IPv6,
 * types, cookies, latency buckets (one more than LATENCY_BOUNDS). Single counters follow.
 */
const TYPES = 2 * CODES;
const COOKIES = TYPES + TYPE_LABELS.length;
const LATENCIES = COOKIES + COOKIE_LABELS.length;
let next = LATENCIES + LATENCY_BOUNDS.length + 1;
/** Number of each column. */
export const COLUMN = {
  truncated: next++,
  /** NOERROR with an empty answer section (RFC 2308 section 2.2). */
  nodata: next++,
  referrals: next++,
  /** Packets of less than 12 bytes, and responses. */
  notQuery: next++,
  /** Packets longer than the buffer, which the system truncated. */
  oversized: next++,
  sourcePortZero: next++,
  /** Without the header of the PROXY protocol that it must have, or with a malformed one. */
  badProxyHeader: next++,
  fault: next++,
  /** Responses that the rate limit dropped, and responses that it truncated. */
  rateLimited: next++,
  rateSlipped: next++,
  sendErrors: next++,
  batches: next++,
  /** Sum over all responses in the latency buckets, in milliseconds. */
  latencySum: next++,
  /** Names found in the arena, and names looked up in the store. */
  indexHits: next++,
  storeReads: next++,
  /** Lines of the query log, and lines dropped because the ring was full. */
  queriesLogged: next++,
  queriesNotLogged: next++,
  /** A gauge: 0 after the thread has ended. */
  tcpOpen: next++,
  tcpAccepted: next++,
  tcpRefused: next++,
  tcpRefusedClient: next++,
  tcpIdle: next++,
  tcpSlow: next++,
  /** Messages deferred to the main thread, and messages refused because too many were pending. */
  deferred: next++,
  deferredRefused: next++,
  /** Transfers that the DNS thread refused. */
  transfersRefused: next++,
} as const;
const COLUMNS = next;

/** Doubles in 128 bytes: a cache line, and the adjacent line that the processor prefetches. */
const CACHE_LINE_PAIR = 16;
/**
 * Distance between two slices, in doubles. No two slices share a cache line, wherever the buffer
 * starts.
 */
const STRIDE = (Math.ceil(COLUMNS / CACHE_LINE_PAIR) + 1) * CACHE_LINE_PAIR;

/** One thread's part of the buffer. */
export interface Slice {
  readonly buffer: SharedArrayBuffer;
  /** From 0. */
  readonly thread: number;
}

/** Writes the counters of one thread. */
export class ThreadCounters {
  readonly #values: Float64Array;

  constructor({ buffer, thread }: Slice) {
    this.#values = new Float64Array(buffer, thread * STRIDE * Float64Array.BYTES_PER_ELEMENT, COLUMNS);
  }

  /** Counts the response to `query` at bytes[start]. Hot. */
  countResponse(bytes: Uint8Array, start: number, query: Query, client: Client): void {
    const values = this.#values;
    const code = query.rcode;
    const family = client.length === 4 ? 0 : CODES;
    values[family + (code < CODES ? code : CODES - 1)]++;
    const { type } = query;
    values[TYPES + (query.questionEnd === 0 ? NO_TYPE : type < 512 ? TYPE_COLUMN[type] : OTHER_TYPE)]++;
    const flags = bytes[start + 2];
    values[COOKIES + query.cookie]++;
    if ((flags & 0x02) !== 0) values[COLUMN.truncated]++;
    // A referral has no answer and no AA (RFC 2308 2.2.1).
    else if (code === 0 && (bytes[start + 6] | bytes[start + 7]) === 0)
      values[(flags & 0x04) !== 0 ? COLUMN.nodata : COLUMN.referrals]++;
  }

  /**
   * Counts `responses` with a latency of `milliseconds` each: from receiving the packet to sending
   * the response. Called once for each batch.
   */
  recordLatency(responses: number, milliseconds: number): void {
    const values = this.#values;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS.length && milliseconds > LATENCY_BOUNDS[bucket]) bucket++;
    values[LATENCIES + bucket] += responses;
    values[COLUMN.latencySum] += milliseconds * responses;
  }

  /** Adds the counts of the index since the last call, and resets them. */
  addIndexCounts(index: Pick<IndexReader, 'hits' | 'fetches'>): void {
    const values = this.#values;
    values[COLUMN.indexHits] += index.hits;
    values[COLUMN.storeReads] += index.fetches;
    index.hits = 0;
    index.fetches = 0;
  }

  count(column: number): void {
    this.#values[column]++;
  }

  set(column: number, value: number): void {
    this.#values[column] = value;
  }
}

/** Reads the counters of all threads. */
export class NameserverCounters {
  /** Threads that ended unexpectedly and were restarted. */
  restarts = 0;
  readonly #buffer: SharedArrayBuffer;
  readonly #threads: readonly { readonly transport: TransportName; readonly values: Float64Array }[];

  /** `transports`: the transport of each thread. */
  constructor(transports: readonly TransportName[]) {
    const bytes = STRIDE * Float64Array.BYTES_PER_ELEMENT;
    const all: readonly TransportName[] = [...transports, 'https'];
    this.#buffer = new SharedArrayBuffer(all.length * bytes);
    this.#threads = all.map((transport, i) => ({
      transport,
      values: new Float64Array(this.#buffer, i * bytes, COLUMNS),
    }));
  }

  /** The slice for DNS over HTTPS, which the main thread answers. */
  get https(): Slice {
    return this.slice(this.#threads.length - 1);
  }

  slice(thread: number): Slice {
    return { buffer: this.#buffer, thread };
  }

  /**
   * Resets the gauges of a thread. Call it after the thread has ended, because the thread is the
   * only writer.
   */
  resetGauges(thread: number): void {
    this.#threads[thread].values[COLUMN.tcpOpen] = 0;
  }

  /** `family`: 0 or 1, see FAMILY_LABELS. */
  answers(transport: TransportName, family: number, code: number): number {
    return this.sum(transport, family * CODES + code);
  }

  /** `type`: an index of TYPE_LABELS. */
  types(transport: TransportName, type: number): number {
    return this.sum(transport, TYPES + type);
  }

  /** `cookie`: a value of COOKIE. */
  cookies(transport: TransportName, cookie: number): number {
    return this.sum(transport, COOKIES + cookie);
  }

  /**
   * Responses with a latency above the previous bound and up to LATENCY_BOUNDS[bucket]. The last
   * bucket has no upper bound.
   */
  latencies(transport: TransportName, bucket: number): number {
    return this.sum(transport, LATENCIES + bucket);
  }

  sum(transport: TransportName, column: number): number {
    let sum = 0;
    for (const thread of this.#threads) if (thread.transport === transport) sum += thread.values[column];
    return sum;
  }
}

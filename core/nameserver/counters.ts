/**
 * What the DNS threads count. Each thread has a slice of one shared buffer, written by it alone with plain stores, so that a query's counts cost additions in
 * its own cache: 4 ns of its 2 µs, and nothing is allocated. Main adds the slices up when it is asked. The buffer is main's: counts go on when a thread is started anew.
 *
 * The counts are doubles: whole up to 2^53, which a thread at ten million queries a second reaches in 28 years, so that nothing has to be carried
 * over as 32 bits would (in seven minutes at that rate), and nothing is allocated as for BigInt. An aligned double is loaded in one piece by every
 * processor that Node.js runs on.
 */
import type { IndexReader } from '../answer/index-reader.ts';
import type { Query } from '../answer/query.ts';
import { RCODE, TYPE } from '../wire/types.ts';

/** Response codes 0 to 23 (BADCOOKIE, the highest that we send), and one column for any other. */
const CODES = RCODE.BADCOOKIE + 2;
/** Types that have a column of their own. */
const OWN_TYPES = ['A', 'NS', 'CNAME', 'SOA', 'PTR', 'MX', 'TXT', 'AAAA', 'SRV', 'DS', 'HTTPS', 'ANY', 'CAA'] as const;
/** RFC 4034 section 2. No record of ours has it, but resolvers that validate ask for it. */
const DNSKEY = 48;

/** Label of each column of types. `none`: the question could not be read. */
export const TYPE_LABELS: readonly string[] = ['none', ...OWN_TYPES, 'DNSKEY', 'other'];
export const RCODE_LABELS: readonly (string | undefined)[] = Array.from({ length: CODES }, (_, code) =>
  code === CODES - 1 ? 'other' : Object.entries(RCODE).find(([, known]) => known === code)?.[0],
);
export const FAMILY_LABELS: readonly string[] = ['ipv4', 'ipv6'];
/** By the values of COOKIE. */
export const COOKIE_LABELS: readonly string[] = ['none', 'client', 'valid', 'bad'];
/** Upper bounds in milliseconds; a batch of one takes some 20 µs, a full one 150. */
export const LATENCY_BOUNDS: readonly number[] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250];

const NO_TYPE = 0;
const OTHER_TYPE = TYPE_LABELS.length - 1;
/** Column of each type below 512; a byte each. */
const TYPE_COLUMN = new Uint8Array(512).fill(OTHER_TYPE);
for (const [i, name] of OWN_TYPES.entries()) TYPE_COLUMN[TYPE[name]] = 1 + i;
TYPE_COLUMN[DNSKEY] = OTHER_TYPE - 1;

/** First columns of a slice: codes of answers over IPv4, of those over IPv6, types, cookies, buckets of the latency with one above the last bound; then single ones. */
const TYPES = 2 * CODES;
const COOKIES = TYPES + TYPE_LABELS.length;
const LATENCIES = COOKIES + COOKIE_LABELS.length;
let next = LATENCIES + LATENCY_BOUNDS.length + 1;
/** Number of each column. */
export const COLUMN = {
  truncated: next++,
  /** NOERROR without a record in the answer section (RFC 2308 section 2.2). */
  nodata: next++,
  referrals: next++,
  /** Packets under 12 bytes, and responses. */
  notQuery: next++,
  /** Longer than any query: cut by the system when it was received. */
  oversized: next++,
  sourcePortZero: next++,
  fault: next++,
  /** Responses that were not sent, and that were sent cut, because of their rate. */
  rateLimited: next++,
  rateSlipped: next++,
  sendErrors: next++,
  batches: next++,
  /** Milliseconds, of all responses that are in the buckets of the latency. */
  latencySum: next++,
  /** Names found in the arena, and names looked for in the store. */
  indexHits: next++,
  storeReads: next++,
  /** Lines of the query log, and those that it had no room for. */
  queriesLogged: next++,
  queriesNotLogged: next++,
  /** A gauge: it is 0 when the thread has ended. */
  tcpOpen: next++,
  tcpAccepted: next++,
  tcpRefused: next++,
  tcpRefusedClient: next++,
  tcpIdle: next++,
  tcpSlow: next++,
  /** Messages handed to main, and those dropped or refused since too many were there. */
  deferred: next++,
  deferredRefused: next++,
  /** Transfers refused by the thread that was asked. */
  transfersRefused: next++,
} as const;
const COLUMNS = next;

/** Doubles in 128 bytes: a cache line and the one that is fetched along with it. */
const LINES = 16;
/** From one slice to the next, in doubles: no two share a line, wherever the buffer begins. */
const STRIDE = (Math.ceil(COLUMNS / LINES) + 1) * LINES;

/** A thread's part of the buffer, as it is handed to it. */
export interface Slice {
  readonly buffer: SharedArrayBuffer;
  /** From 0. */
  readonly thread: number;
}

/** The writing side, in a thread. */
export class ThreadCounters {
  readonly #values: Float64Array;

  constructor({ buffer, thread }: Slice) {
    this.#values = new Float64Array(buffer, thread * STRIDE * Float64Array.BYTES_PER_ELEMENT, COLUMNS);
  }

  /** Counts the response at bytes[start] to `query`. `family`: 0 for IPv4, 1 for IPv6. Hot. */
  answered(bytes: Uint8Array, start: number, query: Query, family: number): void {
    const values = this.#values;
    const code = query.rcode;
    values[family * CODES + (code < CODES ? code : CODES - 1)]++;
    const { type } = query;
    values[TYPES + (query.questionEnd === 0 ? NO_TYPE : type < 512 ? TYPE_COLUMN[type] : OTHER_TYPE)]++;
    const flags = bytes[start + 2];
    values[COOKIES + query.cookie]++;
    if ((flags & 0x02) !== 0) values[COLUMN.truncated]++;
    // A referral is what has no answer and no AA (RFC 2308 2.2.1).
    else if (code === 0 && (bytes[start + 6] | bytes[start + 7]) === 0)
      values[(flags & 0x04) !== 0 ? COLUMN.nodata : COLUMN.referrals]++;
  }

  /** Counts `responses` that took `milliseconds` each, from the packet's arrival in this process until it was sent. Once a batch. */
  took(responses: number, milliseconds: number): void {
    const values = this.#values;
    let bucket = 0;
    while (bucket < LATENCY_BOUNDS.length && milliseconds > LATENCY_BOUNDS[bucket]) bucket++;
    values[LATENCIES + bucket] += responses;
    values[COLUMN.latencySum] += milliseconds * responses;
  }

  /** Takes over what the index has counted since the last time. */
  takeIndex(index: Pick<IndexReader, 'hits' | 'fetches'>): void {
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

export type Transport = 'udp' | 'tcp' | 'tls' | 'https';

/** The reading side. */
export class NameserverCounters {
  /** Threads that ended unasked and were started anew. */
  restarts = 0;
  readonly #buffer: SharedArrayBuffer;
  readonly #threads: readonly { readonly transport: Transport; readonly values: Float64Array }[];

  /** `transports`: of each thread. */
  constructor(transports: readonly Transport[]) {
    const bytes = STRIDE * Float64Array.BYTES_PER_ELEMENT;
    const all: readonly Transport[] = [...transports, 'https'];
    this.#buffer = new SharedArrayBuffer(all.length * bytes);
    this.#threads = all.map((transport, i) => ({
      transport,
      values: new Float64Array(this.#buffer, i * bytes, COLUMNS),
    }));
  }

  /** Of what comes over HTTPS, which main answers itself. */
  get https(): Slice {
    return this.slice(this.#threads.length - 1);
  }

  slice(thread: number): Slice {
    return { buffer: this.#buffer, thread };
  }

  /** What the thread held is gone with it. To be called when it has ended, since it is the only writer. */
  ended(thread: number): void {
    this.#threads[thread].values[COLUMN.tcpOpen] = 0;
  }

  /** `family`: 0 or 1, see FAMILY_LABELS. */
  answers(transport: Transport, family: number, code: number): number {
    return this.sum(transport, family * CODES + code);
  }

  /** `type`: number of the label in TYPE_LABELS. */
  types(transport: Transport, type: number): number {
    return this.sum(transport, TYPES + type);
  }

  /** `cookie`: of COOKIE. */
  cookies(transport: Transport, cookie: number): number {
    return this.sum(transport, COOKIES + cookie);
  }

  /** Responses whose latency was within LATENCY_BOUNDS[bucket] and not within the bound before; the last bucket has no bound. */
  latencies(transport: Transport, bucket: number): number {
    return this.sum(transport, LATENCIES + bucket);
  }

  sum(transport: Transport, column: number): number {
    let sum = 0;
    for (const thread of this.#threads) if (thread.transport === transport) sum += thread.values[column];
    return sum;
  }
}

/**
 * A DNS thread passes messages to the dnstap thread through a ring in shared memory.
 *
 * The DNS thread is the only writer, and never waits: if the ring is full, the message is counted
 * and dropped. The dnstap thread is the only reader.
 *
 *   ring    { written u32, taken u32, messages f64, dropped f64 }, then RING_BYTES of records
 *   record  { RECORD }, then the message; its size is a multiple of 8
 *
 * `written` and `taken` count bytes, modulo 2^32. A record does not wrap around: a filler takes the
 * rest of the ring.
 */
import { Sampling } from '../../base/sampling.ts';
import type { Client } from '../../net/address/client.ts';

/** A power of 2. 2 MB hold about 12,000 messages. */
export const RING_BYTES = 2 << 20;
const HEADER_BYTES = 64;
export const WRITTEN = 0;
export const TAKEN = 1;
/** Doubles of the header. */
export const MESSAGES = 1;
export const DROPPED = 2;

/** Offsets in a record. Numbers are in the byte order of the machine; all threads share it. */
export const RECORD = {
  /** u32: the size of the record. */
  size: 0,
  /** u32: the length of the message. */
  length: 4,
  /** f64: milliseconds since 1970. */
  queryTime: 8,
  responseTime: 16,
  /** One of KIND. */
  kind: 24,
  /** A value of TRANSPORT. */
  transport: 25,
  /** 4 or 16. */
  addressLength: 26,
  /** Two bytes in network byte order. */
  port: 28,
  address: 32,
} as const;
export const RECORD_HEADER = 48;

export const KIND = { FILLER: 0, QUERY: 1, RESPONSE: 2 } as const;

export interface TapRing {
  readonly memory: SharedArrayBuffer;
  /** On average, one query in `every` is sampled. */
  readonly every: number;
  readonly hasQueries: boolean;
  readonly hasResponses: boolean;
}

export function createTapRing(every: number, messages: 'all' | 'queries' | 'responses'): TapRing {
  return {
    memory: new SharedArrayBuffer(HEADER_BYTES + RING_BYTES),
    every,
    hasQueries: messages !== 'responses',
    hasResponses: messages !== 'queries',
  };
}

/** The positions, the counters, and the records as bytes, words and doubles. */
export interface RingViews {
  readonly positions: Int32Array;
  readonly counters: Float64Array;
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
  readonly doubles: Float64Array;
}

export function viewsOf({ memory }: Pick<TapRing, 'memory'>): RingViews {
  return {
    positions: new Int32Array(memory, 0, 2),
    counters: new Float64Array(memory, 0, HEADER_BYTES / 8),
    bytes: new Uint8Array(memory, HEADER_BYTES),
    words: new Int32Array(memory, HEADER_BYTES),
    doubles: new Float64Array(memory, HEADER_BYTES),
  };
}

/** Hot: allocates nothing for each message. */
export class TapWriter {
  readonly #positions: Int32Array;
  readonly #counters: Float64Array;
  readonly #bytes: Uint8Array;
  readonly #words: Int32Array;
  readonly #doubles: Float64Array;
  readonly #sampling: Sampling;
  readonly #hasQueries: boolean;
  readonly #hasResponses: boolean;
  /** The time of the query, in an array so that storing it allocates nothing. */
  readonly #queryTime = new Float64Array(1);
  readonly #timeOrigin = performance.timeOrigin;
  #isSampled = false;

  constructor(ring: TapRing, seed?: number) {
    const { positions, counters, bytes, words, doubles } = viewsOf(ring);
    this.#positions = positions;
    this.#counters = counters;
    this.#bytes = bytes;
    this.#words = words;
    this.#doubles = doubles;
    this.#sampling = new Sampling(ring.every, seed);
    this.#hasQueries = ring.hasQueries;
    this.#hasResponses = ring.hasResponses;
  }

  /** Receives a query before its response overwrites it. Decides whether it is sampled. */
  query(packet: Uint8Array, start: number, length: number, client: Client): void {
    this.#isSampled = this.#sampling.isDue();
    if (!this.#isSampled) return;
    this.#queryTime[0] = this.#timeOrigin + performance.now();
    if (this.#hasQueries) this.#write(KIND.QUERY, packet, start, length, client);
  }

  /** Receives the response to the last query, if `length` is not 0. */
  response(packet: Uint8Array, start: number, length: number, client: Client): void {
    if (this.#isSampled && this.#hasResponses && length > 0) this.#write(KIND.RESPONSE, packet, start, length, client);
  }

  #write(kind: number, packet: Uint8Array, start: number, length: number, client: Client): void {
    const positions = this.#positions;
    const bytes = this.#bytes;
    const size = (RECORD_HEADER + length + 7) & ~7;
    let written = Atomics.load(positions, WRITTEN);
    const free = RING_BYTES - ((written - Atomics.load(positions, TAKEN)) >>> 0);
    let at = written & (RING_BYTES - 1);
    const rest = RING_BYTES - at;
    if ((rest < size ? rest + size : size) > free) {
      this.#counters[DROPPED]++;
      return;
    }
    if (rest < size) {
      // The rest is a multiple of 8, so its size fits. A reader knows the filler by its length.
      this.#words[at >> 2] = rest;
      this.#words[(at >> 2) + 1] = 0;
      written = (written + rest) | 0;
      at = 0;
    }
    this.#words[at >> 2] = size;
    this.#words[(at >> 2) + 1] = length;
    this.#doubles[(at + RECORD.queryTime) >> 3] = this.#queryTime[0];
    if (kind === KIND.RESPONSE) this.#doubles[(at + RECORD.responseTime) >> 3] = this.#timeOrigin + performance.now();
    bytes[at + RECORD.kind] = kind;
    bytes[at + RECORD.transport] = client.transport;
    bytes[at + RECORD.addressLength] = client.length;
    bytes[at + RECORD.port] = client.port >>> 8;
    bytes[at + RECORD.port + 1] = client.port;
    for (let i = 0; i < client.length; i++) bytes[at + RECORD.address + i] = client.address[i];
    const to = at + RECORD_HEADER;
    for (let i = 0; i < length; i++) bytes[to + i] = packet[start + i];
    this.#counters[MESSAGES]++;
    Atomics.store(positions, WRITTEN, (written + size) | 0);
  }
}

/**
 * The query log: one line for one query in so many. A DNS thread puts what it samples into a ring in shared memory, and main, which has the log, takes it from there. A thread never waits: what
 * the ring has no room for is counted and gone.
 *
 *   ring   { entries written u32, entries taken u32 }, then RING_ENTRIES entries of ENTRY bytes; one ring a thread, which alone writes, as main alone takes
 */

import type { Client } from '../address/client.ts';
import type { Query } from '../answer/query.ts';
import { HEADER_LENGTH } from '../wire/header.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';

export const RING_ENTRIES = 512;
/** Bytes; offsets of its fields below, numbers in network order but for the time. */
export const ENTRY = 304;
export const ENTRY_FIELD = {
  /** A double of the machine: milliseconds of `performance.now()`, which is one for all threads. */
  time: 0,
  client: 8,
  clientLength: 24,
  transport: 25,
  port: 26,
  type: 28,
  rcode: 30,
  /** Third byte of the response's header: QR, opcode, AA, TC, RD. */
  flags: 32,
  /** Bit 0: has OPT, bit 1: DO. */
  edns: 33,
  /** 0: not sent. */
  size: 34,
  /** 0: the question could not be read. */
  nameLength: 36,
  name: 40,
} as const;
const HEADER = 16;
export const WRITTEN = 0;
export const TAKEN = 1;

export interface SharedQueryLog {
  readonly ring: SharedArrayBuffer;
  /** One query in so many is logged, on average. */
  readonly every: number;
}

/** Null when nothing is to be logged (`every` is 0). */
export function createQueryLog(every: number): SharedQueryLog | null {
  return every === 0 ? null : { ring: new SharedArrayBuffer(HEADER + RING_ENTRIES * ENTRY), every };
}

/** The ring's two counters, its bytes, and the same as doubles. */
export function viewsOf(ring: SharedArrayBuffer): { counts: Int32Array; bytes: Uint8Array; doubles: Float64Array } {
  return {
    counts: new Int32Array(ring, 0, 2),
    bytes: new Uint8Array(ring, HEADER),
    doubles: new Float64Array(ring, HEADER),
  };
}

/** The writing side of one thread; null when nothing is to be logged. */
export function openQueryLog(
  { queryLog }: { readonly queryLog: SharedQueryLog | null },
  counters: ThreadCounters,
): QueryLogWriter | null {
  // Not 0, which xorshift would stay at.
  return queryLog === null ? null : new QueryLogWriter(queryLog, counters, (Math.random() * 0xffff_ffff) | 1);
}

export class QueryLogWriter {
  readonly #counters: ThreadCounters;
  readonly #counts: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #doubles: Float64Array;
  readonly #every: number;
  #random: number;
  /** Queries until the next sample. */
  #left = 1;

  /** `seed`: not 0. */
  constructor({ ring, every }: SharedQueryLog, counters: ThreadCounters, seed: number) {
    const { counts, bytes, doubles } = viewsOf(ring);
    this.#counts = counts;
    this.#bytes = bytes;
    this.#doubles = doubles;
    this.#every = every;
    this.#counters = counters;
    this.#random = seed | 0 || 1;
    this.#left = this.#gap();
  }

  /** The response at bytes[start], of which `size` bytes are sent: may become an entry. Hot. */
  offer(bytes: Uint8Array, start: number, size: number, query: Query, client: Client): void {
    if (--this.#left > 0) return;
    this.#left = this.#gap();
    const written = Atomics.load(this.#counts, WRITTEN);
    if (((written - Atomics.load(this.#counts, TAKEN)) | 0) >= RING_ENTRIES) {
      this.#counters.count(COLUMN.queriesNotLogged);
      return;
    }
    this.#write(((written >>> 0) % RING_ENTRIES) * ENTRY, bytes, start, size, query, client);
    Atomics.store(this.#counts, WRITTEN, (written + 1) | 0);
    this.#counters.count(COLUMN.queriesLogged);
  }

  #write(at: number, packet: Uint8Array, start: number, size: number, query: Query, client: Client): void {
    const bytes = this.#bytes;
    this.#doubles[(at + ENTRY_FIELD.time) / 8] = performance.now();
    for (let i = 0; i < client.length; i++) bytes[at + ENTRY_FIELD.client + i] = client.address[i];
    bytes[at + ENTRY_FIELD.clientLength] = client.length;
    bytes[at + ENTRY_FIELD.transport] = client.transport;
    put(bytes, at + ENTRY_FIELD.port, client.port);
    put(bytes, at + ENTRY_FIELD.type, query.type);
    put(bytes, at + ENTRY_FIELD.rcode, query.rcode);
    bytes[at + ENTRY_FIELD.flags] = packet[start + 2];
    bytes[at + ENTRY_FIELD.edns] = (query.hasOpt ? 1 : 0) | (query.dnssecOk ? 2 : 0);
    put(bytes, at + ENTRY_FIELD.size, size);
    const length = query.questionEnd === 0 ? 0 : query.nameEnd - start - HEADER_LENGTH;
    bytes[at + ENTRY_FIELD.nameLength] = length;
    for (let i = 0; i < length; i++) bytes[at + ENTRY_FIELD.name + i] = packet[start + HEADER_LENGTH + i];
  }

  /** 1 to 2 × every - 1, evenly spread: who asks in turns is not always or never sampled (xorshift32, Marsaglia 2003). */
  #gap(): number {
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return 1 + ((x >>> 0) % (2 * this.#every - 1));
  }
}

function put(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

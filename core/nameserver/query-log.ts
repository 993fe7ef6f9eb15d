/**
 * The query log samples one query in `every`.
 *
 * A DNS thread writes samples into a ring in shared memory; the main thread, which owns the log,
 * reads them. The DNS thread never waits: if the ring is full, the sample is counted and dropped.
 *
 *   ring   { entries written u32, entries taken u32 }, then RING_ENTRIES entries of ENTRY bytes
 *
 * Each thread has its own ring and is its only writer. The main thread is the only reader.
 */

import { Sampling } from '../base/sampling.ts';
import { HEADER_LENGTH } from '../dns/wire/header.ts';
import type { Client } from '../net/address/client.ts';
import type { Query } from '../zone/answer/query.ts';
import { COLUMN, type ThreadCounters } from './counters.ts';

export const RING_ENTRIES = 512;
/**
 * Size of an entry in bytes. The offsets of its fields follow. Numbers are in network byte order,
 * except the time.
 */
export const ENTRY = 304;
export const ENTRY_FIELD = {
  /**
   * A double in the byte order of the machine: milliseconds of `performance.now()`, which all
   * threads share.
   */
  time: 0,
  client: 8,
  clientLength: 24,
  transport: 25,
  port: 26,
  type: 28,
  rcode: 30,
  /** Third byte of the response's header: QR, opcode, AA, TC, RD. */
  flags: 32,
  /** Bit 0: the query has OPT; bit 1: DO. */
  edns: 33,
  /** 0: not sent. */
  size: 34,
  /** 0: the question could not be parsed. */
  nameLength: 36,
  name: 40,
} as const;
const HEADER = 16;
export const WRITTEN = 0;
export const TAKEN = 1;

export interface SharedQueryLog {
  readonly ring: SharedArrayBuffer;
  /** One query in `every` is logged, on average. */
  readonly every: number;
}

/** Null if nothing is logged (`every` is 0). */
export function createQueryLog(every: number): SharedQueryLog | null {
  return every === 0 ? null : { ring: new SharedArrayBuffer(HEADER + RING_ENTRIES * ENTRY), every };
}

/** The two counters of the ring, and its entries as bytes and as doubles. */
export function viewsOf(ring: SharedArrayBuffer): { counts: Int32Array; bytes: Uint8Array; doubles: Float64Array } {
  return {
    counts: new Int32Array(ring, 0, 2),
    bytes: new Uint8Array(ring, HEADER),
    doubles: new Float64Array(ring, HEADER),
  };
}

export class QueryLogWriter {
  readonly #counters: ThreadCounters;
  readonly #counts: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #doubles: Float64Array;
  readonly #sampling: Sampling;

  constructor({ ring, every }: SharedQueryLog, counters: ThreadCounters, seed?: number) {
    const { counts, bytes, doubles } = viewsOf(ring);
    this.#counts = counts;
    this.#bytes = bytes;
    this.#doubles = doubles;
    this.#sampling = new Sampling(every, seed);
    this.#counters = counters;
  }

  /** Samples the response at bytes[start], of which `size` bytes are sent, if it is due. Hot. */
  offer(bytes: Uint8Array, start: number, size: number, query: Query, client: Client): void {
    if (!this.#sampling.isDue()) return;
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
    writeUint16(bytes, at + ENTRY_FIELD.port, client.port);
    writeUint16(bytes, at + ENTRY_FIELD.type, query.type);
    writeUint16(bytes, at + ENTRY_FIELD.rcode, query.rcode);
    bytes[at + ENTRY_FIELD.flags] = packet[start + 2];
    bytes[at + ENTRY_FIELD.edns] = (query.hasOpt ? 1 : 0) | (query.dnssecOk ? 2 : 0);
    writeUint16(bytes, at + ENTRY_FIELD.size, size);
    const length = query.questionEnd === 0 ? 0 : query.nameEnd - start - HEADER_LENGTH;
    bytes[at + ENTRY_FIELD.nameLength] = length;
    for (let i = 0; i < length; i++) bytes[at + ENTRY_FIELD.name + i] = packet[start + HEADER_LENGTH + i];
  }
}

function writeUint16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 8;
  bytes[at + 1] = value;
}

/**
 * The statistics count every query of a quiet zone, and one query in `every` of the others, on
 * average: in each period the first EXACT_ZONE queries of a zone are exact, up to EXACT_ALL of all
 * zones of a thread. The reader begins the periods, so a DNS thread reads no clock.
 *
 * A DNS thread writes samples into a ring in shared memory; the statistics thread reads them. The
 * DNS thread never waits: if the ring is full, the sample is counted and dropped.
 *
 *   ring   { written u32, taken u32, dropped u32, period u32 }, then RING_ENTRIES entries
 *   entry  type u16, rcode u16 and EXACT, length of the zone's apex u8, length of the name u8, name
 *
 * Each thread has its own ring and is its only writer. The statistics thread is the only reader.
 */

import { Sampling } from '../../base/sampling.ts';
import { HEADER_LENGTH } from '../../dns/wire/header.ts';
import { LOWER } from '../../dns/wire/name.ts';

const RING_ENTRIES = 4096;
const ENTRY = 264;
const NAME_AT = 6;
const HEADER = 16;
const WRITTEN = 0;
const TAKEN = 1;
const DROPPED = 2;
const PERIOD = 3;
/** Exact queries of a zone in a period. Zones whose names have one hash share them. */
const EXACT_ZONE = 8;
/** Exact queries of all zones in a period, which bounds the work of the statistics thread. */
const EXACT_ALL = 1024;
const SLOT_BITS = 12;
/** Bit in the upper byte of the code, which has 12 bits. */
const EXACT = 0x80;

export interface SampleRing {
  readonly memory: SharedArrayBuffer;
  /** One query in `every` is sampled, on average; 1: every query. */
  readonly every: number;
}

/** The part of a query that is sampled. */
interface SampledQuery {
  readonly type: number;
  readonly rcode: number;
  /** Offset of the first byte after the name. */
  readonly nameEnd: number;
  /** Length of the apex of the zone that answered; 0: none did. */
  readonly zoneLength: number;
}

export function createSampleRing(every: number): SampleRing {
  return { memory: new SharedArrayBuffer(HEADER + RING_ENTRIES * ENTRY), every };
}

/** Hot: allocates nothing. */
export class SampleWriter {
  readonly #counts: Int32Array;
  readonly #bytes: Uint8Array;
  readonly #sampling: Sampling;
  /** Exact queries of this period, by hash of the apex. */
  readonly #exact = new Uint8Array(1 << SLOT_BITS);
  #exactLeft = 0;
  #period = -1;

  constructor({ memory, every }: SampleRing, seed?: number) {
    this.#counts = new Int32Array(memory, 0, 4);
    this.#bytes = new Uint8Array(memory, HEADER);
    this.#sampling = new Sampling(every, seed);
  }

  /** Samples the query in the packet at bytes[start], if it is due. */
  offer(bytes: Uint8Array, start: number, query: SampledQuery): void {
    if (query.zoneLength === 0) return;
    const isExact = this.#isExact(bytes, query);
    if (!isExact && !this.#sampling.isDue()) return;
    const counts = this.#counts;
    const written = Atomics.load(counts, WRITTEN);
    if (((written - Atomics.load(counts, TAKEN)) | 0) >= RING_ENTRIES) {
      Atomics.add(counts, DROPPED, 1);
      return;
    }
    const ring = this.#bytes;
    const at = ((written >>> 0) % RING_ENTRIES) * ENTRY;
    const from = start + HEADER_LENGTH;
    const length = query.nameEnd - from;
    ring[at] = query.type >>> 8;
    ring[at + 1] = query.type;
    ring[at + 2] = (query.rcode >>> 8) | (isExact ? EXACT : 0);
    ring[at + 3] = query.rcode;
    ring[at + 4] = query.zoneLength;
    ring[at + 5] = length;
    // Resolvers randomize the case of letters.
    for (let i = 0; i < length; i++) ring[at + NAME_AT + i] = LOWER[bytes[from + i]];
    Atomics.store(counts, WRITTEN, (written + 1) | 0);
  }

  /** Whether the query is among the first of its zone in this period, and takes its place. */
  #isExact(bytes: Uint8Array, { zoneLength, nameEnd }: SampledQuery): boolean {
    const period = this.#counts[PERIOD];
    if (period !== this.#period) {
      this.#period = period;
      this.#exactLeft = EXACT_ALL;
      this.#exact.fill(0);
    }
    if (this.#exactLeft === 0) return false;
    // A few letters of the first label of the apex: numbered names differ at its end.
    const apex = nameEnd - zoneLength;
    const end = apex + bytes[apex];
    const letters = LOWER[bytes[end]] | (LOWER[bytes[end - 1]] << 8) | (LOWER[bytes[end - 2]] << 16);
    const hash = Math.imul(letters ^ (LOWER[bytes[apex + 1]] << 24) ^ (zoneLength << 4), 0x9e3779b1);
    const slot = hash >>> (32 - SLOT_BITS);
    if (this.#exact[slot] === EXACT_ZONE) return false;
    this.#exact[slot]++;
    this.#exactLeft--;
    return true;
  }
}

export interface Sample {
  readonly type: number;
  readonly rcode: number;
  /** The number of queries that it stands for. */
  readonly weight: number;
  /** Labels of the name in lower case, one byte a character: those above the apex, and the apex. */
  readonly labels: string;
  readonly apex: string;
}

export class SampleReader {
  readonly every: number;
  readonly #counts: Int32Array;
  readonly #bytes: Buffer;

  constructor({ memory, every }: SampleRing) {
    this.every = every;
    this.#counts = new Int32Array(memory, 0, 4);
    this.#bytes = Buffer.from(memory, HEADER);
  }

  /** Samples dropped since the ring was made, because it was full. */
  get dropped(): number {
    return Atomics.load(this.#counts, DROPPED) >>> 0;
  }

  /** Begins a period, in which the first queries of each zone are exact. */
  startPeriod(): void {
    Atomics.add(this.#counts, PERIOD, 1);
  }

  /** Passes every sample of the ring to `receive`. Returns how many. */
  drain(receive: (sample: Sample) => void): number {
    const counts = this.#counts;
    const bytes = this.#bytes;
    const written = Atomics.load(counts, WRITTEN);
    let taken = Atomics.load(counts, TAKEN);
    const samples = (written - taken) | 0;
    while (taken !== written) {
      const at = ((taken >>> 0) % RING_ENTRIES) * ENTRY;
      const end = at + NAME_AT + bytes[at + 5];
      const apexAt = end - bytes[at + 4];
      const sample = {
        type: bytes.readUInt16BE(at),
        rcode: bytes.readUInt16BE(at + 2) & 0xfff,
        weight: (bytes[at + 2] & EXACT) === 0 ? this.every : 1,
        labels: bytes.toString('latin1', at + NAME_AT, apexAt),
        apex: bytes.toString('latin1', apexAt, end),
      };
      taken = (taken + 1) | 0;
      Atomics.store(counts, TAKEN, taken);
      receive(sample);
    }
    return samples;
  }
}

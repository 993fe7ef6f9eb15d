/**
 * Decodes the records of a compiled answer, for the few responses that are composed per query.
 * Allocates.
 */

import { AFTER_NAME, HEADER_LENGTH } from '../dns/wire/header.ts';
import type { ResourceRecord } from '../dns/wire/types.ts';
import { COMPRESSIBLE } from '../dns/wire/types.ts';
import {
  ANCOUNT_AT,
  ARCOUNT_AT,
  bodyOffset,
  NSCOUNT_AT,
  SIGNATURES_LENGTH_AT,
  SIGNED_ANCOUNT_AT,
  SIGNED_ARCOUNT_AT,
  SIGNED_NSCOUNT_AT,
  signaturesOffset,
  signedOffset,
  TAIL_LENGTH_AT,
  uint16,
} from './answers.ts';

export interface Sections {
  readonly answer: ResourceRecord[];
  readonly authority: ResourceRecord[];
  readonly additional: ResourceRecord[];
}

/**
 * Returns the records of the answer at `a`, which was compiled for the name `compiledFor`. A
 * pointer to the whole question becomes `queryName`; other pointers refer to `compiledFor`
 * (store/answers.ts, RFC 1035 section 4.1.4). `maxAdditional`: offset in the additional section
 * after which no further record is read.
 */
export function expandAnswer(
  nodes: Uint8Array,
  a: number,
  compiledFor: Uint8Array,
  queryName: Uint8Array,
  maxAdditional = Number.POSITIVE_INFINITY,
): Sections {
  const reader = new RecordReader(nodes, bodyOffset(nodes, a), compiledFor, queryName);
  return {
    answer: reader.read(uint16(nodes, a + ANCOUNT_AT)),
    authority: reader.read(uint16(nodes, a + NSCOUNT_AT)),
    additional: reader.read(uint16(nodes, a + ARCOUNT_AT), maxAdditional),
  };
}

/** Returns only the additional section of such an answer. */
export function expandAdditional(
  nodes: Uint8Array,
  a: number,
  compiledFor: Uint8Array,
  queryName: Uint8Array,
): ResourceRecord[] {
  const reader = new RecordReader(nodes, bodyOffset(nodes, a), compiledFor, queryName);
  reader.skip(uint16(nodes, a + ANCOUNT_AT) + uint16(nodes, a + NSCOUNT_AT));
  return reader.read(uint16(nodes, a + ARCOUNT_AT));
}

/** Returns only the first record of such an answer. */
export function firstRecord(
  nodes: Uint8Array,
  a: number,
  compiledFor: Uint8Array,
  queryName: Uint8Array,
): ResourceRecord {
  return new RecordReader(nodes, bodyOffset(nodes, a), compiledFor, queryName).read(1)[0];
}

/**
 * Like `expandAnswer`, with signatures, for an answer with a signed part. The additional section is
 * glue.
 */
export function expandSigned(nodes: Uint8Array, a: number, compiledFor: Uint8Array, queryName: Uint8Array): Sections {
  const part = signedOffset(nodes, a);
  const reader = new RecordReader(joinSigned(nodes, a), 0, compiledFor, queryName);
  return {
    answer: reader.read(uint16(nodes, part + SIGNED_ANCOUNT_AT)),
    authority: reader.read(uint16(nodes, part + SIGNED_NSCOUNT_AT)),
    additional: reader.read(uint16(nodes, part + SIGNED_ARCOUNT_AT)),
  };
}

/** Returns the body of an answer with signatures: the kept part, the signatures, the glue. */
export function joinSigned(nodes: Uint8Array, a: number): Buffer {
  const part = signedOffset(nodes, a);
  const body = bodyOffset(nodes, a);
  const kept = uint16(nodes, part);
  const signaturesAt = signaturesOffset(nodes, part);
  const length = uint16(nodes, part + SIGNATURES_LENGTH_AT) + uint16(nodes, part + TAIL_LENGTH_AT);
  return Buffer.concat([nodes.subarray(body, body + kept), nodes.subarray(signaturesAt, signaturesAt + length)]);
}

/** Reads records in order, starting at the body, which follows the question. */
class RecordReader {
  readonly #nodes: Uint8Array;
  readonly #body: number;
  readonly #compiledFor: Uint8Array;
  readonly #queryName: Uint8Array;
  readonly #origin: number;
  #p: number;

  constructor(nodes: Uint8Array, body: number, compiledFor: Uint8Array, queryName: Uint8Array) {
    this.#nodes = nodes;
    this.#body = body;
    this.#compiledFor = compiledFor;
    this.#queryName = queryName;
    this.#origin = HEADER_LENGTH + compiledFor.length + AFTER_NAME;
    this.#p = body;
  }

  /** Reads at most `count` records, and none that starts more than `maxBytes` bytes ahead. */
  read(count: number, maxBytes = Number.POSITIVE_INFINITY): ResourceRecord[] {
    const records: ResourceRecord[] = [];
    const end = this.#p + maxBytes;
    while (records.length < count && this.#p <= end) records.push(this.#record());
    return records;
  }

  skip(count: number): void {
    for (let i = 0; i < count; i++) {
      const nodes = this.#nodes;
      let p = this.#p;
      while (nodes[p] !== 0 && nodes[p] < 0xc0) p += nodes[p] + 1;
      p += nodes[p] === 0 ? 1 : 2;
      this.#p = p + 10 + uint16(nodes, p + 8);
    }
  }

  #record(): ResourceRecord {
    const nodes = this.#nodes;
    const owner = this.#name();
    const p = this.#p;
    const type = uint16(nodes, p);
    const ttl = ((uint16(nodes, p + 4) << 16) | uint16(nodes, p + 6)) >>> 0;
    const end = p + 10 + uint16(nodes, p + 8);
    this.#p += 10;
    const layout = COMPRESSIBLE.get(type);
    if (layout === undefined) {
      this.#p = end;
      return { name: owner, type, ttl, rdata: copyOf(nodes, p + 10, end) };
    }
    const parts: Uint8Array[] = [nodes.subarray(this.#p, this.#p + layout.skip)];
    this.#p += layout.skip;
    for (let i = 0; i < layout.names; i++) parts.push(this.#name());
    parts.push(nodes.subarray(this.#p, end));
    this.#p = end;
    return { name: owner, type, ttl, rdata: Buffer.concat(parts) };
  }

  /** Reads the next name. */
  #name(): Uint8Array {
    const nodes = this.#nodes;
    const from = this.#p;
    let p = from;
    while (nodes[p] !== 0 && nodes[p] < 0xc0) p += nodes[p] + 1;
    if (nodes[p] === 0) {
      this.#p = p + 1;
      return copyOf(nodes, from, p + 1);
    }
    const target = uint16(nodes, p) & 0x3fff;
    this.#p = p + 2;
    const rest = this.#nameAt(target);
    return p === from ? rest : Buffer.concat([nodes.subarray(from, p), rest]);
  }

  #nameAt(target: number): Uint8Array {
    if (target === HEADER_LENGTH) return this.#queryName;
    if (target < this.#origin) return this.#compiledFor.subarray(target - HEADER_LENGTH);
    const next = this.#p;
    this.#p = this.#body + target - this.#origin;
    const name = this.#name();
    this.#p = next;
    return name;
  }
}

/** Copies bytes. The `slice` of a Buffer would share its memory. */
const copyOf = (nodes: Uint8Array, from: number, end: number): Uint8Array =>
  Uint8Array.prototype.slice.call(nodes, from, end);

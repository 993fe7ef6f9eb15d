/**
 * A strict decoder of DNS messages, and an encoder of queries. It shares no code with
 * core/dns/wire, so that a fault there is found. Anything that a careful resolver may reject is an
 * error (MessageError).
 */
import { HEADER_LENGTH } from '../../core/dns/wire/header.ts';
import { COMPRESSIBLE, type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import type { Query } from '../reference/resolver.ts';

export class MessageError extends Error {}

export interface Header {
  readonly id: number;
  readonly qr: boolean;
  readonly opcode: number;
  readonly aa: boolean;
  readonly tc: boolean;
  readonly rd: boolean;
  readonly ra: boolean;
  readonly z: boolean;
  readonly ad: boolean;
  readonly cd: boolean;
  readonly rcode: number;
}

export interface Opt {
  /** UDP payload size of the sender. */
  readonly size: number;
  readonly extendedRcode: number;
  readonly version: number;
  readonly do: boolean;
  readonly options: Uint8Array;
}

/** Names are expanded, with their case preserved. `additional` excludes the OPT record. */
export interface Message {
  readonly header: Header;
  /** Includes the extended bits of the OPT record (RFC 6891 6.1.3). */
  readonly rcode: number;
  /** The question section as received; empty if QDCOUNT is 0. */
  readonly question: Uint8Array;
  readonly answer: readonly ResourceRecord[];
  readonly authority: readonly ResourceRecord[];
  readonly additional: readonly ResourceRecord[];
  readonly opt?: Opt;
}

/** Rdata names that servers must not compress (RFC 3597), but that are compared as names. */
const UNCOMPRESSED: typeof COMPRESSIBLE = new Map([
  [TYPE.SRV, { skip: 6, names: 1 }],
  [TYPE.DNAME, { skip: 0, names: 1 }],
  [TYPE.SVCB, { skip: 2, names: 1 }],
  [TYPE.HTTPS, { skip: 2, names: 1 }],
  [TYPE.RRSIG, { skip: 18, names: 1 }],
]);
/** Types with other fields after their names. */
const GOES_ON: ReadonlySet<number> = new Set([TYPE.SOA, TYPE.SVCB, TYPE.HTTPS, TYPE.RRSIG]);

/** Throws MessageError for anything but a valid message of class IN with at most one question. */
export function decodeMessage(packet: Uint8Array): Message {
  return decode(packet, false);
}

/**
 * Like `decodeMessage`, but pointers may target names in any rdata, such as those of BIND into NSEC
 * records.
 */
export function decodeLoosely(packet: Uint8Array): Message {
  return decode(packet, true);
}

function decode(packet: Uint8Array, isLoose: boolean): Message {
  const reader = new Reader(packet, isLoose);
  if (packet.length < 12) throw new MessageError(`${packet.length} bytes are no header`);
  const flags = reader.u16(2);
  const header: Header = {
    id: reader.u16(0),
    qr: (flags & 0x8000) !== 0,
    opcode: (flags >> 11) & 15,
    aa: (flags & 0x400) !== 0,
    tc: (flags & 0x200) !== 0,
    rd: (flags & 0x100) !== 0,
    ra: (flags & 0x80) !== 0,
    z: (flags & 0x40) !== 0,
    ad: (flags & 0x20) !== 0,
    cd: (flags & 0x10) !== 0,
    rcode: flags & 15,
  };
  const counts = [4, 6, 8, 10].map((at) => reader.u16(at));
  if (counts[0] > 1) throw new MessageError(`${counts[0]} questions`);
  reader.at = HEADER_LENGTH;
  if (counts[0] === 1) {
    reader.name(false);
    reader.take(4);
  }
  const question = packet.slice(12, reader.at);
  const section = (count: number): ReturnType<Reader['record']>[] =>
    Array.from({ length: count }, () => reader.record());
  const answer = section(counts[1]);
  const authority = section(counts[2]);
  const additional = section(counts[3]);
  if (reader.at !== packet.length) throw new MessageError(`${packet.length - reader.at} bytes after the last record`);

  const opts = additional.filter((record) => record.type === TYPE.OPT);
  if (opts.length > 1) throw new MessageError('two OPT records');
  for (const record of [...answer, ...authority, ...additional]) {
    if (record.type === TYPE.OPT ? !additional.includes(record) || record.name.length !== 1 : record.class !== 1) {
      throw new MessageError(`a record of type ${record.type}, class ${record.class} out of place`);
    }
  }
  const opt: Opt | undefined = opts[0] && {
    size: opts[0].class,
    extendedRcode: opts[0].ttl >>> 24,
    version: (opts[0].ttl >>> 16) & 255,
    do: (opts[0].ttl & 0x8000) !== 0,
    options: opts[0].rdata,
  };
  return {
    header,
    rcode: header.rcode | ((opt?.extendedRcode ?? 0) << 4),
    question,
    answer,
    authority,
    additional: additional.filter((record) => record.type !== TYPE.OPT),
    opt,
  };
}

/** The position of names in the rdata of a type. */
export function namesIn(type: number): { readonly skip: number; readonly names: number } | undefined {
  return COMPRESSIBLE.get(type) ?? UNCOMPRESSED.get(type);
}

class Reader {
  at = 0;
  readonly #packet: Uint8Array;
  readonly #isLoose: boolean;
  /**
   * Offsets of earlier labels and of pointers that end names: the only valid targets of a pointer.
   */
  readonly #starts = new Set<number>();

  constructor(packet: Uint8Array, isLoose: boolean) {
    this.#packet = packet;
    this.#isLoose = isLoose;
  }

  u16(at: number): number {
    return (this.#packet[at] << 8) | this.#packet[at + 1];
  }

  take(length: number): Uint8Array {
    if (this.at + length > this.#packet.length) throw new MessageError(`ends inside a field at ${this.at}`);
    this.at += length;
    return this.#packet.slice(this.at - length, this.at);
  }

  /** The name at the cursor, expanded. */
  name(mayCompress: boolean): Uint8Array {
    const labels: Uint8Array[] = [];
    const starts: number[] = [];
    let length = 0;
    let jumped = false;
    let p = this.at;
    for (;;) {
      if (p >= this.#packet.length) throw new MessageError(`a name runs past the end at ${p}`);
      const head = this.#packet[p];
      if (!jumped) starts.push(p);
      if (head >= 0xc0) {
        if (!mayCompress) throw new MessageError(`a compression pointer at ${p}, where none may be`);
        if (p + 2 > this.#packet.length) throw new MessageError(`half a pointer at ${p}`);
        const to = this.u16(p) & 0x3fff;
        if (to >= p || !(this.#isLoose || this.#starts.has(to)))
          throw new MessageError(`the pointer at ${p} leads to ${to}, no earlier name`);
        if (!jumped) this.at = p + 2;
        jumped = true;
        p = to;
        continue;
      }
      if (head > 63) throw new MessageError(`label type ${head >> 6} at ${p}`);
      if (p + 1 + head > this.#packet.length) throw new MessageError(`a label runs past the end at ${p}`);
      labels.push(this.#packet.subarray(p, p + 1 + head));
      length += 1 + head;
      if (length > 255) throw new MessageError(`a name over 255 bytes at ${this.at}`);
      p += 1 + head;
      if (head === 0) break;
    }
    if (!jumped) this.at = p;
    for (const start of starts) this.#starts.add(start);
    return new Uint8Array(Buffer.concat(labels));
  }

  record(): ResourceRecord & { readonly class: number } {
    const name = this.name(true);
    const fixed = Buffer.from(this.take(10));
    const type = fixed.readUInt16BE(0);
    const rdata = this.#rdata(type, fixed.readUInt16BE(8));
    return { name, type, class: fixed.readUInt16BE(2), ttl: fixed.readUInt32BE(4), rdata };
  }

  #rdata(type: number, length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.#packet.length) throw new MessageError(`rdata runs past the end at ${this.at}`);
    const layout = namesIn(type);
    if (layout === undefined) return this.take(length);
    const parts = [this.take(layout.skip)];
    for (let i = 0; i < layout.names; i++) parts.push(this.name(COMPRESSIBLE.has(type)));
    if (this.at > end) throw new MessageError(`RDLENGTH ${length} of type ${type} is too short`);
    parts.push(this.take(end - this.at));
    if (!GOES_ON.has(type) && parts[parts.length - 1].length > 0)
      throw new MessageError(`RDLENGTH of type ${type} is too long`);
    return new Uint8Array(Buffer.concat(parts));
  }
}

/** Encodes a query: opcode QUERY, one question, and an OPT record if the query has EDNS. */
export function encodeQuery(query: Query, id: number, rd = false): Uint8Array {
  const header = Buffer.alloc(12);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(rd ? 0x100 : 0, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(query.edns === undefined ? 0 : 1, 10);
  const fields = Buffer.alloc(4);
  fields.writeUInt16BE(query.type, 0);
  fields.writeUInt16BE(query.class, 2);
  const opt = Buffer.alloc(query.edns === undefined ? 0 : 11);
  if (query.edns !== undefined) {
    opt.writeUInt16BE(TYPE.OPT, 1);
    opt.writeUInt16BE(query.edns.size, 3);
    opt.writeUInt8(query.edns.version, 6);
    opt.writeUInt16BE(query.edns.do ? 0x8000 : 0, 7);
  }
  return new Uint8Array(Buffer.concat([header, query.name, fields, opt]));
}

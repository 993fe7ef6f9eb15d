/**
 * Ready-made queries in one file: the generator sends them from where they are and copies nothing.
 *
 *   header (16 bytes)  'WPQ1' | stride u32 | count u32 | reserved u32, little-endian
 *   slot (stride)      length u16 | rcode u8 | flags u8 | ancount u16 | reserved u16 | DNS message
 *
 * `rcode` and `ancount` are what the right answer has.
 */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

export const HEADER = 16;
export const SLOT_HEAD = 8;
/** The first label is written again each time that the query is sent (RANDOM_LABEL letters). */
export const FRESH_LABEL = 1;

const MAGIC = 0x31515057;
// root, OPT, 1232 bytes, version 0 (RFC 6891 6.1.2)
const OPT = Uint8Array.of(0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 0);
/** The same with a client's cookie (RFC 7873 4): it receives ours each time. */
const COOKIE_OPT = Uint8Array.of(0, 0, 41, 0x04, 0xd0, 0, 0, 0, 0, 0, 12, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8);
/** The same as OPT with DO (RFC 3225). */
const DO_OPT = Uint8Array.from(OPT, (byte, i) => (i === 7 ? 0x80 : byte));
const NO_OPT = new Uint8Array(0);

/** Whether queries carry OPT, and a cookie or DO in it. */
export type Edns = boolean | 'cookie' | 'do';

function optOf(edns: Edns): Uint8Array {
  if (edns === 'do') return DO_OPT;
  if (edns === 'cookie') return COOKIE_OPT;
  return edns ? OPT : NO_OPT;
}

const SLOTS_A_WRITE = 16_384;

export interface Query {
  /** Absolute name in presentation form, without escapes and without the last dot. */
  name: string;
  type: number;
  rcode: number;
  ancount: number;
  freshLabel: boolean;
}

export interface QueryFile {
  /** The whole file. Slot i starts at HEADER + i * stride. */
  readonly bytes: Buffer;
  readonly stride: number;
  readonly count: number;
}

/** Bytes of a slot that takes names of up to `nameLength` characters. */
function strideFor(nameLength: number, edns: Edns): number {
  return (SLOT_HEAD + 12 + nameLength + 2 + 4 + optOf(edns).length + 7) & ~7;
}

/** Puts one query into the slot at `at`. ID 0, RD clear, class IN. */
function writeSlot(bytes: Buffer, at: number, query: Query, edns: Edns): void {
  let p = at + SLOT_HEAD;
  bytes.fill(0, at, p + 12);
  bytes[p + 5] = 1; // QDCOUNT
  bytes[p + 11] = edns ? 1 : 0; // ARCOUNT
  p += 12;
  for (const label of query.name.split('.')) {
    bytes[p++] = label.length;
    p += bytes.write(label, p, 'latin1');
  }
  bytes[p++] = 0;
  p = bytes.writeUInt16BE(query.type, p);
  p = bytes.writeUInt16BE(1, p);
  bytes.set(optOf(edns), p);
  p += optOf(edns).length;
  bytes.writeUInt16LE(p - at - SLOT_HEAD, at);
  bytes[at + 2] = query.rcode;
  bytes[at + 3] = query.freshLabel ? FRESH_LABEL : 0;
  bytes.writeUInt16LE(query.ancount, at + 4);
}

/**
 * Writes `count` queries, each as `at(index, query)` fills it in. `longest`: characters of the
 * longest name.
 */
export function writeQueryFile(
  path: string,
  count: number,
  longest: number,
  edns: Edns,
  at: (index: number, query: Query) => void,
): void {
  const stride = strideFor(longest, edns);
  const file = openSync(path, 'w');
  const head = Buffer.alloc(HEADER);
  head.writeUInt32LE(MAGIC, 0);
  head.writeUInt32LE(stride, 4);
  head.writeUInt32LE(count, 8);
  writeSync(file, head);
  const chunk = Buffer.alloc(SLOTS_A_WRITE * stride);
  const query: Query = { name: '', type: 0, rcode: 0, ancount: 0, freshLabel: false };
  for (let from = 0; from < count; from += SLOTS_A_WRITE) {
    const slots = Math.min(SLOTS_A_WRITE, count - from);
    for (let i = 0; i < slots; i++) {
      at(from + i, query);
      writeSlot(chunk, i * stride, query, edns);
    }
    writeSync(file, chunk, 0, slots * stride);
  }
  closeSync(file);
}

/** Throws an Error when the file is not one of ours or is cut off. */
export function readQueryFile(path: string): QueryFile {
  const bytes = readFileSync(path);
  const stride = bytes.readUInt32LE(4);
  const count = bytes.readUInt32LE(8);
  if (bytes.readUInt32LE(0) !== MAGIC || bytes.length !== HEADER + stride * count || count === 0) {
    throw new Error(`${path} is not a complete query file; delete it and run again.`);
  }
  return { bytes, stride, count };
}

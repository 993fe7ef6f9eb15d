/**
 * Transfers zones as a secondary does: sends a query over TCP, reads all messages, and applies
 * differences strictly.
 */
import { connect } from 'node:net';
import { typeName } from '../../core/dns/wire/mnemonics.ts';
import { formatName, parseName } from '../../core/dns/wire/name.ts';
import { formatRdata } from '../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, TYPE } from '../../core/dns/wire/types.ts';
import { decodeMessage } from './message.ts';
import { PATIENCE_MS } from './patience.ts';

const NUMBERS = 20;

export const serialOf = (soa: ResourceRecord): number =>
  Buffer.from(soa.rdata).readUInt32BE(soa.rdata.length - NUMBERS);

/** Encodes a transfer query. `serial`: serial of the current zone, for IXFR. */
export function transferRequest(zone: string, serial?: number, id = 4711): Buffer {
  const name = parseName(zone);
  const question = Buffer.alloc(12 + name.length + 4);
  question.writeUInt16BE(id, 0);
  question[5] = 1;
  question.set(name, 12);
  question.writeUInt16BE(serial === undefined ? TYPE.AXFR : TYPE.IXFR, 12 + name.length);
  question[question.length - 1] = 1;
  if (serial === undefined) return question;
  question[9] = 1;
  const soa = Buffer.alloc(2 + 10 + 2 + NUMBERS);
  soa.writeUInt16BE(0xc00c, 0);
  soa.writeUInt16BE(TYPE.SOA, 2);
  soa[5] = 1;
  soa.writeUInt16BE(2 + NUMBERS, 10);
  soa.writeUInt32BE(serial, 14);
  return Buffer.concat([question, soa]);
}

/**
 * Resolves with the records of all messages when the transfer is complete. Rejects with the rcode,
 * or after `ms` milliseconds.
 */
export async function transferOver(port: number, request: Uint8Array, ms = PATIENCE_MS): Promise<ResourceRecord[]> {
  const socket = connect(port, '127.0.0.1');
  socket.setTimeout(ms, () => socket.destroy(new Error(`no transfer within ${ms} ms`)));
  socket.write(Buffer.concat([Uint8Array.of(request.length >> 8, request.length & 255), request]));
  const records: ResourceRecord[] = [];
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        takeMessage(rest.subarray(2, 2 + rest.readUInt16BE(0)), records);
        rest = rest.subarray(2 + rest.readUInt16BE(0));
        if (isWhole(records)) return records;
      }
    }
  } finally {
    socket.destroy();
  }
  throw new Error(`the connection was closed after ${records.length} records`);
}

/** Appends the records of one message. Throws if the transfer failed. */
export function takeMessage(bytes: Uint8Array, records: ResourceRecord[]): void {
  const { header, rcode, answer } = decodeMessage(bytes);
  // Knot DNS leaves AA clear.
  if (rcode !== 0 || !header.qr || header.tc) throw new Error(`the transfer failed with rcode ${rcode}`);
  records.push(...answer);
}

/**
 * Whether the response is complete: a zone between two SOAs, or differences (RFC 1995 section 4). A
 * single SOA counts as incomplete.
 */
export function isWhole(records: readonly ResourceRecord[]): boolean {
  const serial = serialOf(records[0]);
  const isLast = (record: ResourceRecord): boolean => record.type === TYPE.SOA && serialOf(record) === serial;
  if (records.length === 1) return false;
  if (records[1].type !== TYPE.SOA) return isLast(records[records.length - 1]);
  return records.length > 3 && records.filter(isLast).length === 3;
}

/** Sorted records as text with TTL and type: equal for equal zones. Omits the closing SOA. */
export function zoneText(records: readonly ResourceRecord[]): string[] {
  return records.slice(0, -1).map(recordText).sort();
}

export const recordText = ({ name, type, ttl, rdata }: ResourceRecord): string =>
  `${formatName(name)} ${ttl} ${typeName(type)} ${formatRdata(type, rdata)}`;

/**
 * Applies an IXFR response to a zone, both as returned by zoneText. Throws if a deleted record is
 * missing or an added record exists.
 */
export function applyIxfr(held: readonly string[], records: readonly ResourceRecord[]): string[] {
  if (records[1]?.type !== TYPE.SOA) return zoneText(records);
  const zone = new Set(held);
  let adding = true;
  // The first and the last record are the new SOA. Each SOA between them switches between deletions
  // and additions.
  for (const record of records.slice(1, -1)) {
    if (record.type === TYPE.SOA) adding = !adding;
    const text = recordText(record);
    if (adding === zone.has(text))
      throw new Error(`${adding ? 'comes and is there' : 'goes and is not there'}: ${text}`);
    if (adding) zone.add(text);
    else zone.delete(text);
  }
  return [...zone].sort();
}

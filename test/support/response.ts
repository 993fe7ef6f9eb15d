/**
 * Encodes responses without compression, for tests of the test tools: the output of a correct but
 * verbose server.
 */
import type { ResourceRecord } from '../../core/dns/wire/types.ts';
import type { Expected, Query } from '../reference/resolver.ts';
import { encodeQuery } from './message.ts';

/**
 * Encodes `expected` as the response to `packet`, which encodeQuery made from `query`. Any length.
 * `options`: rdata of the OPT record, if there is one.
 */
export function encodeResponse(
  packet: Uint8Array,
  query: Query,
  expected: Expected,
  options: Uint8Array = new Uint8Array(0),
): Uint8Array {
  const end = 12 + query.name.length + 4;
  const head = Buffer.from(packet.subarray(0, end));
  head[2] = 0x80 | (expected.aa ? 4 : 0) | (head[2] & 1);
  head[3] = expected.rcode & 15;
  head.writeUInt16BE(expected.answer.length, 6);
  head.writeUInt16BE(expected.authority.length, 8);
  head.writeUInt16BE(expected.additional.length + (query.edns === undefined ? 0 : 1), 10);
  const records = [...expected.answer, ...expected.authority, ...expected.additional].map(encodeRecord);
  if (query.edns !== undefined) {
    const size = 1232;
    const opt = Buffer.from(encodeQuery({ ...query, edns: { ...query.edns, version: 0, size } }, 0).subarray(end));
    opt[5] = expected.rcode >> 4;
    opt.writeUInt16BE(options.length, 9);
    records.push(opt, Buffer.from(options));
  }
  return new Uint8Array(Buffer.concat([head, ...records]));
}

function encodeRecord(record: ResourceRecord): Uint8Array {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(record.type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(record.ttl, 4);
  fixed.writeUInt16BE(record.rdata.length, 8);
  return Buffer.concat([record.name, fixed, record.rdata]);
}

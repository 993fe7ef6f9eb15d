/**
 * Responses without records: the RCODE alone. The query path does not use them: it overwrites the
 * query in place (core/zone/answer), and allocates nothing.
 */

import { OPT_LENGTH, type RequestOpt, writePlainOpt } from './edns.ts';
import { AFTER_NAME, HEADER_LENGTH, opcodeOf, QR } from './header.ts';
import { MAX_LABEL, MAX_NAME } from './name.ts';
import { OPCODE } from './types.ts';

/** Offsets in our OPT record: the upper bits of the RCODE, and the length of the options. */
const EXTENDED_RCODE = 5;
const OPTIONS_LENGTH = 9;
const NO_OPTIONS = new Uint8Array(0);

/**
 * Id, opcode and question of the request, and `rcode`; AA, RA, AD and CD are clear. `request` has
 * at least a header. `opt`: the request's OPT record, which requires an OPT in the response (RFC
 * 6891 6.1.1). Without it `rcode` has at most four bits. `options`: the rdata of our OPT record.
 */
export function bareResponse(
  request: Uint8Array,
  rcode: number,
  opt: RequestOpt | null = null,
  options: Uint8Array = NO_OPTIONS,
): Buffer {
  const end = questionEnd(request);
  const response = Buffer.alloc(end + (opt !== null ? OPT_LENGTH + options.length : 0));
  response.set(request.subarray(0, end));
  // RD is copied for queries (RFC 1035 4.1.1). In updates the bit has no meaning and is clear (RFC
  // 2136 2.2).
  const isUpdate = opcodeOf(request) === OPCODE.UPDATE;
  response[2] = QR | (request[2] & (isUpdate ? 0x78 : 0x79));
  response[3] = rcode & 15;
  response.fill(0, 4, HEADER_LENGTH);
  response[5] = end > HEADER_LENGTH ? 1 : 0;
  if (opt === null) return response;
  response[11] = 1;
  writePlainOpt(response, end, opt);
  response[end + EXTENDED_RCODE] = rcode >>> 4;
  response.writeUInt16BE(options.length, end + OPTIONS_LENGTH);
  response.set(options, end + OPT_LENGTH);
  return response;
}

/**
 * Offset after the single question of a message (in an update: the zone). Offset after the header
 * if the message does not have exactly one, or it is malformed.
 */
export function questionEnd(message: Uint8Array): number {
  if (message[4] !== 0 || message[5] !== 1) return HEADER_LENGTH;
  let p = HEADER_LENGTH;
  // The first name cannot contain a pointer: no name precedes it.
  while (p < message.length && message[p] !== 0) {
    if (message[p] > MAX_LABEL) return HEADER_LENGTH;
    p += message[p] + 1;
  }
  const end = p + 1 + AFTER_NAME;
  return p + 1 - HEADER_LENGTH <= MAX_NAME && end <= message.length ? end : HEADER_LENGTH;
}

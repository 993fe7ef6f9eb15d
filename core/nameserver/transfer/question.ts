/** Reads the question of a transfer request (RFC 5936 2.1, RFC 1995 section 3). */

import { InvalidError } from '../../base/errors.ts';
import { HEADER_LENGTH } from '../../dns/wire/header.ts';
import { MessageReader } from '../../dns/wire/message-reader.ts';
import type { Name } from '../../dns/wire/name.ts';
import { CLASS_IN, RCODE, TYPE } from '../../dns/wire/types.ts';

export interface TransferQuestion {
  /** In lower case. */
  readonly name: Name;
  /** AXFR or IXFR. */
  readonly type: number;
  /** Offset behind the question, which a response repeats byte for byte. */
  readonly end: number;
  /** IXFR: the serial of the zone that the client has. */
  readonly serial: number;
}

const OPCODE = 0x78;
/** Offset of the serial, counted back from the end of the SOA rdata. */
const NUMBERS = 20;

/**
 * The query type, without parsing the rest of the message. 0: the message is not a query with one
 * question.
 */
export function questionType(message: Uint8Array): number {
  if (message.length < HEADER_LENGTH || (message[2] & OPCODE) !== 0 || message[4] !== 0 || message[5] !== 1) return 0;
  let at = HEADER_LENGTH;
  while (at < message.length && message[at] !== 0) {
    if (message[at] > 63) return 0;
    at += message[at] + 1;
  }
  return at + 5 <= message.length ? (message[at + 1] << 8) | message[at + 2] : 0;
}

/**
 * Reads an AXFR or IXFR request without its TSIG record. Returns the response code to send if the
 * request is malformed.
 */
export function readTransferQuestion(message: Uint8Array): TransferQuestion | number {
  const count = (at: number): number => (message[at] << 8) | message[at + 1];
  const reader = new MessageReader(message, HEADER_LENGTH);
  try {
    const name = reader.name();
    const type = reader.u16();
    const qclass = reader.u16();
    const end = reader.offset;
    const isIxfr = type === TYPE.IXFR;
    if (count(6) !== 0 || count(8) !== (isIxfr ? 1 : 0)) return RCODE.FORMERR;
    let serial = 0;
    if (isIxfr) {
      const { name: owner, type: held, rdata } = reader.record();
      if (held !== TYPE.SOA || rdata.length < NUMBERS || Buffer.compare(owner, name) !== 0) return RCODE.FORMERR;
      serial = Buffer.from(rdata).readUInt32BE(rdata.length - NUMBERS);
    }
    let hasOpt = false;
    for (let i = count(10); i > 0; i--) {
      const record = reader.record();
      if (record.type !== TYPE.OPT) continue;
      if (hasOpt || record.name.length !== 1) return RCODE.FORMERR;
      // The second byte of the TTL is the version (RFC 6891 6.1.3).
      if (((record.ttl >>> 16) & 0xff) !== 0) return RCODE.BADVERS;
      hasOpt = true;
    }
    reader.end();
    return qclass === CLASS_IN ? { name, type, end, serial } : RCODE.REFUSED;
  } catch (error) {
    if (error instanceof InvalidError) return RCODE.FORMERR;
    throw error;
  }
}

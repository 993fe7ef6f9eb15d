/** Error responses to deferred messages. */
import { bareResponse } from '../dns/wire/bare-response.ts';
import { findTsig } from '../dns/wire/tsig-record.ts';
import { OPCODE, RCODE } from '../dns/wire/types.ts';

/**
 * Response code for a deferred message without a handler: NOTIMP for UPDATE, REFUSED for all
 * others.
 */
export function unhandledRcode(bytes: Uint8Array, start: number): number {
  return ((bytes[start + 2] >>> 3) & 15) === OPCODE.UPDATE ? RCODE.NOTIMP : RCODE.REFUSED;
}

/**
 * An error response to a message of at least 12 bytes. It has an OPT record if the message has one.
 */
export function errorResponse(message: Uint8Array, rcode: number): Uint8Array {
  return bareResponse(message, rcode, findTsig(message).opt);
}

/** Responses by a code alone, to messages that were deferred. */
import { bareResponse } from '../wire/bare-response.ts';
import { findTsig } from '../wire/tsig-record.ts';
import { OPCODE, RCODE } from '../wire/types.ts';

/** What a message that nobody takes is answered: an UPDATE that we don't implement them, all else that it is refused. */
export function nobodysCode(bytes: Uint8Array, start: number): number {
  return ((bytes[start + 2] >>> 3) & 15) === OPCODE.UPDATE ? RCODE.NOTIMP : RCODE.REFUSED;
}

/** The response to a whole message of 12 bytes or more by a code alone, with an OPT record when it had one. */
export function refusal(message: Uint8Array, rcode: number): Uint8Array {
  return bareResponse(message, rcode, findTsig(message).opt);
}

/** Responses by a code alone, to messages that were deferred. */
import { OPCODE, RCODE } from '../wire/types.ts';

const HEADER = 12;

/** What a message that nobody takes is answered: an UPDATE that we don't implement them, all else that it is refused. */
export function nobodysCode(bytes: Uint8Array, start: number): number {
  return ((bytes[start + 2] >>> 3) & 15) === OPCODE.UPDATE ? RCODE.NOTIMP : RCODE.REFUSED;
}

/** The response to a whole message of 12 bytes or more: its header and question with `rcode`, AA, RA, AD and CD clear. */
export function refusal(message: Uint8Array, rcode: number): Uint8Array {
  const end = questionEnd(message);
  const response = message.slice(0, end);
  response[2] = 0x80 | (message[2] & 0x79);
  response[3] = rcode;
  response.fill(0, 4, HEADER);
  if (end > HEADER) response[5] = 1;
  return response;
}

/** HEADER when there is not one question, or it can't be read. */
function questionEnd(message: Uint8Array): number {
  if (message[4] !== 0 || message[5] !== 1) return HEADER;
  let p = HEADER;
  while (p < message.length && message[p] !== 0) {
    if (message[p] > 63) return HEADER;
    p += message[p] + 1;
  }
  return p + 5 <= message.length ? p + 5 : HEADER;
}

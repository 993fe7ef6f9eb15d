/** NOTIFY (RFC 1996): a secondary learns that a zone has changed. */
import { AA, HEADER_LENGTH, QR } from '../../dns/wire/header.ts';
import type { Name } from '../../dns/wire/name.ts';
import { CLASS_IN, OPCODE, TYPE } from '../../dns/wire/types.ts';

/** A request with the zone's SOA in question; AA is set (RFC 1996 4.7 has it so). */
export function notifyRequest(apex: Name, id: number): Buffer {
  const bytes = Buffer.alloc(HEADER_LENGTH + apex.length + 4);
  bytes.writeUInt16BE(id, 0);
  bytes[2] = (OPCODE.NOTIFY << 3) | AA;
  bytes[5] = 1;
  bytes.set(apex, HEADER_LENGTH);
  bytes.writeUInt16BE(TYPE.SOA, HEADER_LENGTH + apex.length);
  bytes.writeUInt16BE(CLASS_IN, HEADER_LENGTH + apex.length + 2);
  return bytes;
}

/** The id of a response to a NOTIFY with its rcode, or null when the message is none. */
export function readNotifyResponse(message: Uint8Array): { readonly id: number; readonly rcode: number } | null {
  if (message.length < HEADER_LENGTH || (message[2] & QR) === 0 || ((message[2] >>> 3) & 15) !== OPCODE.NOTIFY)
    return null;
  return { id: (message[0] << 8) | message[1], rcode: message[3] & 15 };
}

/**
 * Whether a response names the zone, in whatever case, or none: some repeat the header alone when
 * they refuse.
 */
export function isAbout(message: Uint8Array, apex: Name): boolean {
  if (message[4] === 0 && message[5] === 0) return true;
  if (message.length < HEADER_LENGTH + apex.length) return false;
  return apex.every((byte, i) => {
    const other = message[HEADER_LENGTH + i];
    return byte === (other >= 0x41 && other <= 0x5a ? other | 0x20 : other);
  });
}

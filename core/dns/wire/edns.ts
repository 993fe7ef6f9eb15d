/** Numbers of EDNS (IANA "DNS EDNS0 Option Codes (OPT)" and "Extended DNS Error Codes"). */
import { HEADER_LENGTH, skipName } from './header.ts';
import { TYPE } from './types.ts';

export const EDNS_OPTION = {
  /** RFC 5001. */
  NSID: 3,
  /** RFC 7314. */
  EXPIRE: 9,
  /** RFC 7871. */
  CLIENT_SUBNET: 8,
  /** RFC 7873. */
  COOKIE: 10,
  /** RFC 7828. */
  TCP_KEEPALIVE: 11,
  /** RFC 7830. */
  PADDING: 12,
  /** RFC 8914. */
  EXTENDED_ERROR: 15,
} as const;

/** RFC 8914 section 4, and later registrations. */
export const EXTENDED_ERROR = {
  OTHER: 0,
  STALE_ANSWER: 3,
  NOT_READY: 14,
  PROHIBITED: 18,
  NOT_AUTHORITATIVE: 20,
  NOT_SUPPORTED: 21,
  NO_REACHABLE_AUTHORITY: 22,
  /** RFC 9276 section 3.2. */
  UNSUPPORTED_NSEC3_ITERATIONS: 27,
} as const;

/**
 * Bytes of an OPT record without options: owner, type, size, extended code and flags, length (RFC
 * 6891 6.1.2).
 */
export const OPT_LENGTH = 11;
/** Our OPT record without options: 1232 bytes over UDP. */
export const PLAIN_OPT: Uint8Array = Uint8Array.of(0, 0, TYPE.OPT, 1232 >>> 8, 1232 & 0xff, 0, 0, 0, 0, 0, 0);

/** The fields of a request's OPT record that affect the response (RFC 6891 6.1.2, 6.1.3). */
export interface RequestOpt {
  /** Maximum UDP payload of the sender, as received: values below 512 mean 512 (6.2.3). */
  readonly udpSize: number;
  /** The flag DO, which is copied to the response (RFC 3225 section 3). */
  readonly dnssecOk: boolean;
}

/** Writes our OPT record, without options, at bytes[at]: OPT_LENGTH bytes. */
export function writePlainOpt(bytes: Uint8Array, at: number, { dnssecOk }: RequestOpt): void {
  bytes.set(PLAIN_OPT, at);
  bytes[at + 7] = dnssecOk ? 0x80 : 0;
}

/** Bytes before an option's data: code and length. */
export const OPTION_HEADER = 4;

/** The address families of a client subnet (IANA "Address Family Numbers"), and their bits. */
export const SUBNET_FAMILY = { IPV4: 1, IPV6: 2 } as const;
/** Bytes before the address of a client subnet: family, source and scope prefix length. */
export const SUBNET_HEADER = 4;

/** Bytes of a client cookie, and of a server cookie of any server's making (RFC 7873 section 4). */
export const CLIENT_COOKIE = 8;
export const MIN_SERVER_COOKIE = 8;
export const MAX_SERVER_COOKIE = 32;

/** Where the rdata of the OPT of a message begins and ends; null: it has none, or is malformed. */
function optData(message: Uint8Array): readonly [start: number, end: number] | null {
  const count = (at: number): number => (message[at] << 8) | message[at + 1];
  if (message.length < HEADER_LENGTH || count(10) === 0) return null;
  let p = HEADER_LENGTH;
  for (let i = count(4); i > 0; i--) {
    p = skipName(message, p, message.length) + 4;
    if (p === 4 || p > message.length) return null;
  }
  for (let i = count(6) + count(8) + count(10); i > 0; i--) {
    const fields = skipName(message, p, message.length);
    if (fields === 0 || fields + 10 > message.length) return null;
    const end = fields + 10 + count(fields + 8);
    if (end > message.length) return null;
    if (count(fields) === TYPE.OPT && message[p] === 0) return [fields + 10, end];
    p = end;
  }
  return null;
}

/** The offset of EXPIRE in the OPT of a message; 0: there is none. */
function findExpire(message: Uint8Array): number {
  const [start, end] = optData(message) ?? [0, 0];
  for (let p = start; p + OPTION_HEADER <= end; p += OPTION_HEADER + ((message[p + 2] << 8) | message[p + 3]))
    if (((message[p] << 8) | message[p + 1]) === EDNS_OPTION.EXPIRE) return p;
  return 0;
}

const EXPIRE_LENGTH = OPTION_HEADER + 4;

/**
 * EXPIRE (RFC 7314): a secondary asks for the seconds until its copy expires. Returns the message
 * without its request for it; null: it has none.
 */
export function withoutExpire(message: Uint8Array): Uint8Array | null {
  const at = findExpire(message);
  if (at === 0) return null;
  const copy = Uint8Array.from(message);
  // Option 0 is reserved, so it is skipped.
  copy[at + 1] = 0;
  return copy;
}

/** Adds EXPIRE to a response whose last record is an OPT, and which has room for it. */
export function withExpire(message: Uint8Array, seconds: number, room: number): Uint8Array {
  const [start, end] = optData(message) ?? [0, 0];
  if (end !== message.length || end + EXPIRE_LENGTH > room) return message;
  const longer = Buffer.alloc(message.length + EXPIRE_LENGTH);
  longer.set(message);
  longer.writeUInt16BE(message.length - start + EXPIRE_LENGTH, start - 2);
  longer.writeUInt16BE(EDNS_OPTION.EXPIRE, message.length);
  longer.writeUInt16BE(4, message.length + 2);
  longer.writeUInt32BE(seconds, message.length + OPTION_HEADER);
  return longer;
}

/** The seconds of EXPIRE in a response; null: it has none. */
export function readExpire(message: Uint8Array): number | null {
  const at = findExpire(message);
  if (at === 0 || message[at + 2] !== 0 || message[at + 3] !== 4 || at + EXPIRE_LENGTH > message.length) return null;
  return Buffer.from(message.buffer, message.byteOffset + at + OPTION_HEADER, 4).readUInt32BE(0);
}

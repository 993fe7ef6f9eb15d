/** Numbers of EDNS (IANA "DNS EDNS0 Option Codes (OPT)" and "Extended DNS Error Codes"). */
import { TYPE } from './types.ts';

export const EDNS_OPTION = {
  /** RFC 5001. */
  NSID: 3,
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

/** Bytes of a client cookie, and of a server cookie of any server's making (RFC 7873 section 4). */
export const CLIENT_COOKIE = 8;
export const MIN_SERVER_COOKIE = 8;
export const MAX_SERVER_COOKIE = 32;

/**
 * Classes of responses for rate limiting, and the truncation that makes a client retry over TCP.
 */

import { AA, HEADER_LENGTH, TC } from '../dns/wire/header.ts';
import { RCODE } from '../dns/wire/types.ts';
import type { Query } from '../zone/answer/query.ts';

/** Responses of different classes never share a bucket. */
export const RESPONSE_CLASS = { POSITIVE: 0, NODATA: 1, NXDOMAIN: 2, REFERRAL: 3, ERROR: 4 } as const;

/** The class of the response at bytes[start] (RESPONSE_CLASS). Hot. */
export function classOf(bytes: Uint8Array, start: number, query: Query): number {
  const { rcode } = query;
  if (rcode !== RCODE.NOERROR) return rcode === RCODE.NXDOMAIN ? RESPONSE_CLASS.NXDOMAIN : RESPONSE_CLASS.ERROR;
  const flags = bytes[start + 2];
  // A truncated response is large, so it counts as positive.
  if ((bytes[start + 6] | bytes[start + 7] | (flags & TC)) !== 0) return RESPONSE_CLASS.POSITIVE;
  // A referral has no answer and no AA (RFC 2308 2.2.1).
  return (flags & AA) !== 0 ? RESPONSE_CLASS.NODATA : RESPONSE_CLASS.REFERRAL;
}

const POINTER = 0xc0;

/**
 * Sets TC and removes all records except OPT, which is the last, from the response at bytes[start,
 * start + length). Returns its new length. Hot.
 */
export function truncate(bytes: Uint8Array, start: number, length: number, query: Query): number {
  const records = count(bytes, start + 6) + count(bytes, start + 8) + count(bytes, start + 10);
  const options = query.hasOpt ? 1 : 0;
  const end = start + length;
  let p = query.questionEnd;
  for (let i = records - options; i > 0; i--) {
    while (bytes[p] !== 0 && bytes[p] < POINTER) p += bytes[p] + 1;
    p += bytes[p] === 0 ? 1 : 2;
    p += 10 + count(bytes, p + 8);
  }
  bytes[start + 2] |= TC;
  for (let i = 6; i < HEADER_LENGTH; i++) bytes[start + i] = 0;
  bytes[start + 11] = options;
  if (p !== query.questionEnd) bytes.copyWithin(query.questionEnd, p, end);
  return query.questionEnd - start + end - p;
}

function count(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1];
}

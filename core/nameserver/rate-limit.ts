/**
 * Response rate limiting: keeps the nameserver from amplifying attacks with forged source
 * addresses.
 *
 * Each second, a network receives only a limited number of equal responses. Some of the remaining
 * responses are truncated, with TC set, so that a real client retries over TCP, where addresses
 * cannot be forged. As in BIND, NSD and Knot (ISC-TN-2012-1), an account consists of the client's
 * prefix, the class of the response and a name.
 *
 * The name is the query name if it exists. Otherwise it is a name that the client cannot invent
 * (`Query.account`): the zone of an NXDOMAIN, the parent of a wildcard, the delegation. All errors
 * of a prefix share one account. A valid DNS cookie shows that the address is not forged (RFC 7873
 * section 1), so such queries are not limited. TCP is not limited either.
 *
 * Costs 60 ns a response; allocates nothing.
 */
import { randomFillSync } from 'node:crypto';
import { AA, HEADER_LENGTH, TC } from '../dns/wire/header.ts';
import { RCODE } from '../dns/wire/types.ts';
import type { Client } from '../net/address/client.ts';
import { COOKIE, type Query } from '../zone/answer/query.ts';
import { maskWord, PrefixList, word } from './rate-limit-prefixes.ts';
import { createBuckets, halfSipHash, RateTable, toUnits } from './rate-limit-table.ts';

export interface RateLimitOptions {
  /** Responses a second for each account, 1 to MAX_RATE; 0: no limit. */
  readonly rate: number;
  /** Every `slip`-th limited response is sent truncated; 1: all, 0: none. */
  readonly slip: number;
  /** Prefixes without a limit; true: all addresses. */
  readonly allow: readonly string[] | boolean;
  /** Bits of an address that identify a client's network: 1 to 32 for IPv4, 1 to 64 for IPv6. */
  readonly ipv4Prefix: number;
  readonly ipv6Prefix: number;
}

/** Shared by all UDP threads. */
export interface SharedRateLimit {
  readonly options: RateLimitOptions;
  readonly buckets: SharedArrayBuffer;
  readonly key: SharedArrayBuffer;
}

/** Null if nothing is limited. `buckets`: from createBuckets. */
export function createRateLimit(options: RateLimitOptions, buckets?: SharedArrayBuffer): SharedRateLimit | null {
  if (options.rate === 0 || options.allow === true) return null;
  const key = new SharedArrayBuffer(8);
  new Int32Array(key).set(randomFillSync(new Int32Array(2)));
  return { options, buckets: buckets ?? createBuckets(), key };
}

/** What to do with a response: send it unchanged, send it truncated, or drop it. */
export const VERDICT = { SEND: 0, SLIP: 1, DROP: 2 } as const;

export class RateLimiter {
  readonly #table: RateTable;
  readonly #key: Int32Array;
  readonly #allow: PrefixList;
  readonly #slip: number;
  readonly #ipv4Mask: number;
  readonly #ipv6Mask0: number;
  readonly #ipv6Mask1: number;
  readonly #words = new Int32Array(4);
  #limitedCount = 0;
  #now = 0;

  constructor({ options, buckets, key }: SharedRateLimit) {
    this.#table = new RateTable(buckets, options.rate);
    this.#key = new Int32Array(key);
    this.#allow = new PrefixList(options.allow);
    this.#slip = options.slip;
    this.#ipv4Mask = maskWord(options.ipv4Prefix, 0);
    this.#ipv6Mask0 = maskWord(options.ipv6Prefix, 0);
    this.#ipv6Mask1 = maskWord(options.ipv6Prefix, 1);
  }

  /** Sets the time of a batch. `milliseconds`: from `performance.now()`. */
  startBatch(milliseconds: number): void {
    this.#now = toUnits(milliseconds);
  }

  /** The VERDICT on the UDP response to `query` at bytes[start]. Hot. */
  judge(bytes: Uint8Array, start: number, query: Query, client: Client): number {
    if (query.cookie === COOKIE.VALID) return VERDICT.SEND;
    const words = this.#words;
    const { address } = client;
    const responseClass = classOf(bytes, start, query);
    // Address length and class are included, so that different accounts have different words.
    words[0] = (client.length << 8) | responseClass;
    words[3] = responseClass === RESPONSE_CLASS.ERROR ? 0 : query.account;
    if (client.length === 4) {
      words[1] = word(address, 0) & this.#ipv4Mask;
      words[2] = 0;
    } else {
      words[1] = word(address, 0) & this.#ipv6Mask0;
      words[2] = word(address, 4) & this.#ipv6Mask1;
    }
    if (this.#table.take(halfSipHash(this.#key, words), this.#now)) return VERDICT.SEND;
    // Checked last: few responses are limited, and the list may be long.
    if (this.#allow.includes(client)) return VERDICT.SEND;
    if (this.#slip === 0 || ++this.#limitedCount < this.#slip) return VERDICT.DROP;
    this.#limitedCount = 0;
    return VERDICT.SLIP;
  }
}

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

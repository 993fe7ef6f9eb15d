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
import type { Client } from '../net/address/client.ts';
import { COOKIE, type Query } from '../zone/answer/query.ts';
import { classOf, RESPONSE_CLASS } from './rate-limit-class.ts';
import { halfSipHash } from './rate-limit-hash.ts';
import { maskWord, PrefixList, word } from './rate-limit-prefixes.ts';
import { createBuckets, RateTable, toUnits } from './rate-limit-table.ts';

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

/**
 * Response rate limiting: a nameserver that answers whoever seems to ask must not be of use against those whose addresses are forged. The same response to the same network leaves
 * so many times a second and no more; of the rest some leave cut, with TC set, so that a client that is real comes by TCP, which nobody forges. As BIND, NSD and Knot
 * have it (ISC-TN-2012-1): an account is the client's prefix, the class of the response and a name.
 *
 * The name is the one asked when it exists, and else one that the client cannot make up (`Query.account`): the zone of NXDOMAIN, the wildcard's parent, the delegation. All errors of a prefix
 * share one account. A DNS cookie of ours says that the address is not forged (RFC 7873 section 1), so that its bearer is not limited; nor is TCP.
 * Costs 60 ns a response; allocates nothing.
 */
import { randomFillSync } from 'node:crypto';
import type { Client } from '../address/client.ts';
import { COOKIE, type Query } from '../answer/query.ts';
import { classOf, RESPONSE_CLASS } from './rate-limit-class.ts';
import { halfSipHash } from './rate-limit-hash.ts';
import { maskWord, PrefixList, word } from './rate-limit-prefixes.ts';
import { createBuckets, RateTable, toUnits } from './rate-limit-table.ts';

export interface RateLimitOptions {
  /** Responses a second of one account, 1 to MAX_RATE; 0: nothing is limited. */
  readonly rate: number;
  /** Of the limited responses every so manieth leaves cut; 1: all, 0: none. */
  readonly slip: number;
  /** Prefixes that are not limited; true: none is. */
  readonly allow: readonly string[] | boolean;
  /** Bits of an address that make a client's network: 1 to 32, 1 to 64. */
  readonly ipv4Prefix: number;
  readonly ipv6Prefix: number;
}

/** What all UDP threads share. */
export interface SharedRateLimit {
  readonly options: RateLimitOptions;
  readonly buckets: SharedArrayBuffer;
  readonly key: SharedArrayBuffer;
}

/** Null when nothing is to be limited. `buckets`: as createBuckets gives them. */
export function createRateLimit(options: RateLimitOptions, buckets?: SharedArrayBuffer): SharedRateLimit | null {
  if (options.rate === 0 || options.allow === true) return null;
  const key = new SharedArrayBuffer(8);
  new Int32Array(key).set(randomFillSync(new Int32Array(2)));
  return { options, buckets: buckets ?? createBuckets(), key };
}

/** What is to be done with a response: sent as it is, sent cut, or not sent. */
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
  #limited = 0;
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

  /** Before a batch: what `performance.now()` says. */
  begin(milliseconds: number): void {
    this.#now = toUnits(milliseconds);
  }

  /** What to do with the UDP response at bytes[start] to `query` (VERDICT). Hot. */
  judge(bytes: Uint8Array, start: number, query: Query, client: Client): number {
    if (query.cookie === COOKIE.VALID) return VERDICT.SEND;
    const words = this.#words;
    const { address } = client;
    const kind = classOf(bytes, start, query);
    // Length of the address and class: no two accounts have the same words.
    words[0] = (client.length << 8) | kind;
    words[3] = kind === RESPONSE_CLASS.ERROR ? 0 : query.account;
    if (client.length === 4) {
      words[1] = word(address, 0) & this.#ipv4Mask;
      words[2] = 0;
    } else {
      words[1] = word(address, 0) & this.#ipv6Mask0;
      words[2] = word(address, 4) & this.#ipv6Mask1;
    }
    if (this.#table.take(halfSipHash(this.#key, words), this.#now)) return VERDICT.SEND;
    // Looked up last: few are limited, and the list may be long.
    if (this.#allow.holds(client)) return VERDICT.SEND;
    if (this.#slip === 0 || ++this.#limited < this.#slip) return VERDICT.DROP;
    this.#limited = 0;
    return VERDICT.SLIP;
  }
}

/**
 * Limits how many messages the UDP threads defer to the main thread.
 *
 * The main thread is shared with the API: a deferred message costs it about 90 µs, and its source
 * address may be forged. So all threads together have a limit per second. Each network also has a
 * rate, so that one flooding network leaves the shared limit to the others.
 *
 * Clients with a valid DNS cookie cannot be forged, and exempt networks are trusted. They have no
 * rate of their own and a separate limit per second (RFC 7873 section 1), which others cannot
 * exhaust.
 *
 * A message beyond a limit is answered with TC, so that the client retries over TCP. An update with
 * a valid signature counts towards the limit per second but not towards the rate of its network. A
 * replayed update counts towards both, because anyone who has seen it can send it.
 */
import { randomFillSync } from 'node:crypto';
import type { Client } from '../net/address/client.ts';
import { maskWord, PrefixList, word } from './rate-limit-prefixes.ts';
import { createBuckets, halfSipHash, RateTable, toUnits } from './rate-limit-table.ts';

/** Messages of all threads. The limit applies separately to exempt and to unverified clients. */
export const MAX_PER_SECOND = 1000;

export interface UdpLimitOptions {
  /** Messages a second from one network (/24 or /56), 1 to MAX_RATE; 0: no limit. */
  readonly rate: number;
  /** Prefixes without a rate of their own. true: all addresses. */
  readonly allow: readonly string[] | boolean;
}

/**
 * A secondary that refreshes all its zones sends 20 messages a second (BIND) and starts with a
 * burst.
 */
export const DEFAULT_UDP_LIMIT: UdpLimitOptions = { rate: 100, allow: false };
const IPV4_MASK = maskWord(24, 0);
const IPV6_MASK = maskWord(56, 1);
/** 128 KB. Each bucket is in use for a hundredth of a second. */
const BUCKETS = 1 << 14;
/**
 * Positions in the shared words: the second, and the messages of that second from unverified and
 * from exempt clients.
 */
const SECOND = 0;
const UNVERIFIED = 1;
const EXEMPT = 2;

/** Shared by all UDP threads. */
export interface SharedUdpLimit {
  readonly options: UdpLimitOptions;
  readonly seconds: SharedArrayBuffer;
  readonly buckets: SharedArrayBuffer;
  readonly key: SharedArrayBuffer;
}

/** Throws InvalidError `invalid_prefix`. */
export function createUdpLimit(options = DEFAULT_UDP_LIMIT): SharedUdpLimit {
  new PrefixList(options.allow);
  const key = new SharedArrayBuffer(8);
  new Int32Array(key).set(randomFillSync(new Int32Array(2)));
  return {
    options,
    seconds: new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT),
    buckets: createBuckets(BUCKETS),
    key,
  };
}

export class UdpLimit {
  readonly #seconds: Int32Array;
  /** Null: networks have no rate. */
  readonly #table: RateTable | null;
  readonly #allow: PrefixList;
  readonly #key: Int32Array;
  readonly #words = new Int32Array(4);
  /** Hash of the network whose bucket the last message was counted in. 0: none. */
  network = 0;

  constructor({ options, seconds, buckets, key }: SharedUdpLimit) {
    this.#seconds = new Int32Array(seconds);
    this.#table = options.rate === 0 ? null : new RateTable(buckets, options.rate);
    this.#allow = new PrefixList(options.allow);
    this.#key = new Int32Array(key);
  }

  /**
   * Counts a message of `client` at `now`, in milliseconds. Returns false if a limit is exceeded.
   * `hasValidCookie`: the message has a valid server cookie.
   */
  take(client: Client, hasValidCookie: boolean, now: number): boolean {
    const seconds = this.#seconds;
    const isExempt = hasValidCookie || this.#allow.includes(client);
    this.network = 0;
    if (!isExempt && !this.#takeNetworkToken(client, now)) return false;
    const second = Math.floor(now / 1000) | 0;
    // Two threads that start a second simultaneously may let a few more messages pass.
    if (Atomics.exchange(seconds, SECOND, second) !== second) {
      Atomics.store(seconds, UNVERIFIED, 0);
      Atomics.store(seconds, EXEMPT, 0);
    }
    return Atomics.add(seconds, isExempt ? EXEMPT : UNVERIFIED, 1) < MAX_PER_SECOND;
  }

  #takeNetworkToken(client: Client, now: number): boolean {
    const words = this.#words;
    const table = this.#table;
    if (table === null) return true;
    const isIpv4 = client.length === 4;
    words[0] = client.length;
    words[1] = isIpv4 ? word(client.address, 0) & IPV4_MASK : word(client.address, 0);
    words[2] = isIpv4 ? 0 : word(client.address, 4) & IPV6_MASK;
    this.network = halfSipHash(this.#key, words);
    return table.take(this.network, toUnits(now));
  }

  /**
   * Returns the token of a message to its network, after the message has proved to be authentic.
   */
  refund(network: number, now: number): void {
    if (network !== 0) this.#table?.refund(network, toUnits(now));
  }
}

/**
 * How much the UDP threads hand to main. Main is one, a message costs it some 90 µs of what the API has, and senders may be forged: so there is a bound for a second, of all
 * threads together, and below it a rate for each network, so that one that floods leaves the bound to the others. Clients with a cookie of ours cannot be forged, and
 * exempt networks are trusted not to be: they have no rate of their own and a bound for a second apart (RFC 7873 section 1), which the others cannot fill. A message beyond
 * a bound is answered with TC, so that the client comes over TCP. An update with a good signature counts for the second alone, not for its network: a client that sends one
 * after another has no rate either. One that comes again does count, since anybody who has seen it can send it.
 */
import { randomFillSync } from 'node:crypto';
import type { Client } from '../address/client.ts';
import { halfSipHash } from './rate-limit-hash.ts';
import { maskWord, PrefixList, word } from './rate-limit-prefixes.ts';
import { createBuckets, RateTable, toUnits } from './rate-limit-table.ts';

/** Messages of all threads, of clients that may be forged and of those that are exempt each. */
export const UDP_PER_SECOND = 1000;

export interface UdpBoundOptions {
  /** Messages a second of one network (/24, /56), 1 to MAX_RATE; 0: no limit. */
  readonly rate: number;
  /** Prefixes that have no such limit; true: nobody has one. */
  readonly allow: readonly string[] | boolean;
}

/** A secondary that asks anew for every zone does so at 20 a second (BIND), and begins with a burst. */
export const DEFAULT_UDP_BOUND: UdpBoundOptions = { rate: 100, allow: false };
const IPV4_MASK = maskWord(24, 0);
const IPV6_MASK = maskWord(56, 1);
/** 128 KB: each bucket is in use for a hundredth of a second. */
const BUCKETS = 1 << 14;
/** Words: the second, and what came in it from the unknown and from those that are exempt. */
const SECOND = 0;
const UNKNOWN = 1;
const EXEMPT = 2;

/** What all UDP threads share. */
export interface SharedUdpBound {
  readonly options: UdpBoundOptions;
  readonly seconds: SharedArrayBuffer;
  readonly buckets: SharedArrayBuffer;
  readonly key: SharedArrayBuffer;
}

/** Throws InvalidError `invalid_prefix`. */
export function createUdpBound(options = DEFAULT_UDP_BOUND): SharedUdpBound {
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

export class UdpBound {
  readonly #seconds: Int32Array;
  /** Null: networks have no limit. */
  readonly #table: RateTable | null;
  readonly #allow: PrefixList;
  readonly #key: Int32Array;
  readonly #words = new Int32Array(4);
  /** The network whose rate the last message was taken from, as a hash; 0: of none. */
  network = 0;

  constructor({ options, seconds, buckets, key }: SharedUdpBound) {
    this.#seconds = new Int32Array(seconds);
    this.#table = options.rate === 0 ? null : new RateTable(buckets, options.rate);
    this.#allow = new PrefixList(options.allow);
    this.#key = new Int32Array(key);
  }

  /** Takes the place of one message of `client` at `now`, in milliseconds. `isProven`: it showed a cookie of ours. False when there is none. */
  take(client: Client, isProven: boolean, now: number): boolean {
    const seconds = this.#seconds;
    const isExempt = isProven || this.#allow.holds(client);
    this.network = 0;
    if (!isExempt && !this.#takeOfNetwork(client, now)) return false;
    const second = Math.floor(now / 1000) | 0;
    // Two threads that begin a second at once let a few more pass.
    if (Atomics.exchange(seconds, SECOND, second) !== second) {
      Atomics.store(seconds, UNKNOWN, 0);
      Atomics.store(seconds, EXEMPT, 0);
    }
    return Atomics.add(seconds, isExempt ? EXEMPT : UNKNOWN, 1) < UDP_PER_SECOND;
  }

  #takeOfNetwork(client: Client, now: number): boolean {
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

  /** Gives the network its message back, which turned out to be no forgery. */
  giveBack(network: number, now: number): void {
    if (network !== 0) this.#table?.giveBack(network, toUnits(now));
  }
}

/**
 * How much the UDP threads hand to main. Main is one, a message costs it some 90 µs of what the API has, and senders may be forged: so there is a bound for a second, of all
 * threads together, and below it a rate for each network, so that one that floods leaves the bound to the others. Those who show a cookie of ours can't be forged and
 * have a bound of their own (RFC 7873 section 1), which those who may be can't fill. Who gets no answer asks again, or over TCP.
 */
import { randomFillSync } from 'node:crypto';
import type { Client } from '../answer/client.ts';
import { halfSipHash } from './rate-limit-hash.ts';
import { maskWord, word } from './rate-limit-prefixes.ts';
import { createBuckets, RateTable, toUnits } from './rate-limit-table.ts';

/** Messages of all threads, of those who may be forged and of those who show a cookie each. */
export const UDP_PER_SECOND = 1000;
/** Messages of one network (/24, /56): a secondary that asks anew for every zone does so at 20 a second (BIND), and begins with a burst. */
export const UDP_PER_NETWORK = 100;
const IPV4_MASK = maskWord(24, 0);
const IPV6_MASK = maskWord(56, 1);
/** 128 KB: each bucket is in use for a hundredth of a second. */
const BUCKETS = 1 << 14;
/** Words: the second, and what came in it from the unknown and from those with a cookie. */
const SECOND = 0;
const UNKNOWN = 1;
const PROVEN = 2;

/** What all UDP threads share. */
export interface SharedUdpBound {
  readonly seconds: SharedArrayBuffer;
  readonly buckets: SharedArrayBuffer;
  readonly key: SharedArrayBuffer;
}

export function createUdpBound(): SharedUdpBound {
  const key = new SharedArrayBuffer(8);
  new Int32Array(key).set(randomFillSync(new Int32Array(2)));
  return {
    seconds: new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT),
    buckets: createBuckets(BUCKETS),
    key,
  };
}

export class UdpBound {
  private readonly seconds: Int32Array;
  private readonly table: RateTable;
  private readonly key: Int32Array;
  private readonly words = new Int32Array(4);

  constructor({ seconds, buckets, key }: SharedUdpBound) {
    this.seconds = new Int32Array(seconds);
    this.table = new RateTable(buckets, UDP_PER_NETWORK);
    this.key = new Int32Array(key);
  }

  /** Takes the place of one message of `client` at `now`, in milliseconds. `isProven`: it showed a cookie of ours. False when there is none. */
  take(client: Client, isProven: boolean, now: number): boolean {
    const { words, seconds } = this;
    const isIpv4 = client.length === 4;
    words[0] = client.length;
    words[1] = isIpv4 ? word(client.address, 0) & IPV4_MASK : word(client.address, 0);
    words[2] = isIpv4 ? 0 : word(client.address, 4) & IPV6_MASK;
    // Whoever forges the addresses of a network must not take from those in it who show a cookie.
    words[3] = isProven ? 1 : 0;
    if (!this.table.take(halfSipHash(this.key, words), toUnits(now))) return false;
    const second = Math.floor(now / 1000) | 0;
    // Two threads that begin a second at once let a few more pass.
    if (Atomics.exchange(seconds, SECOND, second) !== second) {
      Atomics.store(seconds, UNKNOWN, 0);
      Atomics.store(seconds, PROVEN, 0);
    }
    return Atomics.add(seconds, isProven ? PROVEN : UNKNOWN, 1) < UDP_PER_SECOND;
  }
}

/**
 * DNS cookies (RFC 7873) with the interoperable server cookie of RFC 9018: what one of several nameservers with the same secret gave, the others
 * know. A client that shows one has received our answers at its address. One object for each thread; nothing is allocated per packet.
 *
 * A server cookie: version (1 byte), reserved (3), timestamp (4), SipHash-2-4 of client cookie, the three before, and client address (8).
 */
import { CLIENT_COOKIE } from '../wire/edns.ts';
import type { Client } from './client.ts';
import { COOKIE } from './query.ts';
import { sipHash24, sipKey } from './siphash.ts';

/** Bytes: client cookie and server cookie of ours. */
export const WHOLE_COOKIE = 24;
const WORDS = WHOLE_COOKIE / 4;
/** Words of the cookie: after those of the client come version and reserved bytes, timestamp, hash. */
const VERSION_WORD = 2;
const TIMESTAMP = 3;
const HASH = 4;
/** Version 1, nothing in what is reserved; little-endian, as all words here. */
const VERSION = 1;
/** Seconds, RFC 9018 section 4.3: older ones are void, and so are those from further ahead; younger ones are not given anew. */
const MAX_AGE = 3600;
const MAX_AHEAD = 300;
const RENEW_AGE = 1800;

export class ServerCookies {
  /** What goes into the response's option: the client's cookie and ours. */
  private readonly value = new Int32Array(WORDS);
  private readonly keys: readonly Int32Array[];
  /** What is hashed: all before the hash, and the address. Blocks of SipHash. */
  private readonly input = new Int32Array(10);
  private blocks = 0;
  private readonly hash = new Int32Array(2);

  /** `secrets`: 16 bytes each. The first one makes cookies, all of them know theirs again (RFC 9018 section 5). */
  constructor(secrets: readonly Uint8Array[]) {
    this.keys = secrets.map(sipKey);
  }

  /**
   * Judges the option whose data is at bytes[at, at + length), of a length that RFC 7873 allows, and notes what to answer. `now`: seconds since 1970.
   * Returns COOKIE.CLIENT, VALID or BAD. Hot.
   */
  judge(bytes: Uint8Array, at: number, length: number, client: Client, now: number): number {
    const { value, keys } = this;
    value[0] = readWord(bytes, at);
    value[1] = readWord(bytes, at + 4);
    this.takeAddress(client);
    let verdict: number = length === CLIENT_COOKIE ? COOKIE.CLIENT : COOKIE.BAD;
    if (length === WHOLE_COOKIE && bytes[at + CLIENT_COOKIE] === VERSION) {
      for (let i = VERSION_WORD; i < WORDS; i++) value[i] = readWord(bytes, at + i * 4);
      // Timestamps wrap in 2106 (RFC 1982, section 4.3 of RFC 9018).
      const age = (now - reversed(value[TIMESTAMP])) | 0;
      if (age <= MAX_AGE && age >= -MAX_AHEAD)
        for (let k = 0; k < keys.length; k++) {
          if (!this.isOurs(keys[k])) continue;
          verdict = COOKIE.VALID;
          if (k === 0 && age <= RENEW_AGE) return verdict;
        }
    }
    value[VERSION_WORD] = VERSION;
    value[TIMESTAMP] = reversed(now);
    this.sign(keys[0]);
    value[HASH] = this.hash[0];
    value[HASH + 1] = this.hash[1];
    return verdict;
  }

  /** Writes the cookie judged last, as it goes into the response: WHOLE_COOKIE bytes at bytes[p]. Hot. */
  write(bytes: Uint8Array, p: number): void {
    for (let i = 0, at = p; i < WORDS; i++, at += 4) {
      const word = this.value[i];
      bytes[at] = word;
      bytes[at + 1] = word >>> 8;
      bytes[at + 2] = word >>> 16;
      bytes[at + 3] = word >>> 24;
    }
  }

  /** Puts the address behind the 16 bytes before it, and the length of all behind that. */
  private takeAddress({ address, length }: Client): void {
    const { input } = this;
    const words = length >>> 2;
    for (let i = 0; i < words; i++) input[HASH + i] = readWord(address, i * 4);
    // 20 bytes end in the middle of a block, 32 with one.
    let last = HASH + words;
    if (length === 16) input[last++] = 0;
    input[last] = (HASH * 4 + length) << 24;
    this.blocks = (last + 1) >>> 1;
  }

  private isOurs(key: Int32Array): boolean {
    const { value, hash } = this;
    this.sign(key);
    // Both halves are looked at, whatever the first says.
    return ((hash[0] ^ value[HASH]) | (hash[1] ^ value[HASH + 1])) === 0;
  }

  /** Hashes what stands in `value` before the hash. */
  private sign(key: Int32Array): void {
    const { value, input } = this;
    for (let i = 0; i < HASH; i++) input[i] = value[i];
    sipHash24(input, this.blocks, key, this.hash);
  }
}

const readWord = (bytes: Uint8Array, at: number): number =>
  bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);

/** A word's bytes the other way round. */
const reversed = (word: number): number =>
  (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);

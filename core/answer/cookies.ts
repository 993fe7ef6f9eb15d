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

/** Client cookie and server cookie of ours. */
export const WHOLE_COOKIE = 24;
const VERSION = 1;
const TIMESTAMP = 12;
const HASH = 16;
/** Seconds, RFC 9018 section 4.3: older ones are void, and so are those from further ahead; younger ones are not given anew. */
const MAX_AGE = 3600;
const MAX_AHEAD = 300;
const RENEW_AGE = 1800;

export class ServerCookies {
  /** What goes into the response's option: the client's cookie and ours. Valid until the next `judge`. */
  readonly value = new Uint8Array(WHOLE_COOKIE);
  private readonly keys: readonly Int32Array[];
  private readonly input = new Uint8Array(32);
  private readonly hash = new Int32Array(2);

  /** `secrets`: 16 bytes each. The first one makes cookies, all of them know theirs again (RFC 9018 section 5). */
  constructor(secrets: readonly Uint8Array[]) {
    this.keys = secrets.map(sipKey);
  }

  /**
   * Judges the option whose data is at bytes[at, at + length), of a length that RFC 7873 allows, and makes `value`. `now`: seconds since 1970.
   * Returns COOKIE.CLIENT, VALID or BAD. Hot.
   */
  judge(bytes: Uint8Array, at: number, length: number, client: Client, now: number): number {
    const { value, input, keys } = this;
    for (let i = 0; i < CLIENT_COOKIE; i++) value[i] = bytes[at + i];
    for (let i = 0; i < client.length; i++) input[HASH + i] = client.address[i];
    let verdict: number = length === CLIENT_COOKIE ? COOKIE.CLIENT : COOKIE.BAD;
    if (length === WHOLE_COOKIE && bytes[at + CLIENT_COOKIE] === VERSION) {
      for (let i = 0; i < WHOLE_COOKIE; i++) value[i] = bytes[at + i];
      // Timestamps wrap in 2106 (RFC 1982, section 4.3 of RFC 9018).
      const age = (now - readWord(value, TIMESTAMP)) | 0;
      if (age <= MAX_AGE && age >= -MAX_AHEAD)
        for (let k = 0; k < keys.length; k++) {
          if (!this.isOurs(keys[k], client.length)) continue;
          verdict = COOKIE.VALID;
          if (k === 0 && age <= RENEW_AGE) return verdict;
        }
    }
    this.make(client.length, now);
    return verdict;
  }

  private isOurs(key: Int32Array, addressLength: number): boolean {
    const { value, hash } = this;
    this.sign(key, addressLength);
    // Both halves are looked at, whatever the first says.
    return ((hash[0] ^ readLittle(value, HASH)) | (hash[1] ^ readLittle(value, HASH + 4))) === 0;
  }

  private make(addressLength: number, now: number): void {
    const { value, hash } = this;
    value[CLIENT_COOKIE] = VERSION;
    for (let i = CLIENT_COOKIE + 1; i < TIMESTAMP; i++) value[i] = 0;
    for (let i = 0; i < 4; i++) value[TIMESTAMP + i] = now >>> (24 - i * 8);
    this.sign(this.keys[0], addressLength);
    for (let i = 0; i < 8; i++) value[HASH + i] = hash[i >>> 2] >>> ((i & 3) * 8);
  }

  /** Hashes what stands in `value` before the hash. */
  private sign(key: Int32Array, addressLength: number): void {
    const { value, input, hash } = this;
    for (let i = 0; i < HASH; i++) input[i] = value[i];
    sipHash24(input, HASH + addressLength, key, hash);
  }
}

const readWord = (bytes: Uint8Array, at: number): number =>
  (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];

const readLittle = (bytes: Uint8Array, at: number): number =>
  bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);

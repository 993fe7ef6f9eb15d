/**
 * Tokens of the challenge: puzzles, and passes for visitors that have solved a puzzle. A token is
 * bound to the domain and to the client's network. Its MAC has a key that all nodes derive from the
 * key file, so nodes store no tokens.
 *
 * Puzzle: time of issue (4 bytes), difficulty (1), wait (1), random (8), MAC (16). Pass: time of
 * expiry (4), MAC (16). Both are encoded in base64url.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const MAC = 16;
const PUZZLE = 14;
const PASS = 4;
/** Seconds in which a puzzle must be solved. */
const PUZZLE_LIFETIME = 600;
const NONCE = /^\d{1,15}$/;

export interface Holder {
  readonly domainId: string;
  readonly network: string;
}

interface Puzzle {
  /** Seconds since 1970. */
  readonly issuedAt: number;
  /** Required leading zero bits. */
  readonly difficulty: number;
  /** Seconds after which the puzzle counts as solved without work. */
  readonly wait: number;
}

export class ChallengeTokens {
  readonly #keys: readonly Uint8Array[];

  /** The first key signs; every key verifies. */
  constructor(keys: readonly Uint8Array[]) {
    this.#keys = keys;
  }

  createPuzzle({ issuedAt, difficulty, wait }: Puzzle, holder: Holder): string {
    const bytes = Buffer.alloc(PUZZLE);
    bytes.writeUInt32BE(issuedAt, 0);
    bytes[4] = difficulty;
    bytes[5] = wait;
    randomBytes(8).copy(bytes, 6);
    return this.#sign('puzzle', bytes, holder);
  }

  /** Undefined: the token has an invalid MAC, belongs to another holder, or has expired. */
  readPuzzle(token: string, holder: Holder, now: number): Puzzle | undefined {
    const bytes = this.#open('puzzle', token, PUZZLE, holder);
    if (bytes === undefined) return undefined;
    const issuedAt = bytes.readUInt32BE(0);
    const isCurrent = issuedAt <= now + CLOCK_SKEW && now - issuedAt <= PUZZLE_LIFETIME;
    return isCurrent ? { issuedAt, difficulty: bytes[4], wait: bytes[5] } : undefined;
  }

  createPass(expiresAt: number, holder: Holder): string {
    const bytes = Buffer.alloc(PASS);
    bytes.writeUInt32BE(expiresAt, 0);
    return this.#sign('pass', bytes, holder);
  }

  isPass(token: string, holder: Holder, now: number): boolean {
    const bytes = this.#open('pass', token, PASS, holder);
    return bytes !== undefined && bytes.readUInt32BE(0) > now;
  }

  #sign(kind: string, bytes: Buffer, holder: Holder): string {
    return Buffer.concat([bytes, macOf(this.#keys[0], kind, bytes, holder)]).toString('base64url');
  }

  #open(kind: string, token: string, length: number, holder: Holder): Buffer | undefined {
    if (token.length !== Math.ceil(((length + MAC) * 4) / 3)) return undefined;
    const all = Buffer.from(token, 'base64url');
    if (all.length !== length + MAC) return undefined;
    const [bytes, mac] = [all.subarray(0, length), all.subarray(length)];
    return this.#keys.some((key) => timingSafeEqual(macOf(key, kind, bytes, holder), mac)) ? bytes : undefined;
  }
}

/** Seconds by which the clocks of nodes may differ. */
const CLOCK_SKEW = 60;

function macOf(key: Uint8Array, kind: string, bytes: Uint8Array, { domainId, network }: Holder): Buffer {
  return createHmac('sha256', key).update(`${kind}\0${domainId}\0${network}\0`).update(bytes).digest().subarray(0, MAC);
}

/** Whether SHA-256 of `token.nonce` begins with `difficulty` zero bits. */
export function isSolution(token: string, nonce: string, difficulty: number): boolean {
  if (!NONCE.test(nonce)) return false;
  const digest = createHash('sha256').update(`${token}.${nonce}`).digest();
  return zeroBits(digest) >= difficulty;
}

export function zeroBits(bytes: Uint8Array): number {
  let bits = 0;
  for (const byte of bytes) {
    if (byte !== 0) return bits + Math.clz32(byte) - 24;
    bits += 8;
  }
  return bits;
}

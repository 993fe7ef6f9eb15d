/**
 * Collects bytes up to an empty line, across reads: the head of a response, or its trailers.
 * Usually they arrive in one read and are not copied.
 */
import { malformed } from './response-head.ts';

const CR = 0x0d;
const LF = 0x0a;
const EMPTY_LINE = Buffer.from('\r\n\r\n', 'latin1');
const NOTHING = Buffer.alloc(0);

/** Receives the collected bytes with their empty line: bytes[from, to), valid during the call. */
export type HeadTaker = (bytes: Buffer, from: number, to: number) => void;

export class HeadCollector {
  /** Whether an LF without CR ends a line too. */
  isLenient = false;
  /** Bytes held from earlier reads. */
  #length = 0;
  #held: Buffer = NOTHING;
  readonly #limit: number;
  readonly #taker: HeadTaker;
  readonly #begin: string;

  /**
   * `begin`: the required first characters. Other bytes are rejected before the end is received.
   */
  constructor(limit: number, taker: HeadTaker, begin = '') {
    this.#limit = limit;
    this.#taker = taker;
    this.#begin = begin;
  }

  /**
   * Returns the offset after the empty line once the taker was called; -1: incomplete. Throws
   * OriginError `malformed`, and errors of the taker.
   */
  take(buffer: Buffer, from: number, to: number): number {
    if (this.#length > 0) return this.#takeMore(buffer, from, to);
    const end = this.#endOf(buffer, from, to);
    if (end < 0) {
      this.#hold(buffer, from, to);
      return -1;
    }
    if (end - from > this.#limit) throw this.#tooLarge();
    this.#taker(buffer, from, end);
    return end;
  }

  /** The offset after the first empty line in bytes[from, to); -1: there is none. */
  #endOf(bytes: Buffer, from: number, to: number): number {
    if (this.isLenient) return lenientEnd(bytes, from, to);
    // A match beyond `to` is a leftover of an earlier read.
    const found = bytes.indexOf(EMPTY_LINE, from);
    return found < 0 || found + 4 > to ? -1 : found + 4;
  }

  #takeMore(buffer: Buffer, from: number, to: number): number {
    const before = this.#length;
    this.#hold(buffer, from, to);
    // The empty line may begin in the held bytes.
    const held = this.#held;
    const end = this.#endOf(held, Math.max(0, before - 3), this.#length);
    if (end < 0) return -1;
    this.#held = NOTHING;
    this.#length = 0;
    this.#taker(held, 0, end);
    return from + end - before;
  }

  /** Holds at most 4 bytes more than the limit. */
  #hold(buffer: Buffer, from: number, to: number): void {
    const before = this.#length;
    const length = Math.min(before + to - from, this.#limit + 4);
    if (length > this.#held.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#held.length, 1024));
      this.#held.copy(larger, 0, 0, before);
      this.#held = larger;
    }
    buffer.copy(this.#held, before, from, from + length - before);
    this.#length = length;
    this.#check(before);
  }

  /**
   * Rejects invalid bytes immediately instead of at the timeout: a server of another protocol sends
   * first and then waits.
   */
  #check(before: number): void {
    const held = this.#held;
    const length = this.#length;
    const begin = Math.min(length, this.#begin.length);
    if (before < this.#begin.length && held.toString('latin1', 0, begin) !== this.#begin.slice(0, begin))
      throw malformed('no HTTP/1.1');
    for (let i = this.isLenient ? length : before; i < length; i++) {
      if ((held[i] === LF) !== (held[i - 1] === CR)) throw malformed('a CR or LF alone');
      if (i >= 3 && held[i] === LF && held[i - 2] === LF) return;
    }
    if (length > this.#limit) throw this.#tooLarge();
  }

  #tooLarge(): Error {
    return malformed(`a head or trailers of more than ${this.#limit} bytes`);
  }
}

/** The offset after the first empty line whose ends of lines are LF or CR LF; -1: there is none. */
function lenientEnd(bytes: Buffer, from: number, to: number): number {
  for (let at = bytes.indexOf(LF, from); at >= 0 && at + 1 < to; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (at + 2 < to && bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
}

/**
 * What a connection has to send, in order: all that waits when a write begins leaves in it, one
 * write at a time and 64 KiB at most, so that it is seen how a client takes it. An answer that is
 * ready and alone goes out as it is; what is in several parts is put together.
 */
import type { ClientMemory, MemoryWaiter } from '../exchange/client-memory.ts';
import { BUFFER, giveBuffer, takeBuffer } from '../transport/buffers.ts';
import type { Transport } from '../transport/transport.ts';

/** Bytes of a write, at most. */
export const PIECE = BUFFER;
/** Bytes that wait or are in flight from which on no more is to be written. */
const FULL = 2 * PIECE;
/** Larger parts are not copied. */
const LARGE = 16_384;

const NOTHING = Buffer.alloc(0);

export class Outgoing {
  /** Grows whenever the client has taken a piece. */
  pieces = 0;
  /**
   * A part that waited is there no more, as its writer gave its memory away: what was said of
   * the body does not come true.
   */
  isLost = false;
  readonly #transport: Transport;
  readonly #memory: ClientMemory;
  /** Bytes that are charged: of parts until all of them has left, and what is reserved. */
  #charged = 0;
  #reserved = 0;
  /** Bytes of the first part that have left already. */
  #firstTaken = 0;
  readonly #onWaiting: () => void;
  readonly #onWritten: () => void;
  readonly #done: (error?: Error | null) => void;
  #parts: (Uint8Array | string)[] = [];
  #bytes = 0;
  /** The pending write, and its length when it began; 0: none is. */
  #writing: Buffer = NOTHING;
  #underWay = 0;
  /** What it reads from, if that is memory of ours. */
  #lent: Buffer = NOTHING;
  #sentBefore = 0;
  #isAwaited = false;
  #isEnding = false;
  #isStopped = false;

  /**
   * `memory`: charged for what is held. `onWaiting`: something waits for `flush`; `onWritten`: a
   * write has ended.
   */
  constructor(transport: Transport, memory: ClientMemory, onWaiting: () => void, onWritten: () => void) {
    this.#transport = transport;
    this.#memory = memory;
    this.#onWaiting = onWaiting;
    this.#onWritten = onWritten;
    this.#done = (error) => this.#written(error);
  }

  /** More is held than should be. */
  get isFull(): boolean {
    return this.#bytes + this.#underWay >= FULL;
  }

  /** The client has something to take. */
  get isPending(): boolean {
    return this.#bytes + this.#underWay > 0;
  }

  /** Bytes wait for a write. */
  get isWaiting(): boolean {
    return this.#bytes > 0;
  }

  /** Bytes that have left, in all. */
  get sent(): number {
    return this.#sentBefore + (this.#underWay === 0 ? 0 : Math.max(0, this.#underWay - this.#transport.unsent));
  }

  /** Of those, bytes that the client has not acknowledged, as far as is known. */
  get unacknowledged(): number {
    return this.#transport.unacknowledged;
  }

  /** Text is Latin-1. False: wait until `takesMore`. */
  write(part: Uint8Array | string): boolean {
    if (part.length > 0 && !this.#isStopped) {
      this.#parts.push(part);
      this.#bytes += part.length;
      if (typeof part !== 'string') this.#reserved = 0;
      this.#charge();
      this.#onWaiting();
    }
    this.#isAwaited = this.isFull;
    return !this.#isAwaited;
  }

  /**
   * Exchange.reserve: nothing is fetched while something waits behind a write. 0: wait until
   * `takesMore`, or until there is memory.
   */
  reserve(bytes: number, waiter: MemoryWaiter): number {
    this.#reserved = 0;
    this.#charge();
    if (this.#bytes > 0) {
      this.#isAwaited = true;
      return 0;
    }
    const granted = this.#memory.takeForFetch(bytes);
    if (granted === 0) this.#memory.waitFor(waiter);
    this.#reserved = granted;
    this.#charged += granted;
    return granted;
  }

  /** Brings the account up to what is held. */
  #charge(): void {
    const held = this.#isStopped ? 0 : this.#bytes + this.#firstTaken + this.#underWay + this.#reserved;
    if (held > this.#charged) this.#memory.hold(held - this.#charged);
    else if (held < this.#charged) this.#memory.release(this.#charged - held);
    this.#charged = held;
  }

  /** A writer that had to wait may go on; said once. */
  takesMore(): boolean {
    if (!this.#isAwaited || this.isFull) return false;
    this.#isAwaited = false;
    return true;
  }

  /** Begins a write, unless one is pending: then what waits follows it. */
  flush(): void {
    if (this.#underWay > 0 || this.#isStopped) return;
    if (this.#bytes > 0) {
      const next = this.#take();
      this.#writing = next;
      this.#underWay = next.length;
      if (next.length > 0) this.#transport.write(next, this.#done);
    } else if (this.#isEnding) {
      this.#isStopped = true;
      this.#charge();
      this.#transport.end();
    }
  }

  /** The end of this side follows what waits. */
  end(): void {
    this.#isEnding = true;
    this.flush();
  }

  /** Drops what waits. */
  stop(): void {
    this.#isStopped = true;
    this.#parts = [];
    this.#bytes = 0;
    this.#charge();
  }

  /** The next piece. Nothing: it is lost. */
  #take(): Buffer {
    const first = this.#parts[0];
    if (typeof first === 'string' || (this.#parts.length > 1 && first.length < LARGE)) return this.#gather();
    if (first.length === 0) return this.#lose();
    const piece = first.length <= PIECE ? first : first.subarray(0, PIECE);
    if (piece === first) this.#parts.shift();
    else this.#parts[0] = first.subarray(PIECE);
    this.#firstTaken = piece === first ? 0 : this.#firstTaken + PIECE;
    this.#bytes -= piece.length;
    return piece instanceof Buffer ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  }

  /** As many parts as fit, in memory of ours. */
  #gather(): Buffer {
    const parts = this.#parts;
    const isLarge = this.#bytes > LARGE;
    const bytes = isLarge ? takeBuffer() : Buffer.allocUnsafe(this.#bytes);
    if (isLarge) this.#lent = bytes;
    let at = 0;
    let done = 0;
    let cut = 0;
    for (; done < parts.length && at < bytes.length; done++) {
      const part = parts[done];
      if (part.length === 0) return this.#lose();
      const room = bytes.length - at;
      const fits = part.length <= room;
      if (typeof part === 'string') bytes.write(fits ? part : part.slice(0, room), at, 'latin1');
      else bytes.set(fits ? part : part.subarray(0, room), at);
      at += fits ? part.length : room;
      if (fits) continue;
      parts[done] = typeof part === 'string' ? part.slice(room) : part.subarray(room);
      cut = room;
      break;
    }
    parts.splice(0, done);
    this.#firstTaken = cut;
    this.#bytes -= at;
    return at === bytes.length ? bytes : bytes.subarray(0, at);
  }

  #lose(): Buffer {
    this.isLost = true;
    this.stop();
    setImmediate(this.#onWritten);
    return NOTHING;
  }

  #written(error: Error | null | undefined): void {
    const bytes = this.#writing;
    const lent = this.#lent;
    const data = this.#underWay;
    this.#writing = NOTHING;
    this.#lent = NOTHING;
    this.#underWay = 0;
    // After an error the system may still read from it.
    if (error) {
      this.stop();
      return;
    }
    if (bytes.length !== data) this.isLost = true;
    giveBuffer(lent);
    this.#charge();
    this.#sentBefore += data;
    this.pieces++;
    this.#onWritten();
  }
}

/**
 * Output of a connection, in order. Each write sends the pending parts, at most 64 KiB. Only one
 * write is in flight, so progress shows how fast the client reads. A single part is sent without a
 * copy; several small parts are joined.
 */
import type { ClientMemory, MemoryWaiter } from '../exchange/client-memory.ts';
import { BUFFER, giveBuffer, takeBuffer } from '../transport/buffers.ts';
import type { Transport } from '../transport/transport.ts';

/** Maximum bytes of a write. */
export const PIECE = BUFFER;
/** Bytes pending or in flight at which writers have to wait. */
const FULL = 2 * PIECE;
/** Bytes. A first part of at least this size is sent without a copy. */
const LARGE = 16_384;

const NOTHING = Buffer.alloc(0);

export class Outgoing {
  /** Number of completed writes. */
  pieces = 0;
  /**
   * A pending part was detached: its writer transferred the memory. The response cannot be
   * completed.
   */
  isLost = false;
  readonly #transport: Transport;
  readonly #memory: ClientMemory;
  /** Bytes charged: reserved ones, and each part until all of it is sent. */
  #charged = 0;
  #reserved = 0;
  /** Bytes of the first part that were sent already. */
  #firstSent = 0;
  readonly #onWaiting: () => void;
  readonly #onWritten: () => void;
  readonly #done: (error?: Error | null) => void;
  #parts: (Uint8Array | string)[] = [];
  #bytes = 0;
  /** The write in flight, and its length when it began; 0: none. */
  #writing: Buffer = NOTHING;
  #inFlight = 0;
  /** The pooled buffer of that write, if it uses one. */
  #pooled: Buffer = NOTHING;
  #sentBefore = 0;
  #isWriterWaiting = false;
  #isEnding = false;
  #isStopped = false;

  /**
   * `memory`: charged for pending output. `onWaiting`: there is output to `flush`. `onWritten`: a
   * write has completed.
   */
  constructor(transport: Transport, memory: ClientMemory, onWaiting: () => void, onWritten: () => void) {
    this.#transport = transport;
    this.#memory = memory;
    this.#onWaiting = onWaiting;
    this.#onWritten = onWritten;
    this.#done = (error) => this.#handleWritten(error);
  }

  get isFull(): boolean {
    return this.#bytes + this.#inFlight >= FULL;
  }

  /** Output is pending or in flight. */
  get isPending(): boolean {
    return this.#bytes + this.#inFlight > 0;
  }

  /** Output is pending behind a write, or not flushed yet. */
  get isWaiting(): boolean {
    return this.#bytes > 0;
  }

  /** Total bytes sent. */
  get sent(): number {
    return this.#sentBefore + (this.#inFlight === 0 ? 0 : Math.max(0, this.#inFlight - this.#transport.unsent));
  }

  /** Sent bytes that the client has not acknowledged, as far as the transport can tell. */
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
    this.#isWriterWaiting = this.isFull;
    return !this.#isWriterWaiting;
  }

  /**
   * Exchange.reserve. Grants nothing while output is pending. 0: wait until `takesMore`, or until
   * memory is available.
   */
  reserve(bytes: number, waiter: MemoryWaiter): number {
    this.#reserved = 0;
    this.#charge();
    if (this.#bytes > 0) {
      this.#isWriterWaiting = true;
      return 0;
    }
    const granted = this.#memory.takeForFetch(bytes);
    if (granted === 0) this.#memory.waitFor(waiter);
    this.#reserved = granted;
    this.#charged += granted;
    return granted;
  }

  /** Updates the charge to the current total. */
  #charge(): void {
    const held = this.#isStopped ? 0 : this.#bytes + this.#firstSent + this.#inFlight + this.#reserved;
    if (held > this.#charged) this.#memory.hold(held - this.#charged);
    else if (held < this.#charged) this.#memory.release(this.#charged - held);
    this.#charged = held;
  }

  /** Whether a waiting writer may continue. True once per wait. */
  takesMore(): boolean {
    if (!this.#isWriterWaiting || this.isFull) return false;
    this.#isWriterWaiting = false;
    return true;
  }

  /** Starts a write, unless one is in flight. */
  flush(): void {
    if (this.#inFlight > 0 || this.#isStopped) return;
    if (this.#bytes > 0) {
      const next = this.#takePiece();
      this.#writing = next;
      this.#inFlight = next.length;
      if (next.length > 0) this.#transport.write(next, this.#done);
    } else if (this.#isEnding) {
      this.#isStopped = true;
      this.#charge();
      this.#transport.end();
    }
  }

  /** Ends this side after the pending output. */
  end(): void {
    this.#isEnding = true;
    this.flush();
  }

  /** Drops pending output. */
  stop(): void {
    this.#isStopped = true;
    this.#parts = [];
    this.#bytes = 0;
    this.#charge();
  }

  /** Removes and returns the next piece. Empty: a part was detached. */
  #takePiece(): Buffer {
    const first = this.#parts[0];
    if (typeof first === 'string' || (this.#parts.length > 1 && first.length < LARGE)) return this.#joinParts();
    if (first.length === 0) return this.#failDetached();
    const piece = first.length <= PIECE ? first : first.subarray(0, PIECE);
    if (piece === first) this.#parts.shift();
    else this.#parts[0] = first.subarray(PIECE);
    this.#firstSent = piece === first ? 0 : this.#firstSent + PIECE;
    this.#bytes -= piece.length;
    return piece instanceof Buffer ? piece : Buffer.from(piece.buffer, piece.byteOffset, piece.length);
  }

  /** Joins as many parts as fit into one buffer. */
  #joinParts(): Buffer {
    const parts = this.#parts;
    const isLarge = this.#bytes > LARGE;
    const bytes = isLarge ? takeBuffer() : Buffer.allocUnsafe(this.#bytes);
    if (isLarge) this.#pooled = bytes;
    let at = 0;
    let done = 0;
    let cut = 0;
    for (; done < parts.length && at < bytes.length; done++) {
      const part = parts[done];
      if (part.length === 0) return this.#failDetached();
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
    this.#firstSent = cut;
    this.#bytes -= at;
    return at === bytes.length ? bytes : bytes.subarray(0, at);
  }

  #failDetached(): Buffer {
    this.isLost = true;
    this.stop();
    setImmediate(this.#onWritten);
    return NOTHING;
  }

  #handleWritten(error: Error | null | undefined): void {
    const bytes = this.#writing;
    const lent = this.#pooled;
    const data = this.#inFlight;
    this.#writing = NOTHING;
    this.#pooled = NOTHING;
    this.#inFlight = 0;
    // The buffer is not reused: after an error, the system may still read from it.
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

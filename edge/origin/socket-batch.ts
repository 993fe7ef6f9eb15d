/**
 * Batches the sends and recvs of a thread's origin sockets: one system call for each turn of the
 * event loop (core/os/call-batch.ts). A send is queued while events are handled, a recv when the
 * socket is readable. At the end of the turn all are executed. Then the received bytes are
 * delivered, which causes further sends.
 */
import type { CallBatch } from '../../core/os/call-batch.ts';
import type { DescriptorLoop, TurnEnd } from '../../core/os/descriptor-loop.ts';
import { TcpCalls } from '../../core/os/tcp-calls.ts';

/** Bytes of queued sends. */
const SEND_BYTES = 262_144;
/**
 * Maximum recvs in one system call, and the buffer size of each. Only pages that receive bytes are
 * touched.
 */
const READS = 32;
const READ_BYTES = 32_768;
/**
 * Distance between two receive buffers. With a power of two, the starts of all buffers would
 * compete for few cache lines.
 */
const READ_STEP = READ_BYTES + 4096 + 64;

export interface BatchedSocket {
  readonly fd: number;
  /** Set by the batch, cleared by `sent`. */
  isSending: boolean;
  /**
   * The outcome of a recv: bytes 0 to `outcome` of `buffer`, valid during the call; or a negated
   * errno.
   */
  received(buffer: Buffer, outcome: number): void;
  /**
   * The outcome of the send of buffer[at, at + length): bytes that the system took, or a negated
   * errno.
   */
  sent(buffer: Buffer, at: number, length: number, outcome: number): void;
}

export class SocketBatch implements TurnEnd {
  /** Queued bytes, at the positions that `reserve` returns. */
  readonly bytes = Buffer.allocUnsafeSlow(SEND_BYTES);
  readonly #bytesAt = TcpCalls.address(this.bytes);
  readonly #loop: DescriptorLoop;
  readonly #calls: CallBatch;
  readonly #results: Int32Array;
  /** The socket and the bytes of each queued send. */
  readonly #senders: (BatchedSocket | null)[] = [];
  readonly #from: Int32Array;
  readonly #lengths: Int32Array;
  #reserved = 0;
  readonly #readable: BatchedSocket[] = [];
  readonly #reads: Buffer[] = [];
  readonly #readsAt: number[] = [];
  readonly #outcomes = new Int32Array(READS);

  constructor(loop: DescriptorLoop, calls: CallBatch) {
    this.#loop = loop;
    this.#calls = calls;
    this.#results = new Int32Array(calls.capacity);
    this.#from = new Int32Array(calls.capacity);
    this.#lengths = new Int32Array(calls.capacity);
    const memory = Buffer.allocUnsafeSlow(READS * READ_STEP);
    const at = TcpCalls.address(memory);
    for (let i = 0; i < READS; i++) {
      this.#reads.push(memory.subarray(i * READ_STEP, i * READ_STEP + READ_BYTES));
      this.#readsAt.push(at + i * READ_STEP);
    }
    loop.endsTurns(this);
  }

  /**
   * Reserves `length` bytes in `bytes` for the next send. Negative: it cannot be batched, because
   * no turn is active or it is too large.
   */
  reserve(length: number): number {
    if (!this.#loop.isInTurn || length > SEND_BYTES) return -1;
    if (this.#reserved + length > SEND_BYTES || this.#calls.count === this.#calls.capacity) this.flush();
    return this.#reserved;
  }

  /** The socket must not be sending. */
  send(socket: BatchedSocket, at: number, length: number): void {
    const i = this.#calls.count;
    socket.isSending = true;
    this.#senders[i] = socket;
    this.#from[i] = at;
    this.#lengths[i] = length;
    this.#reserved = at + length;
    this.#calls.send(socket.fd, this.#bytesAt + at, length);
  }

  /** Queues a recv. Call it within a turn, at most once for each socket. */
  receive(socket: BatchedSocket): void {
    this.#readable.push(socket);
  }

  /** Executes the queued sends. */
  flush(): void {
    const { count } = this.#calls;
    if (count > 0) this.#run(count);
  }

  turnEnds(): void {
    const readable = this.#readable;
    for (let from = 0; from < readable.length; from += READS) this.#read(from, Math.min(READS, readable.length - from));
    readable.length = 0;
    this.flush();
  }

  /** Executes one recv for each of `count` sockets, together with the queued sends. */
  #read(from: number, count: number): void {
    if (this.#calls.count + count > this.#calls.capacity) this.flush();
    const first = this.#calls.count;
    for (let i = 0; i < count; i++) {
      const { fd } = this.#readable[from + i];
      // A socket that was closed meanwhile has the descriptor -1, so its recv fails.
      this.#calls.receive(fd, this.#readsAt[i], READ_BYTES);
    }
    this.#run(first);
    // Copied first: a delivery may cause a flush, which overwrites the results.
    for (let i = 0; i < count; i++) this.#outcomes[i] = this.#results[first + i];
    for (let i = 0; i < count; i++) this.#readable[from + i].received(this.#reads[i], this.#outcomes[i]);
  }

  /** Executes all queued calls. `sends`: number of sends, which are the first calls. */
  #run(sends: number): void {
    this.#calls.run(this.#results);
    this.#reserved = 0;
    for (let i = 0; i < sends; i++) {
      const socket = this.#senders[i];
      this.#senders[i] = null;
      socket?.sent(this.bytes, this.#from[i], this.#lengths[i], this.#results[i]);
    }
  }
}

/**
 * The sends and recvs of a thread's sockets to origins, of one turn of the loop each by one system
 * call (core/os/call-batch.ts). A send is queued while events are given out, a recv by the event
 * that the socket is readable. At the end of the turn all are made, and then what was received is
 * given out, which makes sends once more.
 */
import type { CallBatch } from '../../core/os/call-batch.ts';
import type { DescriptorLoop, TurnEnd } from '../../core/os/descriptor-loop.ts';
import { TcpCalls } from '../../core/os/tcp-calls.ts';

/** Bytes of sends that wait. */
const SEND_BYTES = 262_144;
/** Recvs of one call, and the memory of each, of which only what arrives is touched. */
const READS = 32;
const READ_BYTES = 32_768;
/**
 * From the memory of one recv to the next: were it a power of two, the beginnings of all would
 * share few lines of the processor's caches.
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
  /** What is sent, from the places that `reserve` returns. */
  readonly bytes = Buffer.allocUnsafeSlow(SEND_BYTES);
  readonly #bytesAt = TcpCalls.address(this.bytes);
  readonly #loop: DescriptorLoop;
  readonly #calls: CallBatch;
  readonly #results: Int32Array;
  /** Of each send that waits: whose it is, and which bytes. */
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
   * A place in `bytes` for a send of so many bytes, to be made next. Negative: it is not to be
   * batched, as no turn is on, or it is large.
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

  /** Within a turn, and once in it. */
  receive(socket: BatchedSocket): void {
    this.#readable.push(socket);
  }

  /** Makes the sends that wait. */
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

  /** One recv for each of so many sockets, by the same call as the sends that wait. */
  #read(from: number, count: number): void {
    if (this.#calls.count + count > this.#calls.capacity) this.flush();
    const first = this.#calls.count;
    for (let i = 0; i < count; i++) {
      const { fd } = this.#readable[from + i];
      // One that was closed since has -1, for which the call fails.
      this.#calls.receive(fd, this.#readsAt[i], READ_BYTES);
    }
    this.#run(first);
    // What is received makes sends, which may have to be made before all is given out.
    for (let i = 0; i < count; i++) this.#outcomes[i] = this.#results[first + i];
    for (let i = 0; i < count; i++) this.#readable[from + i].received(this.#reads[i], this.#outcomes[i]);
  }

  /** `sends`: of the calls, those before this one. */
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

/**
 * Sockets to origins without TLS that are the thread's own (core/os/descriptor-loop.ts): a request
 * is one send and one recv, where a socket of node makes a callback with its turn of microtasks of
 * every read, and a request object of every write. Watched by edges (EPOLLET), so that epoll is
 * informed of a socket once. Hot: a write and a read allocate nothing.
 *
 * Where io_uring may be used, the sends and recvs of a turn of the loop, of all sockets, are one
 * system call (core/os/call-batch.ts). Else, and outside of a turn, each is a call at once.
 */
import { getSystemErrorName } from 'node:util';
import { parseAddress } from '../../core/net/address/index.ts';
import type { DescriptorLoop, LoopMember, LoopTask } from '../../core/os/descriptor-loop.ts';
import { EPOLLERR, EPOLLET, EPOLLHUP, EPOLLIN, EPOLLOUT, EPOLLRDHUP } from '../../core/os/epoll.ts';
import { AGAIN, TcpCalls } from '../../core/os/tcp-calls.ts';
import { TcpConnector } from '../../core/os/tcp-connect.ts';
import { openNodeSocket } from './node-socket.ts';
import { type BatchedSocket, SocketBatch } from './socket-batch.ts';
import {
  type OpenSocket,
  type OriginSocket,
  PROBE_AFTER,
  READ_BYTES,
  type SocketAttempt,
  type SocketOwner,
} from './sockets.ts';

/** All that is asked of epoll, once: events come when something changes. */
const EDGES = (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET) >>> 0;
const BROKEN_OR_ENDED = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
/** Reads of one socket in a turn. */
const READS = 4;
/** Calls that are put together: more than a turn has, as a rule. */
const BATCH = 128;
/** Bytes that are put together for one send: a head with a part of a body behind it, as a rule. */
const SEND_BYTES = 65_536;
const EINTR = 4;
const EAGAIN = 11;
const ENOSPC = 28;
/** A body that flows: several of its reads in a row would not stay in the processor's cache. */
const BULK = 16_384;

const STATE = { CONNECTING: 0, OPEN: 1, CLOSED: 2 } as const;

/** What is still to be done for a socket when the loop has nothing else to do. */
const DUE = { READ: 1, UNWRITABLE: 2, CLOSE: 4 } as const;

/** What the sockets of a thread share. */
interface Shared {
  readonly loop: DescriptorLoop;
  readonly calls: TcpCalls;
  readonly connector: TcpConnector;
  /** What was read last, and what is being sent. Neither moves. */
  readonly received: Buffer;
  readonly receivedAt: number;
  readonly sending: Buffer;
  readonly sendingAt: number;
  /** Null: each call is made by itself. */
  readonly batch: SocketBatch | null;
  open: number;
}

/**
 * Opens sockets of `loop`, `most` at a time; beyond that, and for TLS, those of node. Throws where
 * the calls of the system are not to be had. `isBatched`: calls are put together where they can be.
 */
export function nativeSockets(loop: DescriptorLoop, most: number, isBatched = true): OpenSocket {
  const calls = isBatched ? loop.openBatch(BATCH) : null;
  const received = Buffer.allocUnsafeSlow(READ_BYTES);
  const sending = Buffer.allocUnsafeSlow(SEND_BYTES);
  const shared: Shared = {
    loop,
    received,
    sending,
    open: 0,
    calls: loop.calls,
    connector: new TcpConnector(),
    receivedAt: TcpCalls.address(received),
    sendingAt: TcpCalls.address(sending),
    batch: calls === null ? null : new SocketBatch(loop, calls),
  };
  return (address, port, tls, attempt) => {
    const bytes = parseAddress(address);
    if (tls !== null || shared.open >= most || bytes === undefined) return openNodeSocket(address, port, tls, attempt);
    return new NativeSocket(shared, address, bytes, port, attempt);
  };
}

class NativeSocket implements OriginSocket, LoopMember, LoopTask, BatchedSocket {
  readonly joinsParts = true;
  readonly address: string;
  readonly #port: number;
  readonly #shared: Shared;
  /** A send of the batch, of which the outcome is not known yet. */
  isSending = false;
  fd: number;
  /** In the loop; negative: none. */
  #place = -1;
  #state: number = STATE.CONNECTING;
  /** Null once it is ready or has failed. */
  #attempt: SocketAttempt | null;
  #owner: SocketOwner | null = null;
  #due = 0;
  /** More may have come: epoll has reported it, and it was not read to its end. */
  #isReadable = false;
  /** The end or an error may follow what has come, of which epoll will not tell again. */
  #isLastTold = false;
  #isPaused = false;
  /** The last read brought more than those of a batch should. */
  #isBulk = false;
  #hasPeerEnded = false;
  #hasEnded = false;
  #isClosing = false;
  /** What the system has not taken yet, in its order; null: it has taken all. */
  #unsent: Uint8Array[] | null = null;
  #error: Error | null = null;

  constructor(shared: Shared, address: string, bytes: Uint8Array, port: number, attempt: SocketAttempt) {
    this.address = address;
    this.#port = port;
    this.#shared = shared;
    this.#attempt = attempt;
    shared.open++;
    this.fd = shared.connector.connect(bytes, port, PROBE_AFTER);
    if (this.fd < 0) {
      this.#failLater(-this.fd);
      return;
    }
    this.#place = shared.loop.enter(this.fd);
    if (this.#place < 0 || !shared.loop.watch(this.#place, EDGES, this)) this.#failLater(ENOSPC);
  }

  get isOpen(): boolean {
    return this.isWritable && !this.#hasPeerEnded;
  }

  get isWritable(): boolean {
    return this.#state === STATE.OPEN && !this.#hasEnded && this.#error === null;
  }

  get isFull(): boolean {
    return this.#unsent !== null;
  }

  start(owner: SocketOwner): void {
    this.#owner = owner;
  }

  writeText(text: string): boolean {
    if (!this.isWritable) return true;
    if (this.isSending) this.#shared.batch?.flush();
    if (this.isFull || text.length > SEND_BYTES) return this.write(Buffer.from(text, 'latin1'));
    const { batch, sending } = this.#shared;
    const at = batch === null ? -1 : batch.reserve(text.length);
    if (batch !== null && at >= 0) {
      batch.bytes.write(text, at, 'latin1');
      batch.send(this, at, text.length);
      return true;
    }
    sending.write(text, 0, 'latin1');
    return this.#send(text.length);
  }

  write(bytes: Uint8Array, before = '', after = ''): boolean {
    if (!this.isWritable) return true;
    const { calls, sending, batch } = this.#shared;
    const length = before.length + bytes.length + after.length;
    if (this.isSending) batch?.flush();
    if (length > bytes.length) {
      if (this.isFull || length > SEND_BYTES) {
        if (before !== '') this.writeText(before);
        this.write(bytes);
        return after === '' ? !this.isFull : this.writeText(after);
      }
      const at = batch === null ? -1 : batch.reserve(length);
      if (batch !== null && at >= 0) {
        putTogether(batch.bytes, at, before, bytes, after);
        batch.send(this, at, length);
        return true;
      }
      putTogether(sending, 0, before, bytes, after);
      return this.#send(length);
    }
    if (this.#unsent !== null) this.#unsent.push(bytes);
    else {
      const sent = calls.sendArray(this.fd, bytes);
      if (sent < AGAIN) this.#writeFailed(calls.errno);
      else if (sent < length) this.#unsent = [bytes.subarray(Math.max(0, sent))];
    }
    return !this.isFull;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#isReadable) this.#later(DUE.READ);
  }

  end(): void {
    if (!this.isWritable) return;
    if (this.isSending) this.#shared.batch?.flush();
    this.#hasEnded = true;
    if (!this.isFull) this.#shared.calls.finish(this.fd);
  }

  destroySoon(): void {
    if (this.isSending) this.#shared.batch?.flush();
    this.#hasEnded = true;
    this.#isClosing = true;
    if (!this.isFull) this.#later(DUE.CLOSE);
  }

  destroy(): void {
    this.#attempt = null;
    this.#owner = null;
    if (this.#state === STATE.CLOSED) return;
    // Another socket may get the descriptor.
    if (this.isSending) this.#shared.batch?.flush();
    this.#state = STATE.CLOSED;
    this.#unsent = null;
    this.#shared.open--;
    if (this.#place >= 0) this.#shared.loop.leave(this.#place);
    if (this.fd >= 0) this.#shared.calls.close(this.fd);
    this.#place = -1;
    this.fd = -1;
  }

  // From the loop.

  event(ready: number): void {
    if (this.#state === STATE.CONNECTING) this.#connected(ready);
    if (this.#state !== STATE.OPEN) return;
    if ((ready & EPOLLOUT) !== 0 && this.isFull) this.#flush();
    if ((ready & (EPOLLIN | BROKEN_OR_ENDED)) === 0) return;
    this.#isReadable = true;
    if ((ready & BROKEN_OR_ENDED) !== 0) this.#isLastTold = true;
    const { batch } = this.#shared;
    if (batch === null || this.#isBulk || this.#isPaused || this.#hasPeerEnded) this.#read();
    else batch.receive(this);
  }

  // From the batch.

  /** Of the recv of a turn: bytes 0 to `outcome` of `buffer`, or a negated errno. */
  received(buffer: Buffer, outcome: number): void {
    if (this.#state !== STATE.OPEN) return;
    this.#take(buffer, outcome, buffer.length, -outcome);
    // What of more than a buffer is left is read by itself.
    if (this.#isReadable) this.#read();
  }

  sent(buffer: Buffer, at: number, length: number, outcome: number): void {
    this.isSending = false;
    const isAgain = outcome === -EAGAIN || outcome === -EINTR;
    if (outcome < 0 && !isAgain) this.#writeFailed(-outcome);
    else if (outcome < length) this.#unsent = [Buffer.from(buffer.subarray(at + Math.max(0, outcome), at + length))];
  }

  /** What was put off. */
  runDue(): void {
    const due = this.#due;
    this.#due = 0;
    if ((due & DUE.CLOSE) !== 0) this.#close(this.#error);
    else if ((due & DUE.UNWRITABLE) !== 0 && this.#error !== null) this.#owner?.onWriteError(this.#error);
    if ((due & DUE.READ) !== 0) this.#read();
  }

  #connected(ready: number): void {
    if ((ready & (EPOLLOUT | EPOLLHUP | EPOLLERR)) === 0) return;
    const errno = this.#shared.connector.errorOf(this.fd);
    const attempt = this.#attempt;
    if (errno !== 0) {
      this.#close(this.#connectError(errno));
      return;
    }
    this.#state = STATE.OPEN;
    attempt?.onConnected(this);
    this.#attempt = null;
    attempt?.onReady(this);
  }

  #read(): void {
    const { calls, received, receivedAt } = this.#shared;
    for (let n = 0; n < READS; n++) {
      if (this.#state !== STATE.OPEN || this.#isPaused || !this.#isReadable || this.#hasPeerEnded) return;
      const length = calls.receive(this.fd, receivedAt, READ_BYTES);
      this.#take(received, length, READ_BYTES, length === AGAIN ? EAGAIN : calls.errno);
    }
    if (this.#isReadable && !this.#isPaused) this.#later(DUE.READ);
  }

  /** The outcome of a recv into so much room; `errno` of one that is negative. */
  #take(buffer: Buffer, length: number, room: number, errno: number): void {
    // Of a stream less than there was room for is all that there is (epoll(7)).
    if (length < room && !this.#isLastTold) this.#isReadable = false;
    this.#isBulk = length > BULK;
    if (length > 0) {
      if (this.#owner?.take(buffer, length) === false) this.#isPaused = true;
    } else if (length === 0) {
      this.#hasPeerEnded = true;
      this.#owner?.onSocketEnd();
    } else {
      this.#isReadable = false;
      if (errno !== EAGAIN && errno !== EINTR) this.#close(systemError('read', errno));
    }
  }

  /** What stands in the memory that is shared. */
  #send(length: number): boolean {
    const { calls, sending, sendingAt } = this.#shared;
    const sent = calls.send(this.fd, sendingAt, length);
    if (sent < AGAIN) this.#writeFailed(calls.errno);
    else if (sent < length) this.#unsent = [Buffer.from(sending.subarray(Math.max(0, sent), length))];
    return !this.isFull;
  }

  #flush(): void {
    const { calls } = this.#shared;
    const unsent = this.#unsent ?? [];
    for (let i = 0; i < unsent.length; i++) {
      const sent = calls.sendArray(this.fd, unsent[i]);
      if (sent < AGAIN) {
        this.#writeFailed(calls.errno);
        return;
      }
      if (sent === unsent[i].length) continue;
      unsent[i] = unsent[i].subarray(Math.max(0, sent));
      unsent.splice(0, i);
      return;
    }
    this.#unsent = null;
    if (this.#isClosing) this.#close(null);
    else if (this.#hasEnded) calls.finish(this.fd);
    else this.#owner?.onDrain();
  }

  #writeFailed(errno: number): void {
    this.#unsent = null;
    this.#error = systemError('write', errno);
    this.#later(this.#isClosing ? DUE.CLOSE : DUE.UNWRITABLE);
  }

  #failLater(errno: number): void {
    this.#error = this.#connectError(errno);
    this.#later(DUE.CLOSE);
  }

  #connectError(errno: number): Error {
    return systemError('connect', errno, `${this.address}:${this.#port}`);
  }

  /** It is destroyed, and its owner learns it. */
  #close(error: Error | null): void {
    const [attempt, owner] = [this.#attempt, this.#owner];
    this.destroy();
    attempt?.onFailed(this, error ?? new Error('closed'));
    owner?.onSocketClosed(error);
  }

  #later(due: number): void {
    if (this.#due === 0) this.#shared.loop.later(this);
    this.#due |= due;
  }
}

function putTogether(target: Buffer, at: number, before: string, bytes: Uint8Array, after: string): void {
  target.write(before, at, 'latin1');
  target.set(bytes, at + before.length);
  target.write(after, at + before.length + bytes.length, 'latin1');
}

/** As node words them. */
function systemError(syscall: string, errno: number, subject = ''): Error {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error([syscall, code, subject].filter((word) => word !== '').join(' ')), { code, syscall });
}

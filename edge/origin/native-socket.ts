/**
 * Native sockets to origins without TLS (core/os/descriptor-loop.ts). A request costs one send and
 * one recv. A socket of node adds a callback with its microtasks to each read, and a request object
 * to each write. Watched edge-triggered (EPOLLET), so that each socket is registered with epoll
 * once. Hot: a write and a read allocate nothing.
 *
 * Where io_uring is available, all sends and recvs of a turn of the event loop are one system call
 * (core/os/call-batch.ts). Otherwise, and outside of a turn, each is a system call of its own.
 */
import { getSystemErrorName } from 'node:util';
import { parseAddress } from '../../core/net/address/index.ts';
import type { DescriptorLoop, LoopMember, LoopTask } from '../../core/os/descriptor-loop.ts';
import { EPOLLERR, EPOLLET, EPOLLHUP, EPOLLIN, EPOLLOUT, EPOLLRDHUP } from '../../core/os/libc.ts';
import { AGAIN, TcpCalls } from '../../core/os/tcp-calls.ts';
import { TcpConnector } from '../../core/os/tcp-connect.ts';
import { NodeSocket } from './node-socket.ts';
import { type BatchedSocket, SocketBatch } from './socket-batch.ts';
import {
  type OpenSocket,
  type OriginSocket,
  PROBE_AFTER,
  READ_BYTES,
  type SocketAttempt,
  type SocketOwner,
} from './sockets.ts';

/** The epoll events of a socket, registered once: an event is reported when its state changes. */
const EDGES = (EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET) >>> 0;
const BROKEN_OR_ENDED = EPOLLRDHUP | EPOLLHUP | EPOLLERR;
/** Maximum reads of one socket in a turn. */
const MAX_READS = 4;
/** Capacity of a batch in calls: more than a turn usually has. */
const BATCH = 128;
/** Bytes of the send buffer: usually a head and a part of a body. */
const SEND_BYTES = 65_536;
const EINTR = 4;
const EAGAIN = 11;
const ENOSPC = 28;
/**
 * Bytes of a read from which a socket counts as bulk and is read directly. Several such reads in a
 * row would not stay in the processor's cache.
 */
const BULK = 16_384;

const STATE = { CONNECTING: 0, OPEN: 1, CLOSED: 2 } as const;

/** Deferred work of a socket, done when the event loop has nothing else to do. */
const DEFERRED = { READ: 1, UNWRITABLE: 2, CLOSE: 4 } as const;

/** Shared by the sockets of a thread. */
interface Shared {
  readonly loop: DescriptorLoop;
  readonly calls: TcpCalls;
  readonly connector: TcpConnector;
  /** The buffers of the last read and of the current send. Their memory addresses never change. */
  readonly received: Buffer;
  readonly receivedAt: number;
  readonly sending: Buffer;
  readonly sendingAt: number;
  /** Null: calls are not batched. */
  readonly batch: SocketBatch | null;
  open: number;
}

/**
 * Opens sockets of `loop`, at most `capacity` at a time. Beyond that, and for TLS, opens sockets of
 * node. Throws if the native calls are not available. `isBatched`: calls are batched where
 * possible.
 */
export function nativeSockets(loop: DescriptorLoop, capacity: number, isBatched = true): OpenSocket {
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
    if (tls !== null || shared.open >= capacity || bytes === undefined)
      return new NodeSocket(address, port, tls, attempt, loop.calls);
    return new NativeSocket(shared, address, bytes, port, attempt);
  };
}

class NativeSocket implements OriginSocket, LoopMember, LoopTask, BatchedSocket {
  readonly joinsParts = true;
  readonly address: string;
  accepted = 0;
  readonly #port: number;
  readonly #shared: Shared;
  /** A send of this socket is in the batch, without an outcome yet. */
  isSending = false;
  fd: number;
  /** Slot in the event loop; negative: none. */
  #loopSlot = -1;
  #state: number = STATE.CONNECTING;
  /** Null once it is ready or has failed. */
  #attempt: SocketAttempt | null;
  #owner: SocketOwner | null = null;
  #due = 0;
  /** epoll has reported bytes, and they have not been read to the end. */
  #isReadable = false;
  /**
   * epoll has reported the end or an error, and will not report it again. So the socket is read
   * until it returns the end or the error.
   */
  #isEndReported = false;
  #isPaused = false;
  /** The last read was larger than BULK. */
  #isBulk = false;
  #hasPeerEnded = false;
  #hasEnded = false;
  #isClosing = false;
  /** Bytes that the kernel has not accepted yet, in order; null: none. */
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
      this.#deferFailure(-this.fd);
      return;
    }
    this.#loopSlot = shared.loop.enter(this.fd);
    if (this.#loopSlot < 0 || !shared.loop.watch(this.#loopSlot, EDGES, this)) this.#deferFailure(ENOSPC);
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

  get unacknowledged(): number {
    return this.fd < 0 ? 0 : this.#shared.calls.unacknowledged(this.fd);
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
        joinParts(batch.bytes, at, before, bytes, after);
        batch.send(this, at, length);
        return true;
      }
      joinParts(sending, 0, before, bytes, after);
      return this.#send(length);
    }
    if (this.#unsent !== null) this.#unsent.push(bytes);
    else {
      const sent = calls.sendArray(this.fd, bytes);
      if (sent > 0) this.accepted += sent;
      if (sent < AGAIN) this.#writeFailed(calls.errno);
      else if (sent < length) this.#unsent = [bytes.subarray(Math.max(0, sent))];
    }
    return !this.isFull;
  }

  resume(): void {
    this.#isPaused = false;
    if (this.#isReadable) this.#defer(DEFERRED.READ);
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
    if (!this.isFull) this.#defer(DEFERRED.CLOSE);
  }

  destroy(): void {
    this.#attempt = null;
    this.#owner = null;
    if (this.#state === STATE.CLOSED) return;
    // Flushed before the close: the descriptor may be reused by another socket.
    if (this.isSending) this.#shared.batch?.flush();
    this.#state = STATE.CLOSED;
    this.#unsent = null;
    this.#shared.open--;
    if (this.#loopSlot >= 0) this.#shared.loop.leave(this.#loopSlot);
    if (this.fd >= 0) this.#shared.calls.close(this.fd);
    this.#loopSlot = -1;
    this.fd = -1;
  }

  // From the loop.

  event(ready: number): void {
    if (this.#state === STATE.CONNECTING) this.#connected(ready);
    if (this.#state !== STATE.OPEN) return;
    if ((ready & EPOLLOUT) !== 0 && this.isFull) this.#flush();
    if ((ready & (EPOLLIN | BROKEN_OR_ENDED)) === 0) return;
    this.#isReadable = true;
    if ((ready & BROKEN_OR_ENDED) !== 0) this.#isEndReported = true;
    const { batch } = this.#shared;
    if (batch === null || this.#isBulk || this.#isPaused || this.#hasPeerEnded) this.#read();
    else batch.receive(this);
  }

  // From the batch.

  /** The outcome of a batched recv: bytes 0 to `outcome` of `buffer`, or a negated errno. */
  received(buffer: Buffer, outcome: number): void {
    if (this.#state !== STATE.OPEN) return;
    this.#take(buffer, outcome, buffer.length, -outcome);
    // A full buffer may leave bytes in the kernel. They are read outside of the batch.
    if (this.#isReadable) this.#read();
  }

  sent(buffer: Buffer, at: number, length: number, outcome: number): void {
    this.isSending = false;
    if (outcome > 0) this.accepted += outcome;
    const isAgain = outcome === -EAGAIN || outcome === -EINTR;
    if (outcome < 0 && !isAgain) this.#writeFailed(-outcome);
    else if (outcome < length) this.#unsent = [Buffer.from(buffer.subarray(at + Math.max(0, outcome), at + length))];
  }

  /** Does the deferred work. */
  runDue(): void {
    const due = this.#due;
    this.#due = 0;
    if ((due & DEFERRED.CLOSE) !== 0) this.#close(this.#error);
    else if ((due & DEFERRED.UNWRITABLE) !== 0 && this.#error !== null) this.#owner?.onWriteError(this.#error);
    if ((due & DEFERRED.READ) !== 0) this.#read();
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
    for (let n = 0; n < MAX_READS; n++) {
      if (this.#state !== STATE.OPEN || this.#isPaused || !this.#isReadable || this.#hasPeerEnded) return;
      const length = calls.receive(this.fd, receivedAt, READ_BYTES);
      this.#take(received, length, READ_BYTES, length === AGAIN ? EAGAIN : calls.errno);
    }
    if (this.#isReadable && !this.#isPaused) this.#defer(DEFERRED.READ);
  }

  /** The outcome of a recv of up to `room` bytes. `errno`: valid if `length` is negative. */
  #take(buffer: Buffer, length: number, room: number, errno: number): void {
    // A short read means that the stream has no more bytes (epoll(7)).
    if (length < room && !this.#isEndReported) this.#isReadable = false;
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

  /** Sends the first `length` bytes of the shared buffer. */
  #send(length: number): boolean {
    const { calls, sending, sendingAt } = this.#shared;
    const sent = calls.send(this.fd, sendingAt, length);
    if (sent > 0) this.accepted += sent;
    if (sent < AGAIN) this.#writeFailed(calls.errno);
    else if (sent < length) this.#unsent = [Buffer.from(sending.subarray(Math.max(0, sent), length))];
    return !this.isFull;
  }

  #flush(): void {
    const { calls } = this.#shared;
    const unsent = this.#unsent ?? [];
    for (let i = 0; i < unsent.length; i++) {
      const sent = calls.sendArray(this.fd, unsent[i]);
      if (sent > 0) this.accepted += sent;
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
    this.#defer(this.#isClosing ? DEFERRED.CLOSE : DEFERRED.UNWRITABLE);
  }

  #deferFailure(errno: number): void {
    this.#error = this.#connectError(errno);
    this.#defer(DEFERRED.CLOSE);
  }

  #connectError(errno: number): Error {
    return systemError('connect', errno, `${this.address}:${this.#port}`);
  }

  /** Destroys the socket and reports it to the attempt and the owner. */
  #close(error: Error | null): void {
    const [attempt, owner] = [this.#attempt, this.#owner];
    this.destroy();
    attempt?.onFailed(this, error ?? new Error('closed'));
    owner?.onSocketClosed(error);
  }

  #defer(due: number): void {
    if (this.#due === 0) this.#shared.loop.later(this);
    this.#due |= due;
  }
}

function joinParts(target: Buffer, at: number, before: string, bytes: Uint8Array, after: string): void {
  target.write(before, at, 'latin1');
  target.set(bytes, at + before.length);
  target.write(after, at + before.length + bytes.length, 'latin1');
}

/** An error with the message and the code that node would give it. */
function systemError(syscall: string, errno: number, subject = ''): Error {
  const code = getSystemErrorName(-errno);
  return Object.assign(new Error([syscall, code, subject].filter((word) => word !== '').join(' ')), { code, syscall });
}

/**
 * Linux calls of the TCP loop through koffi: non-blocking streams, and epoll. Addresses are plain
 * numbers, so that a call allocates nothing; the caller must keep the memory alive. Layouts are
 * those of 64-bit little-endian Linux.
 */
import koffi from 'koffi';
import { DATA_AT, EPOLL_CTL_ADD, EPOLL_CTL_DEL, EPOLL_CTL_MOD, EVENT, loadEpollControl } from './libc.ts';

export { EPOLLERR, EPOLLHUP, EPOLLIN, EPOLLOUT } from './libc.ts';

import { MSG_NOSIGNAL, MSG_PEEK, SO_LINGER, SOCK_CLOEXEC, SOCK_NONBLOCK, SOL_SOCKET } from './socket-constants.ts';

const SHUT_WR = 1;
const SIOCOUTQ = 0x5411;
const EAGAIN = 11;
const EINTR = 4;

/** No data to read, or no space to write. */
export const AGAIN = -1;
/** The connection is broken. */
export const BROKEN = -2;

export class TcpCalls {
  /** The errno of the last BROKEN call. */
  errno = 0;
  readonly #acceptCall;
  readonly #recvCall;
  readonly #sendCall;
  readonly #sendBytes;
  readonly #shutdownCall;
  readonly #setsockopt;
  readonly #closeCall;
  readonly #readCall;
  readonly #epollControl = loadEpollControl();
  readonly #ioctl;
  readonly #epollWait;
  readonly epoll: number;
  readonly #maxEvents: number;
  readonly #events: DataView<ArrayBuffer>;
  readonly #eventsAt: number;
  /** The struct sockaddr of the last accepted connection. */
  readonly peer = new Uint8Array(256);
  readonly #peerAt = addressOf(this.peer.buffer);
  readonly #peerLength = new Uint32Array(64);
  readonly #count = new Int32Array(64);
  readonly #peerLengthAt = addressOf(this.#peerLength.buffer);

  /** `maxEvents`: maximum events of one `wait`. Throws if the calls are unavailable. */
  constructor(maxEvents = 128) {
    this.#maxEvents = maxEvents;
    this.#events = new DataView(new ArrayBuffer(EVENT * maxEvents));
    this.#eventsAt = addressOf(this.#events.buffer);
    const libc = koffi.load(null);
    this.#acceptCall = libc.func('int accept4(int, uintptr_t, uintptr_t, int)');
    this.#recvCall = libc.func('long recv(int, uintptr_t, size_t, int)');
    this.#sendCall = libc.func('long send(int, uintptr_t, size_t, int)');
    this.#sendBytes = libc.func('long send(int, void*, size_t, int)');
    this.#shutdownCall = libc.func('int shutdown(int, int)');
    this.#setsockopt = libc.func('int setsockopt(int, int, int, void*, uint)');
    this.#closeCall = libc.func('int close(int)');
    this.#readCall = libc.func('long read(int, void*, size_t)');
    this.#ioctl = libc.func('int ioctl(int, ulong, void*)');
    this.#epollWait = libc.func('int epoll_wait(int, uintptr_t, int, int)');
    this.epoll = libc.func('int epoll_create1(int)')(SOCK_CLOEXEC);
    if (this.epoll < 0) throw new Error(`epoll_create1: errno ${koffi.errno()}`);
  }

  /** The memory address of `bytes`. They must be outside V8's heap: 256 bytes or more. */
  static address(bytes: Uint8Array): number {
    return Number(koffi.address(bytes));
  }

  /**
   * Accepts the next connection, with its address in `peer`. AGAIN: none is pending. BROKEN: a
   * connection is pending, but no descriptor is available.
   */
  accept(fd: number): number {
    this.#peerLength[0] = this.peer.length;
    const accepted: number = this.#acceptCall(fd, this.#peerAt, this.#peerLengthAt, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (accepted >= 0) return accepted;
    // EMFILE, ENFILE, ENOBUFS, ENOMEM. All other errors mean that the connection has closed
    // (accept(2)).
    return [24, 23, 105, 12].includes(koffi.errno()) ? BROKEN : AGAIN;
  }

  /** Returns the received bytes, 0 at the end of the stream, AGAIN or BROKEN. */
  receive(fd: number, address: number, room: number): number {
    return this.#outcome(this.#recvCall(fd, address, room, 0));
  }

  /** The same as `receive`, but the data stays in the socket. */
  peek(fd: number, address: number, room: number): number {
    return this.#outcome(this.#recvCall(fd, address, room, MSG_PEEK));
  }

  /** Returns the bytes that the kernel accepted, AGAIN or BROKEN. */
  send(fd: number, address: number, length: number): number {
    return this.#outcome(this.#sendCall(fd, address, length, MSG_NOSIGNAL));
  }

  /** The same as `send` for bytes in any memory. */
  sendArray(fd: number, bytes: Uint8Array): number {
    return this.#outcome(this.#sendBytes(fd, bytes, bytes.length, MSG_NOSIGNAL));
  }

  /** Closes the sending side; the socket can still receive. */
  finish(fd: number): void {
    this.#shutdownCall(fd, SHUT_WR);
  }

  close(fd: number): void {
    this.#closeCall(fd);
  }

  /** Bytes that the peer has not acknowledged (SIOCOUTQ, tcp(7)). */
  unacknowledged(fd: number): number {
    return this.#ioctl(fd, SIOCOUTQ, this.#count) === 0 ? this.#count[0] : 0;
  }

  /** Closes with a TCP reset: the kernel discards unsent data and frees its memory. */
  reset(fd: number): void {
    this.#setsockopt(fd, SOL_SOCKET, SO_LINGER, RESET, RESET.length);
    this.#closeCall(fd);
  }

  /** Empties an eventfd. */
  clear(fd: number): void {
    this.#readCall(fd, this.peer, 8);
  }

  /** Watches `events` of `fd`; `tag` is below 2^32. False: the kernel has reached a limit. */
  watch(fd: number, tag: number, events: number): boolean {
    return this.#control(EPOLL_CTL_ADD, fd, tag, events);
  }

  /** Changes the events of a watched descriptor. Closing a descriptor removes it. */
  change(fd: number, tag: number, events: number): boolean {
    return this.#control(EPOLL_CTL_MOD, fd, tag, events);
  }

  /** Stops watching a descriptor without closing it. */
  unwatch(fd: number): void {
    this.#control(EPOLL_CTL_DEL, fd, 0, 0);
  }

  /** Waits at most `ms` milliseconds. Returns the number of ready descriptors. */
  wait(ms: number): number {
    return this.#epollWait(this.epoll, this.#eventsAt, this.#maxEvents, ms);
  }

  tag(i: number): number {
    return this.#events.getUint32(i * EVENT + DATA_AT, true);
  }

  ready(i: number): number {
    return this.#events.getUint32(i * EVENT, true);
  }

  #outcome(n: number): number {
    if (n >= 0) return n;
    const errno = koffi.errno();
    if (errno === EAGAIN || errno === EINTR) return AGAIN;
    this.errno = errno;
    return BROKEN;
  }

  #control(operation: number, fd: number, tag: number, events: number): boolean {
    return this.#epollControl(this.epoll, operation, fd, tag, events);
  }
}

function addressOf(buffer: ArrayBufferLike): number {
  return Number(koffi.address(new Uint8Array(buffer)));
}

/** struct linger: enabled, with a timeout of 0. */
const RESET = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0);

/**
 * TCP on loopback without Node's streams: sockets that don't block, and epoll, through koffi. Linux
 * on 64-bit little-endian only. An epoll_event is packed on x86-64: events (4), data (8), 12 bytes
 * in all; on other machines it is 16 with the data at 8.
 */
import koffi from 'koffi';
import { addressOf } from '../dns/udp.ts';

const AF_INET = 2;
const SOCK_STREAM = 1;
const SOCK_NONBLOCK = 0o4000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;
const IPPROTO_TCP = 6;
const TCP_NODELAY = 1;
const IPPROTO_IP = 0;
const IP_BIND_ADDRESS_NO_PORT = 24;
const MSG_NOSIGNAL = 0x4000;
const EPOLL_CTL_ADD = 1;
const EPOLL_CTL_MOD = 3;
const EPOLLIN = 1;
const EPOLLOUT = 4;
const EAGAIN = 11;
const ENOTCONN = 107;
const EINPROGRESS = 115;
const EINTR = 4;
const EVENT = process.arch === 'x64' ? 12 : 16;
const DATA_AT = EVENT - 8;

const libc = koffi.load(null);
const socketCall = libc.func('int socket(int, int, int)');
const setsockopt = libc.func('int setsockopt(int, int, int, void*, uint)');
const bindCall = libc.func('int bind(int, void*, uint)');
const listenCall = libc.func('int listen(int, int)');
const acceptCall = libc.func('int accept4(int, void*, void*, int)');
const connectCall = libc.func('int connect(int, void*, uint)');
const sendCall = libc.func('long send(int, uintptr_t, size_t, int)');
const recvCall = libc.func('long recv(int, uintptr_t, size_t, int)');
const closeCall = libc.func('int close(int)');
const epollCreate = libc.func('int epoll_create1(int)');
const epollCtl = libc.func('int epoll_ctl(int, int, int, void*)');
const epollWait = libc.func('int epoll_wait(int, void*, int, int)');

/** 127.0.0.`host`:`port` as a sockaddr_in. */
function address(port: number, host = 1): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set([127, 0, 0, host], 4);
  return bytes;
}

const ON = Buffer.from([1, 0, 0, 0]);

function fail(call: string): never {
  throw new Error(`${call}: errno ${koffi.errno()}`);
}

function open(): number {
  const fd: number = socketCall(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
  if (fd < 0) fail('socket');
  return fd;
}

let targetPort = 0;
let target = address(0);
/**
 * Connections come from so many addresses in turn: a closed one keeps its port for a minute
 * (TIME-WAIT, RFC 9293 3.6.1), and the 28,000 ports of one address are used up in a second.
 */
const sources = Array.from({ length: 128 }, (_, i) => address(0, 100 + i));
let source = 0;

/**
 * A connection to 127.0.0.1:`port` that is made, or being made, from an address in 127.0.0.0/24.
 * Returns the descriptor.
 */
export function connectTo(port: number): number {
  if (port !== targetPort) {
    targetPort = port;
    target = address(port);
  }
  const fd = open();
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, ON, 4);
  setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, ON, 4);
  source = (source + 1) & 127;
  if (bindCall(fd, sources[source], 16) < 0) fail('bind');
  if (connectCall(fd, target, 16) < 0 && koffi.errno() !== EINPROGRESS) fail(`connect to 127.0.0.1:${port}`);
  return fd;
}

/** A socket that listens on 127.0.0.1:`port`. */
export function listenOn(port: number): number {
  const fd = open();
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, ON, 4);
  if (bindCall(fd, address(port), 16) < 0) fail(`bind 127.0.0.1:${port}`);
  if (listenCall(fd, 1024) < 0) fail('listen');
  return fd;
}

/** The next connection, or -1 when none waits. */
export function accept(fd: number): number {
  const accepted: number = acceptCall(fd, null, null, SOCK_NONBLOCK);
  if (accepted >= 0) setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, ON, 4);
  return accepted;
}

export function close(fd: number): void {
  closeCall(fd);
}

/** Nothing to read or no room now. */
export const AGAIN = -1;
/** The connection is broken. */
export const BROKEN = -2;

function outcome(n: number): number {
  if (n >= 0) return n;
  const errno = koffi.errno();
  return errno === EAGAIN || errno === ENOTCONN || errno === EINTR ? AGAIN : BROKEN;
}

/** Bytes whose place in memory is known to the kernel: made once, kept for ever. */
export class Area {
  readonly bytes: Buffer;
  readonly #at: number;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#at = addressOf(bytes);
  }

  /** Sends the bytes from `from` to `to`. Returns how many the kernel took, AGAIN or BROKEN. */
  send(fd: number, from: number, to: number): number {
    return outcome(Number(sendCall(fd, this.#at + from, to - from, MSG_NOSIGNAL)));
  }

  /**
   * Reads into the bytes from `from` on. Returns how many came, 0 at the end of the stream, AGAIN
   * or BROKEN.
   */
  receive(fd: number, from: number): number {
    return outcome(Number(recvCall(fd, this.#at + from, this.bytes.length - from, 0)));
  }
}

const MAX_EVENTS = 256;

/** Which of many descriptors can be read, or written; level-triggered. */
export class Poll {
  readonly #fd: number;
  readonly #event = Buffer.alloc(EVENT);
  readonly #events = Buffer.alloc(EVENT * MAX_EVENTS);

  constructor() {
    this.#fd = epollCreate(0);
    if (this.#fd < 0) fail('epoll_create1');
  }

  /**
   * `tag`: what `tag(i)` gives back, a whole number below 2^32. A closed descriptor leaves by
   * itself.
   */
  watch(fd: number, tag: number, writable: boolean, isKnown = false): void {
    this.#event.writeUInt32LE(writable ? EPOLLIN | EPOLLOUT : EPOLLIN, 0);
    this.#event.writeUInt32LE(tag, DATA_AT);
    if (epollCtl(this.#fd, isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, this.#event) < 0) fail('epoll_ctl');
  }

  /** Waits at most `ms` milliseconds. Returns how many descriptors are ready. */
  wait(ms: number): number {
    return Math.max(0, epollWait(this.#fd, this.#events, MAX_EVENTS, ms));
  }

  tag(i: number): number {
    return this.#events.readUInt32LE(i * EVENT + DATA_AT);
  }
}

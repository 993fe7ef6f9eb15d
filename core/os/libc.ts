/**
 * Linux socket calls through koffi. Only 64-bit little-endian Linux is supported, where the layout
 * of the structures is fixed.
 */

import { endianness } from 'node:os';
import koffi from 'koffi';
import type { ListenAddress } from '../config/index.ts';
import { ipv6Bytes } from '../net/address/ipv6.ts';
import {
  AF_INET,
  AF_INET6,
  IP_PKTINFO,
  IPPROTO_IP,
  IPPROTO_IPV6,
  IPPROTO_TCP,
  IPV6_RECVPKTINFO,
  IPV6_V6ONLY,
  SO_KEEPALIVE,
  SO_RCVBUF,
  SO_RCVTIMEO,
  SO_REUSEADDR,
  SO_REUSEPORT,
  SO_SNDBUF,
  SOCK_CLOEXEC,
  SOCK_DGRAM,
  SOCK_NONBLOCK,
  SOCK_STREAM,
  SOL_SOCKET,
  TCP_FASTOPEN,
  TCP_KEEPCNT,
  TCP_KEEPIDLE,
  TCP_KEEPINTVL,
  TCP_NODELAY,
  TCP_NOTSENT_LOWAT,
} from './socket-constants.ts';

export const EPOLL_CTL_ADD = 1;
export const EPOLL_CTL_DEL = 2;
export const EPOLL_CTL_MOD = 3;
export const EPOLLIN = 1;
export const EPOLLOUT = 4;
export const EPOLLERR = 8;
export const EPOLLHUP = 16;
export const EPOLLRDHUP = 0x2000;
export const EPOLLET = 0x8000_0000;

/** Bytes of an event, and the offset of the tag in it. */
export const EVENT = process.arch === 'x64' ? 12 : 16;
export const DATA_AT = EVENT - 8;

const F_DUPFD_CLOEXEC = 1030;

/**
 * A peer that leaves this number of keep-alive probes unanswered is disconnected; the interval is
 * in seconds.
 */
const KEEP_ALIVE_PROBES = 4;
const KEEP_ALIVE_INTERVAL = 15;

export const EINTR = 4;

export interface Libc {
  recvmmsg(fd: number, messages: Uint8Array, count: number, flags: number, timeout: null): number;
  sendmmsg(fd: number, messages: Uint8Array, count: number, flags: number): number;
  poll(fds: Uint8Array, count: number, milliseconds: number): number;
  close(fd: number): number;
  errno(): number;
  address(bytes: Uint8Array): bigint;
}

interface TcpOptions {
  /**
   * Maximum unsent bytes in the kernel (TCP_NOTSENT_LOWAT), so that a client that reads nothing
   * uses no more memory.
   */
  readonly unsent?: number;
  /**
   * Other sockets can listen on the same port; the kernel distributes connections over them
   * (SO_REUSEPORT).
   */
  readonly sharesPort: boolean;
  /**
   * Idle seconds before the kernel sends keep-alive probes and closes the connection if they are
   * not answered. Omitted: no probes.
   */
  readonly keepAlive?: number;
  /** Bytes. Omitted: the kernel sizes the buffers for each connection. */
  readonly buffers?: { readonly receive: number; readonly send: number };
}

/** Throws if the calls are unavailable. */
export function loadLibc(): Libc & {
  openUdp(listen: ListenAddress, timeoutMs: number): number;
  openTcp(listen: ListenAddress, options?: TcpOptions): number;
  duplicate(fd: number): number;
  openEvent(): number;
  signalEvent(fd: number): void;
} {
  if (process.platform !== 'linux' || endianness() !== 'LE' || !['x64', 'arm64'].includes(process.arch))
    throw new Error(`batched packets require 64-bit Linux, but this is ${process.platform} on ${process.arch}`);
  const libc = koffi.load(null);
  const socket = libc.func('int socket(int, int, int)');
  const setsockopt = libc.func('int setsockopt(int, int, int, void*, uint)');
  const bind = libc.func('int bind(int, void*, uint)');
  const close = libc.func('int close(int)');
  const listenCall = libc.func('int listen(int, int)');
  const eventfd = libc.func('int eventfd(uint, int)');
  const write = libc.func('long write(int, void*, size_t)');
  const fcntl = libc.func('int fcntl(int, int, ...)');
  const set = (fd: number, level: number, option: number, ...words: number[]): boolean => {
    const value = Buffer.alloc(words.length * 4);
    words.forEach((word, i) => {
      value.writeInt32LE(word, i * 4);
    });
    return setsockopt(fd, level, option, value, value.length) === 0;
  };

  const failure =
    (protocol: string, fd: number, listen: ListenAddress) =>
    (call: string): never => {
      const errno = koffi.errno();
      if (fd >= 0) close(fd);
      throw Object.assign(
        new Error(`${call} for ${protocol} ${listen.address} port ${listen.port}: errno ${errno}${explain(errno)}`),
        { errno },
      );
    };

  /** Opens a non-blocking listening socket. Accepted connections inherit its options. */
  function openTcp(listen: ListenAddress, options: TcpOptions = DNS_STREAM): number {
    const six = listen.family === 6;
    const fd: number = socket(six ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    const fail = failure('TCP', fd, listen);
    if (fd < 0) fail('socket');
    if (!set(fd, SOL_SOCKET, SO_REUSEADDR, 1) || !set(fd, IPPROTO_TCP, TCP_NODELAY, 1)) fail('setsockopt');
    if (options.sharesPort && !set(fd, SOL_SOCKET, SO_REUSEPORT, 1)) fail('setsockopt');
    if (options.keepAlive !== undefined) {
      set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
      set(fd, IPPROTO_TCP, TCP_KEEPIDLE, options.keepAlive);
      set(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEP_ALIVE_INTERVAL);
      set(fd, IPPROTO_TCP, TCP_KEEPCNT, KEEP_ALIVE_PROBES);
    }
    if (options.unsent !== undefined) set(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, options.unsent);
    if (options.buffers !== undefined) {
      set(fd, SOL_SOCKET, SO_RCVBUF, options.buffers.receive);
      set(fd, SOL_SOCKET, SO_SNDBUF, options.buffers.send);
    }
    if (six) set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    const name = socketAddress(listen);
    if (bind(fd, name, name.length) !== 0) fail('bind');
    // RFC 7413, RFC 7766 section 5. Optional: errors are ignored.
    set(fd, IPPROTO_TCP, TCP_FASTOPEN, FASTOPEN_QUEUE);
    if (listenCall(fd, BACKLOG) !== 0) fail('listen');
    return fd;
  }

  function openUdp(listen: ListenAddress, timeoutMs: number): number {
    const six = listen.family === 6;
    const fd: number = socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    const fail = failure('UDP', fd, listen);
    if (fd < 0) fail('socket');
    if (!set(fd, SOL_SOCKET, SO_REUSEADDR, 1) || !set(fd, SOL_SOCKET, SO_REUSEPORT, 1)) fail('setsockopt');
    // The kernel limits the size (net.core.rmem_max); a smaller buffer is no error.
    set(fd, SOL_SOCKET, SO_RCVBUF, SOCKET_BUFFER);
    set(fd, SOL_SOCKET, SO_SNDBUF, SOCKET_BUFFER);
    set(fd, SOL_SOCKET, SO_RCVTIMEO, Math.floor(timeoutMs / 1000), 0, (timeoutMs % 1000) * 1000, 0);
    if (six) set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    // On a wildcard address, the response must have the destination address of the query as its
    // source.
    if (isAny(listen.address)) {
      if (six ? !set(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1) : !set(fd, IPPROTO_IP, IP_PKTINFO, 1))
        fail('setsockopt PKTINFO');
    }
    const name = socketAddress(listen);
    if (bind(fd, name, name.length) !== 0) fail('bind');
    return fd;
  }

  return {
    recvmmsg: libc.func('int recvmmsg(int, void*, uint, int, void*)') as Libc['recvmmsg'],
    sendmmsg: libc.func('int sendmmsg(int, void*, uint, int)') as Libc['sendmmsg'],
    poll: libc.func('int poll(void*, unsigned long, int)') as Libc['poll'],
    close: close as Libc['close'],
    errno: () => koffi.errno(),
    address: (bytes) => BigInt(koffi.address(bytes)),
    openUdp,
    openTcp,
    /** Another descriptor of the same socket, which stays open until both are closed. */
    duplicate(fd) {
      const copy: number = fcntl(fd, F_DUPFD_CLOEXEC, 'int', 0);
      if (copy < 0) throw new Error(`fcntl: errno ${koffi.errno()}`);
      return copy;
    },
    openEvent() {
      const fd: number = eventfd(0, SOCK_NONBLOCK | SOCK_CLOEXEC);
      if (fd < 0) throw new Error(`eventfd: errno ${koffi.errno()}`);
      return fd;
    },
    signalEvent(fd) {
      write(fd, ONE, ONE.length);
    },
  };
}

/** Maximum number of connections that wait to be accepted. */
const BACKLOG = 1024;
const FASTOPEN_QUEUE = 256;
/**
 * Fixed kernel buffers of a connection: they bound the memory of a client that reads or sends
 * slowly.
 */
const DNS_STREAM: TcpOptions = { sharesPort: false, buffers: { receive: 64 * 1024, send: 512 * 1024 } };
/** The value to write to an eventfd: 1 as 64 bits. */
const ONE = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 0);
/** Bytes; the buffer holds bursts while the thread answers a batch. */
const SOCKET_BUFFER = 4 << 20;

export function isAny(address: string): boolean {
  return address === '0.0.0.0' || address === '::';
}

function explain(errno: number): string {
  if (errno === 98) return ' (address in use; another nameserver is listening)';
  if (errno === 13) return ' (permission denied; ports below 1024 require CAP_NET_BIND_SERVICE)';
  if (errno === 99) return ' (this machine does not have the address)';
  return '';
}

/** struct sockaddr_in or sockaddr_in6. */
function socketAddress({ address, port, family }: ListenAddress): Buffer {
  const bytes = Buffer.alloc(family === 4 ? 16 : 28);
  bytes.writeUInt16LE(family === 4 ? AF_INET : AF_INET6, 0);
  bytes.writeUInt16BE(port, 2);
  if (family === 4) bytes.set(address.split('.').map(Number), 4);
  else bytes.set(ipv6Bytes(address), 8);
  return bytes;
}

/** `tag` is returned with each event; below 2^32. False: the call failed. */
type EpollControl = (epoll: number, operation: number, fd: number, tag: number, events: number) => boolean;

/**
 * epoll_ctl(2) through koffi. `struct epoll_event` is packed on x86-64. Throws if the call is
 * unavailable.
 */
export function loadEpollControl(): EpollControl {
  const call = koffi.load(null).func('int epoll_ctl(int, int, int, uintptr_t)');
  // Larger than buffers in the heap of V8, which can move.
  const event = new DataView(new ArrayBuffer(256));
  const address = Number(koffi.address(new Uint8Array(event.buffer)));
  return (epoll, operation, fd, tag, events) => {
    event.setUint32(0, events, true);
    event.setUint32(DATA_AT, tag, true);
    return call(epoll, operation, fd, address) === 0;
  };
}

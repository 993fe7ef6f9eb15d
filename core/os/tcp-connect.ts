/**
 * Non-blocking TCP connects (Linux, through koffi). Layouts are those of 64-bit little-endian
 * Linux.
 */
import koffi from 'koffi';
import {
  AF_INET,
  AF_INET6,
  IPPROTO_TCP,
  SO_ERROR,
  SO_KEEPALIVE,
  SOCK_CLOEXEC,
  SOCK_NONBLOCK,
  SOCK_STREAM,
  SOL_SOCKET,
  TCP_KEEPCNT,
  TCP_KEEPIDLE,
  TCP_KEEPINTVL,
  TCP_NODELAY,
} from './socket-constants.ts';

const EINPROGRESS = 115;
const EBADF = 9;

/**
 * Seconds between keep-alive probes, and the number of unanswered probes that closes a connection:
 * the values of libuv.
 */
const PROBE_INTERVAL = 1;
const PROBES = 10;

/** Bytes of struct sockaddr_in and sockaddr_in6, and the offset of the address. */
const NAME_V4 = { bytes: 16, at: 4 } as const;
const NAME_V6 = { bytes: 28, at: 8 } as const;

export class TcpConnector {
  readonly #socket;
  readonly #connect;
  readonly #setsockopt;
  readonly #getsockopt;
  readonly #close;
  readonly #name = Buffer.alloc(NAME_V6.bytes);
  readonly #value = new Int32Array(1);
  readonly #length = new Uint32Array(1);

  /** Throws if the calls are unavailable. */
  constructor() {
    const libc = koffi.load(null);
    this.#socket = libc.func('int socket(int, int, int)');
    this.#connect = libc.func('int connect(int, void*, uint)');
    this.#setsockopt = libc.func('int setsockopt(int, int, int, void*, uint)');
    this.#getsockopt = libc.func('int getsockopt(int, int, int, void*, void*)');
    this.#close = libc.func('int close(int)');
  }

  /**
   * Starts a connection without Nagle's algorithm. Returns a descriptor, or a negated errno. When
   * the socket is writable or broken, `errorOf` returns the result. `address`: 4 or 16 bytes.
   * `probeAfter`: idle seconds before keep-alive probes.
   */
  connect(address: Uint8Array, port: number, probeAfter: number): number {
    const isV4 = address.length === 4;
    const fd: number = this.#socket(isV4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return -koffi.errno();
    this.#set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    this.#set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    this.#set(fd, IPPROTO_TCP, TCP_KEEPIDLE, probeAfter);
    this.#set(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_INTERVAL);
    this.#set(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
    const { bytes, at } = isV4 ? NAME_V4 : NAME_V6;
    const name = this.#name.fill(0);
    name.writeUInt16LE(isV4 ? AF_INET : AF_INET6, 0);
    name.writeUInt16BE(port, 2);
    name.set(address, at);
    if (this.#connect(fd, name, bytes) === 0) return fd;
    const errno = koffi.errno();
    if (errno === EINPROGRESS) return fd;
    this.#close(fd);
    return -errno;
  }

  /** The errno of a failed connect; 0: connected. */
  errorOf(fd: number): number {
    this.#length[0] = this.#value.byteLength;
    return this.#getsockopt(fd, SOL_SOCKET, SO_ERROR, this.#value, this.#length) === 0 ? this.#value[0] : EBADF;
  }

  #set(fd: number, level: number, option: number, value: number): void {
    this.#value[0] = value;
    this.#setsockopt(fd, level, option, this.#value, this.#value.byteLength);
  }
}

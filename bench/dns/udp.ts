/**
 * The generator's way to the kernel: connected UDP sockets, recvmmsg and sendmmsg, through koffi.
 * Linux on 64-bit little-endian only.
 *
 * A mmsghdr is 64 bytes (msghdr 56: name, namelen, iov, iovlen, control, controllen, flags; then
 * msg_len 4 and padding), an iovec 16 (base, length). The kernel knows these buffers by address and
 * the garbage collector does not know that: the maker of a batch keeps it reachable for as long as
 * the process runs (`held`).
 */
import koffi from 'koffi';

const AF_INET = 2;
const SOCK_DGRAM = 2;
const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
export const MSG_DONTWAIT = 0x40;
const MSG_WAITFORONE = 0x1_0000;
/**
 * Of a socket's buffer: room for thousands of answers, so that none is lost on the generator's
 * side.
 */
const SOCKET_BUFFER = 4 << 20;
const ECONNREFUSED = 111;

const libc = koffi.load(null);
const socket = libc.func('int socket(int, int, int)');
const setsockopt = libc.func('int setsockopt(int, int, int, void*, uint)');
const bind = libc.func('int bind(int, void*, uint)');
const connect = libc.func('int connect(int, void*, uint)');
const recvmmsg = libc.func('int recvmmsg(int, void*, uint, int, void*)');
const sendmmsg = libc.func('int sendmmsg(int, void*, uint, int)');

const held: unknown[] = [];

const LOOPBACK = [127, 0, 0, 1];

function address(port: number, host: readonly number[] = LOOPBACK): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt16LE(AF_INET, 0);
  bytes.writeUInt16BE(port, 2);
  bytes.set(host, 4);
  return bytes;
}

/**
 * A UDP socket on 127.0.0.1: bound to `port`, or connected to it from a free port, by default of
 * the same address. Returns the descriptor.
 */
export function openSocket(how: 'bind' | 'connect', port: number, from: readonly number[] = LOOPBACK): number {
  const fd: number = socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0) throw new Error(`socket: errno ${koffi.errno()}`);
  const size = Buffer.alloc(4);
  size.writeInt32LE(SOCKET_BUFFER);
  setsockopt(fd, SOL_SOCKET, SO_RCVBUF, size, 4);
  setsockopt(fd, SOL_SOCKET, SO_SNDBUF, size, 4);
  if (how === 'connect' && bind(fd, address(0, from), 16) < 0)
    throw new Error(`bind ${from.join('.')}: errno ${koffi.errno()}`);
  if ((how === 'bind' ? bind : connect)(fd, address(port), 16) < 0)
    throw new Error(`${how} 127.0.0.1:${port}: errno ${koffi.errno()}`);
  return fd;
}

/** Where the bytes are in this process. Below 2^47, so a number holds it exactly. */
export function addressOf(bytes: Uint8Array): number {
  held.push(bytes);
  return Number(koffi.address(bytes));
}

/**
 * A vector of messages, each one buffer. `base` and `length` of message i may be set before a call.
 */
export class Batch {
  readonly size: number;
  readonly #headers: Buffer;
  readonly #header32: Uint32Array;
  readonly #vector32: Uint32Array;

  /** `peers`: room for each message's address, for a socket that is not connected. */
  constructor(size: number, peers = false) {
    this.size = size;
    this.#headers = Buffer.alloc(size * 64);
    const vectors = Buffer.alloc(size * 16);
    const names = Buffer.alloc(size * 16);
    this.#header32 = new Uint32Array(this.#headers.buffer, this.#headers.byteOffset, size * 16);
    this.#vector32 = new Uint32Array(vectors.buffer, vectors.byteOffset, size * 4);
    const vectorsAt = addressOf(vectors);
    const namesAt = addressOf(names);
    for (let i = 0; i < size; i++) {
      if (peers) {
        this.#headers.writeBigUInt64LE(BigInt(namesAt + i * 16), i * 64);
        this.#headers.writeUInt32LE(16, i * 64 + 8);
      }
      this.#headers.writeBigUInt64LE(BigInt(vectorsAt + i * 16), i * 64 + 16);
      this.#headers.writeBigUInt64LE(1n, i * 64 + 24);
    }
    held.push(this, this.#headers);
  }

  point(i: number, base: number, length: number): void {
    this.#vector32[i * 4] = base; // modulo 2^32
    this.#vector32[i * 4 + 1] = base / 0x1_0000_0000;
    this.#vector32[i * 4 + 2] = length;
  }

  /** Bytes of message i after receive(). */
  received(i: number): number {
    return this.#header32[i * 16 + 14];
  }

  /**
   * Messages taken, at least one when `wait`, or 0. Throws an Error when no socket listens at the
   * other end.
   */
  receive(fd: number, wait: boolean): number {
    const n: number = recvmmsg(fd, this.#headers, this.size, wait ? MSG_WAITFORONE : MSG_DONTWAIT, null);
    if (n < 0) this.#check('recvmmsg');
    return Math.max(n, 0);
  }

  /** Sends the first `count` messages. Returns how many the kernel took. */
  send(fd: number, count: number): number {
    const n: number = sendmmsg(fd, this.#headers, count, 0);
    if (n < 0) this.#check('sendmmsg');
    return Math.max(n, 0);
  }

  #check(call: string): void {
    const errno = koffi.errno();
    if (errno === ECONNREFUSED) throw new Error(`${call}: no socket listens on that port.`);
  }
}

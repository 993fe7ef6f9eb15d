/** What a service tells systemd: sd_notify(3), datagrams to the socket that NOTIFY_SOCKET names. Node has no datagrams of AF_UNIX, so they leave by the C library. */
import koffi from 'koffi';

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_NONBLOCK = 0o4000;
const SOCK_CLOEXEC = 0o2000000;
const MSG_NOSIGNAL = 0x4000;
/** struct sockaddr_un: a family of 16 bits before the path, which ends with a zero. */
const MAX_PATH = 107;
/** Milliseconds until what did not get through is sent again. */
const AGAIN = 100;
const TRIES = 50;

export class Notifier {
  readonly #fd: number;
  readonly #address: Buffer;
  readonly #sendto: (fd: number, bytes: Buffer, size: number, flags: number, to: Buffer, length: number) => number;
  readonly #close: (fd: number) => number;
  #isClosed = false;

  /** `path`: of a socket, or behind an `@` its name in the abstract namespace. Throws Error. */
  constructor(path: string) {
    const bytes = Buffer.from(path);
    if (!/^[@/]./.test(path) || bytes.length > MAX_PATH) throw new Error(`NOTIFY_SOCKET is no socket's path: ${path}`);
    const isAbstract = path.startsWith('@');
    // The name of an abstract one begins with a zero, and ends where the address does.
    if (isAbstract) bytes[0] = 0;
    const family = Buffer.alloc(2);
    new Uint16Array(family.buffer, family.byteOffset, 1)[0] = AF_UNIX;
    this.#address = Buffer.concat([family, bytes, Buffer.alloc(isAbstract ? 0 : 1)]);
    const libc = koffi.load(null);
    this.#sendto = libc.func('long sendto(int, void*, size_t, int, void*, uint)');
    this.#close = libc.func('int close(int)');
    this.#fd = libc.func('int socket(int, int, int)')(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (this.#fd < 0) throw new Error(`socket: errno ${koffi.errno()}`);
  }

  /** One datagram of assignments such as `READY=1`; sent again for some seconds while systemd takes none. */
  send(...assignments: readonly string[]): void {
    // A line feed would begin another assignment.
    const bytes = Buffer.from(assignments.map((one) => one.replace(/\n/g, ' ')).join('\n'));
    this.#send(bytes, TRIES);
  }

  close(): void {
    this.#isClosed = true;
    this.#close(this.#fd);
  }

  #send(bytes: Buffer, tries: number): void {
    if (this.#isClosed || tries === 0) return;
    const sent = this.#sendto(this.#fd, bytes, bytes.length, MSG_NOSIGNAL, this.#address, this.#address.length);
    if (sent < 0) setTimeout(() => this.#send(bytes, tries - 1), AGAIN).unref();
  }
}

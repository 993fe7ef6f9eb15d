/**
 * What a service tells systemd: sd_notify(3), datagrams to the socket that NOTIFY_SOCKET names.
 * Node has no datagrams of AF_UNIX, so they leave by the C library.
 */
import koffi from 'koffi';
import { AF_UNIX, MSG_NOSIGNAL, SOCK_CLOEXEC, SOCK_DGRAM, SOCK_NONBLOCK } from '../socket-constants.ts';

/** struct sockaddr_un: a family of 16 bits before the path, which ends with a zero. */
const MAX_PATH = 107;
/** Milliseconds until what did not get through is sent again, and for how long. */
const AGAIN = 100;
const KEPT = 5000;

export class Notifier {
  readonly #fd: number;
  readonly #address: Buffer;
  readonly #sendto: (fd: number, bytes: Buffer, size: number, flags: number, to: Buffer, length: number) => number;
  readonly #close: (fd: number) => number;
  /**
   * What systemd has not taken yet, in its order: a RELOADING that came behind the READY of its end
   * would stand for good. `until` is of performance.now().
   */
  readonly #waiting: { readonly bytes: Buffer; readonly until: number }[] = [];
  #again: NodeJS.Timeout | undefined;

  /** `path`: of a socket, or behind an `@` its name in the abstract namespace. Throws Error. */
  constructor(path: string) {
    const bytes = Buffer.from(path);
    if (!/^[@/]./.test(path) || bytes.length > MAX_PATH)
      throw new Error(`NOTIFY_SOCKET is not the path of a socket: ${path}`);
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

  /**
   * One datagram of assignments such as `READY=1`; sent again for some seconds while systemd takes
   * none.
   */
  send(...assignments: readonly string[]): void {
    // A line feed would begin another assignment.
    const bytes = Buffer.from(assignments.map((assignment) => assignment.replace(/\n/g, ' ')).join('\n'));
    this.#waiting.push({ bytes, until: performance.now() + KEPT });
    if (this.#waiting.length === 1) this.#pass();
  }

  close(): void {
    clearTimeout(this.#again);
    this.#waiting.length = 0;
    this.#close(this.#fd);
  }

  #pass(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const { bytes, until } = next;
      const sent = this.#sendto(this.#fd, bytes, bytes.length, MSG_NOSIGNAL, this.#address, this.#address.length);
      if (sent < 0 && performance.now() < until) break;
      this.#waiting.shift();
    }
    this.#again = setTimeout(() => this.#pass(), AGAIN).unref();
  }
}

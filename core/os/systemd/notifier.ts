/**
 * Sends notifications to systemd (sd_notify(3)): datagrams to the socket NOTIFY_SOCKET. Node does
 * not support datagrams of AF_UNIX, so koffi calls the C library.
 */
import koffi from 'koffi';
import { AF_UNIX, MSG_NOSIGNAL, SOCK_CLOEXEC, SOCK_DGRAM, SOCK_NONBLOCK } from '../socket-constants.ts';

/** struct sockaddr_un: a family of 16 bits, then the path with a terminating zero. */
const MAX_PATH = 107;
/** Milliseconds between retries of a notification, and the deadline of retries. */
const RETRY_MS = 100;
const RETRY_FOR_MS = 5000;

export class Notifier {
  readonly #fd: number;
  readonly #address: Buffer;
  readonly #sendto: (fd: number, bytes: Buffer, size: number, flags: number, to: Buffer, length: number) => number;
  readonly #close: (fd: number) => number;
  /**
   * Notifications in order that systemd has not accepted. A late RELOADING after its READY would
   * never be cleared. `until`: deadline by performance.now().
   */
  readonly #waiting: { readonly bytes: Buffer; readonly until: number }[] = [];
  #retryTimer: NodeJS.Timeout | undefined;

  /** `path`: path of a socket, or `@` and a name in the abstract namespace. Throws Error. */
  constructor(path: string) {
    const bytes = Buffer.from(path);
    if (!/^[@/]./.test(path) || bytes.length > MAX_PATH)
      throw new Error(`NOTIFY_SOCKET is not the path of a socket: ${path}`);
    const isAbstract = path.startsWith('@');
    // An abstract name starts with a zero byte and has no terminating zero.
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
   * Sends a datagram of assignments such as `READY=1`. Retries for some seconds if systemd does not
   * accept it.
   */
  send(...assignments: readonly string[]): void {
    // A line feed would start another assignment.
    const bytes = Buffer.from(assignments.map((assignment) => assignment.replace(/\n/g, ' ')).join('\n'));
    this.#waiting.push({ bytes, until: performance.now() + RETRY_FOR_MS });
    if (this.#waiting.length === 1) this.#sendWaiting();
  }

  close(): void {
    clearTimeout(this.#retryTimer);
    this.#waiting.length = 0;
    this.#close(this.#fd);
  }

  #sendWaiting(): void {
    for (;;) {
      const next = this.#waiting[0];
      if (next === undefined) return;
      const { bytes, until } = next;
      const sent = this.#sendto(this.#fd, bytes, bytes.length, MSG_NOSIGNAL, this.#address, this.#address.length);
      if (sent < 0 && performance.now() < until) break;
      this.#waiting.shift();
    }
    this.#retryTimer = setTimeout(() => this.#sendWaiting(), RETRY_MS).unref();
  }
}

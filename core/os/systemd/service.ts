/**
 * Reports this process to systemd as a service (Type=notify): ready, reloading, stopping, and a
 * status text. Sends watchdog notifications while its threads respond. Does nothing without
 * systemd.
 */

import koffi from 'koffi';
import type { Logger } from '../../base/log/index.ts';
import { AF_UNIX, MSG_NOSIGNAL, SOCK_CLOEXEC, SOCK_DGRAM, SOCK_NONBLOCK } from '../socket-constants.ts';

/** struct sockaddr_un: a family of 16 bits, then the path with a terminating zero. */
const MAX_PATH = 107;

/** Milliseconds between retries of a notification, and the deadline of retries. */
const RETRY_MS = 100;

const RETRY_FOR_MS = 5000;

interface ServiceOptions {
  /**
   * NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are removed: child processes must not inherit
   * them.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** The state that the watchdog and the status read. */
export interface Watched {
  /** A status text for people. */
  status(): string;
  /** Names of the threads without a heartbeat for `ms` milliseconds. */
  silentThreads(ms: number): readonly string[];
}

/** Milliseconds between checks; a watchdog can require a shorter interval. */
const LOOK = 5000;
/**
 * Timeout extension in microseconds that each check requests during a start or a reload. Checks
 * stop if the event loop blocks.
 */
const MORE_TIME = 60_000_000;
/**
 * Checks in one watchdog timeout; and the divisor of that timeout after which a thread counts as
 * silent.
 */
const LOOKS = 4;
const SILENT = 2;

const STARTING: Watched = { status: () => 'starting', silentThreads: () => [] };
const RELOADING: Watched = { status: () => 'reloading', silentThreads: () => [] };

export class Service {
  readonly #log: Logger;
  readonly #notifier: Notifier | null;
  /** The watchdog timeout in milliseconds; null: there is no watchdog. */
  readonly #watchdog: number | null;
  readonly #timer: NodeJS.Timeout | undefined;
  /** The state to report when the service is ready. */
  #serving: Watched = STARTING;
  #watched: Watched = STARTING;
  #isInProgress = true;
  #status = '';
  #silent = '';

  constructor({ env, log }: ServiceOptions) {
    this.#log = log;
    this.#notifier = openNotifier(env.NOTIFY_SOCKET, log);
    this.#watchdog = watchdogOf(env);
    for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
    if (this.#notifier === null) return;
    const interval = this.#watchdog === null ? LOOK : Math.min(LOOK, this.#watchdog / LOOKS);
    this.#timer = setInterval(() => this.#look(), interval).unref();
    this.#look();
  }

  /** Reports readiness. `serving`: the state to watch from now on. */
  ready(serving: Watched = this.#serving): void {
    this.#serving = serving;
    this.#watched = serving;
    this.#isInProgress = false;
    this.#status = serving.status();
    this.#notifier?.send('READY=1', `STATUS=${this.#status}`);
  }

  /** Reports the start of a reload; `ready` must follow. */
  reloading(): void {
    this.#watched = RELOADING;
    this.#isInProgress = true;
    this.#notifier?.send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
  }

  /** Reports the stop. Threads are no longer watched, since they end. */
  stopping(): void {
    this.#watched = { status: () => 'stopping', silentThreads: () => [] };
    this.#isInProgress = false;
    this.#notifier?.send('STOPPING=1');
    this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#notifier?.close();
  }

  #look(): void {
    if (this.#isInProgress) this.#notifier?.send(`EXTEND_TIMEOUT_USEC=${MORE_TIME}`);
    const status = this.#watched.status();
    if (status !== this.#status) this.#notifier?.send(`STATUS=${status}`);
    this.#status = status;
    if (this.#watchdog === null) return;
    const silent = this.#watched.silentThreads(this.#watchdog / SILENT).join(', ');
    if (silent === '') this.#notifier?.send('WATCHDOG=1');
    else if (silent !== this.#silent)
      this.#log.error('a thread does not respond; the watchdog of systemd will restart the service', {
        threads: silent,
      });
    this.#silent = silent;
  }
}

function openNotifier(path: string | undefined, log: Logger): Notifier | null {
  if (path === undefined || path === '') return null;
  try {
    return new Notifier(path);
  } catch (error) {
    log.warn('cannot notify systemd', { reason: (error as Error).message });
    return null;
  }
}

/** As sd_watchdog_enabled(3). */
function watchdogOf({ WATCHDOG_USEC: time, WATCHDOG_PID: pid }: NodeJS.ProcessEnv): number | null {
  const isOurs = pid === undefined || pid === '' || Number(pid) === process.pid;
  const milliseconds = Number(time ?? 0) / 1000;
  return isOurs && milliseconds > 0 ? milliseconds : null;
}

/**
 * Sends notifications to systemd (sd_notify(3)): datagrams to the socket NOTIFY_SOCKET. Node does
 * not support datagrams of AF_UNIX, so koffi calls the C library.
 */
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

/**
 * This process as a service of systemd (Type=notify): it says when it is ready, reloads and stops,
 * in words how it is, and, as long as its threads answer, that it lives. Started by something else,
 * it says nothing.
 */
import type { Logger } from '../../base/log/index.ts';
import { Notifier } from './notifier.ts';

interface ServiceOptions {
  /**
   * NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are taken out of it: they are not for what the
   * process starts.
   */
  readonly env: NodeJS.ProcessEnv;
  readonly log: Logger;
}

/** What is looked at for the watchdog and the status. */
export interface Watched {
  /** In words. */
  status(): string;
  /** Names of the threads that have not answered for so many milliseconds. */
  silentThreads(ms: number): readonly string[];
}

/** Milliseconds between looks, when there is no watchdog that wants more. */
const LOOK = 5000;
/**
 * Microseconds that a start or a reload gets more, from each look on: as long as the event loop
 * turns, it is in progress.
 */
const MORE_TIME = 60_000_000;
/**
 * Looks in the time of the watchdog; and the part of that time after which a thread counts as
 * silent.
 */
const LOOKS = 4;
const SILENT = 2;

const STARTING: Watched = { status: () => 'starting', silentThreads: () => [] };
const RELOADING: Watched = { status: () => 'reloading', silentThreads: () => [] };

export class Service {
  readonly #log: Logger;
  readonly #notifier: Notifier | null;
  /** Milliseconds; null: there is none. */
  readonly #watchdog: number | null;
  readonly #timer: NodeJS.Timeout | undefined;
  /** What serves. */
  #serving: Watched = STARTING;
  #watched: Watched = STARTING;
  #isUnderWay = true;
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

  /** It serves, and this is what is to be watched from now on. */
  ready(serving: Watched = this.#serving): void {
    this.#serving = serving;
    this.#watched = serving;
    this.#isUnderWay = false;
    this.#status = serving.status();
    this.#notifier?.send('READY=1', `STATUS=${this.#status}`);
  }

  /** It takes up what has changed, with other threads; `ready` follows. */
  reloading(): void {
    this.#watched = RELOADING;
    this.#isUnderWay = true;
    this.#notifier?.send('RELOADING=1', `MONOTONIC_USEC=${process.hrtime.bigint() / 1000n}`);
  }

  /** Its threads end on their own. */
  stopping(): void {
    this.#watched = { status: () => 'stopping', silentThreads: () => [] };
    this.#isUnderWay = false;
    this.#notifier?.send('STOPPING=1');
    this.#look();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#notifier?.close();
  }

  #look(): void {
    if (this.#isUnderWay) this.#notifier?.send(`EXTEND_TIMEOUT_USEC=${MORE_TIME}`);
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

/**
 * The threads of the edge, all on the same addresses. When their application changes, they are
 * replaced without losing connections.
 */
import type { Worker } from 'node:worker_threads';
import { ConfigError } from '../../../core/base/errors.ts';
import type { Logger } from '../../../core/base/log/index.ts';
import type { ListenAddress } from '../../../core/config/index.ts';
import { forgetThread, shareLimits } from '../../../core/os/connection-limits.ts';
import { choosePort } from '../../../core/os/sockets.ts';
import { type BackOff, type StartReport, SupervisedThread } from '../../../core/os/supervised-thread.ts';
import { nextTicketKeys, type TicketKeys } from '../../../core/site/tls/ticket-keys.ts';
import { clearPlaces, sharePlaces } from '../tls/places.ts';
import type { EdgeLimits } from './limits.ts';
import { openListening, type Place } from './listening.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';
import { EdgeCounters } from './slices.ts';

export interface PoolOptions {
  /** Addresses for HTTPS. */
  readonly tlsListen: readonly ListenAddress[];
  /** Addresses for HTTP without TLS. */
  readonly clearListen: readonly ListenAddress[];
  readonly threads: number;
  readonly limits: EdgeLimits;
  /** File URL of the module whose `createApplication` (application.ts) serves each thread. */
  readonly application: string;
  /** Cloned for each thread. */
  readonly data: unknown;
  /**
   * Seconds between new ticket keys. A ticket is valid for the same time, so the last two keys open
   * all valid tickets.
   */
  readonly ticketRotation: number;
  /**
   * Initial ticket keys, if they are shared with other nodes. The pool then creates no keys and
   * waits for `setTickets`.
   */
  readonly tickets?: TicketKeys;
  /** Additional counters of the application, readable in `counters.application`. */
  readonly columns?: readonly string[];
  /**
   * "portable": listens with Node.js sockets in one thread. "auto": only if the system calls are
   * missing.
   */
  readonly transport: 'auto' | 'portable';
  /** Keeps the heaps of the threads small, for more CPU. */
  readonly hasLittleMemory?: boolean;
  /** "node": TLS by node:tls. "auto": by edge/http/tls where the system supports it. */
  readonly tls: 'auto' | 'node';
  readonly log: Logger;
  /** Load level of the process. When it is too high, new connections are closed at once. */
  readonly load?: SharedArrayBuffer;
  /** Receives messages from applications. */
  readonly onMessage?: (message: unknown, thread: number) => void;
  /** Maximum descriptors that an application holds in `ThreadContext.loop`; 0 if omitted. */
  readonly descriptors?: number;
  /** Receives each started worker. For tests that terminate one. */
  readonly onWorker?: (worker: Worker, thread: number) => void;
}

type EdgeThread = SupervisedThread<ToThread, Exclude<FromThread, StartReport>>;

/** A thread that ran for a minute has started successfully, so the back-off is reset. */
const BACK_OFF: BackOff = { first: 250, factor: 2, maximum: 30_000, settledAfter: 60_000 };
/**
 * Megabytes, the same as for the main thread. Requests that wait for an origin survive
 * young-generation collections, which fill the old generation by a few megabytes a second.
 */
const OLD_SPACE = 128;
/** With little memory, V8 chooses the old generation, and the young one has this limit. */
const SMALL_HEAP = { maxYoungGenerationSizeMb: 12 };
/** Milliseconds after the drain timeout until a thread is terminated. */
const END_MS = 3000;

/** During a reload, the old threads and their replacements run at the same time. */
const GENERATIONS = 2;

export class Pool {
  readonly counters: EdgeCounters;
  /** With the actual port in place of port 0. */
  readonly tlsListen: readonly ListenAddress[];
  readonly clearListen: readonly ListenAddress[];
  readonly #options: PoolOptions;
  readonly #listening: ReturnType<typeof openListening>;
  readonly #count: number;
  readonly #connections: ReturnType<typeof shareLimits>;
  readonly #rotation: NodeJS.Timeout | undefined;
  #tickets: TicketKeys;
  #threads: EdgeThread[] = [];
  /** The threads that will replace `#threads`. */
  #starting: readonly EdgeThread[] = [];
  #generation = 0;
  #data: unknown;
  #limits: EdgeLimits;
  /** Resolves when all replaced threads have ended. */
  #replaced: Promise<unknown> = Promise.resolve();
  #reloading: Promise<void> = Promise.resolve();
  #isStopping = false;

  private constructor(
    options: PoolOptions,
    tlsListen: readonly ListenAddress[],
    clearListen: readonly ListenAddress[],
  ) {
    this.#options = options;
    this.counters = new EdgeCounters(options.columns);
    this.#tickets = options.tickets ?? nextTicketKeys(null);
    this.#data = options.data;
    this.#limits = options.limits;
    this.tlsListen = tlsListen;
    this.clearListen = clearListen;
    const places: Place[] = [
      ...tlsListen.map((listen) => ({ isTls: true, listen })),
      ...clearListen.map((listen) => ({ isTls: false, listen })),
    ];
    this.#listening = openListening(places, options.threads, options.transport);
    this.#count = this.#listening.isShared ? options.threads : 1;
    this.#connections = shareLimits(this.#count * GENERATIONS);
    if (options.tickets === undefined)
      this.#rotation = setInterval(() => this.rotateTickets(), options.ticketRotation * 1000).unref();
  }

  /** Resolves when all threads listen. Throws ConfigError if a thread cannot. */
  static async start(options: PoolOptions): Promise<Pool> {
    const tls = await Promise.all(options.tlsListen.map(choosePort));
    const clear = await Promise.all(options.clearListen.map(choosePort));
    const pool = new Pool(options, tls, clear);
    try {
      await pool.#startGeneration();
    } catch (error) {
      await pool.stop();
      throw new ConfigError('listen', `The edge cannot start: ${(error as Error).message}.`);
    }
    return pool;
  }

  get threads(): number {
    return this.#count;
  }

  /** Whether every thread listens. */
  get isListening(): boolean {
    return this.#threads.length > 0 && this.#threads.every((thread) => thread.isListening);
  }

  /** Names of the threads that have not responded for `ms` milliseconds. */
  silentThreads(ms: number): string[] {
    return this.#threads.filter(({ pulse }) => pulse.silence > ms).map(({ name }) => name);
  }

  /**
   * Sends a message to the application of each thread, including starting ones. Threads that start
   * later do not receive it.
   */
  send(message: unknown): void {
    for (const thread of [...this.#threads, ...this.#starting]) thread.send({ kind: 'application', message });
  }

  rotateTickets(): void {
    this.setTickets(nextTicketKeys(this.#tickets));
  }

  /** Sets ticket keys from another source. */
  setTickets(keys: TicketKeys): void {
    this.#tickets = keys;
    for (const thread of this.#threads) thread.send({ kind: 'tickets', keys });
  }

  /**
   * Replaces all threads by new ones, whose applications get `data`, with other limits if given.
   * The new threads listen before the old ones drain. Resolves when the new threads serve. Reloads
   * run one at a time, each after the threads replaced by the previous one have ended. Rejects if
   * the new threads cannot start, in which case the old ones continue, or if the pool stops.
   */
  reload(data: unknown, limits = this.#limits): Promise<void> {
    const reloaded = this.#reloading.then(() => this.#reload(data, limits));
    this.#reloading = reloaded.catch(() => {});
    return reloaded;
  }

  /** Stops accepting connections. Resolves when all threads have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#rotation);
    await this.#reloading;
    const { isListening } = this;
    const threads = this.#threads;
    this.#threads = [];
    const ended = Promise.all([this.#replaced, ...threads.map((thread) => this.#drain(thread))]);
    // The threads close their own descriptors at once. The sockets of the pool must close too.
    // Otherwise the kernel would still assign them connections, also those meant for a new process
    // on the same port.
    if (isListening) this.#listening.close();
    await ended;
    this.#listening.close();
  }

  async #reload(data: unknown, limits: EdgeLimits): Promise<void> {
    await this.#replaced;
    // No code would stop the new threads.
    if (this.#isStopping) throw new Error('the edge is stopping');
    const { isShared } = this.#listening;
    const before = { data: this.#data, limits: this.#limits };
    this.#data = data;
    this.#limits = limits;
    const old = this.#threads;
    // Without a shared port, the old thread has to release it first.
    if (!isShared) await Promise.all(old.map((thread) => this.#drain(thread)));
    try {
      this.#generation++;
      await this.#startGeneration();
    } catch (error) {
      this.#data = before.data;
      this.#limits = before.limits;
      // The remaining threads keep their slots. The next reload uses the other ones.
      this.#generation--;
      if (!isShared) await this.#startGeneration();
      throw error;
    }
    // The keys may have changed since the first thread received them.
    this.setTickets(this.#tickets);
    if (isShared) this.#replaced = Promise.all(old.map((thread) => this.#drain(thread)));
  }

  /** Starts a thread for each slot. They become `#threads` once all listen. */
  async #startGeneration(): Promise<void> {
    const threads = Array.from({ length: this.#count }, (_, i) => this.#createThread(i));
    this.#starting = threads;
    const started = await Promise.allSettled(threads.map((thread) => thread.start()));
    this.#starting = [];
    const failed = started.find((outcome) => outcome.status === 'rejected');
    if (failed === undefined) {
      this.#threads = threads;
      return;
    }
    await Promise.all(threads.map((thread) => thread.terminate()));
    throw failed.reason;
  }

  /** Drains a thread. Resolves when it has ended. */
  #drain(thread: EdgeThread): Promise<void> {
    thread.send({ kind: 'drain' });
    return thread.stop(this.#limits.server.drainTimeout + END_MS);
  }

  #createThread(i: number): EdgeThread {
    const { application, ticketRotation, log, descriptors = 0, hasLittleMemory, onMessage, onWorker } = this.#options;
    const slot = (this.#generation % GENERATIONS) * this.#count + i;
    const data = this.#data;
    const limits = this.#limits;
    const { maxConnections: connections, maxCertificates } = limits.server;
    const hasNativeTls = this.#listening.isShared && this.#options.tls === 'auto';
    const name = String(i + 1);
    return new SupervisedThread({
      log,
      role: 'edge',
      name,
      file: new URL('./worker.js', import.meta.url),
      ...(hasLittleMemory ? { heap: SMALL_HEAP } : { oldSpace: OLD_SPACE }),
      backOff: BACK_OFF,
      failure: (message) => new Error(message),
      prepare: () => {
        const { slice, close } = this.counters.open();
        const places = hasNativeTls ? sharePlaces(connections + descriptors, maxCertificates) : null;
        const started: Omit<ThreadData, 'pulse'> = {
          application,
          data,
          thread: i,
          limits,
          slot,
          slice,
          places,
          listeners: this.#listening.listenersOf(i),
          tickets: this.#tickets,
          ticketLifetime: ticketRotation,
          connections: this.#connections,
          load: this.#options.load ?? null,
        };
        return {
          data: started,
          release: () => {
            close();
            if (places !== null) clearPlaces(places);
            forgetThread(this.#connections, slot);
          },
        };
      },
      onRestart: () => {
        this.counters.restarts++;
      },
      onMessage(message) {
        if (message.kind === 'log') log[message.level](message.message, { thread: name, ...message.fields });
        else onMessage?.(message.message, i);
      },
      onWorker: onWorker === undefined ? undefined : (worker) => onWorker(worker, i),
    });
  }
}

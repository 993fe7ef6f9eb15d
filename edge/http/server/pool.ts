/**
 * The threads of the edge: as many as asked for behind the same addresses, replaced without a
 * connection lost when their application changes.
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
  /** Where HTTPS is served. */
  readonly tlsListen: readonly ListenAddress[];
  /** Where HTTP is served without TLS. */
  readonly clearListen: readonly ListenAddress[];
  readonly threads: number;
  readonly limits: EdgeLimits;
  /** File URL of the module whose `createApplication` (application.ts) serves each thread. */
  readonly application: string;
  /** Is cloned for each thread. */
  readonly data: unknown;
  /**
   * Seconds after which tickets get a new key. One lasts so long, too, so that the last two keys
   * open all that are good.
   */
  readonly ticketRotation: number;
  /**
   * The keys of tickets to begin with, when they are shared with other nodes: then the pool makes
   * none, and waits for `setTickets`.
   */
  readonly tickets?: TicketKeys;
  /** What applications count in addition to the server's own; read in `counters.application`. */
  readonly columns?: readonly string[];
  /** "portable" listens by node alone, in one thread; "auto" only where it has to. */
  readonly transport: 'auto' | 'portable';
  /** What carries TLS: "node" is node:tls; "auto" is edge/http/tls, where it can be had. */
  readonly tls: 'auto' | 'node';
  readonly log: Logger;
  /** The level of load of the process, at which connections are closed at once. */
  readonly load?: SharedArrayBuffer;
  /** What applications send. */
  readonly onMessage?: (message: unknown, thread: number) => void;
  /** How many an application holds in `ThreadContext.loop` at one time; none. */
  readonly descriptors?: number;
  /** Receives each worker when it is started: for tests that end one. */
  readonly onWorker?: (worker: Worker, thread: number) => void;
}

type EdgeThread = SupervisedThread<ToThread, Exclude<FromThread, StartReport>>;

/** A thread that lived for a minute was not killed by its start. */
const BACK_OFF: BackOff = { first: 250, factor: 2, maximum: 30_000, settledAfter: 60_000 };
/**
 * Megabytes, as for the main thread: requests that wait for an origin survive collections of the
 * young generation, which fills the old one by a few megabytes a second.
 */
const OLD_SPACE = 128;
/** Milliseconds after the drain timeout until a thread is ended. */
const END_MS = 3000;

/** Threads that are to be replaced, and those that replace them, run side by side. */
const GENERATIONS = 2;

export class Pool {
  readonly counters: EdgeCounters;
  /** With the ports that were given for port 0. */
  readonly tlsListen: readonly ListenAddress[];
  readonly clearListen: readonly ListenAddress[];
  readonly #options: PoolOptions;
  readonly #listening: ReturnType<typeof openListening>;
  readonly #count: number;
  readonly #connections: ReturnType<typeof shareLimits>;
  readonly #rotation: NodeJS.Timeout | undefined;
  #tickets: TicketKeys;
  #threads: EdgeThread[] = [];
  /** Those that will take the place of `#threads`. */
  #starting: readonly EdgeThread[] = [];
  #generation = 0;
  #data: unknown;
  /** Of the threads that were replaced: all have ended. */
  #replaced: Promise<unknown> = Promise.resolve();
  #turn: Promise<void> = Promise.resolve();
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

  /** Resolves when all threads listen. Throws ConfigError when one cannot. */
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

  /** Names of the threads that have not answered for so many milliseconds. */
  silentThreads(ms: number): string[] {
    return this.#threads.filter(({ pulse }) => pulse.silence > ms).map(({ name }) => name);
  }

  /**
   * To the application of each thread, also of those that are about to serve. One that is started
   * later is not informed.
   */
  send(message: unknown): void {
    for (const thread of [...this.#threads, ...this.#starting]) thread.send({ kind: 'application', message });
  }

  /** A new key for tickets, now. */
  rotateTickets(): void {
    this.setTickets(nextTicketKeys(this.#tickets));
  }

  /** Keys of tickets that came from elsewhere. */
  setTickets(keys: TicketKeys): void {
    this.#tickets = keys;
    for (const thread of this.#threads) thread.send({ kind: 'tickets', keys });
  }

  /**
   * Replaces all threads by new ones, whose applications get `data`: they listen first, then the
   * old ones drain. Resolves when the new ones serve; one reload after the other, and not before
   * the threads of the last have ended. Rejects when they cannot start: the old ones go on; and
   * when the pool stops.
   */
  reload(data: unknown): Promise<void> {
    const turn = this.#turn.then(() => this.#reload(data));
    this.#turn = turn.catch(() => {});
    return turn;
  }

  /** Takes no more connections; resolves when all threads have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#rotation);
    await this.#turn;
    const { isListening } = this;
    const threads = this.#threads;
    this.#threads = [];
    const ended = Promise.all([this.#replaced, ...threads.map((thread) => this.#drain(thread))]);
    // The threads release theirs at once. Left open, the sockets would go on taking connections,
    // also of those that listen on the same port in our place.
    if (isListening) this.#listening.close();
    await ended;
    this.#listening.close();
  }

  async #reload(data: unknown): Promise<void> {
    await this.#replaced;
    // Its threads would be nobody's to end.
    if (this.#isStopping) throw new Error('the edge is stopping');
    const { isShared } = this.#listening;
    const before = this.#data;
    this.#data = data;
    const old = this.#threads;
    // One thread that listens by itself has to release the port first.
    if (!isShared) await Promise.all(old.map((thread) => this.#drain(thread)));
    try {
      this.#generation++;
      await this.#startGeneration();
    } catch (error) {
      this.#data = before;
      // Those that go on keep their slots, and the next ones get the others.
      this.#generation--;
      if (!isShared) await this.#startGeneration();
      throw error;
    }
    // Keys may have come since the first of them was given its own.
    this.setTickets(this.#tickets);
    if (isShared) this.#replaced = Promise.all(old.map((thread) => this.#drain(thread)));
  }

  /** When they listen they are the pool's. */
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

  /** The thread accepts no more connections. Resolves when it has ended. */
  #drain(thread: EdgeThread): Promise<void> {
    thread.send({ kind: 'drain' });
    return thread.stop(this.#options.limits.server.drainTimeout + END_MS);
  }

  #createThread(i: number): EdgeThread {
    const { limits, application, ticketRotation, log, descriptors = 0, onMessage, onWorker } = this.#options;
    const slot = (this.#generation % GENERATIONS) * this.#count + i;
    const data = this.#data;
    const { maxConnections: connections, maxCertificates } = limits.server;
    const hasNativeTls = this.#listening.isShared && this.#options.tls === 'auto';
    const name = String(i + 1);
    return new SupervisedThread({
      log,
      role: 'edge',
      name,
      file: new URL('./worker.js', import.meta.url),
      oldSpace: OLD_SPACE,
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

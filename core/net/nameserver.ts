/** Starts the DNS threads, starts anew one that died, and stops them. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { formatListen, type ListenAddress } from '../config/index.ts';
import { ConfigError } from '../errors.ts';
import type { Logger } from '../log/index.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import { NameserverCounters } from './counters.ts';
import { loadLibc } from './linux.ts';
import type { FromWorker, TcpLimits, WorkerData } from './worker-data.ts';

export interface NameserverOptions {
  readonly index: IndexWriter;
  readonly storeDirectory: string;
  readonly listen: readonly ListenAddress[];
  /** UDP threads. */
  readonly workers: number;
  /** Bytes. */
  readonly udpPayload: number;
  readonly transport: 'auto' | 'batch' | 'portable';
  readonly tcp: TcpLimits;
  readonly log: Logger;
  /** Is told of each thread when it is started, also anew: for tests that end one. */
  readonly onThread?: (name: string, worker: Worker) => void;
}

export interface Nameserver {
  /** With the ports that were given for port 0. */
  readonly listen: readonly ListenAddress[];
  readonly transport: 'batch' | 'portable';
  /** Whether every thread listens. */
  readonly listening: boolean;
  readonly counters: NameserverCounters;
  stop(): Promise<void>;
}

/** From one death of a thread to its next start, at least. */
const RESTART_MS = 250;
/** A thread that has not ended by then is ended. */
const STOP_MS = 3000;
/** recvmmsg gives up after this long without a packet, so that a stop is noticed. */
const RECEIVE_TIMEOUT_MS = 200;

/** Resolves when all threads listen. Throws ConfigError when one can't. */
export async function startNameserver(options: NameserverOptions): Promise<Nameserver> {
  const transport = chooseTransport(options);
  const listen = await Promise.all(options.listen.map(choosePort));
  const udp = transport === 'batch' ? './udp-worker.js' : './udp-portable-worker.js';
  // Sockets of node:dgram can't share a port among threads.
  const count = transport === 'batch' ? options.workers : 1;
  const sockets = transport === 'batch' ? openSockets(listen, count) : NO_SOCKETS;
  const counters = new NameserverCounters([...new Array<'udp'>(count).fill('udp'), 'tcp']);
  const threads = [
    ...Array.from(
      { length: count },
      (_, i) => new Thread(options, listen, counters, udp, `udp ${i + 1}`, i + 1, sockets.fds[i] ?? []),
    ),
    new Thread(options, listen, counters, './tcp-worker.js', 'tcp', count + 1, []),
  ];
  const stop = async (): Promise<void> => {
    for (const thread of threads) thread.stopping = true;
    options.index.stopReaders();
    await Promise.all(threads.map((thread) => thread.ended()));
    sockets.close();
  };
  try {
    await Promise.all(threads.map((thread) => thread.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    listen,
    transport,
    get listening() {
      return threads.every((thread) => thread.listening);
    },
    counters,
    stop,
  };
}

interface Sockets {
  /** Of each thread, in the order of its addresses. */
  readonly fds: readonly (readonly number[])[];
  close(): void;
}

const NO_SOCKETS: Sockets = { fds: [], close: () => {} };

/**
 * The UDP sockets of all threads. They are opened here and not by the threads, because the kernel spreads packets over all sockets of a port: one
 * whose thread died would swallow its share. So it keeps what comes until the thread is back.
 */
function openSockets(listen: readonly ListenAddress[], threads: number): Sockets {
  const libc = loadLibc();
  const fds = Array.from({ length: threads }, (): number[] => []);
  const sockets: Sockets = {
    fds,
    close() {
      for (const own of fds) for (const fd of own.splice(0)) libc.close(fd);
    },
  };
  try {
    for (const own of fds) for (const address of listen) own.push(libc.openUdp(address, RECEIVE_TIMEOUT_MS));
  } catch (error) {
    sockets.close();
    throw cannotListen(listen, (error as Error).message);
  }
  return sockets;
}

function cannotListen(listen: readonly ListenAddress[], why: string): ConfigError {
  const where = listen.map(formatListen).join(', ');
  return new ConfigError(
    'listen',
    `DNS can't listen on ${where}: ${why}. Choose another address with WAYPOST_DNS_LISTEN.`,
  );
}

function chooseTransport({ transport, log }: NameserverOptions): 'batch' | 'portable' {
  if (transport === 'portable') return transport;
  try {
    loadLibc();
    return 'batch';
  } catch (error) {
    if (transport === 'batch')
      throw new ConfigError(
        'transport',
        `dns.transport is "batch", but ${(error as Error).message}. Use "auto" or "portable".`,
      );
    log.warn('DNS over UDP runs without batches', { reason: (error as Error).message });
    return 'portable';
  }
}

/** A port that is free for TCP and UDP, in place of port 0. */
async function choosePort(listen: ListenAddress): Promise<ListenAddress> {
  if (listen.port !== 0) return listen;
  for (let attempt = 0; attempt < 20; attempt++) {
    const port = await new Promise<number>((resolve, reject) => {
      const server = createServer().on('error', (error) => reject(cannotListen([listen], error.message)));
      server.listen(0, listen.address, () => {
        const { port } = server.address() as { port: number };
        server.close(() => resolve(port));
      });
    });
    const free = await new Promise<boolean>((resolve) => {
      const socket = createSocket(listen.family === 4 ? 'udp4' : 'udp6').on('error', () => resolve(false));
      socket.bind(port, listen.address, () => socket.close(() => resolve(true)));
    });
    if (free) return { ...listen, port };
  }
  throw new ConfigError('listen', `No port of ${listen.address} is free for both UDP and TCP.`);
}

class Thread {
  stopping = false;
  listening = false;
  private readonly options: NameserverOptions;
  private readonly listen: readonly ListenAddress[];
  private readonly counters: NameserverCounters;
  private readonly file: string;
  private readonly name: string;
  private readonly reader: number;
  private readonly fds: readonly number[];
  private worker: Worker | null = null;
  private exited: Promise<void> = Promise.resolve();

  constructor(
    options: NameserverOptions,
    listen: readonly ListenAddress[],
    counters: NameserverCounters,
    file: string,
    name: string,
    reader: number,
    fds: readonly number[],
  ) {
    this.options = options;
    this.listen = listen;
    this.counters = counters;
    this.file = file;
    this.name = name;
    this.reader = reader;
    this.fds = fds;
  }

  start(): Promise<void> {
    const { index, storeDirectory, udpPayload, tcp, log } = this.options;
    const { port1, port2 } = new MessageChannel();
    // The channel must not keep the process alive.
    port1.unref();
    const data: WorkerData = {
      shared: index.share(port1),
      reader: this.reader,
      port: port2,
      storeDirectory,
      listen: this.listen,
      fds: this.fds,
      udpPayload,
      tcp,
      counters: this.counters.slice(this.reader - 1),
    };
    const worker = new Worker(new URL(this.file, import.meta.url), {
      workerData: data,
      transferList: [port2],
      name: `dns ${this.name}`,
    });
    this.worker = worker;
    this.options.onThread?.(this.name, worker);
    return new Promise((resolve, reject) => {
      let failure: ConfigError | undefined;
      worker.on('message', (message: FromWorker) => {
        if (message.kind === 'listening') {
          this.listening = true;
          resolve();
        } else if (message.kind === 'failed') {
          // One that listens on some of its addresses would go on.
          failure = cannotListen(this.listen, message.message);
          void worker.terminate();
        } else
          log.error('a DNS packet caused an exception and was dropped', { thread: this.name, fault: message.message });
      });
      worker.on('error', (error) => log.error('a DNS thread died', { thread: this.name, error }));
      this.exited = new Promise((done) => {
        worker.on('exit', (code) => {
          done();
          this.exit(port1, code);
          reject(failure ?? new Error(`DNS thread ${this.name} ended with ${code}`));
        });
      });
    });
  }

  /** Resolves when the thread has ended, by itself or not. */
  async ended(): Promise<void> {
    const timer = setTimeout(() => void this.worker?.terminate(), STOP_MS);
    await this.exited;
    clearTimeout(timer);
  }

  private exit(port: MessagePort, code: number): void {
    const { index, log } = this.options;
    index.unshare(port, this.reader);
    this.counters.ended(this.reader - 1);
    port.close();
    const wasListening = this.listening;
    this.listening = false;
    if (this.stopping || !wasListening) return;
    this.counters.restarts++;
    log.error('a DNS thread ended and is started anew', { thread: this.name, code });
    setTimeout(() => {
      if (!this.stopping) this.start().catch((error: unknown) => this.startAgain(error));
    }, RESTART_MS);
  }

  private startAgain(error: unknown): void {
    this.options.log.error('a DNS thread could not be started anew', { thread: this.name, error });
    setTimeout(() => {
      if (!this.stopping) this.start().catch((again: unknown) => this.startAgain(again));
    }, RESTART_MS * 4);
  }
}

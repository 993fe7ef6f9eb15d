/** Starts the DNS threads, supervises them and stops them. */
import type { Worker } from 'node:worker_threads';
import { ConfigError } from '../base/errors.ts';
import type { ListenAddress } from '../config/index.ts';
import type { TransportName } from '../net/address/client.ts';
import { forgetThread, shareLimits } from '../os/connection-limits.ts';
import { endEarlyThreads } from '../os/early-threads.ts';
import { loadLibc } from '../os/libc.ts';
import { cannotListen, choosePort, closeLeft, NO_SOCKETS, openSockets } from '../os/sockets.ts';
import { nextTicketKeys, type TicketKeys } from '../site/tls/ticket-keys.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import { type AnswerSettings, PLAIN } from '../zone/answer/settings.ts';
import type { SteeringState } from '../zone/steering/picker.ts';
import { NameserverCounters } from './counters.ts';
import type { AnswerDeferred } from './deferred.ts';
import type { UdpLimitOptions } from './deferred-limit.ts';
import { DeferredServer } from './deferred-server.ts';
import { udpSender } from './deferred-udp.ts';
import { LOOP, udpThreadName } from './early.ts';
import type { LocalData } from './local-responder.ts';
import { type ModuleOptions, QueryModules } from './query-modules.ts';
import type { RateLimitOptions } from './rate-limit.ts';
import { createDnsThread, type DnsThread, type ThreadPlan } from './thread.ts';
import { type CertificateFiles, watchCertificate } from './tls-certificate.ts';
import type { TcpLimits } from './worker.ts';

export interface NameserverOptions extends ModuleOptions {
  readonly index: IndexWriter;
  readonly storeDirectory: string;
  readonly listen: readonly ListenAddress[];
  /** Number of UDP threads. */
  readonly workers: number;
  /** Largest UDP response, in bytes. */
  readonly udpPayload: number;
  /** Default: plain answers, without optional features. */
  readonly answers?: AnswerSettings;
  /** As in HandlerData. */
  readonly steering?: SteeringState;
  readonly transport: 'auto' | 'batch' | 'portable';
  readonly tcp: TcpLimits;
  /** As in ThreadParts. */
  readonly hasLittleMemory?: boolean;
  /** As in WorkerData. Default: none. */
  readonly proxies?: readonly string[];
  /** DNS over TLS. If omitted, it is off. */
  readonly tls?: TlsOptions;
  /** Answers the messages that the query path defers. If omitted, they are refused. */
  readonly answerDeferred?: AnswerDeferred;
  /** Limits on deferred messages over UDP. Default: DEFAULT_UDP_LIMIT. */
  readonly deferredUdp?: UdpLimitOptions;
  /**
   * Prefixes of clients that may transfer zones without a signature. Other unsigned transfers are
   * refused before `answerDeferred` runs. If omitted, `answerDeferred` alone decides.
   */
  readonly transferAllow?: readonly string[];
  /** Receives each thread that is started or restarted. Tests use it to stop a thread. */
  readonly onThread?: (name: string, worker: Worker) => void;
}

interface NewLimits {
  readonly rateLimit: RateLimitOptions;
  readonly deferredUdp: UdpLimitOptions;
  readonly transferAllow: readonly string[];
}

interface TlsOptions extends CertificateFiles {
  /** The first session ticket keys. If omitted, only this node can resume its sessions. */
  readonly tickets?: TicketKeys;
  readonly listen: readonly ListenAddress[];
}

export interface Nameserver {
  /** Port 0 is replaced by the port that the system chose. */
  readonly listen: readonly ListenAddress[];
  readonly tlsListen: readonly ListenAddress[];
  readonly transport: 'batch' | 'portable';
  /** True while every thread listens. */
  readonly listening: boolean;
  readonly counters: NameserverCounters;
  /** For DNS over HTTPS, which the main thread answers (local-responder.ts). */
  readonly https: LocalData;
  /** Names of the threads without a sign of life for more than `ms` milliseconds. */
  silentThreads(ms: number): string[];
  /** Replaces the session ticket keys of DNS over TLS. */
  setTickets(keys: TicketKeys): void;
  /** Replaces the files of the certificate of DNS over TLS. */
  setCertificateFiles(files: CertificateFiles): void;
  /** Replaces rate limits and the clients that may transfer zones. */
  setLimits(limits: NewLimits): void;
  stop(): Promise<void>;
}

/** The programs of the threads. */
const STREAM = new URL('./stream-worker.js', import.meta.url);
const PORTABLE_UDP = new URL('./udp-portable-worker.js', import.meta.url);
const PROGRAMS = {
  batch: { udp: LOOP, tcp: LOOP, tls: STREAM },
  portable: { udp: PORTABLE_UDP, tcp: STREAM, tls: STREAM },
} as const;

/** Index of each stream thread in the shared connection limits. */
const TCP_STREAM = 0;
const TLS_STREAM = 1;

/** Milliseconds that a thread has to exit before it is terminated. */
const STOP_MS = 3000;

/** Resolves when all threads listen. Throws ConfigError if a thread cannot listen. */
export async function startNameserver(options: NameserverOptions): Promise<Nameserver> {
  const {
    index,
    tasks,
    log,
    tcp,
    tls,
    storeDirectory,
    udpPayload,
    answers = PLAIN,
    steering,
    onThread,
    answerDeferred,
  } = options;
  const transport = chooseTransport(options);
  const isBatch = transport === 'batch';
  const programs = PROGRAMS[transport];
  const listen = await Promise.all(options.listen.map(choosePort));
  const tlsListen = await Promise.all((tls?.listen ?? []).map(choosePort));
  const certificate =
    tls === undefined || tlsListen.length === 0
      ? null
      : watchCertificate(tls, tls.tickets ?? nextTicketKeys(null), tasks, log);
  // Sockets of node:dgram cannot share a port among threads.
  const count = isBatch ? options.workers : 1;
  const sockets = isBatch ? openSockets(listen, count) : NO_SOCKETS;
  const transports: TransportName[] = [...new Array<'udp'>(count).fill('udp'), 'tcp'];
  if (certificate !== null) transports.push('tls');
  const counters = new NameserverCounters(transports);
  const modules = new QueryModules(options, transports);
  const connections = shareLimits(certificate === null ? 1 : 2);
  const deferred =
    answerDeferred === undefined
      ? null
      : new DeferredServer(answerDeferred, isBatch ? udpSender(loadLibc()) : () => {}, log, options.deferredUdp);
  const parts = { index, log, counters, deferred, hasLittleMemory: options.hasLittleMemory, onThread };
  const openFds = new SharedArrayBuffer(isBatch ? (tcp.maxConnections + 1) * Int32Array.BYTES_PER_ELEMENT : 0);
  const data = {
    storeDirectory,
    listen,
    fds: [],
    udpPayload,
    answers,
    steering,
    tcp,
    proxies: options.proxies ?? [],
    wake: -1,
    openFds,
    connections,
    streamIndex: TCP_STREAM,
  };
  let transferAllow = options.transferAllow ?? null;
  // Getters, because each start of a thread needs the current limits and certificate.
  const currentOf = (thread: number) => ({
    get modules() {
      return modules.dataOf(thread);
    },
    get transferAllow() {
      return transferAllow;
    },
    get tls() {
      return thread > count ? certificate?.current : undefined;
    },
  });
  const libc = isBatch ? loadLibc() : null;
  const wake = libc === null ? undefined : () => libc.signalEvent(sockets.wake);
  const start = (plan: ThreadPlan, setting?: string): DnsThread =>
    createDnsThread({ ...parts, cannotListen: (reason) => cannotListen(plan.data.listen, reason, setting) }, plan);
  const threads = Array.from({ length: count }, (_, i) =>
    start({
      name: udpThreadName(i),
      file: programs.udp,
      readerNumber: i + 1,
      data: Object.assign(currentOf(i), data, { transport: 'udp' as const, fds: sockets.udp[i] ?? [] }),
    }),
  );
  threads.push(
    start({
      name: 'tcp',
      file: programs.tcp,
      readerNumber: count + 1,
      data: Object.assign(currentOf(count), data, {
        transport: 'tcp' as const,
        fds: sockets.tcp,
        wake: sockets.wake,
      }),
      wake,
      onExit() {
        if (isBatch) closeLeft(openFds);
        forgetThread(connections, TCP_STREAM);
      },
    }),
  );
  if (certificate !== null) {
    const thread = start(
      {
        name: 'tls',
        file: programs.tls,
        readerNumber: count + 2,
        data: Object.assign(currentOf(count + 1), data, {
          transport: 'tls' as const,
          listen: tlsListen,
          streamIndex: TLS_STREAM,
        }),
        onExit: () => forgetThread(connections, TLS_STREAM),
      },
      'WAYPOST_DNS_TLS_LISTEN',
    );
    certificate.onChange = (credentials) => thread.send({ kind: 'certificate', tls: credentials });
    threads.push(thread);
  }
  const stop = async (): Promise<void> => {
    certificate?.close();
    index.stopReaders();
    wake?.();
    await Promise.all(
      threads.map(async (thread, i) => {
        await thread.stop(STOP_MS);
        if (isBatch && i < count) sockets.closeUdp(i);
      }),
    );
    sockets.close();
    modules.stop();
  };
  try {
    // Threads share few cores while they start, and most queries arrive over UDP.
    for (const group of [threads.slice(0, count), threads.slice(count)])
      await Promise.all(group.map((thread) => thread.start()));
    void endEarlyThreads();
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    listen,
    tlsListen,
    transport,
    get listening() {
      return threads.every((thread) => thread.isListening);
    },
    counters,
    https: { counters: counters.https, modules: modules.https },
    silentThreads: (ms) => threads.filter(({ pulse }) => pulse.silence > ms).map(({ name }) => name),
    setTickets: (keys) => certificate?.setTickets(keys),
    setCertificateFiles: (files) => certificate?.setFiles(files),
    setLimits(limits) {
      modules.setRateLimit(limits.rateLimit);
      deferred?.setUdpLimit(limits.deferredUdp);
      transferAllow = limits.transferAllow;
      const udpLimit = deferred?.udpLimit ?? null;
      for (const [i, thread] of threads.entries()) {
        thread.send({ kind: 'limits', rateLimit: modules.dataOf(i).rateLimit, transferAllow, udpLimit });
        if (i === count) wake?.();
      }
    },
    stop,
  };
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
    log.warn('batched UDP is unavailable; using the portable transport', { reason: (error as Error).message });
    return 'portable';
  }
}

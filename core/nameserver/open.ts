/** The nameserver as the configuration asks for it, with its metrics and DNS over HTTPS. */

import type { Logger } from '../base/log/index.ts';
import { hasLittleMemory } from '../base/main-heap.ts';
import type { Registry } from '../base/metrics/index.ts';
import type { Tasks } from '../base/tasks.ts';
import { type Config, type Follow, memoryOf } from '../config/index.ts';
import type { SampleRing } from '../observe/statistics/sample-ring.ts';
import type { SharedTicketKeys } from '../site/tls/shared-ticket-keys.ts';
import type { Environment } from '../store/environment.ts';
import type { IndexWriter } from '../store/index/writer.ts';
import type { AnswerSettings } from '../zone/answer/settings.ts';
import type { SteeringState } from '../zone/steering/picker.ts';
import type { AnswerDeferred } from './deferred.ts';
import type { TapRing } from './dnstap/ring.ts';
import { type LocalResponse, openLocalResponder } from './local-responder.ts';
import { nameserverMetrics } from './metrics.ts';
import { type Nameserver, startNameserver } from './nameserver.ts';

interface OpenNameserverOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly index: IndexWriter;
  readonly answers: AnswerSettings;
  readonly steering: SteeringState;
  /** Answers what the query path defers: updates, transfers, signed messages. */
  readonly answerDeferred: AnswerDeferred;
  /** Null if no TLS is configured. */
  readonly tickets: SharedTicketKeys | null;
  /** For the samples of each thread; omitted: no statistics. */
  readonly rings?: readonly SampleRing[];
  /** The rings of dnstap, in the same order; omitted: it is off. */
  readonly taps?: readonly TapRing[];
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
}

interface OpenNameserver extends Nameserver {
  /** Answers a message of DNS over HTTPS, see LocalResponder; undefined if `dns.doh` is off. */
  readonly answerHttps: ((message: Uint8Array, address: string) => LocalResponse | null) | undefined;
}

/** Resolves when all threads listen. Throws ConfigError if one cannot. */
export async function openNameserver(options: OpenNameserverOptions): Promise<OpenNameserver> {
  const { config, environment, index, answers, steering, answerDeferred, tickets, metrics, log } = options;
  const { dataDir: storeDirectory, dns } = config;
  const { udpPayload } = dns;
  const nameserver = await startNameserver({
    index,
    storeDirectory,
    listen: dns.listen,
    workers: dns.workers,
    udpPayload,
    answers,
    steering,
    transport: dns.transport,
    hasLittleMemory: hasLittleMemory(memoryOf(config)),
    tcp: {
      idleTimeout: dns.tcpIdleTimeout,
      queryTimeout: dns.tcpQueryTimeout,
      maxConnections: dns.tcpMaxConnections,
      maxPerAddress: dns.tcpMaxPerAddress,
    },
    proxies: dns.proxyProtocol,
    tls: { listen: dns.tlsListen, certificate: dns.tlsCertificate, key: dns.tlsKey, tickets: tickets?.keys },
    ...limitsOf(config),
    answerDeferred,
    queryLog: dns.queryLog,
    rings: options.rings,
    taps: options.taps,
    tasks: options.tasks,
    log,
  });
  options.follow?.(['dns', 'transfer.allow'], () => {
    nameserver.setLimits(limitsOf(config));
    nameserver.setCertificateFiles({ certificate: dns.tlsCertificate, key: dns.tlsKey });
  });
  tickets?.follow((keys) => nameserver.setTickets(keys));
  nameserverMetrics(metrics, nameserver.counters);
  const { https } = nameserver;
  const responder = dns.doh
    ? openLocalResponder({ index, environment, storeDirectory, udpPayload, answers, steering }, https)
    : null;
  const answerHttps = responder?.answer.bind(responder);
  // Not a copy: `listening` is a getter.
  return Object.assign(nameserver, { answerHttps });
}

/** What a reload changes. */
const limitsOf = ({ dns, transfer }: Config) => ({
  rateLimit: {
    rate: dns.rrlRate,
    slip: dns.rrlSlip,
    allow: dns.rrlAllow,
    ipv4Prefix: dns.rrlIpv4Prefix,
    ipv6Prefix: dns.rrlIpv6Prefix,
  },
  deferredUdp: { rate: dns.deferredUdpRate, allow: dns.rrlAllow },
  transferAllow: transfer.allow,
});

/**
 * Runs the edge from the main thread: starts, reloads and stops its threads, and handles their
 * messages.
 */
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Logger } from '../../core/base/log/index.ts';
import { hasLittleMemory } from '../../core/base/main-heap.ts';
import type { Registry } from '../../core/base/metrics/index.ts';
import type { Secrets } from '../../core/base/secrets.ts';
import type { Task, Tasks } from '../../core/base/tasks.ts';
import { type Config, type ListenAddress, memoryOf, secretKeyFile } from '../../core/config/index.ts';
import type { Name } from '../../core/dns/wire/name.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { CHECK_INTERVAL_MS, CountryFile } from '../../core/net/geography/country-file.ts';
import type { Statistics } from '../../core/observe/statistics/statistics.ts';
import type { RequestTail } from '../../core/observe/tail/request-tail.ts';
import type { Traces } from '../../core/observe/traces/traces.ts';
import { choosePort } from '../../core/os/sockets.ts';
import type { Ejections } from '../../core/site/health/ejections.ts';
import type { LogDelivery } from '../../core/site/logs/open.ts';
import type { RuleCounters } from '../../core/site/rules/index.ts';
import type { SharedTicketKeys } from '../../core/site/tls/shared-ticket-keys.ts';
import type { Environment } from '../../core/store/environment.ts';
import type { ZoneSettings } from '../../core/zone/compile/settings.ts';
import type { Cache, CacheBounds } from '../cache/store/cache-store.ts';
import { openCache } from '../cache/store/node-cache.ts';
import { createFetchStatus, Stapler } from '../certificates/ocsp/stapler.ts';
import { GATEWAY_COLUMNS } from '../gateway/counters.ts';
import type { FromGateway, GatewayData, PeerData, ToGateway } from '../gateway/messages.ts';
import { gatewayMetrics } from '../gateway/metrics.ts';
import { openOrigins } from '../gateway/origins.ts';
import { sharePrefetchClaims } from '../gateway/prefetcher.ts';
import { followWatched } from '../gateway/tail-sampler.ts';
import { limitsFromConfig } from '../http/server/limits.ts';
import { assertFree } from '../http/server/listening.ts';
import { edgeMetrics } from '../http/server/metrics.ts';
import { Pool } from '../http/server/pool.ts';
import type { EdgeAddress } from '../peers/cache-peers.ts';
import { createPeerIdentity } from '../peers/identity.ts';
import { PurgePositions, shareInvalidations, sharePurgePositions } from '../peers/shared-marks.ts';
import { shareSiteCounts } from '../policy/fairness/site-connections.ts';
import { Countries } from '../policy/rules/countries.ts';
import { createRateMemory, RATE_SECRET_BYTES } from '../policy/rules/rate-memory.ts';
import { RateSharing, SHARING_INTERVAL, type UsageChannel } from '../policy/rules/rate-sharing.ts';
import type { SitesChanged } from '../sites/sites.ts';
import { CacheTotals } from './cache-totals.ts';
import { readAdminCertificate, readDefaultCertificate } from './files.ts';
import { reasonOf } from './probe.ts';
import { watchPurges } from './purges.ts';

interface EdgeOptions {
  readonly config: Config;
  readonly environment: Environment;
  readonly journal: Journal;
  readonly zoneSettings: ZoneSettings;
  /** Null: TLS is off. */
  readonly tickets: SharedTicketKeys | null;
  /** Listen address of the admin API. `field`: header that carries the client's address. */
  readonly admin: { readonly listen: ListenAddress; readonly field: string; readonly secret: string };
  /** Receives sampled requests of domains with a live tail. */
  readonly tail: RequestTail;
  /** Receives the origins that threads have ejected from their pools. */
  readonly ejections: Pick<Ejections, 'add' | 'setFault' | 'deleteFault'>;
  /** Delivers logs to the owners of sites. */
  readonly logs: Pick<LogDelivery, 'receive'>;
  /** Adds up the counts of rules. Omitted: counts are discarded. */
  readonly ruleCounters?: Pick<RuleCounters, 'add'>;
  /** Adds up the counts of sites. Omitted or null: threads do not count. */
  readonly statistics?: Pick<Statistics, 'addSites'> | null;
  /** Overload protection. Omitted: load is not monitored. */
  readonly protection?: {
    readonly shared: SharedArrayBuffer;
    followCache(bound: (bounds: CacheBounds) => void): void;
  };
  /** Derives keys that are equal on all nodes. */
  readonly secrets: Pick<Secrets, 'derive'>;
  /** Calls `listener` with the edges of other nodes, now and after changes. Omitted: none. */
  readonly followEdges?: (listener: (others: readonly EdgeAddress[]) => void) => void;
  /** Shares counts of rate limits between nodes. Omitted or null: counts are not shared. */
  readonly usage?: UsageChannel | null;
  /** Omitted or null: tracing is off. */
  readonly traces?: Pick<Traces, 'record' | 'sampling' | 'followLost'> | null;
  readonly metrics: Registry;
  readonly tasks: Tasks;
  readonly log: Logger;
}

interface Edge {
  /** Includes the ports assigned for port 0. */
  readonly httpListen: readonly ListenAddress[];
  readonly httpsListen: readonly ListenAddress[];
  /** Whether all threads listen. */
  readonly isListening: boolean;
  /** Names of threads that have not responded for `ms` milliseconds. */
  silentThreads(ms: number): string[];
  /**
   * Starts new threads, which read certificate and key files again, then drains the old threads. If
   * the new threads cannot start, rejects, and the old threads continue.
   */
  reload(): Promise<void>;
  /** Stops accepting and drains. Resolves after the last response or edge.drain_timeout. */
  stop(): Promise<void>;
}

/** Maximum connections of all threads to the admin API. */
const ADMIN_CONNECTIONS = 512;
/**
 * Additional connections for event streams. The sum is below the default of
 * admin.max_connections_per_address.
 */
const ADMIN_STREAMS = 400;

/** Null: no listen address is configured. Throws ConfigError. */
export async function startEdge(options: EdgeOptions): Promise<Edge | null> {
  const { config, environment, journal, tickets, metrics, log } = options;
  const { edge } = config;
  if (edge.httpListen.length === 0 && edge.httpsListen.length === 0) return null;
  await assertFree(edge.httpListen, 'WAYPOST_EDGE_HTTP_LISTEN');
  await assertFree(edge.httpsListen, 'WAYPOST_EDGE_HTTPS_LISTEN');
  const listen = {
    http: await Promise.all(edge.httpListen.map(choosePort)),
    https: await Promise.all(edge.httpsListen.map(choosePort)),
  };
  let pool: Pool | null = null;
  // A thread may already have read data that changes while other threads start.
  const queued: ToGateway[] = [];
  watchSites(journal, (changed) => {
    const message: ToGateway = { kind: 'sites', changed };
    if (pool === null) queued.push(message);
    else pool.send(message);
  });
  const cache = await openNodeCache(options);
  const peers = edge.cachePeers && options.followEdges !== undefined ? await openPeers(options) : null;
  await watchPurges(environment, journal, cache, peers === null ? undefined : new PurgePositions(peers.positions));
  options.followEdges?.((others) => {
    if (peers === null) return;
    peers.others = others;
    pool?.send({ kind: 'peers', others } satisfies ToGateway);
  });
  options.protection?.followCache((bounds) => cache.bound(bounds));
  const countryFile = new CountryFile(
    edge.countryFile,
    { log, check: (content) => new Countries().load(content) },
    (content) => pool?.send({ kind: 'countries', content } satisfies ToGateway),
  );
  const countryTask = options.tasks.add({
    name: 'country-file',
    owner: 'node',
    due: CHECK_INTERVAL_MS,
    log,
    run: () => countryFile.look(),
  });
  if (edge.countryFile !== undefined) countryTask.start();
  const shared: ThreadMemory = { ...openRates(options), prefetches: sharePrefetchClaims(), countryFile };
  const totals = new CacheTotals();
  const { cluster } = options.zoneSettings;
  // OCSP responders are requested without TLS, so the file of root certificates is not needed.
  const responders = openOrigins({ ...edge, originCaFile: undefined }, [...cluster.ipv4, ...cluster.ipv6], null);
  const stapler = new Stapler({
    fetch: createFetchStatus(responders.fetch),
    send: (message) => pool?.send(message satisfies ToGateway),
    tasks: options.tasks,
    log,
  });
  pool = await Pool.start({
    tlsListen: listen.https,
    clearListen: listen.http,
    threads: edge.workers,
    limits: limitsFromConfig(edge),
    application: new URL('../gateway/application.js', import.meta.url).href,
    data: dataOf(options, listen, cache, shared, peers),
    ticketRotation: edge.ticketRotation,
    tickets: tickets?.keys,
    columns: GATEWAY_COLUMNS,
    get descriptors() {
      return edge.originTotalConnections;
    },
    transport: 'auto',
    hasLittleMemory: hasLittleMemory(memoryOf(config)),
    tls: edge.tls,
    load: options.protection?.shared,
    log,
    onMessage: (message) => handleMessage(message as FromGateway, totals, stapler, options),
  });
  const running = pool;
  for (const message of queued) running.send(message);
  if (peers !== null) running.send({ kind: 'peers', others: peers.others } satisfies ToGateway);
  tickets?.follow((keys) => running.setTickets(keys));
  const watched = followWatched(options.tail, (message) => running.send(message satisfies ToGateway), options);
  edgeMetrics(metrics, running.counters);
  gatewayMetrics(metrics, (column) => running.counters.application.sum(column));
  options.traces?.followLost(() => running.counters.application.sum('spans_dropped'));
  totals.expose(metrics);
  shared.sharing?.start();
  return {
    httpListen: running.clearListen,
    httpsListen: running.tlsListen,
    get isListening() {
      return running.isListening;
    },
    silentThreads: (ms) => running.silentThreads(ms),
    reload: async () => running.reload(dataOf(options, listen, cache, shared, peers), limitsFromConfig(edge)),
    async stop() {
      watched.close();
      void shared.sharing?.stop();
      await countryTask.stop();
      stapler.close();
      await responders.close();
      await running.stop();
    },
  };
}

function openNodeCache({ config: { edge, dataDir }, log }: EdgeOptions): ReturnType<typeof openCache> {
  return openCache({
    folder: join(dataDir, 'cache'),
    memory: edge.cacheMemory,
    threads: edge.workers,
    disk: edge.cacheDisk,
    memoryObject: edge.cacheMemoryObject,
    largestObject: edge.cacheObject,
    onTrouble: (message) => log.warn(message),
  });
}

/** Data for the threads. `others` is replaced when it changes. */
type Peers = { -readonly [key in keyof PeerData]: PeerData[key] };

const openPeers = async ({ secrets }: EdgeOptions): Promise<Peers> => ({
  identity: await createPeerIdentity(secrets),
  positions: sharePurgePositions(),
  invalidations: shareInvalidations(),
  others: [],
});

/** Shared by all generations of threads, so it survives a reload. */
interface ThreadMemory {
  readonly prefetches: SharedArrayBuffer;
  readonly rates: SharedArrayBuffer;
  /** Task that shares the rates with other nodes. Null: no cluster. */
  readonly sharing: Task | null;
  readonly countryFile: CountryFile;
}

function openRates({ secrets, usage, metrics, tasks, log }: EdgeOptions): Pick<ThreadMemory, 'rates' | 'sharing'> {
  const [secret] = secrets.derive('rate limits', RATE_SECRET_BYTES);
  const rates = createRateMemory(secret, usage != null);
  const sharing = usage == null ? null : new RateSharing({ memory: rates, channel: usage });
  metrics.read(
    'counter',
    'waypost_edge_shared_limits_total',
    'Usage of rate limits that this node sent to other nodes and received from them, in keys.',
    ['direction'],
    (emit) => {
      emit(sharing?.sent ?? 0, 'sent');
      emit(sharing?.received ?? 0, 'received');
    },
  );
  const task =
    sharing &&
    tasks.add({ name: 'rate-sharing', owner: 'node', due: SHARING_INTERVAL, log, run: () => sharing.send() });
  return { rates, sharing: task };
}

interface Listen {
  readonly http: readonly ListenAddress[];
  readonly https: readonly ListenAddress[];
}

/** Builds the data for a generation of threads. Throws ConfigError. */
function dataOf(
  { config, zoneSettings, admin, statistics, protection, traces }: EdgeOptions,
  { http, https }: Listen,
  cache: Pick<Cache, 'handle'>,
  { rates, prefetches, countryFile }: ThreadMemory,
  peers: PeerData | null,
): GatewayData {
  const { edge } = config;
  const { address, port } = admin.listen;
  return {
    storeDirectory: config.dataDir,
    zoneSettings,
    keyFile: secretKeyFile(config),
    edge,
    region: config.peer.region,
    servesOrderedRsa: config.acme.alsoRsa,
    cache: cache.handle,
    adminHosts: config.admin.hostname,
    nodeName: config.nodeName,
    countsSites: statistics != null,
    peers,
    traces: traces?.sampling ?? null,
    siteConnections: shareSiteCounts(edge.workers),
    rates,
    prefetches,
    countries: countryFile.content,
    load: protection?.shared ?? null,
    adminCertificate: readAdminCertificate(config.admin),
    defaultCertificate: readDefaultCertificate(edge),
    adminTarget: {
      address: LOOPBACK_OF.get(address) ?? address,
      port,
      field: admin.field,
      secret: admin.secret,
      connections: Math.max(1, Math.floor(ADMIN_CONNECTIONS / edge.workers)),
      streams: Math.max(1, Math.floor(ADMIN_STREAMS / edge.workers)),
    },
    httpPorts: http.map((listen) => listen.port),
    httpsPort: https[0]?.port ?? null,
  };
}

/** A wildcard address also accepts connections to the loopback address. */
const LOOPBACK_OF: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);

function handleMessage(
  message: FromGateway,
  totals: CacheTotals,
  stapler: Stapler,
  {
    log,
    tail,
    logs,
    statistics,
    traces,
    ejections,
    ruleCounters,
  }: Pick<EdgeOptions, 'log' | 'tail' | 'logs' | 'statistics' | 'traces' | 'ejections' | 'ruleCounters'>,
): void {
  switch (message.kind) {
    case 'log':
      log.warn(message.message, message.fields);
      break;
    case 'log-lines':
      logs.receive(message.lines);
      Atomics.add(new Int32Array(message.processed), 0, 1);
      break;
    case 'site-counts':
      statistics?.addSites(message);
      break;
    case 'rule-counts':
      for (const counts of message.counts) ruleCounters?.add(counts);
      break;
    case 'cache-stats':
      totals.take(message.worker, message.stats);
      break;
    case 'staple-wanted':
    case 'staple-used':
      stapler.receive(message);
      break;
    case 'access-log':
      writeLines(process.stdout, message);
      break;
    case 'spans':
      for (const span of message.spans) traces?.record(span);
      Atomics.add(new Int32Array(message.taken), 0, 1);
      break;
    case 'origin-ejected':
      ejections.add(message.domainId, message.key, message.milliseconds);
      break;
    case 'origin-fault':
      if (message.fault === null) ejections.deleteFault(message.domainId, message.key);
      else ejections.setFault(message.domainId, message.key, reasonOf(message.fault));
      break;
    case 'requests':
      for (const { domainId, requests, omitted } of message.samples) tail.publish(Number(domainId), requests, omitted);
      break;
    default:
      message satisfies never;
  }
}

/**
 * Writes a batch of access log lines to a stream.
 *
 * Counts the batch as written only after the stream has flushed it. The reader of the stream may be
 * slow or blocked, and the buffer of the stream has no limit.
 */
export function writeLines(
  to: Writable,
  { lines, writtenBatches }: Extract<FromGateway, { kind: 'access-log' }>,
): void {
  to.write(lines, () => void Atomics.add(new Int32Array(writtenBatches), 0, 1));
}

/**
 * Reports changes of sites from the journal to the threads of the edge.
 *
 * Calls `notify` for each group of entries that changes a site, once the change is readable.
 */
export function watchSites(journal: Journal, notify: (changed: SitesChanged) => void): void {
  let apexes: Name[] = [];
  // For each group, onDomain runs before onEdge.
  journal.onDomain(({ apex }) => void apexes.push(apex));
  journal.onEdge(({ domainIds }) => {
    if (domainIds.size === 0) return;
    notify({ domainIds: [...domainIds], apexes });
    apexes = [];
  });
}

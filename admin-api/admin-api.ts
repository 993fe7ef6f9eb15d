/** Creates the admin API from its parts. */

import { connect } from 'node:net';
import type { Logger } from '../core/base/log/index.ts';
import { hasLittleMemory } from '../core/base/main-heap.ts';
import type { Registry } from '../core/base/metrics/index.ts';
import type { Secrets } from '../core/base/secrets.ts';
import { SharedRun } from '../core/base/shared-run.ts';
import type { Tasks } from '../core/base/tasks.ts';
import type { BlobSource } from '../core/cluster/blobs/store.ts';
import type { ClusterState } from '../core/cluster/cluster-state.ts';
import type { ReadRuleCounts, ReadStatistics } from '../core/cluster/peer-queries.ts';
import type { Readiness } from '../core/cluster/readiness.ts';
import { type Config, type Follow, memoryOf } from '../core/config/index.ts';
import type { Journal } from '../core/journal/journal.ts';
import type { AnswerDeferred } from '../core/nameserver/deferred.ts';
import { parseExemptions, parsePrefix } from '../core/net/address/index.ts';
import { trustOf } from '../core/net/address/visitor.ts';
import type { WatchRequests } from '../core/observe/tail/request-tail.ts';
import type { Traces } from '../core/observe/traces/traces.ts';
import { WriteTraces } from '../core/observe/traces/write-traces.ts';
import type { Ejections } from '../core/site/health/ejections.ts';
import type { Environment } from '../core/store/environment.ts';
import { type Id, idKey } from '../core/store/keys.ts';
import { type Domain, type SecondaryRow, secondaries } from '../core/store/rows.ts';
import { StoreReader } from '../core/store/store-reader.ts';
import { AliasStates } from '../core/upkeep/alias/index.ts';
import type { DelegationLook } from '../core/upkeep/delegation/look.ts';
import type { PresentRecords } from '../core/upkeep/delegation/present.ts';
import { DomainAdmission } from '../core/upkeep/domains/admission.ts';
import type { PublicLook } from '../core/upkeep/signing/store-zone.ts';
import type { ZoneSettings } from '../core/zone/compile/settings.ts';
import { NO_STATE, type SteeringState } from '../core/zone/steering/picker.ts';
import { replay } from './change/change.ts';
import type { MemoryRoom } from './change/import-memory.ts';
import { ImportSlots } from './change/import-slots.ts';
import { KeyedLocks } from './change/locks.ts';
import type { CatalogStates, SecondaryZones, Services, SteeringHealthStates } from './change/services.ts';
import { DashboardPages } from './dashboard/serve/pages.ts';
import { EventStreams } from './events/index.ts';
import { createApp } from './http/app.ts';
import { BodyMemory } from './http/body-memory.ts';
import { type ForwardedBy, KnownHosts } from './http/forwarded.ts';
import { HttpMetrics } from './http/metrics.ts';
import { openApiRoutes } from './http/openapi/routes.ts';
import type { WriteProtection } from './http/protection.ts';
import { ACCOUNT_SHARES, RateLimit } from './http/rate-limit.ts';
import type { Route, ServedRoute, Sync } from './http/route.ts';
import { selectTransport } from './http/select.ts';
import { StreamSlots } from './http/stream-slots.ts';
import type { Listening } from './http/transport.ts';
import { type AuditPrograms, createPackages, type Packages } from './miniapp/packages/index.ts';
import { createFirstAdmin, FIRST_ADMIN, type FirstAdminOutput } from './people/accounts/first-admin.ts';
import { Authenticator } from './people/auth/authenticate.ts';
import { type PasswordCost, Passwords } from './people/auth/password.ts';
import { Sessions } from './people/auth/sessions.ts';
import { LoginAttempts } from './people/auth/sign-in.ts';
import { TokenUses } from './people/auth/token-uses.ts';
import { apiRoutes } from './routes/routes.ts';
import type { DomainLogs } from './sites/documents/logs-state.ts';
import type { ResolveFor } from './sites/proxy/bounded.ts';
import type { OpenConnection } from './sites/proxy/origin-test.ts';
import { dnsResolve } from './sites/proxy/resolve.ts';
import { Sweeper } from './sweeper.ts';
import type { AnswerDns } from './zones/doh/routes.ts';
import { DomainSearch } from './zones/domains/search.ts';
import { PREFIX as DYNDNS_PREFIX, dynDnsError, dynDnsRoutes } from './zones/dyndns/routes.ts';
import { PREFIX, powerDnsError, preflightHeaders } from './zones/powerdns/errors.ts';
import { powerDnsRoutes } from './zones/powerdns/routes.ts';
import { PreparePool } from './zones/records/zonefile/pool.ts';
import { TargetWarnings } from './zones/targets/target-warnings.ts';
import { createUpdateHandler } from './zones/update/handler.ts';

export interface AdminApiOptions {
  readonly environment: Environment;
  readonly journal: Journal;
  readonly config: Config;
  readonly tasks: Tasks;
  readonly log: Logger;
  readonly zoneSettings: ZoneSettings;
  ready(): Readiness;
  /** Omitted: memory and disk space are not watched. */
  readonly protection?: WriteProtection & MemoryRoom;
  /** Which nodes have applied a change; omitted: this is the only node. */
  readonly sync?: (sequence: number) => Sync;
  /** The nodes of the cluster, or the single node. */
  describeNodes(): Promise<ClusterState>;
  readonly secrets: Secrets;
  readonly metrics: Registry;
  /** Adds up the statistics of all nodes; omitted: there are none. */
  readonly readStatistics?: ReadStatistics;
  /** Storage of the packages. */
  readonly blobs: BlobSource;
  /** The requests of a domain that any node serves. */
  readonly watchRequests: WatchRequests;
  /** The delivery of request logs; omitted: there is none. */
  readonly logs?: DomainLogs;
  /** Adds up the counters of rules of all nodes. */
  readonly readRuleCounts: ReadRuleCounts;
  /** What a hash of a password costs, for tests, which make thousands; omitted: what is safe. */
  readonly passwordCost?: PasswordCost;
  /** Programs of the audit threads, for tests; omitted: the real audit. */
  readonly auditPrograms?: AuditPrograms;
  /** Version of the service. */
  readonly version: string;
  /** States of the targets of ALIAS records; omitted: read from their rows. */
  readonly aliases?: AliasStates;
  /** Resolves host names of origins; omitted: uses `edge.resolvers`. */
  readonly resolve?: ResolveFor;
  /** Opens the connections of origin tests; omitted: real ones. */
  readonly openConnection?: OpenConnection;
  /** Asks the nameservers of parent zones for DS records. */
  readonly publicParent: PublicLook;
  /** Asks them for delegations. */
  readonly delegation: DelegationLook;
  /** Asks the nameservers of domains for their records; omitted: none answers. */
  readonly presentRecords?: PresentRecords;
  /** Origins that this node does not use for a while; omitted: none. */
  readonly ejections?: Pick<Ejections, 'endOf' | 'faultOf'>;
  /** Transfers secondary zones; omitted: their rows are only read. */
  readonly secondaries?: SecondaryZones;
  /** What this node picks steered answers by; omitted: nothing is known of clients. */
  readonly steering?: SteeringState;
  /** Omitted: answers are not checked. */
  readonly steeringHealth?: SteeringHealthStates;
  /** Processes consumed catalogs; omitted: none are. */
  readonly catalogs?: CatalogStates;
  /** How the edge passes the client address; omitted: forwarded requests are not trusted. */
  readonly forwardedBy?: ForwardedBy;
  /** Folder of the dashboard's files; omitted: there is no dashboard. */
  readonly dashboard?: string;
  /** Folder of the built reference. */
  readonly reference?: string;
  /** Notifies the secondaries of a zone; omitted: there are none. */
  readonly notify?: (domain: Domain) => void;
  /** The nameserver, for DNS over HTTPS; omitted if that is off. */
  readonly answerDns?: AnswerDns;
  /** Omitted or null: traces are off. */
  readonly traces?: Pick<Traces, 'record' | 'writeRatio'> | null;
  /** As LiveConfig; omitted: the configuration never changes. */
  readonly follow?: Follow;
}

export interface AdminApi {
  /** All routes, including the OpenAPI document. */
  readonly routes: readonly Route[];
  /** The routes of the PowerDNS-compatible API. */
  readonly compatible: readonly ServedRoute[];
  readonly packages: Pick<Packages, 'tidy'>;
  /** Answers DNS messages of opcode UPDATE, under the same rules and turns as requests. */
  readonly update: AnswerDeferred;
  /** Listens on `config.admin.listen`. Rejects with ListenError or ConfigError. */
  listen(): Promise<{ readonly port: number; readonly transport: 'uws' | 'node' }>;
  close(): Promise<void>;
  /** The generated password of a new account `admin`, or null: see accounts/first-admin.ts. */
  ensureAdmin(output: FirstAdminOutput): Promise<string | null>;
  /** Whether there is an account `admin`. */
  hasFirstAdmin(): boolean;
}

/** Minimum milliseconds between two catch-ups for unknown tokens, which any client can cause. */
const CATCH_UP_INTERVAL = 250;
/** Bodies of the maximum size, half of them of one account. */
const BODIES_IN_MEMORY = 4;
/** Batches have a limit of their own, which admin.max_body does not lower. */
const LEAST_BODY = 16 << 20;
const FIVE_MINUTES = 300;
const ONE_MINUTE = 60;

function readRows(reader: StoreReader): SecondaryZones {
  const row = (domainId: Id): SecondaryRow | undefined => reader.row(secondaries, idKey(domainId));
  return { row, transfer: async (domainId) => row(domainId) };
}

const NO_LOG_DELIVERY: DomainLogs = {
  readStates: async () => ({ answers: [], answered: [], missing: [] }),
  test: async () => null,
};

export function createAdminApi(options: AdminApiOptions): AdminApi {
  const { environment, journal, config, log, tasks, zoneSettings, secrets, sync } = options;
  const reader = new StoreReader(environment);
  const traces = options.traces == null ? null : new WriteTraces(options.traces);
  const services: Services = {
    environment,
    journal,
    reader,
    config,
    zoneSettings,
    log,
    tasks,
    secrets,
    locks: new KeyedLocks(),
    imports: new ImportSlots(options.protection, hasLittleMemory(memoryOf(config))),
    streams: new StreamSlots(log),
    search: new DomainSearch(reader, journal),
    aliases: options.aliases ?? new AliasStates(environment),
    publicParent: options.publicParent,
    delegation: options.delegation,
    presentRecords: options.presentRecords ?? { scan: async () => ({ trouble: 'no nameserver answered' }) },
    secondaries: options.secondaries ?? readRows(reader),
    catalogs: options.catalogs ?? { state: () => undefined },
    admission: new DomainAdmission(config),
    traces,
    steering: options.steering ?? NO_STATE,
    steeringHealth: options.steeringHealth ?? { stateOf: () => undefined, usageOf: () => ({ answers: 0, checked: 0 }) },
  };
  services.imports.register(options.metrics);
  const passwords = new Passwords(options.passwordCost);
  const pool = new PreparePool();
  const logins = new LoginAttempts(() => config.admin.loginRateLimit);
  const sessions = new Sessions(services);
  const tokenUses = new TokenUses(services);
  const authenticator = new Authenticator(reader, journal, sessions, tokenUses);
  const signInParts = { services, passwords, logins };
  const { cluster } = zoneSettings;
  const originRules = {
    resolve: options.resolve ?? dnsResolve(() => config.edge.resolvers),
    allowPrivate: parseExemptions(config.edge.allowPrivateOrigins),
    own: [...cluster.ipv4, ...cluster.ipv6].map((address) => parsePrefix(address)),
  };
  const targetWarnings = new TargetWarnings(services, originRules);
  const packages = createPackages(services, options.blobs, options.metrics, options.auditPrograms);
  const eventStreams = new EventStreams(services);
  const described: readonly Route[] = apiRoutes({
    services,
    signIn: signInParts,
    authenticator,
    sessions,
    tokenUses,
    eventStreams,
    zoneFiles: pool,
    targetWarnings,
    originRules,
    openConnection: options.openConnection ?? ((host, port) => connect({ host, port })),
    packages: packages.routes,
    ready: options.ready,
    describeNodes: options.describeNodes,
    metrics: options.metrics,
    sync: sync ?? ((seq) => ({ seq, applied: [config.nodeName], pending: [] })),
    ejections: options.ejections ?? { endOf: () => null, faultOf: () => null },
    logs: options.logs ?? NO_LOG_DELIVERY,
    readRuleCounts: options.readRuleCounts,
    watchRequests: options.watchRequests,
    readStatistics: options.readStatistics ?? noStatistics(config.nodeName),
    doh: options.answerDns && {
      answer: options.answerDns,
      queries: new RateLimit('dns', () => config.dns.dohRateLimit, ONE_MINUTE),
    },
  });
  const routes = [...described, ...openApiRoutes(described, options.version)];
  const compatible = powerDnsRoutes(services, options.metrics, options.notify ?? (() => {}));
  const hosts = new KnownHosts(config.admin.hostname);
  let trusts = trustOf(config.edge.trustedProxies);
  options.follow?.(['admin.hostname', 'edge.trusted_proxies'], () => {
    hosts.setNames(config.admin.hostname);
    trusts = trustOf(config.edge.trustedProxies);
  });
  const handler = createApp({
    routes: [...routes, ...compatible, ...dynDnsRoutes(services)],
    foreign: [
      { prefix: PREFIX, respondToError: powerDnsError, preflightHeaders },
      { prefix: DYNDNS_PREFIX, respondToError: dynDnsError },
    ],
    authenticator,
    hosts,
    observer: new HttpMetrics(options.metrics),
    journal,
    catchUp: sync === undefined ? null : new SharedRun(() => journal.latest(), CATCH_UP_INTERVAL),
    requests: new RateLimit('default', () => config.rateLimit, FIVE_MINUTES),
    accountRequests: new RateLimit('account', () => ACCOUNT_SHARES * config.rateLimit, FIVE_MINUTES),
    sync: (sequence) => sync?.(sequence) ?? null,
    replay: (idempotency, headers) => replay(services, idempotency, headers),
    log,
    pages:
      options.dashboard === undefined || options.reference === undefined
        ? undefined
        : new DashboardPages(options.dashboard, options.reference),
    forwardedBy: options.forwardedBy,
    protection: options.protection,
    trusts: (address) => trusts(address),
    tracing: traces === null ? undefined : { traces },
  });
  const sweeper = new Sweeper(services, sessions);
  let listening: Listening | undefined;
  return {
    routes,
    compatible,
    packages,
    update: createUpdateHandler(services, options.metrics),
    async listen() {
      const transport = await selectTransport(config.admin.transport, {
        limits: {
          get total() {
            return config.admin.maxConnections;
          },
          get perAddress() {
            return config.admin.maxConnectionsPerAddress;
          },
        },
        memory: new BodyMemory(BODIES_IN_MEMORY * Math.max(config.admin.maxBody, LEAST_BODY)),
        log,
      });
      listening = await transport.listen(config.admin.listen, handler);
      options.metrics.read(
        'gauge',
        'waypost_api_transport',
        'Always 1. `transport` is uws (uWebSockets.js) or node (node:http).',
        ['transport'],
        (emit) => emit(1, transport.name),
      );
      sweeper.start();
      tokenUses.start();
      packages.start();
      return { port: listening.port, transport: transport.name };
    },
    async close() {
      eventStreams.close();
      await listening?.close();
      await packages.stop();
      await sweeper.stop();
      await tokenUses.stop();
      await sessions.settle();
      await pool.close();
    },
    ensureAdmin: (output) => createFirstAdmin(services, passwords, output),
    hasFirstAdmin: () => reader.accountByLogin(FIRST_ADMIN) !== undefined,
  };
}

/** Without statistics, this node is missing in each answer. */
function noStatistics(node: string): ReadStatistics {
  return async () => ({ sum: { sampling: 1, columns: [], names: [] }, answered: [], missing: [node] });
}

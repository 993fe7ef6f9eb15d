#!/usr/bin/env node
/** The composition root: starts the parts of the daemon in order, or runs another command. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type CliIo, runCli } from './admin-api/cli/index.ts';
import { readBuildInfo } from './core/base/build-info.ts';
import { ConfigError } from './core/base/errors.ts';
import type { Logger } from './core/base/log/index.ts';
import { hasLittleMemory, setThreadHeapFlags } from './core/base/main-heap.ts';
import type { Stops } from './core/base/stops.ts';
import {
  type Config,
  type ListenAddress,
  type LiveConfig,
  memoryOf,
  type ResolvedConfig,
} from './core/config/index.ts';
import { loadUdpThreads } from './core/nameserver/early.ts';
import { endEarlyThreads } from './core/os/early-threads.ts';
import type { Running } from './core/os/systemd/run-service.ts';

type Start = typeof import('./core/start.ts');

/** Throws ConfigError with all that a start refuses; with `bind`, also what cannot be bound. */
async function checkStart(config: Config, { bind }: { readonly bind: boolean }): Promise<void> {
  const [start, edge] = await Promise.all([import('./core/start.ts'), import('./edge/daemon/start-checks.ts')]);
  await start.runStartChecks(config, [...start.START_CHECKS, ...edge.START_CHECKS, ...(bind ? start.BIND_CHECKS : [])]);
}

/** With little memory, restarts Node with a smaller heap. Returns why that failed, or null. */
async function fitHeap(config: Config): Promise<string | null> {
  if (!hasLittleMemory(memoryOf(config))) return null;
  return (await import('./core/os/small-heap.ts')).restartWithSmallHeap();
}

/** Runs the daemon; resolves when all parts have stopped. */
async function serve(read: () => ResolvedConfig): Promise<void> {
  const resolved = read();
  const largeHeap = await fitHeap(resolved.config);
  setThreadHeapFlags();
  loadUdpThreads(resolved.config);
  try {
    await serveWith(resolved, read, largeHeap);
  } finally {
    await endEarlyThreads();
  }
}

async function serveWith(
  resolved: ResolvedConfig,
  read: () => ResolvedConfig,
  largeHeap: string | null,
): Promise<void> {
  const start = await import('./core/start.ts');
  await checkStart(resolved.config, { bind: false });
  const live = new start.LiveConfig(resolved);
  const { config } = live;
  const log = start.createLogger(config.log);
  if (largeHeap !== null) log.warn('cannot make the heap smaller', { reason: largeHeap });
  if (!config.protection.coreDumps) start.disableCoreDumps();
  const record = new start.StartRecord(config.dataDir, config.protection.startDelay * 1000);
  await start.runService({
    log,
    async start(stops) {
      await record.begin(log);
      return startParts(start, { live, read, record }, log, stops);
    },
  });
  record.end();
}

interface StartOptions {
  readonly live: LiveConfig;
  readonly read: () => ResolvedConfig;
  readonly record: { served(): Promise<void> };
}

/**
 * Starts the nameserver with the parts that it needs, then all others, each after those that it
 * needs. Null: another node's store is to be installed.
 */
async function startParts(
  start: Start,
  { live, read, record }: StartOptions,
  log: Logger,
  stops: Stops,
): Promise<Running | null> {
  const started = performance.now();
  const { config, follow } = live;
  stops.add(() => live.forgetFollowers());
  const metrics = new start.Registry();
  const tasks = new start.Tasks({ metrics });
  stops.own(start.registerProcessMetrics(metrics, build, { tasks, log }));

  /** The log of a part: lines of JSON name it. */
  const logOf = (component: string) => ({ log: log.child({ component }) });

  // 1. The protection of the machine; the store, and what all parts derive from the configuration.
  const { reclaim } = stops.own(
    new start.Reclaimer({
      tasks,
      ...logOf('protection'),
      hasLittleMemory: hasLittleMemory(memoryOf(config)),
      measure: start.ownMemory,
    }),
  );
  const protection = stops.own(start.openProtection({ config, metrics, tasks, reclaim, ...logOf('protection') }));
  const store = await start.openStore({ config, metrics, tasks, ...logOf('store'), stops });
  const { guard: clock } = stops.own(
    start.openClock({ config, metrics, tasks, environment: store.environment, ...logOf('clock'), built: build.date }),
  );
  const steering = stops.own(await start.openSteeringState({ config, tasks, ...logOf('steering') }));
  const common = {
    config,
    follow,
    version: build.version,
    metrics,
    tasks,
    log,
    ...store,
    answers: start.readAnswerSettings(config, store.secrets),
    steering: steering.state,
  };

  // 2. Statistics and dnstap: the nameserver writes to their rings, their threads start later.
  const statistics = stops.own(start.openStatistics({ ...common, protection, clock, ...logOf('statistics') }));
  const dnstap = stops.own(start.openDnstap({ ...common, ...logOf('dnstap') }));

  // 3. Logs of customers; the journal: all writes go through it, and all other parts follow it.
  const transfers = start.openTransfers({ ...common, ...logOf('transfers') });
  const tail = new start.RequestTail(config.nodeName);
  const logs = stops.own(start.openLogDelivery(common));
  const ruleCounters = new start.RuleCounters();
  const node = stops.own(
    await start.openNode({
      ...common,
      ...logOf('cluster'),
      tail,
      logs,
      ruleCounters,
      clock,
      zones: transfers.zones,
      statistics,
      storage: protection.storage,
      isOverloaded: () => protection.refusesConnections,
    }),
  );
  if (node.isReplaced) return null;
  const shared = { ...common, journal: node.journal, statistics };
  logs.follow(node.journal);

  // 4. The nameserver, which does not answer secondary zones that have expired.
  const secondaries = start.openSecondaries({ ...shared, ...logOf('secondary'), clock });
  const tickets = stops.own(await start.openTicketKeys(config, shared));
  const deferred = new start.DeferredRoutes(transfers.answer);
  const nameserver = stops.own(
    await start.openNameserver({
      ...shared,
      ...logOf('nameserver'),
      rings: statistics?.rings,
      taps: dnstap?.rings,
      tickets,
      answerDeferred: deferred.answer,
    }),
  );
  // Closed before the nameserver stops, which answers until the last write is done.
  stops.own(node);
  store.startReading();
  await record.served();

  // 5. DNS is answered from here on. What it does not need comes after it: the rest of the program
  // is loaded, and all other threads start.
  const [core, adminApi, edge] = await Promise.all([
    import('./core/index.ts'),
    import('./admin-api/index.ts'),
    import('./edge/index.ts'),
    statistics?.start(),
    dnstap?.start(),
  ]);
  core.reportForeignOwners({ ...common, ...logOf('domains') });
  const traces = stops.own(await core.openTraces({ ...common, ...logOf('traces') }));
  const readiness = new core.ReadinessWatch({ node, nameserver, protection }, metrics);
  const aliases = core.openAliases({ ...shared, ...logOf('alias'), holds: transfers.holds });
  await stops.own(aliases.refresher).start();

  const steeringHealth = core.openSteeringHealth({ ...shared, ...logOf('steering') });

  // 6. The admin API.
  const ejections = new core.Ejections(metrics);
  const forwardedBy = { field: 'x-waypost-client', secret: randomBytes(24).toString('base64url') };
  const signing = core.openSigning({ ...shared, ...logOf('signing'), node, signatures: store.signers.memo });
  readiness.signing = signing;
  readiness.certificates = new core.CertificateFiles({ config, metrics, tasks, ...logOf('certificates') });
  const catalogs = core.openCatalogs({ ...shared, ...logOf('catalog') });
  const delegations = core.openDelegations({ ...shared, ...logOf('delegation') });
  const api = adminApi.createAdminApi({
    ...shared,
    ...logOf('api'),
    notify: transfers.notify,
    publicParent: signing.publicParent,
    delegation: delegations.look,
    presentRecords: delegations.present,
    ejections,
    secondaries,
    catalogs,
    blobs: node.blobs,
    watchRequests: node.watchRequests,
    traces,
    readRuleCounts: node.readRuleCounts,
    readStatistics: node.readStatistics,
    logs: { readStates: node.readLogStates, test: logs.test },
    aliases: aliases.states,
    steeringHealth,
    ready: () => readiness.current(),
    protection,
    sync: node.isAlone ? undefined : node.sync,
    describeNodes: node.describe,
    answerDns: nameserver.answerHttps,
    forwardedBy,
    dashboard: fileURLToPath(new URL('./dashboard', import.meta.url)),
    reference: fileURLToPath(new URL('./reference', import.meta.url)),
  });
  stops.own(transfers);
  stops.own(api);
  deferred.update = api.update;
  deferred.notify = secondaries.answerNotify;
  stops.add(() => deferred.stopUpdates());
  const { port } = await api.listen();
  const admin = { ...config.admin.listen, port } as ListenAddress;
  const installation = core.openInstallation({ ...shared, ...logOf('installation'), onDelivering: transfers.start });
  readiness.installation = installation;
  stops.own(installation).start();

  // 7. The edge and its certificates.
  const visitors = stops.own(
    await edge.startEdge({
      ...shared,
      ...logOf('edge'),
      tail,
      traces,
      logs,
      ruleCounters,
      tickets,
      protection,
      ejections,
      followEdges: node.isAlone ? undefined : node.followEdges,
      usage: node.usage,
      admin: { listen: admin, ...forwardedBy },
    }),
  );
  readiness.edge = visitors;
  stops.own(edge.createAcme({ ...shared, ...logOf('acme'), served: node.served })).start();

  // 8. Background tasks.
  const { probe } = stops.own(edge.openProbe(common));
  stops.own(core.openHealth({ ...shared, ...logOf('health'), probe })).start();
  stops.own(steeringHealth).start();
  stops.own(core.openWithdrawal(config, node.standing, { tasks, ...logOf('cluster') }));
  const upkeep = { ...shared, ...logOf('journal'), clock, isAlone: node.isAlone, nodeName: config.nodeName };
  const { isResealed } = stops.own(core.startUpkeep(upkeep));
  stops.own(secondaries).start();
  stops.own(signing).keeper.start();
  stops.own(delegations).start();
  stops.own(new core.DomainPurge({ ...shared, ...logOf('domains') })).start();
  stops.own(catalogs).start();
  stops.own(core.openWebhooks({ ...shared, ...logOf('webhooks') })).start();
  const backups = stops.own(core.openBackups({ ...shared, ...logOf('backup'), clock, isResealed }));
  readiness.backups = backups;
  backups.start();

  // 9. The first account. Last, since a start that fails, such as by a port in use, must not leave
  // an account whose password is lost.
  const texts = await import('./admin-api/cli/node/welcome.ts');
  const textOf = (text: string) => (config.log.format === 'json' ? texts.asLogLine(text) : text);
  const password = await api.ensureAdmin({
    show: (made) => printFirst(textOf(texts.firstPassword(made))),
    withdraw: () => print(textOf(texts.NO_FIRST_PASSWORD)),
  });
  readiness.isStarting = false;

  const { httpListen: http = [], httpsListen: https = [] } = visitors ?? {};
  const { listen: dns, tlsListen: tls, transport } = nameserver;
  log.info('listening', {
    ...core.formatServices({ dns, tls, admin: [admin], http, https }),
    transport,
  });
  const reloader = new core.Reloader({
    live,
    log,
    read,
    check: (next) => checkStart(next, { bind: false }),
    finish: visitors?.reload ?? (async () => {}),
  });
  const milliseconds = performance.now() - started;
  return {
    status: () => core.describeReadiness(readiness.current()),
    silentThreads: (ms) => [...nameserver.silentThreads(ms), ...(visitors?.silentThreads(ms) ?? [])],
    reload: () => reloader.run(),
    replaced: node.replaced,
    onServing() {
      if (config.log.format === 'json') {
        log.info('ready', { seconds: Math.round(milliseconds / 100) / 10 });
        return;
      }
      const hasAdmin = api.hasFirstAdmin();
      process.stdout.write(texts.welcome({ admin, dns, http, https, password, hasAdmin, milliseconds }));
    },
    onStopping() {
      readiness.isStopping = true;
    },
    drainDelay: () => config.drainDelay * 1000,
  };
}

/** Resolves when the system has the text. Rejects with the error of standard output. */
function print(text: string): Promise<void> {
  return new Promise((done, fail) => process.stdout.write(text, (error) => (error == null ? done() : fail(error))));
}

/** Throws ConfigError `no_output`: the password would be lost. */
async function printFirst(text: string): Promise<void> {
  try {
    await print(text);
  } catch (error) {
    throw new ConfigError(
      'no_output',
      `The first start cannot print the password of the new account "admin": ${(error as Error).message}. No account was created. Make standard output writable, or choose the password with WAYPOST_ADMIN_PASSWORD.`,
    );
  }
}

const build = readBuildInfo(import.meta.url);
const io: CliIo = {
  // Creating the stream takes some milliseconds, and few commands read it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  build,
  serve,
  checkStart,
  rebuildAnswers: async (config) => (await import('./core/start.ts')).rebuildStore(config),
};
const code = await runCli(process.argv.slice(2), io);
for (const output of [process.stdout, process.stderr])
  await new Promise<void>((done) => output.write('', () => done()));
// Without this call Node would first free its heap, which takes longer than a short command runs.
process.exit(code);

#!/usr/bin/env node
/** The composition root: reads the configuration, starts the parts, stops them in order. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliIo, runCli } from './admin-api/cli/index.ts';
import type { AnswerDns } from './admin-api/index.ts';
import type { AnswerSettings } from './core/answer/settings.ts';
import type { Logger } from './core/base/log/index.ts';
import type { Stops } from './core/base/stops.ts';
import type { Parts } from './core/cluster/readiness.ts';
import type { Config, ListenAddress } from './core/config/index.ts';
import type { LocalData } from './core/nameserver/local-responder.ts';
import type { HangUp } from './core/os/systemd/hang-up.ts';
import type { Service } from './core/os/systemd/service.ts';
import type { IndexWriter } from './core/store/index/writer.ts';

/** The rooms of the daemon. A command needs little of them, so they are loaded when it starts. */
async function loadRooms() {
  const [core, { createAdminApi }, edge] = await Promise.all([
    import('./core/index.ts'),
    import('./admin-api/index.ts'),
    import('./edge/index.ts'),
  ]);
  return { core, createAdminApi, ...edge };
}

type Rooms = Awaited<ReturnType<typeof loadRooms>>;

function dnsOverHttps(
  { core }: Rooms,
  { dns, dataDir }: Config,
  index: IndexWriter,
  answers: AnswerSettings,
  local: LocalData,
): AnswerDns {
  const served = { index, storeDirectory: dataDir, udpPayload: dns.udpPayload, answers };
  const responder = core.openLocalResponder(served, local);
  return (message, address) => responder.answer(message, address);
}

/** Milliseconds that what is still to be written at the end may take. */
const OUTPUT_MS = 2000;

/** Runs the daemon; resolves when it has been stopped in order. What cannot start takes with it what has started. */
async function serve(config: Config): Promise<void> {
  const rooms = await loadRooms();
  const { core } = rooms;
  core.keepHeapToMain();
  const stops = new core.Stops();
  const log = core.createLogger(config.log);
  outliveOutput(rooms, log);
  const hangUp = new core.HangUp();
  const service = new core.Service({ env: process.env, log });
  try {
    // Once more with the store of another node.
    while ((await serveUntilEnd(rooms, config, stops, log, service, hangUp)) === 'replaced') await stops.run();
  } finally {
    await stops.run();
    service.close();
    // Whoever reads standard output and takes nothing more keeps no service that has ended.
    setTimeout(() => process.exit(), OUTPUT_MS).unref();
  }
}

/** A command ends when its output cannot be written; the service goes on, whatever becomes of the disk or the program behind it. */
function outliveOutput({ core }: Rooms, log: Logger): void {
  const throttle = new core.LogThrottle();
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) => {
    const count = throttle.due('output');
    if (count > 0) log.warn('cannot write to standard output', { count, reason: error.message });
  });
}

async function serveUntilEnd(
  rooms: Rooms,
  config: Config,
  stops: Stops,
  log: Logger,
  service: Service,
  hangUp: HangUp,
): Promise<'signal' | 'replaced'> {
  const { core, createAdminApi, createAcme, startEdge } = rooms;
  // Every thread's output runs into ours and listens to its errors: more than ten is no leak.
  for (const output of [process.stdout, process.stderr]) output.setMaxListeners(0);
  const started = performance.now();
  const metrics = new core.Registry();
  const observed = core.processMetrics(metrics, version);
  stops.add(() => observed.stop());
  const { environment, index, zoneSettings } = await core.openStore({ config, metrics, log, stops });
  const keyFile = config.secrets.keyFile ?? join(config.dataDir, 'secret.key');
  const secrets = core.openSecrets(keyFile);
  const answers = core.answerSettings(config, secrets);
  const transfers = core.openTransfers({
    config,
    environment,
    index,
    zoneSettings,
    answers,
    secrets,
    metrics,
    log,
  });
  const node = await core.openNode({
    config,
    version,
    log,
    blobs: new core.BlobStore(join(config.dataDir, core.BLOBS)),
    environment,
    index,
    zoneSettings,
    zones: transfers.zones,
    history: config.journal.history,
    observer: new core.JournalMetrics(metrics),
  });
  const { journal } = node;
  // Should the start fail before it takes its place in the order of the end.
  stops.add(() => node.close());
  if (node.isReplaced) return 'replaced';
  core.journalHeadMetrics(metrics, journal);
  const tickets = await core.openTicketKeys(config, { environment, journal, secrets, log });
  stops.add(() => tickets?.close());
  const deferred = new core.DeferredRoutes(transfers.answer);
  const nameserver = await core.startNameserver({
    ...core.nameserverOptions(config, tickets?.keys),
    index,
    answers,
    answerDeferred: deferred.answer,
    log,
  });
  stops.add(() => nameserver.stop());
  tickets?.follow((keys) => nameserver.setTickets(keys));
  // Before the nameserver, which goes on answering until the last write is done.
  stops.add(() => node.close());
  core.nameserverMetrics(metrics, nameserver.counters);
  const parts: Parts = { node, nameserver, edge: undefined, isStopping: false };
  const ready = () => core.readinessOf(parts);
  core.readinessMetrics(metrics, ready);
  if (node.standing !== null) core.clusterMetrics(metrics, core.STATES, node.standing);
  const { states: aliases, refresher } = core.openAliases({ config, environment, journal, zoneSettings, metrics, log });
  stops.add(() => refresher.stop());
  await refresher.start();
  const forwardedBy = { field: 'x-waypost-client', secret: randomBytes(24).toString('base64url') };
  const api = createAdminApi({
    environment,
    journal,
    config,
    log,
    zoneSettings,
    secrets,
    metrics,
    blobs: node.blobs,
    aliases,
    ready,
    ...(node.isAlone ? {} : { sync: (sequence: number) => node.sync(sequence) }),
    version,
    forwardedBy,
    answerDns: config.dns.doh ? dnsOverHttps(rooms, config, index, answers, nameserver.https) : undefined,
  });
  deferred.update = api.update;
  const password = await api.ensureAdmin();
  stops.add(() => transfers.close());
  stops.add(() => api.close());
  stops.add(() => deferred.stopUpdates());
  const { port } = await api.listen();
  transfers.start();
  const admin = { ...config.admin.listen, port } as ListenAddress;
  const edge = await startEdge({
    config,
    environment,
    journal,
    zoneSettings,
    tickets,
    keyFile,
    admin: { listen: admin, ...forwardedBy },
    metrics,
    log,
  });
  parts.edge = edge;
  stops.add(() => edge?.stop());
  const { served } = node;
  const acme = createAcme({ environment, journal, config, zoneSettings, secrets, log, metrics, served });
  stops.add(() => acme.stop());
  acme.start();
  const withdrawal = core.openWithdrawal(config, node.standing, log);
  stops.add(() => withdrawal?.stop());
  const reseal = core.startReseal({ environment, journal, secrets, log });
  stops.add(() => reseal.stop());
  const renumbered = new core.FaultLog(
    log,
    'serials cannot be raised for the changed settings',
    'serials are raised again',
  );
  const renumbering = core.startRenumbering({
    environment,
    journal,
    settings: zoneSettings,
    onTrouble: (error) => renumbered.report(error),
  });
  stops.add(() => renumbering.stop());
  const { httpListen: http = [], httpsListen: https = [] } = edge ?? {};
  log.info('listening', {
    dns: nameserver.listen.map(core.formatListen).join(', '),
    tls: nameserver.tlsListen.map(core.formatListen).join(', ') || 'off',
    transport: nameserver.transport,
    admin: core.formatListen(admin),
    http: http.map(core.formatListen).join(', ') || 'off',
    https: https.map(core.formatListen).join(', ') || 'off',
    ...index.stats,
  });
  const milliseconds = performance.now() - started;
  const { welcome } = await import('./admin-api/cli/welcome.ts');
  process.stdout.write(welcome({ admin, dns: nameserver.listen, http, https, password, milliseconds }));

  service.ready({
    status: () => core.describeReadiness(ready()),
    silent: (ms) => [...nameserver.silentThreads(ms), ...(edge?.silent(ms) ?? [])],
  });
  hangUp.follow(() => reloadEdge(parts, edge, service, log));
  stops.add(() => hangUp.follow(null));
  const signal = await Promise.race([untilSignal(stops), node.replaced]);
  parts.isStopping = true;
  if (signal === undefined) {
    log.info('restarting with the store of another node');
    service.reloading();
    return 'replaced';
  }
  log.info('stopping', { signal });
  service.stopping();
  return 'signal';
}

/** New edge threads, as systemd sees it (Type=notify-reload). The threads before them go on when that fails. */
async function reloadEdge(
  parts: Parts,
  edge: { reload(): Promise<void> } | null,
  service: Service,
  log: Logger,
): Promise<void> {
  if (parts.isStopping) return;
  log.info('reloading', { signal: 'SIGHUP' });
  service.reloading();
  try {
    await edge?.reload();
    if (edge) log.info('edge reloaded');
  } catch (error) {
    if (!parts.isStopping) log.error('edge reload failed; the current threads keep running', { error });
  }
  if (!parts.isStopping) service.ready();
}

function untilSignal(stops: Stops): Promise<string> {
  return new Promise((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) {
      process.once(name, resolve);
      stops.add(() => process.off(name, resolve));
    }
  });
}

async function rebuild(config: Config): Promise<{ zones: number; answers: number }> {
  const core = await import('./core/index.ts');
  const lock = core.lockDirectory(config.dataDir);
  const environment = core.openEnvironment(config.dataDir, config.store.mapSize);
  try {
    return await core.rebuildAnswers(environment, core.zoneSettings(config));
  } finally {
    await environment.close();
    lock.release();
  }
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const io: CliIo = {
  // To make the stream takes some milliseconds, and few commands read it.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  version,
  serve,
  rebuildAnswers: rebuild,
};
const code = await runCli(process.argv.slice(2), io);
for (const output of [process.stdout, process.stderr])
  await new Promise<void>((done) => output.write('', () => done()));
// By itself node would take its heap apart first, for longer than a short command runs.
process.exit(code);

#!/usr/bin/env node
/** The composition root: reads the configuration, starts the parts, stops them in order. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliIo, runCli, welcome } from './admin-api/cli/index.ts';
import { type AnswerDns, createAdminApi } from './admin-api/index.ts';
import { parseExemptions } from './core/address/index.ts';
import { AliasRefresher, AliasStates, aliasMetrics, aliasObserver } from './core/alias/index.ts';
import type { AnswerSettings } from './core/answer/settings.ts';
import { BLOBS, BlobStore } from './core/blobs/store.ts';
import { openNode } from './core/cluster/node.ts';
import { installSnapshot } from './core/cluster/snapshot.ts';
import { STATES } from './core/cluster/standing.ts';
import { Trouble } from './core/cluster/trouble.ts';
import { openWithdrawal } from './core/cluster/withdrawal.ts';
import { type Config, formatListen, type ListenAddress } from './core/config/index.ts';
import { answersAreCurrent, rebuildAnswers } from './core/journal/rebuild.ts';
import { startRenumbering } from './core/journal/renumber.ts';
import { createLogger, type Logger } from './core/log/index.ts';
import {
  clusterMetrics,
  indexMetrics,
  JournalMetrics,
  journalHeadMetrics,
  processMetrics,
  Registry,
  readinessMetrics,
  storeMetrics,
} from './core/metrics/index.ts';
import { DeferredRoutes } from './core/net/deferred-routes.ts';
import { type LocalData, openLocalResponder } from './core/net/local-responder.ts';
import { nameserverMetrics } from './core/net/metrics.ts';
import { startNameserver } from './core/net/nameserver.ts';
import { describeReadiness, type Parts, readinessOf } from './core/readiness.ts';
import { startReseal } from './core/reseal.ts';
import { openSecrets } from './core/secrets.ts';
import { answerSettings, zoneSettings } from './core/settings.ts';
import { Stops } from './core/stops.ts';
import { openEnvironment } from './core/store/environment.ts';
import { buildIndex } from './core/store/index/build.ts';
import type { IndexWriter } from './core/store/index/writer.ts';
import { lockDirectory } from './core/store/lock.ts';
import { tablesOf } from './core/store/tables.ts';
import { HangUp } from './core/systemd/hang-up.ts';
import { Service } from './core/systemd/service.ts';
import { SharedTicketKeys, type SharedTicketKeysOptions } from './core/ticket-keys.ts';
import { openTransfers } from './core/transfer/index.ts';
import { createAcme } from './edge/acme/index.ts';
import { startEdge } from './edge/daemon/edge.ts';
import { Seldom } from './edge/exchange/seldom.ts';

function dnsOverHttps(
  { dns, dataDir }: Config,
  index: IndexWriter,
  answers: AnswerSettings,
  local: LocalData,
): AnswerDns {
  const served = { index, storeDirectory: dataDir, udpPayload: dns.udpPayload, answers };
  const responder = openLocalResponder(served, local);
  return (message, address) => responder.answer(message, address);
}

/** Null where no TLS is spoken. */
async function ticketKeys(
  { dns, edge }: Config,
  parts: Omit<SharedTicketKeysOptions, 'rotation'>,
): Promise<SharedTicketKeys | null> {
  if (dns.tlsListen.length + edge.httpsListen.length === 0) return null;
  return SharedTicketKeys.open({ ...parts, rotation: edge.ticketRotation });
}

/** Milliseconds that what is still to be written at the end may take. */
const OUTPUT_MS = 2000;

/** Runs the daemon; resolves when it has been stopped in order. What can't start takes with it what has started. */
async function serve(config: Config): Promise<void> {
  const stops = new Stops();
  const log = createLogger(config.log);
  outliveOutput(log);
  const hangUp = new HangUp();
  const service = new Service({ env: process.env, log });
  try {
    // Once more with the store of another node.
    while ((await serveUntilEnd(config, stops, log, service, hangUp)) === 'replaced') await stops.run();
  } finally {
    await stops.run();
    service.close();
    // Whoever reads standard output and takes nothing more keeps no service that has ended.
    setTimeout(() => process.exit(), OUTPUT_MS).unref();
  }
}

/** A command ends when its output can't be written; the service goes on, whatever becomes of the disk or the program behind it. */
function outliveOutput(log: Logger): void {
  const seldom = new Seldom();
  process.stdout.removeAllListeners('error');
  process.stdout.on('error', (error) => {
    const count = seldom.due('output');
    if (count > 0) log.warn('standard output can not be written', { count, reason: error.message });
  });
}

async function serveUntilEnd(
  config: Config,
  stops: Stops,
  log: Logger,
  service: Service,
  hangUp: HangUp,
): Promise<'signal' | 'replaced'> {
  // Every thread's output runs into ours and listens to its errors: more than ten is no leak.
  for (const output of [process.stdout, process.stderr]) output.setMaxListeners(0);
  const started = performance.now();
  const metrics = new Registry();
  const lock = lockDirectory(config.dataDir);
  stops.add(() => lock.release());
  const observed = processMetrics(metrics, version);
  stops.add(() => observed.stop());
  if (installSnapshot(config.dataDir)) log.info("the store of another node has taken the place of this one's");
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  stops.add(() => environment.close());
  const defaults = zoneSettings(config);
  if (!answersAreCurrent(environment, defaults)) {
    const { zones, answers } = await rebuildAnswers(environment, defaults, (done) =>
      log.info('compiling answers anew', { zones: done }),
    );
    if (zones > 0)
      log.info('compiled all answers anew: the compiler or the settings of the apex have changed', { zones, answers });
  }
  storeMetrics(metrics, { root: environment.root, tables: tablesOf(environment) });
  const index = await buildIndex(environment, config.dataDir, config.dns.indexMemory);
  const keyFile = config.secrets.keyFile ?? join(config.dataDir, 'secret.key');
  const secrets = openSecrets(keyFile);
  const answers = answerSettings(config, secrets);
  const transfers = openTransfers({
    config,
    environment,
    index,
    zoneSettings: defaults,
    answers,
    secrets,
    metrics,
    log,
  });
  const node = await openNode({
    config,
    version,
    log,
    blobs: new BlobStore(join(config.dataDir, BLOBS)),
    environment,
    index,
    zoneSettings: defaults,
    zones: transfers.zones,
    history: config.journal.history,
    observer: new JournalMetrics(metrics),
  });
  const { journal } = node;
  // Should the start fail before it takes its place in the order of the end.
  stops.add(() => node.close());
  if (node.isReplaced) return 'replaced';
  indexMetrics(metrics, index);
  journalHeadMetrics(metrics, journal);
  const { dns } = config;
  const tickets = await ticketKeys(config, { environment, journal, secrets, log });
  stops.add(() => tickets?.close());
  const deferred = new DeferredRoutes(transfers.answer);
  const nameserver = await startNameserver({
    index,
    storeDirectory: config.dataDir,
    listen: dns.listen,
    workers: dns.workers,
    udpPayload: dns.udpPayload,
    answers,
    transport: dns.transport,
    tcp: {
      idleTimeout: dns.tcpIdleTimeout,
      queryTimeout: dns.tcpQueryTimeout,
      maxConnections: dns.tcpMaxConnections,
      maxPerAddress: dns.tcpMaxPerAddress,
    },
    tls: { listen: dns.tlsListen, certificate: dns.tlsCertificate, key: dns.tlsKey, tickets: tickets?.keys },
    rateLimit: {
      rate: dns.rrlRate,
      slip: dns.rrlSlip,
      allow: dns.rrlAllow,
      ipv4Prefix: dns.rrlIpv4Prefix,
      ipv6Prefix: dns.rrlIpv6Prefix,
    },
    queryLog: dns.queryLog,
    answerDeferred: deferred.answer,
    transferAllow: config.transfer.allow,
    log,
  });
  stops.add(() => nameserver.stop());
  tickets?.follow((keys) => nameserver.setTickets(keys));
  // Before the nameserver, which goes on answering until the last write is done.
  stops.add(() => node.close());
  nameserverMetrics(metrics, nameserver.counters);
  const parts: Parts = { node, nameserver, edge: undefined, isStopping: false };
  const ready = () => readinessOf(parts);
  readinessMetrics(metrics, ready);
  if (node.standing !== null) clusterMetrics(metrics, STATES, node.standing);
  const aliases = new AliasStates(environment);
  const refresher = new AliasRefresher({
    environment,
    journal,
    zoneSettings: defaults,
    states: aliases,
    log,
    resolvers: config.alias.resolvers,
    staleMax: config.alias.staleMax,
    allowPrivate: parseExemptions(config.alias.allowPrivateTargets),
    observer: aliasObserver(metrics),
  });
  aliasMetrics(metrics, aliases, refresher);
  stops.add(() => refresher.stop());
  await refresher.start();
  const forwardedBy = { field: 'x-waypost-client', secret: randomBytes(24).toString('base64url') };
  const api = createAdminApi({
    environment,
    journal,
    config,
    log,
    zoneSettings: defaults,
    secrets,
    metrics,
    blobs: node.blobs,
    aliases,
    ready,
    ...(node.isAlone ? {} : { sync: (sequence: number) => node.sync(sequence) }),
    version,
    forwardedBy,
    answerDns: dns.doh ? dnsOverHttps(config, index, answers, nameserver.https) : undefined,
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
    zoneSettings: defaults,
    tickets,
    keyFile,
    admin: { listen: admin, ...forwardedBy },
    metrics,
    log,
  });
  parts.edge = edge;
  stops.add(() => edge?.stop());
  const { served } = node;
  const acme = createAcme({ environment, journal, config, zoneSettings: defaults, secrets, log, metrics, served });
  stops.add(() => acme.stop());
  acme.start();
  const withdrawal = openWithdrawal(config, node.standing, log);
  stops.add(() => withdrawal?.stop());
  const reseal = startReseal({ environment, journal, secrets, log });
  stops.add(() => reseal.stop());
  const renumbered = new Trouble(log, 'serials can not be raised for the changed settings', 'serials are raised again');
  const renumbering = startRenumbering({
    environment,
    journal,
    settings: defaults,
    onTrouble: (error) => renumbered.say(error),
  });
  stops.add(() => renumbering.stop());
  const { httpListen: http = [], httpsListen: https = [] } = edge ?? {};
  log.info('listening', {
    dns: nameserver.listen.map(formatListen).join(', '),
    tls: nameserver.tlsListen.map(formatListen).join(', ') || 'off',
    transport: nameserver.transport,
    admin: formatListen(admin),
    http: http.map(formatListen).join(', ') || 'off',
    https: https.map(formatListen).join(', ') || 'off',
    ...index.stats,
  });
  const milliseconds = performance.now() - started;
  process.stdout.write(welcome({ admin, dns: nameserver.listen, http, https, password, milliseconds }));

  service.ready({
    status: () => describeReadiness(ready()),
    silent: (ms) => [...nameserver.silent(ms), ...(edge?.silent(ms) ?? [])],
  });
  const reload = async (): Promise<void> => {
    if (parts.isStopping) return;
    log.info('reloading', { signal: 'SIGHUP' });
    service.reloading();
    try {
      await edge?.reload();
      if (edge) log.info('the edge has new threads');
    } catch (error) {
      if (!parts.isStopping) log.error('the edge could not be reloaded; the threads that were there go on', { error });
    }
    if (!parts.isStopping) service.ready();
  };
  hangUp.follow(reload);
  stops.add(() => hangUp.follow(null));
  const signal = await Promise.race([untilSignal(stops), node.replaced]);
  parts.isStopping = true;
  if (signal === undefined) {
    log.info('starting anew');
    service.reloading();
    return 'replaced';
  }
  log.info('stopping', { signal });
  service.stopping();
  return 'signal';
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
  const lock = lockDirectory(config.dataDir);
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
  try {
    return await rebuildAnswers(environment, zoneSettings(config));
  } finally {
    await environment.close();
    lock.release();
  }
}

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
const io: CliIo = {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  version,
  serve,
  rebuildAnswers: rebuild,
};
process.exitCode = await runCli(process.argv.slice(2), io);

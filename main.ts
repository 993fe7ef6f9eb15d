#!/usr/bin/env node
/** The composition root: reads the configuration, starts the parts, stops them in order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CliIo, runCli } from './admin-api/cli/index.ts';
import { type AnswerDns, createAdminApi } from './admin-api/index.ts';
import { parseExemptions } from './core/address/index.ts';
import { AliasRefresher, AliasStates, aliasMetrics, aliasObserver } from './core/alias/index.ts';
import type { AnswerSettings } from './core/answer/settings.ts';
import { type Config, formatListen, type ListenAddress } from './core/config/index.ts';
import { cookieSecrets } from './core/cookie-secret.ts';
import { openEmbeddedJournal } from './core/journal/embedded.ts';
import { answersAreCurrent, rebuildAnswers } from './core/journal/rebuild.ts';
import { createLogger } from './core/log/index.ts';
import {
  type Counted,
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
import { openSecrets } from './core/secrets.ts';
import { type Environment, openEnvironment } from './core/store/environment.ts';
import { buildIndex } from './core/store/index/build.ts';
import type { IndexWriter } from './core/store/index/writer.ts';
import { lockDirectory } from './core/store/lock.ts';
import { TABLES } from './core/store/rows.ts';
import { openTransfers } from './core/transfer/index.ts';
import type { ZoneSettings } from './core/zone/settings.ts';

function zoneSettings({ nameservers, soa, cluster }: Config): ZoneSettings {
  const first = nameservers[0];
  const parent = first.slice(first.indexOf('.') + 1) || first;
  return {
    nameservers,
    hostmaster: soa.hostmaster ?? `hostmaster.${parent}`,
    refresh: soa.refresh,
    retry: soa.retry,
    expire: soa.expire,
    minimum: soa.minimum,
    soaTtl: soa.ttl,
    nsTtl: soa.nsTtl,
    cluster,
  };
}

function answerSettings({ dns, dataDir }: Config): AnswerSettings {
  const { cookies, cookieSecret, cookieSecretPrevious, nsid, version, identity, tcpIdleTimeout } = dns;
  const secrets =
    cookies === 'off' ? [] : cookieSecrets(join(dataDir, 'cookie.key'), cookieSecret, cookieSecretPrevious);
  return { cookies, cookieSecrets: secrets, nsid, version, identity, tcpIdleTimeout };
}

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

/** Runs the daemon; resolves when it has been stopped in order. */
async function serve(config: Config): Promise<void> {
  const log = createLogger(config.log);
  const started = performance.now();
  const metrics = new Registry();
  const observed = processMetrics(metrics, version);
  const lock = lockDirectory(config.dataDir);
  const environment = openEnvironment(config.dataDir, config.store.mapSize);
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
  const answers = answerSettings(config);
  const secrets = openSecrets(config.secrets.keyFile ?? join(config.dataDir, 'secret.key'));
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
  const journal = openEmbeddedJournal({
    environment,
    index,
    zoneSettings: defaults,
    zones: transfers.zones,
    history: config.journal.history,
    observer: new JournalMetrics(metrics),
  });
  indexMetrics(metrics, index);
  journalHeadMetrics(metrics, journal);
  const { dns } = config;
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
    tls: { listen: dns.tlsListen, certificate: dns.tlsCertificate, key: dns.tlsKey },
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
  nameserverMetrics(metrics, nameserver.counters);
  const ready = () =>
    nameserver.listening ? { ok: true, reasons: [] } : { ok: false, reasons: ['a DNS thread does not listen'] };
  readinessMetrics(metrics, ready);
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
  await refresher.start();
  const api = createAdminApi({
    environment,
    journal,
    config,
    log,
    zoneSettings: defaults,
    secrets,
    metrics,
    aliases,
    ready,
    version,
    answerDns: dns.doh ? dnsOverHttps(config, index, answers, nameserver.https) : undefined,
  });
  deferred.update = api.update;
  const password = await api.ensureAdmin();
  const { port } = await api.listen();
  transfers.start();
  const admin = { ...config.admin.listen, port } as ListenAddress;
  log.info('listening', {
    dns: nameserver.listen.map(formatListen).join(', '),
    tls: nameserver.tlsListen.map(formatListen).join(', ') || 'off',
    transport: nameserver.transport,
    admin: formatListen(admin),
    ...index.stats,
  });
  process.stdout.write(
    welcome(formatListen(admin), nameserver.listen.map(formatListen), password, performance.now() - started),
  );

  const signal = await new Promise<string>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => resolve(name));
  });
  log.info('stopping', { signal });
  deferred.stopUpdates();
  await api.close();
  transfers.close();
  await refresher.stop();
  await journal.close();
  await nameserver.stop();
  await environment.close();
  observed.stop();
  lock.release();
}

/** The tables of the store by name. */
function tablesOf({ rows, lookups, answers, targets, aliases, zones, journal }: Environment): Map<string, Counted> {
  const tables = new Map<string, Counted>([...TABLES].map(([number, { name }]) => [name, rows.get(number)!]));
  for (const [name, table] of Object.entries({ lookups, answers, targets, aliases, zones, journal }))
    tables.set(name, table);
  return tables;
}

/** The ready line, and what to try next. */
function welcome(admin: string, dns: readonly string[], password: string | null, milliseconds: number): string {
  const [, address, port] = /^\[?(.*?)\]?:(\d+)$/.exec(dns[0])!;
  const server = address === '0.0.0.0' ? '127.0.0.1' : address === '::' ? '::1' : address;
  const shown =
    password === null ? '' : `\nThe account "admin" has the password  ${password}  (shown only this once)\n`;
  // Single quotes around the body end for the variable, which the shell puts in.
  const secret = password ?? `'"$WAYPOST_ADMIN_PASSWORD"'`;
  return `${shown}
waypost ready in ${(milliseconds / 1000).toFixed(1)} s: DNS on ${dns.join(', ')}, API on http://${admin}

Try:
  export WAYPOST_TOKEN=$(curl -s http://${admin}/api/v1/auth/token -H 'content-type: application/json' -d '{"login":"admin","password":"${secret}","name":"first"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s http://${admin}/api/v1/domains -H "authorization: Bearer $WAYPOST_TOKEN" -H 'content-type: application/json' -d '{"domain":"example.com"}'
  dig @${server} -p ${port} example.com SOA
`;
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

/**
 * config/monitoring with a real promtool, and a real Prometheus that reads a daemon under load:
 * every expression of the dashboard and of the rules runs, and has series where it must have some.
 */
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../core/dns/wire/name.ts';
import { TYPE } from '../../core/dns/wire/types.ts';
import { dashboardExpressions, documentedMetrics, ruleExpressions } from '../check/docs/monitoring.ts';
import { ROOT } from '../check/docs/pages.ts';
import { decodeDnstap, framesOf } from '../core/nameserver/dnstap/decode.ts';
import { type Child, startChild } from '../support/child.ts';
import { type Daemon, startDaemon } from '../support/daemon.ts';
import { queryTcp, UdpClient } from '../support/dns-client.ts';
import { encodeQuery } from '../support/message.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { freePort } from '../support/ports.ts';
import { runProgram, whyNotPrograms } from '../support/programs.ts';
import { edgeSettings } from '../support/shared-daemon.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { untilPasses } from '../support/until.ts';
import { makeRoot, ORIGIN_ADDRESS, type SiteRig, sitesOf } from './edge/site/rig.ts';
import { http1Visitor } from './edge/site/visitor.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';

const FOLDER = join(ROOT, 'config/monitoring');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

/**
 * Expressions that need a cluster, an order of a certificate, a signed zone, a package or a fault.
 */
const MAY_BE_EMPTY =
  /waypost_cluster_|waypost_acme_|waypost_webhook_attempts|waypost_certificate_nearest|earliest_expiry|waypost_package_audits_total|waypost_certificates\b|> 0|changes\(|waypost_dns_updates|waypost_transfers_|waypost_notify_total/;

/** Metrics that exist from their first event, or in a cluster only. */
const LATER = /^waypost_cluster_/;

/** The host name of DNS over TLS. */
const NAME = 'ns1.test';

const inOneNode = (expression: string): string =>
  expression.replaceAll('$node', '.*').replaceAll('$__rate_interval', '1m');

/** A DNS message over TLS, and over HTTPS. */
async function queryEncrypted(tlsPort: number, adminPort: number, ca: string, query: Uint8Array): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port: tlsPort, ca, servername: NAME });
  socket.write(Buffer.concat([Uint8Array.of(query.length >> 8, query.length & 255), query]));
  await once(socket, 'data');
  socket.destroy();
  const response = await fetch(`http://127.0.0.1:${adminPort}/dns-query`, {
    method: 'POST',
    headers: { 'content-type': 'application/dns-message' },
    body: Buffer.from(query),
  });
  assert.is(response.status, 200);
  await response.arrayBuffer();
}

async function load(
  { daemon, https, root, addSite }: SiteRig,
  originPort: number,
  tlsPort: number,
): Promise<{ readonly step: () => Promise<void>; readonly close: () => void }> {
  await addSite('site.test', { host: ORIGIN_ADDRESS, port: originPort, protocol: 'http' });
  const id = await daemon.api.createDomain('example.com');
  const visitor = http1Visitor(https, root.pem);
  const client = await UdpClient.connect(daemon.dnsPort);
  let round = 0;
  const step = async (): Promise<void> => {
    round++;
    const query = encodeQuery({ name: parseName('site.test.'), type: TYPE.A, class: 1 }, round);
    await Promise.all([client.query(query, 60_000, 1), queryTcp(daemon.dnsPort, [query])]);
    await queryEncrypted(tlsPort, daemon.adminPort, root.pem, query);
    await daemon.api.createRecord(id, `r${round}`, 'A', '192.0.2.1');
    for (const path of ['/kept', `/${round}`]) assert.is((await visitor.visit('site.test', path)).status, 200);
  };
  return { step, close: () => client.close() };
}

/** Removes those of the dashboard that have had series, or need none. */
async function checkExpressions(prometheus: Prometheus, dashboard: Set<string>): Promise<void> {
  for (const expression of dashboard)
    if ((await prometheus.query(expression)).length > 0 || MAY_BE_EMPTY.test(expression)) dashboard.delete(expression);
  assert.equal([...dashboard], [], 'these expressions of the dashboard have no series');
  // A rule without its comparison: the alert has series to compare.
  for (const expression of ruleExpressions(`${read('recording.yml')}${read('alerts.yml')}`))
    await prometheus.query(expression);
}

async function checkRules(prometheus: Prometheus): Promise<void> {
  const { groups } = (await prometheus.get('rules')) as {
    groups: { rules: { name: string; health: string; lastError?: string; state?: string }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  assert.is(rules.length, ruleExpressions(`${read('recording.yml')}${read('alerts.yml')}`).length);
  for (const { name, health, lastError, state } of rules) {
    assert.is(health, 'ok', `${name}: ${lastError}`);
    assert.is.not(state, 'firing', `${name} fires at a healthy node`);
  }
}

/** Prometheus has stored request ids of the API. */
async function checkExemplars(prometheus: Prometheus): Promise<void> {
  const now = Date.now() / 1000;
  const query = encodeURIComponent('waypost_http_request_duration_seconds_bucket');
  const series = (await prometheus.get(`query_exemplars?query=${query}&start=${now - 3600}&end=${now + 60}`)) as {
    exemplars: { labels: Record<string, string>; value: string }[];
  }[];
  assert.ok(series.length > 0, 'no exemplars');
  for (const { labels, value } of series.flatMap(({ exemplars }) => exemplars)) {
    assert.match(labels.request_id, /^[0-9a-f]{16}$/);
    assert.ok(Number(value) > 0);
  }
}

/** Each line of the log has the stable fields, in their order. */
function checkLog(output: string): void {
  const entries = output.split('\n').flatMap((line) => (line.startsWith('{"time"') ? [JSON.parse(line)] : []));
  assert.ok(entries.some(({ message }) => message === 'listening'));
  for (const entry of entries) {
    assert.equal(Object.keys(entry).slice(0, 3), ['time', 'level', 'message']);
    assert.match(entry.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  }
  const dnstap = entries.find(({ component }) => component === 'dnstap');
  assert.is(dnstap.message, 'dnstap is not connected; messages are dropped');
}

/** docs/monitoring.md names each metric that the daemon exposes, with its kind, and no other. */
function checkDocumented(exposition: string): void {
  const documented = [...documentedMetrics()].map(([name, kind]) => `${name} ${kind}`);
  const exposed = [...exposition.matchAll(/^# TYPE (\w+ \w+)$/gm)].map(([, line]) => line);
  assert.equal(
    documented.filter((line) => !LATER.test(line) && !exposed.includes(line)),
    [],
    'docs/monitoring.md has metrics that a node does not have',
  );
  assert.equal(
    exposed.filter((line) => !documented.includes(line)),
    [],
    'add these metrics to docs/monitoring.md',
  );
}

function startCapture(socket: string, file: string): Child {
  return startChild('/usr/bin/fstrm_capture', ['-t', 'protobuf:dnstap.Dnstap', '-u', socket, '-w', file]);
}

/**
 * dnstap-ldns reads queries and responses of every protocol. Version 0.2 does not know the names of
 * DOT and DOH, which the reference decoder reads.
 */
async function checkCapture(file: string): Promise<void> {
  const { code, output } = await runProgram('dnstap-ldns', ['-q', '-r', file]);
  assert.is(code, 0, output);
  for (const type of ['AQ', 'AR'])
    for (const protocol of ['UDP', 'TCP', '(?:\\?|DOT)', '(?:\\?|DOH)'])
      assert.match(output, new RegExp(` ${type} 127\\.0\\.0\\.1 ${protocol} \\d+b "site\\.test\\." IN A`));
  const { frames } = framesOf(readFileSync(file));
  assert.equal([frames[0].control, frames.at(-1)?.control], [2, 3]);
  const seen = new Set<string>();
  for (const { bytes } of frames.slice(1, -1)) {
    const { identity, version, fields } = decodeDnstap(bytes);
    assert.is(identity, 'tapped');
    assert.match(version, /^waypost \d/);
    seen.add(`${fields.get(1)} ${fields.get(3)}`);
    // The port of the client is not available over HTTPS, and neither is the address of the server.
    for (const field of [5, 6, 7]) assert.is(fields.has(field), fields.get(3) !== 4);
  }
  assert.equal([...seen].sort(), ['1 1', '1 2', '1 3', '1 4', '2 1', '2 2', '2 3', '2 4']);
}

const missing = whyNotPrograms('prometheus', 'promtool', 'fstrm_capture', 'dnstap-ldns');
if (missing !== null) console.log(`Skipped: config/monitoring is not checked with Prometheus: ${missing}.`);
else {
  test('promtool accepts the configuration and the rules, whose tests pass', async () => {
    for (const args of [
      ['check', 'config', join(FOLDER, 'prometheus.yml')],
      ['check', 'rules', join(FOLDER, 'recording.yml'), join(FOLDER, 'alerts.yml')],
      ['test', 'rules', join(FOLDER, 'alerts.test.yml'), join(FOLDER, 'alerts-days.test.yml')],
    ]) {
      const { code, output } = await runProgram('promtool', args, {}, PATIENCE_MS);
      assert.is(code, 0, output);
    }
  });

  test('Prometheus reads a daemon under load', async () => {
    const folder = temporaryFolder('prometheus');
    const origin = createServer((request, response) => {
      response.setHeader('Cache-Control', request.url === '/kept' ? 'max-age=600' : 'no-store');
      response.end('ok');
    });
    origin.listen(0, ORIGIN_ADDRESS);
    await once(origin, 'listening');
    const root = makeRoot('Root of sites');
    const tlsPort = await freePort();
    const socket = join(folder, 'dnstap.sock');
    const { cert, key } = root.issue([NAME]);
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key);
    const settings = {
      ...(await edgeSettings()),
      WAYPOST_EDGE_WORKERS: '2',
      WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
      WAYPOST_DNS_TLS_LISTEN: `127.0.0.1:${tlsPort}`,
      WAYPOST_DNS_TLS_CERTIFICATE: join(folder, 'cert.pem'),
      WAYPOST_DNS_TLS_KEY: join(folder, 'key.pem'),
      WAYPOST_LOG_FORMAT: 'json',
      WAYPOST_DNSTAP_SOCKET: socket,
      WAYPOST_DNSTAP_IDENTITY: 'tapped',
    };
    const captures: Child[] = [];
    const watch = async (daemon: Daemon): Promise<void> => {
      const target = `127.0.0.1:${daemon.adminPort}`;
      const prometheus = await startPrometheus(folder, [target]);
      const rig = await sitesOf(daemon, root);
      const { step, close } = await load(rig, (origin.address() as AddressInfo).port, tlsPort);
      try {
        // A reader of dnstap comes, is killed, and is followed by another.
        for (const name of ['first', 'second']) {
          await captures.at(-1)?.stop('SIGKILL');
          captures.push(startCapture(socket, join(folder, name)));
          await untilPasses(async () => {
            const { value } = (await prometheus.query('waypost_dnstap_connected'))[0];
            assert.is(value?.[1], '1');
          });
        }
        const expressions = new Set(dashboardExpressions(read('dashboard.json')).map(inOneNode));
        await untilPasses(async () => {
          await step();
          await checkExpressions(prometheus, expressions);
          await checkRules(prometheus);
        });
        const exposition = await (await fetch(`http://${target}/metrics`)).text();
        checkDocumented(exposition);
        await checkExemplars(prometheus);
        checkLog(daemon.child.output());
      } finally {
        close();
        await prometheus.stop();
      }
    };
    try {
      const daemon = await startDaemon(settings);
      try {
        await watch(daemon);
        assert.is(await daemon.stop(), 0);
      } finally {
        await daemon.close();
      }
      await captures.at(-1)?.stop();
      await checkCapture(join(folder, 'second'));
    } finally {
      for (const capture of captures) await capture.stop('SIGKILL');
      origin.closeAllConnections();
      origin.close();
      removeFolder(folder);
    }
  });
}

test.run();

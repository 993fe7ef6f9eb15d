/** Queries and requests to a daemon that counts every query: the statistics have exactly these. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../../core/dns/wire/types.ts';
import type { ApiClient } from '../../../../support/api-client.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../../../support/dns-client.ts';
import { encodeQuery } from '../../../../support/message.ts';
import { PATIENCE_MS } from '../../../../support/patience.ts';
import { freePort } from '../../../../support/ports.ts';

const ORIGIN_ADDRESS = '127.0.0.77';

interface Series {
  readonly name: string;
  readonly total: number;
  readonly counts: readonly number[];
}

interface Statistics {
  readonly step: number;
  readonly queries: { sampling: number; total: number; by_type: Series[]; by_code: Series[] };
  readonly top_names: { name: string; queries: number }[];
  readonly requests: { total: number; by_status: Series[]; by_cache: Series[] };
  readonly bytes: { total: number; cached: number; sent_counts: number[]; cached_counts: number[] };
  readonly nodes: { answered: string[]; missing: string[] };
}

async function statisticsOf(api: ApiClient, path: string): Promise<Statistics> {
  return (await api.call('GET', path)).body.statistics as never;
}

const totals = (series: readonly Series[]): Record<string, number> =>
  Object.fromEntries(series.map(({ name, total }) => [name, total]));

/** Each question with its code, and how often it is sent over UDP, TCP and HTTPS. */
const QUESTIONS: readonly (readonly [name: string, type: number, code: string, times: number])[] = [
  ['www.exact.test.', TYPE.A, 'NOERROR', 9],
  ['WWW.exact.TEST.', TYPE.AAAA, 'NOERROR', 3],
  ['exact.test.', TYPE.SOA, 'NOERROR', 2],
  ['exact.test.', TYPE.DS, 'NOERROR', 1],
  ['missing.deep.exact.test.', TYPE.A, 'NXDOMAIN', 4],
  ['any.wild.exact.test.', TYPE.TXT, 'NOERROR', 2],
  ['below.cut.exact.test.', TYPE.MX, 'NOERROR', 2],
  ['www.exact.test.', 4711, 'NOERROR', 2],
  ['www.other.test.', TYPE.A, 'NOERROR', 5],
  ['www.elsewhere.test.', TYPE.A, 'REFUSED', 6],
];

function sumsOf(key: 'type' | 'code', apex: string): Record<string, number> {
  const names: Record<number, string> = { [TYPE.A]: 'A', [TYPE.AAAA]: 'AAAA', [TYPE.SOA]: 'SOA', [TYPE.DS]: 'DS' };
  Object.assign(names, { [TYPE.TXT]: 'TXT', [TYPE.MX]: 'MX', 4711: 'other' });
  const sums: Record<string, number> = {};
  for (const [name, type, code, times] of QUESTIONS) {
    if (!name.toLowerCase().endsWith(apex)) continue;
    const label = key === 'type' ? names[type] : code;
    sums[label] = (sums[label] ?? 0) + 3 * times;
  }
  return sums;
}

async function sendQuestions(dnsPort: number, adminPort: number): Promise<void> {
  const packets = QUESTIONS.flatMap(([name, type, , times]) =>
    Array.from({ length: times }, (_, i) => encodeQuery({ name: parseName(name), type, class: 1 }, i + 1)),
  );
  const udp = await UdpClient.connect(dnsPort);
  // Each is sent once: a repeated packet would be counted, too.
  for (const packet of packets) assert.ok((await udp.query(packet, PATIENCE_MS, 1)) !== null);
  udp.close();
  await queryTcp(dnsPort, packets);
  for (const packet of packets) {
    const response = await fetch(`http://127.0.0.1:${adminPort}/dns-query`, {
      method: 'POST',
      headers: { 'content-type': 'application/dns-message' },
      body: Buffer.from(packet),
    });
    assert.is(response.status, 200);
    await response.arrayBuffer();
  }
}

function visit(port: number, host: string, path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers: { host } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    sent.on('error', reject).end();
  });
}

const test = suite('statistics of a daemon');

test('they have exactly the queries and requests that were sent, also after a restart', async () => {
  const origin = createServer((incoming, response) => {
    const isFound = incoming.url !== '/missing';
    response.writeHead(isFound ? 200 : 404, { 'cache-control': isFound ? 'max-age=600' : 'no-store' });
    response.end(isFound ? 'x'.repeat(1000) : 'no');
  });
  await new Promise<void>((listening) => origin.listen(0, ORIGIN_ADDRESS, listening));
  const http = await freePort();
  const daemon = await startDaemon({
    WAYPOST_STATISTICS_SAMPLING: '1',
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_WORKERS: '2',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: ORIGIN_ADDRESS,
    WAYPOST_DNS_DOH: 'true',
    WAYPOST_DNS_DOH_RATE_LIMIT: '0',
  });
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('exact.test');
    const other = await api.createDomain('other.test');
    for (const zone of [id, other]) await api.createRecord(zone, 'www', 'A', '192.0.2.1');
    await api.createRecord(id, '*.wild', 'TXT', 'wild');
    await api.createRecord(id, 'cut', 'NS', 'ns.example.net.');
    const site = await api.createDomain('site.test');
    await api.createRecord(site, '@', 'A', '192.0.2.1');
    const { port } = origin.address() as AddressInfo;
    await api.call('PUT', `/api/v1/domains/${site}/proxy`, { origin: ORIGIN_ADDRESS, port, protocol: 'http' });
    await api.call('POST', `/api/v1/domains/${site}/proxy/toggle`, { enable: true });

    await sendQuestions(daemon.dnsPort, daemon.adminPort);
    const pages = ['/a', '/a', '/a', '/b', '/missing', '/missing'];
    const statuses: number[] = [];
    for (const path of pages) statuses.push(await visit(http, 'site.test', path));
    assert.equal(statuses, [200, 200, 200, 200, 404, 404]);

    const check = async (): Promise<void> => {
      const of = (zone: string): Promise<Statistics> => statisticsOf(api, `/api/v1/domains/${zone}/statistics`);
      const exact = await of(id);
      assert.is(exact.queries.sampling, 1);
      assert.equal(totals(exact.queries.by_type), sumsOf('type', 'exact.test.'));
      assert.equal(totals(exact.queries.by_code), sumsOf('code', 'exact.test.'));
      assert.is(exact.queries.total, 3 * 25);
      assert.equal(exact.top_names, [
        { name: 'www', queries: 42 },
        { name: 'missing.deep', queries: 12 },
        { name: '@', queries: 9 },
        { name: 'any.wild', queries: 6 },
        { name: 'below.cut', queries: 6 },
      ]);
      assert.is(exact.requests.total, 0);
      assert.equal(totals((await of(other)).queries.by_type), { A: 15 });
      const visited = await of(site);
      assert.equal(totals(visited.requests.by_status), { 200: 4, 404: 2 });
      assert.equal(totals(visited.requests.by_cache), { miss: 4, hit: 2 });
      assert.equal([visited.bytes.total, visited.bytes.cached], [4004, 2000]);
      assert.is(
        visited.bytes.sent_counts.reduce((sum, count) => sum + count, 0),
        4004,
      );
      const account = await statisticsOf(api, '/api/v1/statistics');
      assert.is(account.queries.total, 3 * 30);
      assert.is(account.requests.total, 6);
      assert.equal(account.top_names[0], { name: 'www.exact.test', queries: 42 });
      assert.equal(account.nodes.missing, []);
      assert.is(account.nodes.answered.length, 1);
    };
    // The edge sends its counts every second.
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(50)) {
      const { requests } = await statisticsOf(api, `/api/v1/domains/${site}/statistics`);
      if (requests.total >= pages.length) break;
    }
    await check();
    await daemon.stop();
    await daemon.start();
    await check();
    await daemon.kill();
    await daemon.start();
    await check();
    const { text } = await api.request('GET', '/metrics');
    assert.match(text, /^waypost_statistics_samples_dropped_total 0$/m);
  } finally {
    await daemon.close();
    origin.close();
  }
});

test('without statistics a daemon says that they are missing', async () => {
  const daemon = await startDaemon({ WAYPOST_STATISTICS_ENABLED: 'false' });
  try {
    await daemon.api.logIn('admin', ADMIN_PASSWORD);
    const { nodes, queries } = await statisticsOf(daemon.api, '/api/v1/statistics');
    assert.is(queries.total, 0);
    assert.equal(nodes.answered, []);
    assert.is(nodes.missing.length, 1);
  } finally {
    await daemon.close();
  }
});

test.run();

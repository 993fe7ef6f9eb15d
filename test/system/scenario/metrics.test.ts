/** The daemon's /metrics: what was queried over UDP, TCP and HTTP is what it says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { type ReadFamily, readExposition, sampleOf } from '../../support/exposition.ts';
import { encodeQuery } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';

const query = (name: string, type: number, id: number): Uint8Array =>
  encodeQuery({ name: parseName(`${name}.`), type, class: 1 }, id);

async function scrape(daemon: Daemon, format: 'prometheus' | 'openmetrics'): Promise<Map<string, ReadFamily>> {
  const response = await fetch(`http://127.0.0.1:${daemon.adminPort}/metrics`, {
    headers: format === 'openmetrics' ? { accept: 'application/openmetrics-text;version=1.0.0' } : {},
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  assert.is(response.status, 200);
  return readExposition(await response.text(), format);
}

test('a daemon from its start through queries and writes', async () => {
  const daemon = await startDaemon();
  try {
    // 1. Nothing has been asked, all is there.
    const before = await scrape(daemon, 'prometheus');
    assert.is(sampleOf(before, 'waypost_ready'), 1);
    for (const { labels, value } of before.get('waypost_dns_queries_total')!.samples)
      assert.is(value, 0, JSON.stringify(labels));
    // 2. A zone with two records.
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain('example.com');
    await api.createRecord(id, 'www', 'A', '192.0.2.1');
    await api.createRecord(id, 'www', 'AAAA', '2001:db8::1');
    // 3. Queries, each sent once.
    const client = await UdpClient.connect(daemon.dnsPort);
    const over = [
      ...Array.from({ length: 20 }, (_, i) => query('www.example.com', TYPE.A, i)),
      ...Array.from({ length: 5 }, (_, i) => query('no.example.com', TYPE.MX, 100 + i)),
      query('example.org', TYPE.A, 200),
    ];
    const responses = await Promise.all(over.map((packet) => client.query(packet, PATIENCE_MS, 1)));
    client.close();
    assert.ok(responses.every((response) => response !== null));
    await queryTcp(daemon.dnsPort, [query('www.example.com', TYPE.AAAA, 1), query('www.example.com', TYPE.TXT, 2)]);
    // 4. They are counted, in both formats.
    const after = await scrape(daemon, 'prometheus');
    const counts: readonly (readonly [string, Record<string, string>, number])[] = [
      ['waypost_dns_queries_total', { transport: 'udp', family: 'ipv4' }, 26],
      ['waypost_dns_queries_total', { transport: 'udp', family: 'ipv6' }, 0],
      ['waypost_dns_queries_total', { transport: 'tcp', family: 'ipv4' }, 2],
      ['waypost_dns_responses_total', { transport: 'udp', rcode: 'NOERROR' }, 20],
      ['waypost_dns_responses_total', { transport: 'udp', rcode: 'NXDOMAIN' }, 5],
      ['waypost_dns_responses_total', { transport: 'udp', rcode: 'REFUSED' }, 1],
      ['waypost_dns_responses_total', { transport: 'tcp', rcode: 'NOERROR' }, 2],
      ['waypost_dns_nodata_responses_total', { transport: 'tcp' }, 1],
      ['waypost_dns_queries_by_type_total', { transport: 'udp', type: 'A' }, 21],
      ['waypost_dns_queries_by_type_total', { transport: 'udp', type: 'MX' }, 5],
      ['waypost_dns_queries_by_type_total', { transport: 'tcp', type: 'TXT' }, 1],
      ['waypost_dns_tcp_accepted_total', { transport: 'tcp' }, 1],
      ['waypost_dns_thread_restarts_total', {}, 0],
      ['waypost_store_entries', { table: 'domains' }, 1],
      ['waypost_store_entries', { table: 'records' }, 2],
    ];
    for (const [name, labels, value] of counts)
      assert.is(sampleOf(after, name, labels), value, `${name} ${JSON.stringify(labels)}`);
    const open = await scrape(daemon, 'openmetrics');
    assert.equal([...open.keys()], [...after.keys()]);
    assert.is(sampleOf(open, 'waypost_dns_queries_total', { transport: 'udp', family: 'ipv4' }), 26);
    // 5. The writes are in the journal, and their requests under the templates of their routes.
    const commits = sampleOf(after, 'waypost_journal_sequence') - sampleOf(before, 'waypost_journal_sequence');
    assert.ok(commits >= 3, `${commits} commits`);
    const entries = (families: Map<string, ReadFamily>): number =>
      sampleOf(families, 'waypost_journal_group_entries_sum');
    assert.is(entries(after) - entries(before), commits);
    const requests = after.get('waypost_http_requests_total')!.samples;
    const posts = requests.filter(({ labels }) => labels.method === 'POST' && labels.status === '200');
    assert.equal(posts.map(({ labels, value }) => [labels.route.replace(/\{\w+\}/g, '*'), value]).sort(), [
      ['/api/v1/auth/token', 1],
      ['/api/v1/domains', 1],
      ['/api/v1/domains/*/records', 2],
    ]);
    for (const { labels } of requests) assert.not(labels.route.split('/').includes(id));
  } finally {
    await daemon.close();
  }
});

test.run();

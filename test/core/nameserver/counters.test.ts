/**
 * The counters match the responses: real queries over UDP and TCP, read through the metrics
 * registry.
 */

import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PROMETHEUS, Registry } from '../../../core/base/metrics/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { COLUMN, NameserverCounters, ThreadCounters } from '../../../core/nameserver/counters.ts';
import { nameserverMetrics } from '../../../core/nameserver/metrics.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { type ReadFamily, readExposition, sampleOf } from '../../support/exposition.ts';
import { decodeMessage, encodeQuery } from '../../support/message.ts';
import { until } from '../../support/until.ts';
import { APEX, ask, LIMITS, record, type Served, serve, TRANSPORTS, V4, V6, ZONE } from './fixture.ts';

const PATIENCE_MS = 20_000;

/** A delegation, a DNAME, and a name below the DNAME whose target becomes too long. */
const RECORDS = [
  ...ZONE,
  record('cut', TYPE.NS, parseName('ns.elsewhere.test.')),
  record('moved', TYPE.DNAME, parseName(`${'x'.repeat(60)}.${'y'.repeat(60)}.example.test.`)),
];

const DNSKEY = 48;
const AXFR = 252;

function patched(packet: Uint8Array, at: number, value: number): Uint8Array {
  const copy = packet.slice();
  copy[at] = value;
  return copy;
}

/** A query with the variations of the tests below. `name` is absolute. */
const query = (name: string, type: number, more: { version?: number; class?: number } = {}): Uint8Array =>
  encodeQuery(
    {
      name: parseName(`${name}.`),
      type,
      class: more.class ?? 1,
      edns: more.version === undefined ? undefined : { version: more.version, size: 1232, do: false },
    },
    0,
  );

interface Case {
  readonly packet: Uint8Array;
  readonly rcode: keyof typeof RCODE;
  readonly type: string;
  readonly also?: 'truncated' | 'nodata' | 'referral';
  /** How many times the query is sent. */
  readonly times: number;
}

const LONG = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(30)}.moved.${APEX}`;

const CASES: readonly Case[] = [
  { packet: query(`host1.${APEX}`, TYPE.A), rcode: 'NOERROR', type: 'A', times: 7 },
  { packet: query(`host1.${APEX}`, TYPE.A, { version: 0 }), rcode: 'NOERROR', type: 'A', times: 3 },
  { packet: query(`host1.${APEX}`, TYPE.AAAA), rcode: 'NOERROR', type: 'AAAA', also: 'nodata', times: 5 },
  { packet: query(`host1.${APEX}`, TYPE.CAA, { version: 0 }), rcode: 'NOERROR', type: 'CAA', also: 'nodata', times: 2 },
  { packet: query(`www.cut.${APEX}`, TYPE.MX), rcode: 'NOERROR', type: 'MX', also: 'referral', times: 4 },
  { packet: query(APEX, TYPE.SOA), rcode: 'NOERROR', type: 'SOA', times: 1 },
  { packet: query(APEX, TYPE.NS), rcode: 'NOERROR', type: 'NS', times: 2 },
  { packet: query(APEX, DNSKEY), rcode: 'NOERROR', type: 'DNSKEY', also: 'nodata', times: 2 },
  { packet: query(APEX, TYPE.ANY), rcode: 'NOERROR', type: 'ANY', times: 3 },
  { packet: query(`none.${APEX}`, TYPE.HTTPS), rcode: 'NXDOMAIN', type: 'HTTPS', times: 6 },
  { packet: query(`none.${APEX}`, TYPE.PTR), rcode: 'NXDOMAIN', type: 'PTR', times: 1 },
  { packet: query(`none.${APEX}`, 65_280), rcode: 'NXDOMAIN', type: 'other', times: 2 },
  { packet: query(`none.${APEX}`, TYPE.URI), rcode: 'NXDOMAIN', type: 'other', times: 1 },
  { packet: query('elsewhere.test', TYPE.SRV), rcode: 'REFUSED', type: 'SRV', times: 2 },
  { packet: query(`host1.${APEX}`, TYPE.DS, { class: 3 }), rcode: 'REFUSED', type: 'DS', times: 1 },
  { packet: query(APEX, AXFR), rcode: 'REFUSED', type: 'other', times: 1 },
  { packet: query(APEX, 250), rcode: 'NOTIMP', type: 'other', times: 1 },
  { packet: patched(query(APEX, TYPE.A), 2, 0x10), rcode: 'NOTIMP', type: 'none', times: 2 },
  { packet: patched(query(APEX, TYPE.A), 5, 0), rcode: 'FORMERR', type: 'none', times: 3 },
  { packet: Uint8Array.from([...query(APEX, TYPE.CNAME), 0]), rcode: 'FORMERR', type: 'CNAME', times: 1 },
  { packet: query(`host1.${APEX}`, TYPE.A, { version: 1 }), rcode: 'BADVERS', type: 'A', times: 4 },
  { packet: query(LONG, TYPE.TXT), rcode: 'YXDOMAIN', type: 'TXT', times: 2 },
];

/** Over UDP only. */
const TOO_LONG: Case = {
  packet: query(`long.${APEX}`, TYPE.TXT),
  rcode: 'NOERROR',
  type: 'TXT',
  also: 'truncated',
  times: 3,
};

/** The packets of each case, with unique IDs, and the expected response codes. */
function packetsOf(cases: readonly Case[]): { packet: Uint8Array; rcode: number }[] {
  return cases
    .flatMap(({ packet, rcode, times }) => Array.from({ length: times }, () => ({ packet, rcode: RCODE[rcode] })))
    .map(({ packet, rcode }, id) => ({ packet: patched(packet, 1, id), rcode }));
}

function count(cases: readonly Case[], is: (item: Case) => boolean): number {
  return cases.filter(is).reduce((sum, { times }) => sum + times, 0);
}

const codeOf = (response: Uint8Array | null): number => (response === null ? -1 : decodeMessage(response).rcode);

/** Sends each packet once, because a retransmission would be counted again. */
function askOnce(client: UdpClient, packets: readonly Uint8Array[]): Promise<(Uint8Array | null)[]> {
  return Promise.all(packets.map((packet) => client.query(packet, PATIENCE_MS, 1)));
}

function read(served: Served): Map<string, ReadFamily> {
  const registry = new Registry();
  nameserverMetrics(registry, served.counters);
  return readExposition(registry.expose(PROMETHEUS), 'prometheus');
}

/** Checks every sample of each metric family of queries and responses. */
function check(families: Map<string, ReadFamily>, transport: string, family: string, cases: readonly Case[]): void {
  const seen = (name: string, by: string, expected: (label: string) => number): void => {
    for (const { labels, value } of families.get(name)!.samples)
      if (labels.transport === transport) assert.is(value, expected(labels[by]), `${name} ${JSON.stringify(labels)}`);
  };
  const all = count(cases, () => true);
  seen('waypost_dns_queries_total', 'family', (label) => (label === family ? all : 0));
  seen('waypost_dns_responses_total', 'rcode', (label) => count(cases, ({ rcode }) => rcode === label));
  seen('waypost_dns_queries_by_type_total', 'type', (label) => count(cases, ({ type }) => type === label));
  for (const kind of ['truncated', 'nodata', 'referral'] as const)
    assert.is(
      sampleOf(families, `waypost_dns_${kind}_responses_total`, { transport }),
      count(cases, ({ also }) => also === kind),
      kind,
    );
}

const test = suite('counters');

for (const transport of TRANSPORTS) {
  test(`${transport}: response codes, query types and drops are counted`, async () => {
    const served = await serve({ transport, records: RECORDS, workers: 2 });
    const client = await UdpClient.connect(served.port);
    try {
      const cases = [...CASES, TOO_LONG];
      const packets = packetsOf(cases);
      const responses = await askOnce(
        client,
        packets.map(({ packet }) => packet),
      );
      assert.equal(
        responses.map(codeOf),
        packets.map(({ rcode }) => rcode),
      );
      for (const silent of [new Uint8Array(0), new Uint8Array(11), patched(ask('host1'), 2, 0x80)]) client.send(silent);
      const drops = (): number =>
        sampleOf(read(served), 'waypost_dns_dropped_packets_total', { transport: 'udp', reason: 'not_query' });
      await until(() => drops() >= 3, 'drops counted', PATIENCE_MS);
      const families = read(served);
      check(families, 'udp', 'ipv4', cases);
      check(families, 'tcp', 'ipv4', []);
      assert.is(drops(), 3);
      // The duration of a batch is recorded after it has been sent.
      const durations = (): ReadFamily['samples'] =>
        read(served).get('waypost_dns_udp_response_duration_seconds')!.samples;
      const recorded = (): number => durations().find(({ name }) => name.endsWith('_count'))!.value;
      await until(() => recorded() === packets.length, 'durations recorded', PATIENCE_MS);
      assert.ok(durations().find(({ name }) => name.endsWith('_sum'))!.value > 0);
      for (const reason of ['oversized', 'source_port_zero', 'fault'])
        assert.is(sampleOf(families, 'waypost_dns_dropped_packets_total', { transport: 'udp', reason }), 0, reason);
      const batches = sampleOf(families, 'waypost_dns_udp_batches_total');
      if (transport === 'batch') assert.ok(batches > 0 && batches <= packets.length + 3, `${batches} batches`);
      else assert.is(batches, 0);
      assert.is(sampleOf(families, 'waypost_dns_udp_send_errors_total'), 0);
      assert.is(sampleOf(families, 'waypost_dns_cookies_total', { transport: 'udp', cookie: 'none' }), packets.length);
      // Each existing name is found by its own lookup. Missing names find an ancestor.
      assert.ok(sampleOf(families, 'waypost_dns_index_hits_total') >= count(cases, ({ rcode }) => rcode === 'NOERROR'));
      assert.is(sampleOf(families, 'waypost_dns_store_reads_total'), 0);
      assert.is(sampleOf(families, 'waypost_dns_dropped_packets_total', { transport: 'udp', reason: 'rate_limit' }), 0);
    } finally {
      client.close();
      await served.stop();
    }
  });

  test(`${transport}: a restarted thread continues its counts`, async () => {
    const served = await serve({ transport, workers: 1 });
    const client = await UdpClient.connect(served.port);
    const answered = (): number =>
      sampleOf(read(served), 'waypost_dns_queries_total', { transport: 'udp', family: 'ipv4' });
    try {
      const queries = Array.from({ length: 50 }, (_, id) => ask(`host${id}`, { id }));
      assert.ok((await askOnce(client, queries)).every((response) => response !== null));
      assert.is(answered(), 50);
      const first = served.threads.get('udp 1')!;
      void first.terminate();
      await once(first, 'exit');
      assert.is(answered(), 50);
      await until(() => served.listening && served.threads.get('udp 1') !== first, 'a new thread', PATIENCE_MS);
      assert.ok((await askOnce(client, queries)).every((response) => response !== null));
      assert.is(answered(), 100);
      assert.is(sampleOf(read(served), 'waypost_dns_thread_restarts_total'), 1);
    } finally {
      client.close();
      await served.stop();
    }
  });
}

test('UDP over IPv6 is counted separately', async () => {
  const served = await serve({ listen: [V4, V6], records: RECORDS });
  const socket = createSocket('udp6');
  try {
    const answer = once(socket, 'message');
    socket.send(ask('host3'), served.listen[1].port, '::1');
    await answer;
    const client = await UdpClient.connect(served.port);
    assert.ok((await client.query(ask('host4'))) !== null);
    client.close();
    const families = read(served);
    assert.is(sampleOf(families, 'waypost_dns_queries_total', { transport: 'udp', family: 'ipv6' }), 1);
    assert.is(sampleOf(families, 'waypost_dns_queries_total', { transport: 'udp', family: 'ipv4' }), 1);
    assert.is(sampleOf(families, 'waypost_dns_responses_total', { transport: 'udp', rcode: 'NOERROR' }), 2);
  } finally {
    socket.close();
    await served.stop();
  }
});

test('TCP: queries, connections, limits and timeouts are counted; a dead thread has no open connections', async () => {
  const limits = { ...LIMITS, idleTimeout: 1500, queryTimeout: 1000, maxPerAddress: 3 };
  const served = await serve({ records: RECORDS, tcp: limits });
  const value = (name: string, labels: Record<string, string> = {}): number =>
    sampleOf(read(served), `waypost_dns_tcp_${name}`, { transport: 'tcp', ...labels });
  try {
    // 1. Every case over one connection, which the client then closes.
    const packets = packetsOf(CASES);
    const responses = await queryTcp(
      served.port,
      packets.map(({ packet }) => packet),
    );
    assert.equal(
      responses.map(codeOf),
      packets.map(({ rcode }) => rcode),
    );
    await until(() => value('connections') === 0, 'the connection closed', PATIENCE_MS);
    check(read(served), 'tcp', 'ipv4', CASES);
    // 2. Two idle connections, one with a partial query, and a fourth beyond the limit.
    const open = () => connect(served.port, '127.0.0.1').on('error', () => {});
    const sockets = [open(), open(), open()];
    sockets[2].write(Uint8Array.of(0, 20, 1));
    await until(() => value('connections') === 3, 'three connections', PATIENCE_MS);
    await once(open().resume(), 'close');
    assert.is(value('refused_total', { limit: 'client' }), 1);
    assert.is(value('refused_total', { limit: 'all' }), 0);
    // 3. All are closed by a timeout, each with its reason.
    await until(() => value('connections') === 0, 'all connections closed', PATIENCE_MS);
    assert.is(value('timeouts_total', { reason: 'idle' }), 2);
    assert.is(value('timeouts_total', { reason: 'slow' }), 1);
    assert.is(value('accepted_total'), 4);
    // 4. A message that would be ignored over UDP.
    const invalid = open();
    invalid.write(Uint8Array.of(0, 3, 1, 2, 3));
    await once(invalid.resume(), 'close');
    assert.is(
      sampleOf(read(served), 'waypost_dns_dropped_packets_total', { transport: 'tcp', reason: 'not_query' }),
      1,
    );
    await until(() => value('connections') === 0, 'the connection with the invalid message closed', PATIENCE_MS);
    // 5. The thread dies while a connection is open.
    open();
    await until(() => value('connections') === 1, 'a connection', PATIENCE_MS);
    const first = served.threads.get('tcp')!;
    void first.terminate();
    await once(first, 'exit');
    await until(() => value('connections') === 0, 'no connection', PATIENCE_MS);
    assert.is(value('accepted_total'), 6);
  } finally {
    await served.stop();
  }
});

test('slices of different threads share no cache line, and each thread has a complete slice', () => {
  const counters = new NameserverCounters(['udp', 'udp', 'tcp']);
  const slices = [0, 1, 2].map((thread) => new ThreadCounters(counters.slice(thread)));
  const columns = Object.values(COLUMN);
  slices.forEach((slice, i) => {
    for (const column of columns) slice.set(column, 10 ** i);
  });
  for (const column of columns) {
    assert.is(counters.sum('udp', column), 11);
    assert.is(counters.sum('tcp', column), 100);
  }
  const doubles = new Float64Array(counters.slice(0).buffer);
  const touched = [...doubles.keys()].filter((i) => doubles[i] !== 0);
  const gaps = touched.slice(1).map((at, i) => at - touched[i]);
  assert.is(gaps.filter((gap) => gap > 1).length, 2);
  assert.ok(Math.max(...gaps) * 8 >= 128);
});

test.run();

/** The query log: the fields of a line, the number of samples, and a full ring. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { COLUMN, NameserverCounters, ThreadCounters } from '../../../core/nameserver/counters.ts';
import { openLocalResponder } from '../../../core/nameserver/local-responder.ts';
import { createQueryLog, QueryLogWriter, RING_ENTRIES } from '../../../core/nameserver/query-log.ts';
import { startQueryLog } from '../../../core/nameserver/query-log-reader.ts';
import { Client, TRANSPORT } from '../../../core/net/address/client.ts';
import { Query } from '../../../core/zone/answer/query.ts';
import { PLAIN } from '../../../core/zone/answer/settings.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { encodeQuery } from '../../support/message.ts';
import { singleNodeTasks } from '../../support/tasks.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { ask, byteOf, serve } from './fixture.ts';

const PATIENCE_MS = 20_000;

/** A ring, its writer, and the lines that its reader writes on stop. */
class Ring {
  readonly counters = new NameserverCounters(['udp']);
  readonly client = new Client();
  readonly query = new Query(true);
  readonly #writer: QueryLogWriter;
  readonly #shared;
  readonly #starts = new Int32Array(128);

  constructor(every: number) {
    this.#shared = createQueryLog(every)!;
    this.#writer = new QueryLogWriter(this.#shared, new ThreadCounters(this.counters.slice(0)), 4711);
  }

  offer(packet: Uint8Array, size: number, rcode: number = RCODE.NOERROR): void {
    this.query.parse(packet, 0, packet.length, this.#starts, TRANSPORT.UDP);
    this.query.rcode = rcode;
    this.#writer.offer(packet, 0, size, this.query, this.client);
  }

  drain(): Record<string, unknown>[] {
    const lines: string[] = [];
    startQueryLog(
      [this.#shared],
      singleNodeTasks(),
      createLogger({ level: 'info', format: 'json', write: (line) => lines.push(line) }),
    ).stop();
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }
}

const test = suite('query log');

test('a line has the client, the query, the transport and the outcome', () => {
  const ring = new Ring(1);
  const packet = encodeQuery(
    { name: parseName('www.example.test.'), type: TYPE.AAAA, class: 1, edns: { version: 0, size: 1232, do: true } },
    1,
  );
  packet[2] |= 0x01 | 0x04;
  ring.client.setAddress(Uint8Array.of(192, 0, 2, 77), 0, 4);
  ring.client.port = 54_321;
  ring.offer(packet, 321);
  const before = Date.now();
  const [{ at, time, ...line }] = ring.drain();
  assert.equal(line, {
    level: 'info',
    message: 'query',
    client: '192.0.2.77',
    port: 54_321,
    transport: 'udp',
    name: 'www.example.test.',
    type: 'AAAA',
    flags: 'rd aa edns do',
    rcode: 'NOERROR',
    size: 321,
  });
  assert.ok(Math.abs(new Date(at as string).getTime() - before) < PATIENCE_MS);
});

test('IPv6, other transports, unknown types, codes above 15, the longest name, a malformed question, a dropped response', () => {
  const ring = new Ring(1);
  const six = Uint8Array.of(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x35);
  ring.client.setAddress(six, 0, 16);
  ring.client.transport = TRANSPORT.TLS;
  const longest = [60, 60, 60, 60, 8].map((length) => 'x'.repeat(length)).join('.');
  const longName = parseName(`${longest}.`);
  ring.offer(encodeQuery({ name: longName, type: 65_280, class: 1, edns: undefined }, 1), 65_535, RCODE.BADCOOKIE);
  const broken = encodeQuery({ name: parseName('a.'), type: 1, class: 1, edns: undefined }, 1);
  broken[5] = 0;
  ring.offer(broken, 12, RCODE.FORMERR);
  ring.offer(encodeQuery({ name: parseName('a.'), type: 1, class: 1, edns: undefined }, 1), 0);
  const [first, second, third] = ring.drain();
  assert.is(first.client, '2001:db8::35');
  assert.is(first.transport, 'tls');
  assert.is(first.name, `${longest}.`);
  assert.is(first.type, 'TYPE65280');
  assert.is(first.rcode, 'BADCOOKIE');
  assert.is(first.size, 65_535);
  assert.equal([second.name, second.type, second.rcode], [undefined, undefined, 'FORMERR']);
  assert.is(third.size, 'dropped');
});

test('the bytes of a name cannot forge a line', () => {
  const ring = new Ring(1);
  const packet = encodeQuery({ name: parseName('aaaaaaa.'), type: 1, class: 1, edns: undefined }, 1);
  packet.set(Buffer.from('\n" \u001b[1', 'latin1'), 13);
  ring.offer(packet, 100);
  const lines: string[] = [];
  const log = createLogger({ level: 'info', format: 'text', write: (line) => lines.push(line) });
  for (const { name } of ring.drain()) log.info('query', { name });
  assert.is(lines.length, 1);
  assert.match(lines[0], /^[\x20-\x7e]+\n$/);
});

test('a full ring drops and counts samples, and continues after a read; its counters may wrap around', () => {
  const ring = new Ring(1);
  for (let round = 1; round <= 3; round++) {
    for (let i = 0; i < RING_ENTRIES + 100; i++) ring.offer(ask(`host${i}`), i + 1);
    const lines = ring.drain();
    assert.equal(
      lines.map(({ size }) => size),
      Array.from({ length: RING_ENTRIES }, (_, i) => i + 1),
    );
    assert.is(ring.counters.sum('udp', COLUMN.queriesLogged), RING_ENTRIES * round);
    assert.is(ring.counters.sum('udp', COLUMN.queriesNotLogged), 100 * round);
  }
});

test('samples are chosen at random, so that periodic queries are sampled evenly', () => {
  const ring = new Ring(10);
  const seen = new Map<unknown, number>();
  const packets = Array.from({ length: 10 }, (_, i) => ask(`host${i}`));
  for (let round = 0; round < 400; round++) {
    for (const packet of packets) ring.offer(packet, 100);
    if (round % 20 === 19) for (const { name } of ring.drain()) seen.set(name, (seen.get(name) ?? 0) + 1);
  }
  const all = [...seen.values()].reduce((sum, count) => sum + count, 0);
  // The seed is fixed, so the result is the same in every run.
  assert.ok(all > 350 && all < 450, `${all} of 400`);
  assert.is(seen.size, 10);
  for (const count of seen.values()) assert.ok(count > 15 && count < 70, `${count} of 40`);
});

test('samples over UDP and TCP reach the log; the rest is written on stop', async () => {
  const served = await serve({ queryLog: 1, workers: 2 });
  const client = await UdpClient.connect(served.port);
  const lines = (): string[] => served.log.filter((line) => / query /.test(line));
  try {
    for (let id = 0; id < 50; id++) assert.ok((await client.query(ask(`host${id}`, { id }))) !== null);
    await until(() => lines().length >= 50, 'fifty lines', PATIENCE_MS);
    for (let id = 0; id < 50; id++) assert.ok(lines().some((line) => line.includes(`name=host${id}.example.test.`)));
    await queryTcp(served.port, [ask('host7'), ask('nobody')]);
  } finally {
    client.close();
    await served.stop();
  }
  assert.is(lines().length, 52);
  assert.is(lines().filter((line) => line.includes('transport=tcp')).length, 2);
  assert.ok(lines().some((line) => line.includes('rcode=NXDOMAIN')));
});

test('queries over HTTPS are logged, without a port', async () => {
  const served = await serve({ queryLog: 1 });
  const { index, https } = served;
  const storeDirectory = temporaryFolder('query-log');
  const local = openLocalResponder({ index, storeDirectory, udpPayload: 1232, answers: PLAIN }, https);
  try {
    assert.is(byteOf(local.answer(ask('host8'), '2001:db8::9')!.message), 8);
  } finally {
    await served.stop();
  }
  const lines = served.log.filter((line) => / query /.test(line));
  assert.is(lines.length, 1);
  for (const part of ['transport=https', 'client=2001:db8::9', 'name=host8.example.test.', 'rcode=NOERROR'])
    assert.ok(lines[0].includes(part), lines[0]);
  assert.not(lines[0].includes(' port='), lines[0]);
});

test('when off, nothing is written', async () => {
  const served = await serve({ queryLog: 0 });
  const client = await UdpClient.connect(served.port);
  try {
    assert.ok((await client.query(ask('host1'))) !== null);
  } finally {
    client.close();
    await served.stop();
  }
  assert.not(served.log.some((line) => line.includes('host1')));
});

test.run();

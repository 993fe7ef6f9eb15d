/**
 * Which addresses are connected to: judged at every connection, never by name, one after the other.
 * That no connection was tried is seen where sockets are made.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName } from '../../../core/dns/wire/name.ts';
import { TYPE } from '../../../core/dns/wire/types.ts';
import { formatAddress, parseAddress, parseExemptions } from '../../../core/net/address/index.ts';
import type { Outcome } from '../../../core/net/resolver/message.ts';
import type { Lookup } from '../../../core/net/resolver/resolver.ts';
import { AddressBook } from '../../../edge/origin/address-book.ts';
import { createOriginClient } from '../../../edge/origin/client.ts';
import { openNodeSocket } from '../../../edge/origin/node-socket.ts';
import type { Origin } from '../../../edge/origin/origin-address.ts';
import type { OpenSocket, OriginSocket } from '../../../edge/origin/sockets.ts';
import { until } from '../../support/until.ts';
import { faultOf, OK, request, saying, scriptedOrigin, seen } from './rig.ts';

const NAME = 'origin.test';
const at = (host: string, port: number): { origin: Origin } => ({ origin: { host, port, protocol: 'http' } });

const found = (addresses: readonly string[], ttl = 0): Outcome => ({
  kind: 'addresses',
  addresses: addresses.map((address) => parseAddress(address)!),
  ttl,
  chain: [],
});
const NONE: Outcome = { kind: 'none', missing: true, ttl: 0, chain: [] };
const FAILED: Outcome = { kind: 'failed', error: 'no answer' };

interface Names {
  readonly lookup: Lookup;
  /** Queries. */
  questions: string[];
  a: Outcome | Promise<Outcome>;
  aaaa: Outcome | Promise<Outcome>;
}

function names(a: readonly string[], aaaa: readonly string[] = []): Names {
  const its: Names = {
    questions: [],
    a: a.length === 0 ? NONE : found(a),
    aaaa: aaaa.length === 0 ? NONE : found(aaaa),
    lookup: async (name, type) => {
      its.questions.push(formatName(name));
      return type === TYPE.A ? its.a : its.aaaa;
    },
  };
  return its;
}

/** A socket to nowhere: stands in for packets without an answer. */
class DeadSocket implements OriginSocket {
  readonly joinsParts = false;
  readonly accepted = 0;
  readonly unacknowledged = 0;
  readonly isOpen = false;
  readonly isWritable = false;
  readonly isFull = false;
  isDestroyed = false;
  constructor(readonly address: string) {}
  start = never;
  writeText = never;
  write = never;
  resume = never;
  end = never;
  destroySoon = never;
  destroy(): void {
    this.isDestroyed = true;
  }
}

function never(): never {
  throw new Error('it is not connected');
}

/** Sockets as they are, with the addresses written down; those in `dead` never answer. */
function spy(dead: readonly string[] = []): { opened: string[]; open: OpenSocket; aborted: DeadSocket[] } {
  const opened: string[] = [];
  const aborted: DeadSocket[] = [];
  const open: OpenSocket = (address, port, tls, attempt) => {
    opened.push(address);
    if (!dead.includes(address)) return openNodeSocket(address, port, tls, attempt);
    const socket = new DeadSocket(address);
    aborted.push(socket);
    return socket;
  };
  return { opened, open, aborted };
}

const REFUSED = [
  '127.0.0.1',
  '10.1.2.3',
  '192.168.0.1',
  '169.254.169.254',
  '168.63.129.16',
  '192.80.8.124',
  '161.26.0.7',
  '166.9.1.1',
  '199.36.153.8',
  '100.100.100.200',
  '192.0.0.192',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '255.255.255.255',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fe80::1',
  'fd00::1',
  '2002:7f00:1::',
];

for (const address of REFUSED) {
  test(`${address} as it is`, async () => {
    const { opened, open } = spy();
    const client = createOriginClient({ open });
    assert.is(await faultOf(client.fetch(request(80, at(address, 80)))), 'forbidden');
    assert.equal(opened, []);
    await client.close();
  });

  test(`${address} by a name`, async () => {
    const { opened, open } = spy();
    const isV6 = address.includes(':');
    const { lookup } = names(isV6 ? [] : [address], isV6 ? [address] : []);
    const client = createOriginClient({ open, lookup });
    assert.is(await faultOf(client.fetch(request(80, at(NAME, 80)))), 'forbidden');
    assert.equal(opened, []);
    await client.close();
  });
}

test('localhost is loopback without a lookup, and refused', async () => {
  const { opened, open } = spy();
  const { lookup, questions } = names(['203.0.114.1']);
  const client = createOriginClient({ open, lookup });
  for (const host of ['localhost', 'a.localhost'])
    assert.is(await faultOf(client.fetch(request(80, at(host, 80)))), 'forbidden');
  assert.equal([opened, questions], [[], []]);
  await client.close();
});

test('rebinding: a name that turns private between two connections gets no second connection', async () => {
  const origin = await scriptedOrigin(saying(OK.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')));
  // Loopback address 2 stands for the public one, and is all that is exempted.
  const { opened, open } = spy();
  const its = names(['127.0.0.2']);
  const exemptions = parseExemptions(['127.0.0.2/32']);
  let now = 0;
  const book = new AddressBook(its.lookup, () => now);
  assert.equal((await book.addressesOf(NAME)).map(formatAddress), ['127.0.0.2']);
  now += 1001;
  its.a = found(['127.0.0.1']);
  assert.equal((await book.addressesOf(NAME)).map(formatAddress), ['127.0.0.1'], 'a TTL of 0 is a second');

  its.a = found(['127.0.0.2']);
  const second = await scriptedOrigin(
    saying(OK.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n')),
    '127.0.0.2',
    origin.port,
  );
  const client = createOriginClient({ open, lookup: its.lookup, exemptions });
  await seen(client.fetch(request(origin.port, at(NAME, origin.port))));
  assert.equal(opened, ['127.0.0.2']);
  its.a = found(['127.0.0.1']);
  await new Promise((done) => setTimeout(done, 1100));
  assert.is(await faultOf(client.fetch(request(origin.port, at(NAME, origin.port)))), 'forbidden');
  assert.equal(opened, ['127.0.0.2'], 'no connection was tried');
  assert.is(origin.accepted, 0);
  await client.close();
  await Promise.all([origin.close(), second.close()]);
});

test('of several addresses only allowed ones are tried', async () => {
  const origin = await scriptedOrigin(saying(OK));
  const { opened, open } = spy();
  const { lookup } = names(['10.0.0.1', '127.0.0.1', '169.254.169.254'], ['fd00::1', '::ffff:127.0.0.1']);
  const client = createOriginClient({ open, lookup, exemptions: parseExemptions(['127.0.0.1/32']) });
  await seen(client.fetch(request(origin.port, at(NAME, origin.port))));
  assert.equal(opened, ['127.0.0.1']);
  await client.close();
  await origin.close();
});

test('our own addresses are refused though they are public, but for what the operator exempts', async () => {
  const own = ['203.0.114.7', '2a01:4f8::7', '127.0.0.1'].map((text) => parseAddress(text)!);
  const { opened, open } = spy();
  const strict = createOriginClient({ open, own, exemptions: [] });
  for (const host of ['203.0.114.7', '2a01:4f8::7', '127.0.0.1'])
    assert.is(await faultOf(strict.fetch(request(80, at(host, 80)))), 'forbidden');
  assert.equal(opened, []);
  await strict.close();

  const origin = await scriptedOrigin(saying(OK));
  const lenient = createOriginClient({ own, exemptions: parseExemptions(['127.0.0.0/8']) });
  await seen(lenient.fetch(request(origin.port)));
  await lenient.close();
  await origin.close();
});

test('after a refused address the next one is tried', async () => {
  const origin = await scriptedOrigin(saying(OK), '127.0.0.3');
  const { opened, open } = spy();
  const { lookup } = names(['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  const client = createOriginClient({ open, lookup, exemptions: true });
  await seen(client.fetch(request(origin.port, at(NAME, origin.port))));
  assert.equal(opened, ['127.0.0.1', '127.0.0.2', '127.0.0.3']);
  for (const socket of origin.sockets) socket.destroy();
  await until(() => client.counters.open === 0, 'closed');
  await seen(client.fetch(request(origin.port, at(NAME, origin.port))));
  assert.is(opened[3], '127.0.0.3', 'what served last is tried first');
  await client.close();
  await origin.close();
});

test('a request fails as refused when all addresses refuse', async () => {
  const origin = await scriptedOrigin(saying(OK));
  await origin.close();
  const client = createOriginClient({ exemptions: true });
  assert.is(await faultOf(client.fetch(request(origin.port))), 'refused');
  assert.is(client.counters.open, 0);
  await client.close();
});

test('a request fails as unreachable when no address has a route', async () => {
  const { lookup } = names(['255.255.255.255']);
  const client = createOriginClient({ lookup, exemptions: true });
  assert.is(await faultOf(client.fetch(request(9, at(NAME, 9)))), 'unreachable');
  await client.close();
});

test('a silent address loses its head start, and is closed when another connects', async () => {
  const origin = await scriptedOrigin(saying(OK), '127.0.0.2');
  const { opened, open, aborted } = spy(['127.0.0.1']);
  const { lookup } = names(['127.0.0.1', '127.0.0.2']);
  const client = createOriginClient({ open, lookup, exemptions: true });
  const begin = performance.now();
  await seen(client.fetch(request(origin.port, at(NAME, origin.port))));
  assert.ok(performance.now() - begin >= 240, 'it had its head start');
  assert.equal(opened, ['127.0.0.1', '127.0.0.2']);
  assert.ok(aborted[0].isDestroyed);
  await client.close();
  await origin.close();
});

test('no address answers: the connect timeout covers all together', async () => {
  const { open, aborted } = spy(['127.0.0.1', '127.0.0.2']);
  const { lookup } = names(['127.0.0.1', '127.0.0.2']);
  const client = createOriginClient({ open, lookup, exemptions: true, limits: { connectTimeout: 400 } });
  assert.is(await faultOf(client.fetch(request(9, at(NAME, 9)))), 'connect-timeout');
  assert.ok(aborted.length === 2 && aborted.every(({ isDestroyed }) => isDestroyed));
  assert.is(client.counters.open, 0);
  await client.close();
});

test('families by turns, IPv6 first', async () => {
  const { lookup } = names(['192.0.2.1', '192.0.2.2', '192.0.2.3'], ['2001:db8::1']);
  const addresses = await new AddressBook(lookup).addressesOf(NAME);
  assert.equal(addresses.map(formatAddress), ['2001:db8::1', '192.0.2.1', '192.0.2.2', '192.0.2.3']);
});

test('one family is enough when the lookup of the other hangs', async () => {
  const its = names(['192.0.2.1']);
  its.aaaa = new Promise(() => {});
  assert.equal((await new AddressBook(its.lookup).addressesOf(NAME)).map(formatAddress), ['192.0.2.1']);
});

test('answers are cached by their TTL, between a second and a minute; concurrent lookups are one query', async () => {
  let now = 0;
  const its = names(['192.0.2.1']);
  const book = new AddressBook(its.lookup, () => now);
  const queries = async (): Promise<number> => {
    its.questions.length = 0;
    await Promise.all([book.addressesOf(NAME), book.addressesOf(NAME)]);
    return its.questions.length / 2;
  };
  for (const [ttl, kept] of [
    [0, 1000],
    [5, 5000],
    [3600, 60_000],
  ]) {
    its.a = found(['192.0.2.1'], ttl);
    now += 1_000_000;
    assert.is(await queries(), 1);
    now += kept - 1;
    assert.is(await queries(), 0, `TTL ${ttl} is kept`);
    now += 1;
    assert.is(await queries(), 1, `TTL ${ttl} is over`);
  }
});

test('when the resolvers fail, cached addresses are used for an hour; not after a negative answer', async () => {
  let now = 0;
  const its = names(['192.0.2.1']);
  const book = new AddressBook(its.lookup, () => now);
  await book.addressesOf(NAME);
  its.a = FAILED;
  for (let minutes = 1; minutes < 60; minutes++) {
    now = minutes * 60_000;
    assert.equal((await book.addressesOf(NAME)).map(formatAddress), ['192.0.2.1']);
  }
  now = 62 * 60_000;
  assert.is(await faultOf(book.addressesOf(NAME)), 'unresolved');
  its.a = found(['192.0.2.1']);
  now += 1000;
  await book.addressesOf(NAME);
  its.a = NONE;
  now += 1000;
  assert.is(await faultOf(book.addressesOf(NAME)), 'unresolved');
});

test('the cache of names is bounded', async () => {
  const its = names(['192.0.2.1']);
  its.a = found(['192.0.2.1'], 60);
  const book = new AddressBook(its.lookup, () => 0);
  for (let i = 0; i < 10_001; i++) await book.addressesOf(`n${i}.test`);
  its.questions.length = 0;
  await book.addressesOf('n10000.test');
  assert.is(its.questions.length, 0);
  await book.addressesOf('n0.test');
  assert.is(its.questions.length, 2);
});

test('a name that does not exist', async () => {
  const { lookup } = names([]);
  const client = createOriginClient({ lookup });
  assert.is(await faultOf(client.fetch(request(80, at(NAME, 80)))), 'unresolved');
  assert.is(client.counters.open, 0);
  await client.close();
});

test('resolvers that do not answer', async () => {
  const its = names([]);
  its.a = its.aaaa = new Promise(() => {});
  const client = createOriginClient({ lookup: its.lookup, limits: { connectTimeout: 200 } });
  assert.is(await faultOf(client.fetch(request(80, at(NAME, 80)))), 'unresolved');
  await client.close();
});

const given = (port: number, ...addresses: string[]): { origin: Origin } => ({
  origin: { host: addresses[0] ?? 'site.test', addresses, port, protocol: 'http' },
});

test('an origin with given addresses: tried in order, without a lookup', async () => {
  const origin = await scriptedOrigin(saying(OK), '127.0.0.3');
  const { opened, open } = spy();
  const its = names([]);
  const exemptions = parseExemptions(['127.0.0.0/8']);
  const client = createOriginClient({ open, lookup: its.lookup, exemptions });
  const to = given(origin.port, '127.0.0.1', '10.0.0.1', '127.0.0.3');
  await seen(client.fetch(request(origin.port, to)));
  assert.equal(opened, ['127.0.0.1', '127.0.0.3'], 'the private one is left out');
  assert.equal(its.questions, []);
  await client.close();
  await origin.close();
});

test('an origin without an address that may be used: no connection', async () => {
  const { opened, open } = spy();
  const client = createOriginClient({ open, exemptions: [] });
  for (const to of [given(80), given(80, '10.0.0.1', '127.0.0.1')])
    assert.is(await faultOf(client.fetch(request(80, to))), 'forbidden');
  assert.equal(opened, []);
  await client.close();
});

test('origins with other addresses have other connections, though their first address is the same', async () => {
  const origin = await scriptedOrigin(saying(OK), '127.0.0.1');
  const { opened, open } = spy();
  const client = createOriginClient({ open, exemptions: parseExemptions(['127.0.0.0/8']) });
  const ask = (...addresses: string[]) => seen(client.fetch(request(origin.port, given(origin.port, ...addresses))));
  await ask('127.0.0.1', '127.0.0.2');
  await ask('127.0.0.1', '127.0.0.2');
  assert.is(opened.length, 1, 'kept');
  await ask('127.0.0.1', '127.0.0.3');
  assert.is(opened.length, 2);
  await seen(client.fetch(request(origin.port, at('127.0.0.1', origin.port))));
  assert.is(opened.length, 3);
  await client.close();
  await origin.close();
});

test.run();

/** A thread allocates nothing for a packet, with any options and all modules. */
import { MessageChannel } from 'node:worker_threads';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EDNS_OPTION } from '../../../../core/dns/wire/edns.ts';
import { equalNames, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { NameserverCounters, ThreadCounters } from '../../../../core/nameserver/counters.ts';
import { createTapRing, TapWriter } from '../../../../core/nameserver/dnstap/ring.ts';
import { QueryHandler } from '../../../../core/nameserver/query-handler.ts';
import { createQueryLog, QueryLogWriter } from '../../../../core/nameserver/query-log.ts';
import { createRateLimit, RateLimiter } from '../../../../core/nameserver/rate-limit.ts';
import { Client, TRANSPORT } from '../../../../core/net/address/client.ts';
import { createSampleRing, SampleWriter } from '../../../../core/observe/statistics/sample-ring.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { PLAIN } from '../../../../core/zone/answer/settings.ts';
import { AliasedZone } from '../../../../core/zone/compile/aliased.ts';
import { compileNode } from '../../../../core/zone/compile/compile.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { SteeredZone } from '../../../../core/zone/compile/steered.ts';
import { CheckedAnswers, shareCheckedAnswers } from '../../../../core/zone/steering/checked-answers.ts';
import { presign } from '../../../reference/presigned.ts';
import { signerOf } from '../../../reference/signed-world.ts';
import { compileSigned, entriesOf } from '../../../support/in-process.ts';
import { encodeQuery } from '../../../support/message.ts';
import { a, ask, putZone, record, UDP_PAYLOAD, ZONE } from '../../nameserver/fixture.ts';
import { CHECK, match, placesOf, pool, steering as steeringOf } from '../steering/rig.ts';
import { option, queryWith, SECRET } from './fixture.ts';

const BATCH = 64;
const WARM_UP = 100_000;
/**
 * Few enough that their garbage would fit into the young generation. Many enough that even 8 bytes
 * per query exceed the garbage of the compiler.
 */
const QUERIES = 32_000;
const TOLERATED = 8 * QUERIES - 1;
/** Of these rounds, most decide. */
const ROUNDS = 5;

const index = new IndexWriter(1 << 20);
// A wildcard whose target is a name that it matches.
const target = Buffer.concat([new Uint8Array(6), parseName('x.own.example.test.')]);
putZone(index, [...ZONE, record('*.own', TYPE.SRV, target), a('*.own', 192, 0, 2, 1)]);
putSignedZone(index);
putSteeredZone(index);
putPresignedZone(index, 2, 'nsec');
putPresignedZone(index, 3, 'nsec3');
const { port1, port2 } = new MessageChannel();
port1.unref();
port2.unref();
const reader = new IndexReader(index.share(port1), 1, port2, {
  refresh: () => {},
  fetch: () => 0,
  fetchEntry: () => 0,
});
const settings = { ...PLAIN, cookies: 'on', cookieSecrets: [SECRET], nsid: 'node-7', version: 'v' } as const;
const steering = {
  places: placesOf([{ network: '5.0.0.0/8', country: 'DE', continent: 'EU' }]),
  checked: shareCheckedAnswers(),
  region: 'east',
};
new CheckedAnswers(steering.checked).write([Buffer.alloc(8, 1)]);
const counters = new ThreadCounters(new NameserverCounters(['udp']).slice(0));
const limit = { rate: 100, slip: 2, allow: false, ipv4Prefix: 24, ipv6Prefix: 56 };
const handler = new QueryHandler({
  index: reader,
  responder: new Responder(reader, UDP_PAYLOAD, settings, steering),
  counters,
  onFault(error) {
    throw error;
  },
  limiter: new RateLimiter(createRateLimit(limit)!),
  log: new QueryLogWriter(createQueryLog(50)!, counters, 1),
  sampler: new SampleWriter(createSampleRing(50), 1),
  tap: new TapWriter(createTapRing(50, 'all'), 1),
});
const client = new Client();
const buffer = new Uint8Array(4096);

/** A zone `signed.test`. */
function putSignedZone(writer: IndexWriter): void {
  const apex = parseName('signed.test.');
  const records = recordsOf(apex);
  const signer = signerOf(apex, 1_800_000_000);
  const zone = new MemoryZone(apex, records);
  const nodes = [...zone.names()].flatMap((name): [Name, Buffer][] => {
    const node = compileNode(zone, name, signer);
    return node === null ? [] : [[name, node]];
  });
  for (const [, node] of nodes) writer.put(node, false);
  writer.denial.replaceAll(1, apex, entriesOf(zone, nodes, signer));
  writer.publish();
}

/** A zone `steered.test`, whose `www` is steered by network, place and weight. */
function putSteeredZone(writer: IndexWriter): void {
  const apex = parseName('steered.test.');
  const zone = new MemoryZone(apex, [
    ...recordsOf(apex),
    { name: parseName('www', apex), type: TYPE.A, ttl: 300, rdata: Uint8Array.of(192, 0, 2, 1) },
  ]);
  const content = {
    ttl: 30,
    pools: [pool('eu', ['192.0.2.1*3', '192.0.2.2'], CHECK), pool('lan', ['10.0.0.1', '10.0.0.2'])],
    rules: [
      { match: match({ network: ['10.0.0.0/8', 'fd00::/8'] }), pool: 'lan' },
      { match: match({ continent: ['EU'], country: ['DE', 'FR'], region: ['east'] }), pool: 'eu' },
    ],
    fallback: ['lan'],
  };
  const steered = { ...steeringOf('www', TYPE.A, content), name: parseName('www', apex) };
  const view = new SteeredZone(new AliasedZone(zone, () => []), (name) =>
    equalNames(name, steered.name) ? [steered] : [],
  );
  for (const name of zone.names()) {
    const node = compileNode(view, name);
    if (node !== null) writer.put(node, false);
  }
  writer.publish();
}

/** A zone `nsec.test` or `nsec3.test` that its primary has signed, the latter with opt-out. */
function putPresignedZone(writer: IndexWriter, id: number, denial: 'nsec' | 'nsec3'): void {
  const apex = parseName(`${denial}.test.`);
  const choice = { denial, iterations: 2, salt: Uint8Array.of(1, 2), isOptOut: true, keys: 1 };
  const { nodes, entries } = compileSigned(presign(recordsOf(apex), choice));
  for (const [, node] of nodes) writer.put(node, false);
  writer.denial.replaceAll(id, apex, entries);
  writer.publish();
}

function recordsOf(apex: Name): ResourceRecord[] {
  const at = (name: string, type: number, rdata: Uint8Array): ResourceRecord => {
    return { name: parseName(name, apex), type, ttl: 300, rdata };
  };
  const address = Uint8Array.of(192, 0, 2, 1);
  return [
    at('@', TYPE.SOA, Buffer.concat([apex, apex, Buffer.alloc(20, 1)])),
    at('@', TYPE.NS, parseName('ns.example.')),
    at('a', TYPE.A, address),
    at('a.b', TYPE.A, address),
    at('*.w', TYPE.A, address),
    at('cut', TYPE.NS, parseName('ns.cut', apex)),
    at('ns.cut', TYPE.A, address),
  ];
}

function signedQuery(name: string, type: number, zone = 'signed.test.'): Uint8Array {
  const query = { name: parseName(name, parseName(zone)), type, class: 1 };
  return encodeQuery({ ...query, edns: { version: 0, size: 1232, do: true } }, 1);
}

function runQueries(packet: Uint8Array, transport: number, count: number): void {
  client.transport = transport;
  for (let i = 0; i < count; i++) {
    if (i % BATCH === 0) handler.startBatch(i, buffer, 0, 1);
    for (let k = 0; k < packet.length; k++) buffer[k] = packet[k];
    client.setAddress(buffer, 2, 16);
    handler.answer(buffer, 0, packet.length, client, null);
  }
  handler.endBatch();
}

/** Bytes by which the queries enlarge the heap; negative after a collection. */
function measureGrowth(packet: Uint8Array, transport: number): number {
  const before = process.memoryUsage().heapUsed;
  runQueries(packet, transport, QUERIES);
  return process.memoryUsage().heapUsed - before;
}

const cookie = option(EDNS_OPTION.COOKIE, [1, 2, 3, 4, 5, 6, 7, 8]);
const forged = option(EDNS_OPTION.COOKIE, [...new Array<number>(8).fill(1), 1, ...new Array<number>(15).fill(0)]);
for (const [what, packet, transport] of [
  ['no OPT', ask('host1'), TRANSPORT.UDP],
  ['NXDOMAIN', ask('none', { edns: 1232 }), TRANSPORT.UDP],
  ['the target of its wildcard', ask('x.own', { type: TYPE.SRV }), TRANSPORT.UDP],
  ['REFUSED with an extended error', queryWith([], { name: 'elsewhere.test' }), TRANSPORT.UDP],
  ['a cookie', queryWith(cookie), TRANSPORT.UDP],
  ['a forged cookie', queryWith(forged), TRANSPORT.UDP],
  ['a cookie alone', queryWith(cookie, { bare: true }), TRANSPORT.UDP],
  ['CHAOS', queryWith([], { name: 'version.bind', type: TYPE.TXT, class: 3 }), TRANSPORT.UDP],
  [
    'NSID, keepalive and padding',
    queryWith([EDNS_OPTION.NSID, EDNS_OPTION.TCP_KEEPALIVE, EDNS_OPTION.PADDING].flatMap((code) => option(code))),
    TRANSPORT.TLS,
  ],
  ['a steered answer', signedQuery('www', TYPE.A, 'steered.test.'), TRANSPORT.UDP],
  [
    'a steered answer for a client subnet',
    queryWith(option(EDNS_OPTION.CLIENT_SUBNET, [0, 1, 24, 0, 5, 6, 7]), { name: 'www.steered.test' }),
    TRANSPORT.UDP,
  ],
  [
    'a steered answer for an IPv6 subnet',
    queryWith(option(EDNS_OPTION.CLIENT_SUBNET, [0, 2, 56, 0, 0xfd, 0, 0, 0, 0, 1, 2]), { name: 'www.steered.test' }),
    TRANSPORT.UDP,
  ],
  ['a signed answer', signedQuery('a', TYPE.A), TRANSPORT.UDP],
  ['a signed referral', signedQuery('x.cut', TYPE.A), TRANSPORT.UDP],
  ['NXDOMAIN with proofs', signedQuery('none.b', TYPE.A), TRANSPORT.UDP],
  ['NODATA with proofs', signedQuery('a', TYPE.MX), TRANSPORT.UDP],
  ['a wildcard with proofs', signedQuery('y.x.w', TYPE.A), TRANSPORT.UDP],
  ['signatures', signedQuery('a', TYPE.RRSIG), TRANSPORT.UDP],
  ['NXDOMAIN with NSEC', signedQuery('none.b', TYPE.A, 'nsec.test.'), TRANSPORT.UDP],
  ['NXDOMAIN with salted NSEC3', signedQuery('none.b', TYPE.A, 'nsec3.test.'), TRANSPORT.UDP],
] as const)
  test(what, () => {
    runQueries(packet, transport, WARM_UP);
    const rounds: number[] = [];
    const isDecided = (within: boolean): boolean =>
      rounds.filter((growth) => growth <= TOLERATED === within).length > ROUNDS / 2;
    while (!isDecided(true) && !isDecided(false)) rounds.push(measureGrowth(packet, transport));
    assert.ok(isDecided(true), `${rounds.join(', ')} bytes for ${QUERIES} queries`);
  });

test.run();

/**
 * The most expensive answer of each kind that the owner of a zone can make: CPU microseconds of the
 * query path, without sockets, and how many times a plain A answer costs as much, with its sockets.
 * Run: node dist/bench/core/zone/answer/expensive.bench.js [KIND]
 *
 * A plain answer takes 17 times as long with sockets as without (3.41 µs of the row mix of
 * bench:dns and 0.20 µs here, machine B), which is added to each answer. So the ratio does not
 * depend on how busy the machine is.
 */
import { MessageChannel } from 'node:worker_threads';
import { MAX_NAME, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { Client, TRANSPORT } from '../../../../core/net/address/client.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Responder } from '../../../../core/zone/answer/responder.ts';
import { compileNode } from '../../../../core/zone/compile/compile.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { presign, type SigningChoice } from '../../../../test/reference/presigned.ts';
import { signerOf } from '../../../../test/reference/signed-world.ts';
import { compileSigned, entriesOf } from '../../../../test/support/in-process.ts';
import { encodeQuery } from '../../../../test/support/message.ts';

const ARENA = 64 << 20;
const UDP_PAYLOAD = 1232;
/** Nanoseconds of a measurement, and measurements of a row. */
const MEASURED_NS = 60_000_000;
const ROUNDS = 5;

/** With sockets, a plain answer takes so many times as long. */
const SOCKETS = 17;
const apex = parseName('owner.test.');
const LONG = 'l'.repeat(63);

const name = (value: string): Name => (value === '@' ? apex : parseName(value, apex));
const at = (owner: string | Name, type: number, rdata: Uint8Array, ttl = 300): ResourceRecord => ({
  name: typeof owner === 'string' ? name(owner) : owner,
  type,
  ttl,
  rdata,
});
const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const address = (i: number): Uint8Array => Uint8Array.of(192, 0, i >> 8, i);
const withPreference = (target: string, i = 0): Uint8Array => Buffer.concat([Uint8Array.of(0, i & 255), name(target)]);
const text = (length: number, i = 0): Uint8Array =>
  Buffer.concat([Uint8Array.of(length), Buffer.alloc(length, 97 + (i % 26))]);

const BASE: readonly ResourceRecord[] = [
  at('@', TYPE.SOA, Buffer.concat([apex, apex, Buffer.alloc(20, 1)])),
  at('@', TYPE.NS, parseName('ns.example.')),
  at('plain', TYPE.A, address(1)),
];

/** A name of `labels` labels of a byte each below the apex. */
const deep = (labels: number): string => range(labels, () => 'a').join('.');
const DEEPEST = Math.floor((MAX_NAME - apex.length) / 2);
/** A name that has no room for another label: labels of 63 bytes. */
const LONGEST = [LONG, LONG, LONG, 'l'.repeat(MAX_NAME - apex.length - 3 * 64 - 1)].join('.');

const wildcards = (links: number, labels = 1): ResourceRecord[] => [
  ...range(links, (i) => at(`*.c${i}`, TYPE.CNAME, name(`${deep(labels)}.c${i + 1}`))),
  at(`*.c${links}`, TYPE.A, address(1)),
];

interface Case {
  readonly kind: string;
  readonly records: readonly ResourceRecord[];
  readonly query: string;
  readonly type?: number;
  /** Signed by us, or by its primary. */
  readonly signed?: true | SigningChoice;
  readonly change?: (records: ResourceRecord[]) => ResourceRecord[];
  readonly only?: 'udp' | 'tcp';
  readonly dnssecOk?: boolean;
}

const nsec3 = (iterations: number, salt: number, isOptOut = false): SigningChoice => ({
  denial: 'nsec3',
  iterations,
  salt: new Uint8Array(salt).fill(7),
  isOptOut,
  keys: 1,
});
const NSEC: SigningChoice = { denial: 'nsec', iterations: 0, salt: new Uint8Array(0), isOptOut: false, keys: 1 };

/** Only one NSEC3 record stays, so that each proof is found and none ends early. */
const oneNsec3 = (records: ResourceRecord[]): ResourceRecord[] => {
  const [kept] = records.filter(({ type }) => type === TYPE.NSEC3);
  return records.filter((record) => record.type !== TYPE.NSEC3 || record === kept);
};
const bigSignatures = (records: ResourceRecord[]): ResourceRecord[] =>
  records.flatMap((record) => {
    if (record.type !== TYPE.RRSIG || record.name.length === apex.length) return [record];
    return range(200, (i) => ({ ...record, rdata: Buffer.concat([record.rdata, Buffer.alloc(230, i)]) }));
  });
const noSignatures = (records: ResourceRecord[]): ResourceRecord[] =>
  records.filter(({ type, name: owner }) => type !== TYPE.RRSIG || owner.length === apex.length);

const large = (owner: string, records: number): ResourceRecord[] =>
  range(records, (i) => at(owner, TYPE.A, address(i)));
const MX_TARGETS = range(1500, (i) => at(`m${i}.mx`, TYPE.A, address(i)));

const CASES: readonly Case[] = [
  { kind: 'A', records: [], query: 'plain', dnssecOk: false },
  { kind: 'A, signed', records: [], query: 'plain', signed: true },
  {
    kind: 'NXDOMAIN of the deepest name',
    records: [at(deep(DEEPEST - 1), TYPE.A, address(1))],
    query: `b.${deep(DEEPEST - 2)}`,
    dnssecOk: false,
  },
  {
    kind: 'the same, none of its labels there',
    records: [at(deep(DEEPEST), TYPE.A, address(1))],
    query: range(DEEPEST, () => 'b').join('.'),
    dnssecOk: false,
  },
  { kind: 'NXDOMAIN, signed, of the longest name', records: [], query: LONGEST, signed: true },
  {
    kind: 'NODATA in a deep zone, signed',
    records: [at(deep(DEEPEST), TYPE.A, address(1))],
    query: deep(DEEPEST - 1),
    type: TYPE.MX,
    signed: true,
  },
  {
    kind: 'a name of 255 types, RRSIG',
    records: range(250, (i) => at('types', 1000 + i, address(1))),
    query: 'types',
    type: TYPE.RRSIG,
    signed: NSEC,
    change: noSignatures,
  },
  {
    kind: 'a name of 255 types, the last one',
    records: range(250, (i) => at('types', 1000 + i, address(1))),
    query: 'types',
    type: 1249,
    dnssecOk: false,
  },
  {
    kind: 'CNAME chain of 16, stored',
    records: [...range(16, (i) => at(`c${i}`, TYPE.CNAME, name(`c${i + 1}`))), at('c16', TYPE.A, address(1))],
    query: 'c0',
    dnssecOk: false,
  },
  {
    kind: 'CNAME chain of 15 to 4,000 addresses',
    records: [...range(15, (i) => at(`c${i}`, TYPE.CNAME, name(`c${i + 1}`))), ...large('c15', 4000)],
    query: 'c0',
    dnssecOk: false,
  },
  {
    kind: 'CNAME to 130 addresses',
    records: [at('c0', TYPE.CNAME, name('c1')), ...large('c1', 130)],
    query: 'c0',
    dnssecOk: false,
  },
  {
    kind: 'CNAME to 75 addresses',
    records: [at('c0', TYPE.CNAME, name('c1')), ...large('c1', 130).slice(0, 73), at('c1', TYPE.TXT, text(255))],
    query: 'c0',
    dnssecOk: false,
  },
  {
    kind: 'CNAME to TXT of 60 KB',
    records: [
      at('c0', TYPE.CNAME, name('c1')),
      ...range(230, (i) => at('c1', TYPE.TXT, Buffer.concat([text(3, i), text(240, i >> 4)]))),
    ],
    query: 'c0',
    type: TYPE.TXT,
    dnssecOk: false,
  },
  {
    kind: 'CNAME to 1,500 MX with addresses',
    records: [
      at('c0', TYPE.CNAME, name('c1')),
      ...range(1500, (i) => at('c1', TYPE.MX, withPreference(`m${i}.mx`, i))),
      ...MX_TARGETS,
    ],
    query: 'c0',
    type: TYPE.MX,
    dnssecOk: false,
  },
  {
    kind: '1,500 MX with addresses',
    records: [...range(1500, (i) => at('c1', TYPE.MX, withPreference(`m${i}.mx`, i))), ...MX_TARGETS],
    query: 'c1',
    type: TYPE.MX,
    dnssecOk: false,
  },
  {
    kind: 'the same at a wildcard',
    records: [...range(1500, (i) => at('*.c1', TYPE.MX, withPreference(`m${i}.mx`, i))), ...MX_TARGETS],
    query: 'abc.c1',
    type: TYPE.MX,
    dnssecOk: false,
  },
  {
    kind: 'the same, a target below the wildcard',
    records: [
      ...range(1500, (i) => at('*.c1', TYPE.MX, withPreference(`m${i}.c1`, i))),
      at('*.c1', TYPE.A, address(1)),
    ],
    query: 'm7.c1',
    type: TYPE.MX,
    dnssecOk: false,
  },
  {
    kind: '20 MX at a wildcard, targets below it',
    records: [
      ...range(20, (i) => at('*.c1', TYPE.MX, withPreference(`m${i}.c1`, i))),
      ...range(20, (i) => at('*.c1', TYPE.A, address(i))),
    ],
    query: 'm7.c1',
    type: TYPE.MX,
    dnssecOk: false,
  },
  {
    kind: 'HTTPS at a wildcard, own targets',
    records: [
      ...range(40, (i) =>
        at('*.h', TYPE.HTTPS, Buffer.concat([Uint8Array.of(0, i + 1), i % 2 ? name(`x${i}.h`) : Uint8Array.of(0)])),
      ),
      ...range(200, (i) => at('*.h', TYPE.A, address(i))),
    ],
    query: 'x3.h',
    type: TYPE.HTTPS,
    dnssecOk: false,
  },
  {
    kind: 'referral of 1,500 NS with glue',
    records: [
      ...range(1500, (i) => at('cut', TYPE.NS, name(`n${i}.cut`))),
      ...range(1500, (i) => at(`n${i}.cut`, TYPE.A, address(i))),
    ],
    query: 'n7.cut',
    dnssecOk: false,
  },
  {
    kind: 'referral a little too large',
    records: [
      ...range(33, (i) => at('cut', TYPE.NS, name(`n${i}.cut`))),
      ...range(33, (i) => at(`n${i}.cut`, TYPE.A, address(i))),
    ],
    query: `${LONG}.${LONG}.n7.cut`,
    dnssecOk: false,
  },
  {
    kind: 'DNAME chain of 16',
    records: [...range(16, (i) => at(`d${i}`, TYPE.DNAME, name(`d${i + 1}`))), at('x.d16', TYPE.A, address(1))],
    query: 'x.d0',
    dnssecOk: false,
  },
  {
    kind: 'DNAME chain of 16, deep names',
    records: [
      ...range(16, (i) => at(`d${i}`, TYPE.DNAME, name(`d${i + 1}`))),
      at(`${deep(100)}.d16`, TYPE.A, address(1)),
    ],
    query: `${deep(110)}.d0`,
    dnssecOk: false,
  },
  { kind: 'DNAME at itself', records: [at('d', TYPE.DNAME, name('a.d'))], query: 'x.d', dnssecOk: false },
  {
    kind: 'DNAME chain of 16, signed',
    records: [...range(16, (i) => at(`d${i}`, TYPE.DNAME, name(`d${i + 1}`))), at(`*.d16`, TYPE.A, address(1))],
    query: 'x.d0',
    signed: true,
  },
  {
    kind: 'DNAME to 4,000 addresses',
    records: [at('d', TYPE.DNAME, name('e')), ...large('x.e', 4000)],
    query: 'x.d',
    dnssecOk: false,
  },
  { kind: 'wildcard chain of 15', records: wildcards(15), query: 'q.c0', dnssecOk: false },
  { kind: 'wildcard chain of 15, signed', records: wildcards(15), query: 'q.c0', signed: true },
  {
    kind: 'wildcard chain of 9, 500 iterations, salt 255',
    records: wildcards(9),
    query: 'q.c0',
    signed: nsec3(500, 255),
    change: oneNsec3,
  },
  { kind: 'wildcard chain of 15, 50 iterations', records: wildcards(15), query: 'q.c0', signed: nsec3(50, 0) },
  { kind: 'wildcard chain of 15, no iterations', records: wildcards(15), query: 'q.c0', signed: nsec3(0, 0) },
  { kind: 'wildcard chain of 15, NSEC', records: wildcards(15), query: 'q.c0', signed: NSEC },
  ...[nsec3(0, 0), nsec3(12, 0), NSEC].flatMap((signed) =>
    [30, 110].map((labels) => ({
      kind: `the same, ${labels} labels, ${signed.denial}, ${signed.iterations} iterations, no signatures`,
      records: wildcards(15, labels),
      query: 'q.c0',
      signed,
      change: (records: ResourceRecord[]) => noSignatures(signed.denial === 'nsec' ? records : oneNsec3(records)),
    })),
  ),
  { kind: 'NXDOMAIN, 50 iterations', records: [], query: 'no', signed: nsec3(50, 0) },
  { kind: 'NXDOMAIN of the longest name, 50 iterations', records: [], query: LONGEST, signed: nsec3(50, 35) },
  {
    kind: 'opt-out, NODATA far below the last record',
    records: [at(deep(DEEPEST - 1), TYPE.NS, parseName('ns.example.'))],
    query: deep(DEEPEST - 1),
    type: TYPE.DS,
    signed: nsec3(50, 0, true),
  },
  {
    kind: 'the same, no iterations',
    records: [at(deep(DEEPEST - 1), TYPE.NS, parseName('ns.example.'))],
    query: deep(DEEPEST - 1),
    type: TYPE.DS,
    signed: nsec3(0, 0, true),
  },
  {
    kind: 'NXDOMAIN, NSEC, 20,000 long names',
    records: range(20000, (i) => at(`${i}.${LONG}.${LONG}.${LONG}`, TYPE.A, address(i))),
    query: `4z.${LONG}.${LONG}.${LONG}`,
    signed: NSEC,
    change: noSignatures,
  },
  {
    kind: 'presigned chain of 15, 200 signatures each',
    records: wildcards(15),
    query: 'q.c0',
    signed: NSEC,
    change: bigSignatures,
  },
  {
    kind: 'TXT of 60 KB',
    records: range(230, (i) => at('t', TYPE.TXT, Buffer.concat([text(3, i), text(240, i >> 4)]))),
    query: 't',
    type: TYPE.TXT,
    dnssecOk: false,
  },
  {
    kind: 'ANY of 60 KB',
    records: range(3600, (i) => at('t', TYPE.A, address(i))),
    query: 't',
    type: TYPE.ANY,
    dnssecOk: false,
  },
];

function load({ records, signed, change }: Case): Responder & { enter(): void } {
  const index = new IndexWriter(ARENA);
  const all = [...BASE, ...records];
  if (signed === undefined || signed === true) {
    const signer = signed === true ? signerOf(apex, 1_800_000_000) : null;
    const zone = new MemoryZone(apex, all);
    const nodes = [...zone.names()].flatMap((owner): [Name, Buffer][] => {
      const node = compileNode(zone, owner, signer);
      return node === null ? [] : [[owner, node]];
    });
    for (const [, node] of nodes) index.put(node, false);
    if (signer !== null) index.denial.replaceAll(1, apex, entriesOf(zone, nodes, signer));
  } else {
    const own = presign(all, signed);
    const { nodes, entries } = compileSigned(change === undefined ? own : change(own));
    for (const [, node] of nodes) index.put(node, false);
    index.denial.replaceAll(1, apex, entries);
  }
  index.publish();
  const { port1, port2 } = new MessageChannel();
  port1.unref();
  port2.unref();
  const store = { refresh: () => {}, fetch: () => 0, fetchEntry: () => 0 };
  const reader = new IndexReader(index.share(port1), 1, port2, store);
  return Object.assign(new Responder(reader, UDP_PAYLOAD), { enter: () => reader.enter() });
}

const buffer = new Uint8Array(65_535 + 64);
const client = new Client();

/** Microseconds of an answer, the median of the rounds, and what was answered. */
function measure(tested: Case, transport: 'udp' | 'tcp', responder: ReturnType<typeof load>): [number, string] {
  const { query, type = TYPE.A, dnssecOk = true } = tested;
  const edns = { version: 0, size: UDP_PAYLOAD, do: dnssecOk };
  const packet = encodeQuery({ name: name(query), type, class: 1, edns }, 1);
  client.transport = transport === 'udp' ? TRANSPORT.UDP : TRANSPORT.TCP;
  let length = 0;
  const run = (amount: number): number => {
    const start = process.cpuUsage();
    for (let i = 0; i < amount; i++) {
      if (i % 64 === 0) responder.enter();
      for (let k = 0; k < packet.length; k++) buffer[k] = packet[k];
      length = responder.respond(buffer, 0, packet.length, client);
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) * 1000;
  };
  run(200);
  let count = 100;
  while (run(count) < MEASURED_NS / 10) count *= 2;
  count = Math.ceil((count * MEASURED_NS) / run(count));
  const times = Array.from({ length: ROUNDS }, () => run(count) / count / 1000).sort((a, b) => a - b);
  const isTruncated = (buffer[2] & 2) !== 0;
  const outcome = Object.entries(RCODE).find(([, value]) => value === (buffer[3] & 15))?.[0] ?? '';
  return [times[ROUNDS >> 1], `${outcome}${isTruncated ? ', TC' : ''}, ${length} bytes`];
}

const ratio = (microseconds: number, plain: number): string =>
  (((SOCKETS - 1) * plain + microseconds) / (SOCKETS * plain)).toFixed(1);

console.log('| answer | UDP µs | ratio | | TCP µs | |\n|---|---:|---:|---|---:|---|');
const plainAnswer = load(CASES[0]);
for (const tested of CASES) {
  if (process.argv[2] !== undefined && !tested.kind.includes(process.argv[2])) continue;
  const responder = load(tested);
  const [plain] = measure(CASES[0], 'udp', plainAnswer);
  const [udp, udpAnswer] = measure(tested, 'udp', responder);
  const [tcp, tcpAnswer] = measure(tested, 'tcp', responder);
  const cells = [tested.kind, udp.toFixed(2), ratio(udp, plain), udpAnswer, tcp.toFixed(2), tcpAnswer];
  console.log(`| ${cells.join(' | ')} |`);
}

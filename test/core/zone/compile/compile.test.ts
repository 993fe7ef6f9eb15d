/**
 * Bodies and nodes as an independent decoder (dns-packet) reads them: compression, pointers that
 * move, what may be left out.
 */
import dnsPacket from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ASKED, Body, type Owner } from '../../../../core/dns/wire/body.ts';
import { formatName, MAX_NAME, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import {
  ANCOUNT_AT,
  ANSWER_HEADER,
  ARCOUNT_AT,
  BODY_LENGTH_AT,
  DROP_ARCOUNT_AT,
  DROP_COUNT_AT,
  DROP_ENTRY,
  MOVE_COUNT_AT,
  MOVE_ENTRY,
  NODE_HEADER,
  NSCOUNT_AT,
  TYPE_ANSWER_AT,
  TYPE_COUNT_AT,
  TYPE_ENTRY,
} from '../../../../core/store/answers.ts';
import { compileNode } from '../../../../core/zone/compile/compile.ts';
import { MemoryZone } from '../../../../core/zone/compile/memory.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const APEX = parseName('example.com.');
const inZone = (text: string): Name => parseName(text, APEX);

interface Counts {
  readonly answers: number;
  readonly additionals?: number;
}

/** A message with this question and body. */
function messageOf(queried: Name, type: number, body: Uint8Array, counts: Counts): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0x8400, 2);
  for (const [i, n] of [1, counts.answers, 0, counts.additionals ?? 0].entries()) head.writeUInt16BE(n, 4 + 2 * i);
  return Buffer.concat([head, queried, Buffer.of(type >> 8, type, 0, 1), body]);
}

const textOf = (domainName: Name): string => formatName(domainName).replace(/(.)\.$/, '$1');

/** A record as dns-packet gives it: names without the last dot. */
function decoded({ name: owner, type, ttl, rdata }: ResourceRecord): unknown {
  const at = (offset: number): string => {
    let end = offset;
    while (rdata[end] !== 0) end += rdata[end] + 1;
    return textOf(rdata.subarray(offset, end + 1));
  };
  const u16 = (offset: number): number => Buffer.from(rdata).readUInt16BE(offset);
  const data = (): unknown => {
    switch (type) {
      case TYPE.A:
        return rdata.join('.');
      case TYPE.MX:
        return { preference: u16(0), exchange: at(2) };
      case TYPE.SRV:
        return { priority: u16(0), weight: u16(2), port: u16(4), target: at(6) };
      case TYPE.TXT:
        return [Buffer.from(rdata.subarray(1)).toString()];
      default:
        return at(0);
    }
  };
  return { name: textOf(owner), type, ttl, data: data() };
}

const TYPE_OF: Readonly<Record<string, number>> = { ...TYPE };
const plain = (records: readonly dnsPacket.Answer[] = []): unknown[] =>
  records.map((entry) => {
    const { name, type, ttl, data } = entry as { name: string; type: string; ttl: number; data: unknown };
    const shown = type === 'TXT' ? (data as Buffer[]).map(String) : data;
    return { name, type: TYPE_OF[type], ttl, data: JSON.parse(JSON.stringify(shown)) };
  });

const label = fc.constantFrom('a', 'b', 'www', 'mail', 'x-1', 'long-label-long-label-long-label');
const name = fc.array(label, { maxLength: 4 }).chain((labels) =>
  fc.constantFrom('example.com.', 'example.net.', '').map((end) => {
    const text = [...labels, end || 'example.com.'].join('.');
    return parseName(text);
  }),
);
const owned = fc.array(label, { maxLength: 4 }).map((labels) => inZone(labels.join('.') || '@'));

const record: fc.Arbitrary<ResourceRecord> = fc
  .tuple(
    owned,
    fc.nat(0x7fffffff),
    fc.constantFrom(TYPE.A, TYPE.NS, TYPE.CNAME, TYPE.PTR, TYPE.MX, TYPE.SRV, TYPE.DNAME, TYPE.TXT),
    name,
    fc.nat(255),
  )
  .map(([owner, ttl, type, target, byte]) => {
    const prefix = type === TYPE.MX ? [0, byte] : type === TYPE.SRV ? [0, byte, 1, byte, 0, 53] : [];
    const rdata =
      type === TYPE.A
        ? Uint8Array.of(192, 0, 2, byte)
        : type === TYPE.TXT
          ? Buffer.from('\x05hello')
          : Uint8Array.from([...prefix, ...target]);
    return { name: owner, type, ttl, rdata };
  });

/** A record as it comes out: with the name asked when its owner is that. */
const write = (body: Body, owner: Owner, { type, ttl, rdata }: ResourceRecord): void =>
  body.record(owner, type, ttl, rdata);

test('records are read from a body as they were written, in fewer bytes', () => {
  fc.assert(
    fc.property(owned, fc.array(record, { minLength: 1, maxLength: 40 }), fc.nat(3), (queried, records, own) => {
      const body = new Body(queried, 'exact');
      const whole = records.map((entry, i) => (i <= own ? { ...entry, name: queried } : entry));
      for (const [i, entry] of whole.entries()) write(body, i <= own ? ASKED : entry.name, entry);
      const message = dnsPacket.decode(messageOf(queried, 1, body.content, { answers: whole.length }));
      assert.equal(plain(message.answers), whole.map(decoded));
      assert.equal(body.moves, []);
      const uncompressed = whole.reduce((n, entry) => n + entry.name.length + 10 + entry.rdata.length, 0);
      assert.ok(body.size <= uncompressed);
    }),
    { numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }) },
  );
});

for (const form of ['wildcard', 'suffix'] as const)
  test(`with a query name longer than the compiled one (${form}), the listed pointers move`, () => {
    fc.assert(
      fc.property(
        fc.array(record, { minLength: 1, maxLength: 30 }),
        fc.array(label, { minLength: 1, maxLength: 3 }),
        (records, more) => {
          const made = inZone(form === 'wildcard' ? '*.www' : 'www');
          const queried = inZone(`${more.join('.')}.www`);
          const body = new Body(made, form);
          for (const [i, entry] of records.entries())
            write(body, i === 0 && form === 'wildcard' ? ASKED : entry.name, entry);
          const { content } = body;
          const bytes = Buffer.from(content);
          for (const at of body.moves) bytes.writeUInt16BE(bytes.readUInt16BE(at) + queried.length - made.length, at);
          const expected = records.map((entry, i) =>
            i === 0 && form === 'wildcard' ? { ...entry, name: queried } : entry,
          );
          const message = dnsPacket.decode(messageOf(queried, 1, bytes, { answers: records.length }));
          assert.equal(plain(message.answers), expected.map(decoded));
        },
      ),
      { numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }) },
    );
  });

test('names in rdata are compressed for the types of RFC 1035 alone (RFC 3597 4)', () => {
  const target = [...inZone('www')];
  const prefixes: readonly (readonly [number, readonly number[]])[] = [
    [TYPE.NS, []],
    [TYPE.CNAME, []],
    [TYPE.PTR, []],
    [TYPE.MX, [0, 10]],
    [TYPE.SRV, [0, 1, 0, 2, 0, 53]],
    [TYPE.DNAME, []],
    [TYPE.NAPTR, [0, 1, 0, 1, 0, 0, 0]],
    [TYPE.SVCB, [0, 1]],
    [17, []],
  ];
  for (const [type, prefix] of prefixes) {
    const body = new Body(inZone('www'), 'exact');
    const rdata = Uint8Array.from([...prefix, ...target]);
    body.record(ASKED, type, 60, rdata);
    const written = Buffer.from(body.content).subarray(12);
    const compressed = ([TYPE.NS, TYPE.CNAME, TYPE.PTR, TYPE.MX] as number[]).includes(type);
    assert.equal(written, compressed ? Buffer.from([...prefix, 0xc0, 12]) : Buffer.from(rdata), `type ${type}`);
    assert.is(Buffer.from(body.content).readUInt16BE(10), written.length);
  }
  // Both names of an SOA, then its numbers as they are.
  const soa = new Body(APEX, 'exact');
  soa.record(ASKED, TYPE.SOA, 60, Uint8Array.from([...inZone('ns'), ...inZone('host.ns'), ...new Array(20).fill(7)]));
  const expected = [2, 110, 115, 0xc0, 12, 4, 104, 111, 115, 116, 0xc0, 41, ...new Array(20).fill(7)];
  assert.equal([...soa.content.subarray(12)], expected);
});

test('a body made to be put behind another one has no pointer into itself', () => {
  const body = new Body(APEX, 'suffix', false);
  const far = parseName('ns.far.away.');
  body.record(APEX, TYPE.NS, 1, far);
  body.record(APEX, TYPE.NS, 2, far);
  const at = (text: string) => Buffer.from(body.content).indexOf(text);
  const second = Buffer.from(body.content).lastIndexOf('away');
  assert.ok(at('away') > 0 && second > at('away'));
});

test('names beyond the reach of a pointer are written whole', () => {
  const queried = inZone('www');
  const body = new Body(queried, 'exact');
  const filler = { name: queried, type: TYPE.TXT, ttl: 1, rdata: Buffer.from('\x05hello') };
  const records: ResourceRecord[] = [];
  for (let i = 0; i < 1000; i++) records.push(filler);
  for (const text of ['far', 'far', 'one.far'])
    records.push({ name: inZone('deep'), type: TYPE.NS, ttl: 2, rdata: parseName(`${text}.example.net.`) });
  for (const entry of records) write(body, entry === filler ? ASKED : entry.name, entry);
  assert.ok(body.size > 0x3fff);
  const message = dnsPacket.decode(messageOf(queried, TYPE.TXT, body.content, { answers: records.length }));
  assert.equal(plain(message.answers), records.map(decoded));
});

/** The parts of a node's answer for a type: see core/store/answers.ts. */
function answerOf(node: Buffer, type: number) {
  const types = Array.from({ length: node[TYPE_COUNT_AT] }, (_, i) => node.readUInt16BE(NODE_HEADER + i * TYPE_ENTRY));
  assert.ok(types.includes(type), `type ${type} is not among ${types}`);
  const at = node.readUInt32BE(NODE_HEADER + types.indexOf(type) * TYPE_ENTRY + TYPE_ANSWER_AT);
  const [ancount, nscount, arcount, bodyLength, moves, drops] = [
    ANCOUNT_AT,
    NSCOUNT_AT,
    ARCOUNT_AT,
    BODY_LENGTH_AT,
    MOVE_COUNT_AT,
    DROP_COUNT_AT,
  ].map((o) => node.readUInt16BE(at + o));
  const dropAt = at + ANSWER_HEADER + moves * MOVE_ENTRY;
  const body = node.subarray(dropAt + drops * DROP_ENTRY, dropAt + drops * DROP_ENTRY + bodyLength);
  return {
    ancount,
    nscount,
    arcount,
    body,
    drops: Array.from({ length: drops }, (_, i) => ({
      bodyLength: node.readUInt16BE(dropAt + i * DROP_ENTRY),
      arcount: node.readUInt16BE(dropAt + i * DROP_ENTRY + DROP_ARCOUNT_AT),
    })),
  };
}

const soa = {
  name: APEX,
  type: TYPE.SOA,
  ttl: 9,
  rdata: Uint8Array.from([...inZone('ns'), ...inZone('h'), ...new Array(20).fill(0)]),
};
const apexNs = { name: APEX, type: TYPE.NS, ttl: 9, rdata: inZone('ns') };
const address = (text: string, last: number, ttl = 60): ResourceRecord => ({
  name: inZone(text),
  type: TYPE.A,
  ttl,
  rdata: Uint8Array.of(192, 0, 2, last),
});

function compiled(owner: Name, records: readonly ResourceRecord[]): Buffer {
  const node = compileNode(new MemoryZone(APEX, [soa, apexNs, ...records]), owner);
  assert.ok(node !== null);
  return node;
}

test('optional RRsets are omitted whole, the last first, and each message is valid', () => {
  const mail = inZone('mail');
  const records: ResourceRecord[] = [];
  for (let i = 0; i < 5; i++) {
    records.push({ name: mail, type: TYPE.MX, ttl: 60, rdata: Uint8Array.from([0, i, ...inZone(`mx${i}`)]) });
    records.push(address(`mx${i}`, i), address(`mx${i}`, 100 + i));
    records.push({ name: inZone(`mx${i}`), type: TYPE.AAAA, ttl: 60, rdata: new Uint8Array(16).fill(i + 1) });
  }
  const answer = answerOf(compiled(mail, records), TYPE.MX);
  assert.equal([answer.ancount, answer.nscount, answer.arcount], [5, 0, 15]);
  assert.is(answer.drops.length, 10, 'two RRsets of each target');
  const counts = [15, ...answer.drops.map(({ arcount }) => arcount)];
  assert.equal(counts, [15, 14, 12, 11, 9, 8, 6, 5, 3, 2, 0]);
  for (const { bodyLength, arcount } of [{ bodyLength: answer.body.length, arcount: 15 }, ...answer.drops]) {
    const part = answer.body.subarray(0, bodyLength);
    const packet = messageOf(mail, TYPE.MX, part, { answers: 5, additionals: arcount });
    const message = dnsPacket.decode(packet);
    assert.is(dnsPacket.decode.bytes, packet.length, 'nothing is left over');
    assert.is(message.answers?.length, 5);
    assert.is(message.additionals?.length, arcount);
  }
});

test('the records of an RRset come in canonical order with one TTL', () => {
  const www = inZone('www');
  const node = compiled(www, [address('www', 9), address('www', 3), address('www', 200), address('www', 30)]);
  const answer = answerOf(node, TYPE.A);
  const message = dnsPacket.decode(messageOf(www, TYPE.A, answer.body, { answers: answer.ancount }));
  assert.equal(
    plain(message.answers),
    [3, 9, 30, 200].map((last) => ({ name: 'www.example.com', type: TYPE.A, ttl: 60, data: `192.0.2.${last}` })),
  );
});

test('an RRset larger than a message gives SERVFAIL instead of a broken body', () => {
  const www = inZone('www');
  const many = Array.from({ length: 300 }, (_, i) => ({
    name: www,
    type: TYPE.TXT,
    ttl: 1,
    rdata: Uint8Array.from([255, ...new Array(255).fill(i & 255)]),
  }));
  const node = compiled(www, many);
  const answer = answerOf(node, TYPE.TXT);
  assert.equal([answer.ancount, answer.body.length], [0, 0]);
});

test('a name of 255 bytes, under a top-level domain and in a zone of its own length', () => {
  const labels = ['a'.repeat(63), 'b'.repeat(63), 'c'.repeat(63)];
  const longest = parseName(`${'d'.repeat(57)}.${labels.join('.')}.com.`);
  const apexRecords = (apex: Name): ResourceRecord[] => [
    { ...soa, name: apex },
    { ...apexNs, name: apex },
  ];
  const rest = MAX_NAME - longest.length;
  const owner = rest === 0 ? longest : parseName(`${'d'.repeat(57 + rest)}.${labels.join('.')}.com.`);
  assert.is(owner.length, MAX_NAME);
  const mx = { name: owner, type: TYPE.MX, ttl: 1, rdata: Uint8Array.from([0, 1, ...owner]) };
  const records = [mx, { name: owner, type: TYPE.A, ttl: 1, rdata: Uint8Array.of(1, 2, 3, 4) }];
  for (const apex of [parseName('com.'), owner]) {
    const zone = new MemoryZone(apex, [...apexRecords(apex), ...records]);
    const node = compileNode(zone, owner);
    assert.ok(node !== null);
    const answer = answerOf(node, TYPE.MX);
    assert.equal([answer.ancount, answer.arcount], [1, 1]);
    const message = dnsPacket.decode(messageOf(owner, TYPE.MX, answer.body, { answers: 1, additionals: 1 }));
    assert.equal(plain(message.answers), [decoded(mx)]);
  }
});

/** What the node of `www` answers by type: response code and bytes of the body. */
function answersOf(records: readonly ResourceRecord[]): Map<number, readonly [rcode: number, size: number]> {
  const rdata = Buffer.concat([APEX, APEX, Buffer.alloc(20)]);
  const atApex = [
    { name: APEX, type: TYPE.SOA, ttl: 60, rdata: rdata },
    { name: APEX, type: TYPE.NS, ttl: 60, rdata: inZone('ns') },
  ];
  const stored = [...atApex, ...records].map((row) => ({ ...row, proxied: null }));
  const node = compileNode(new MemoryZone(APEX, stored, [], null), inZone('www'))!;
  const answers = new Map<number, readonly [number, number]>();
  for (let i = 0, p = NODE_HEADER; i < node[TYPE_COUNT_AT]; i++, p += TYPE_ENTRY) {
    const at = node.readUInt32BE(p + TYPE_ANSWER_AT);
    answers.set(node.readUInt16BE(p), [node[at], node.readUInt16BE(at + BODY_LENGTH_AT)]);
  }
  return answers;
}

const opaque = (type: number, count: number, size: number): ResourceRecord[] =>
  Array.from({ length: count }, (_, i) => {
    const rdata = Buffer.alloc(size);
    rdata.writeUInt16BE(i);
    return { name: inZone('www'), type, ttl: 60, rdata };
  });

test('an RRset that does not fit into a message is SERVFAIL, and the largest ones of a node that is too large', () => {
  // 12 bytes of header, 21 of question, 11 of OPT.
  assert.equal(answersOf(opaque(65280, 4093, 4)).get(65280), [0, 4093 * 16]);
  assert.equal(answersOf(opaque(65280, 4094, 4)).get(65280), [2, 0]);
  const many = Array.from({ length: 9 }, (_, i) => opaque(65280 + i, 1, 60_000 + i)).flat();
  const answers = answersOf([...many, ...opaque(65400, 1, 4)]);
  assert.equal(
    [65280, 65287, 65288, 65400].map((type) => answers.get(type)![0]),
    [0, 0, 2, 0],
  );
});

test.run();

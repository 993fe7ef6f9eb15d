/**
 * Large answers at the end of chains: they have the records that the last name has, and those that
 * cannot fit are not decoded.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { TCP_LIMIT, UDP_LIMIT } from '../../../reference/compare.ts';
import { presign, type SigningChoice } from '../../../reference/presigned.ts';
import { signerOf } from '../../../reference/signed-world.ts';
import { InProcess } from '../../../support/in-process.ts';
import { decodeMessage, encodeQuery, type Message } from '../../../support/message.ts';
import { recordText } from '../../../support/transfer-client.ts';

const apex = parseName('large.test.');
const name = (owner: string) => (owner === '@' ? apex : parseName(owner, apex));
const at = (owner: string, type: number, rdata: Uint8Array): ResourceRecord => ({
  name: name(owner),
  type,
  ttl: 300,
  rdata,
});
const range = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const address = (i: number): Uint8Array => Uint8Array.of(192, 0, i >> 8, i);
const text = (i: number): Uint8Array =>
  Buffer.from(`\x04t${String(i).padStart(3, '0')}${'\xf0'}${'x'.repeat(240)}`, 'latin1');
const LONG = ['l'.repeat(60), 'm'.repeat(60)].join('.');

/** What the last name has, by the type that is asked for. */
const LARGE: Record<string, { type: number; records: (owner: string) => ResourceRecord[] }> = {
  addresses: { type: TYPE.A, records: (owner) => range(3500, (i) => at(owner, TYPE.A, address(i))) },
  texts: { type: TYPE.TXT, records: (owner) => range(200, (i) => at(owner, TYPE.TXT, text(i))) },
  exchanges: {
    type: TYPE.MX,
    records: (owner) =>
      range(400, (i) => [
        at(owner, TYPE.MX, Buffer.concat([Uint8Array.of(0, i & 255), name(`m${i}.mx`)])),
        at(`m${i}.mx`, TYPE.A, address(i)),
      ]).flat(),
  },
  // More names than pointers reach.
  'long exchanges': {
    type: TYPE.MX,
    records: (owner) =>
      range(250, (i) => at(owner, TYPE.MX, Buffer.concat([Uint8Array.of(0, i), name(`m${i}.${LONG}.n${i >> 1}`)]))),
  },
  'addresses of services': {
    type: TYPE.SRV,
    records: (owner) =>
      range(300, (i) => [
        at(owner, TYPE.SRV, Buffer.concat([Uint8Array.of(0, 1, 0, 1, 0, i & 255), name(`s${i}.srv`)])),
        at(`s${i}.srv`, TYPE.A, address(i)),
      ]).flat(),
  },
  'service bindings': {
    type: TYPE.HTTPS,
    records: (owner) => [
      ...range(400, (i) =>
        at(owner, TYPE.HTTPS, Buffer.concat([Uint8Array.of(i >> 8, (i & 255) + 1), name(`h${i % 9}`)])),
      ),
      ...range(9, (i) => at(`h${i}`, TYPE.A, address(i))),
      at('h3', TYPE.AAAA, new Uint8Array(16).fill(0x20)),
    ],
  },
};
const referral: ResourceRecord[] = range(800, (i) => [
  at('cut', TYPE.NS, name(`n${i}.cut`)),
  at(`n${i}.cut`, TYPE.A, address(i)),
]).flat();

/** Each way to the last name `end` that is not stored, and the number of records before its own. */
const CHAINS: Record<string, (end: string) => [query: string, records: ResourceRecord[]]> = {
  alias: (end) => ['to', [at('to', TYPE.CNAME, name(end))]],
  'long chain': (end) => [
    'c0',
    range(12, (i) => at(i === 0 ? 'c0' : `c${i}.${LONG}`, TYPE.CNAME, name(i === 11 ? end : `c${i + 1}.${LONG}`))),
  ],
  wildcard: (end) => ['any.w', [at('*.w', TYPE.CNAME, name(end))]],
  redirection: (end) => [`${end}.d`, [at('d', TYPE.DNAME, apex)]],
};

const SIGNED: SigningChoice = { denial: 'nsec', iterations: 0, salt: new Uint8Array(0), isOptOut: false, keys: 1 };
const BASE = [
  at('@', TYPE.SOA, Buffer.concat([apex, apex, Buffer.alloc(20, 1)])),
  at('@', TYPE.NS, parseName('ns.example.')),
];

const server = new InProcess();

function ask(owner: string, type: number, dnssecOk: boolean, limit = TCP_LIMIT): Message {
  const edns = { version: 0, size: UDP_LIMIT, do: dnssecOk };
  return decodeMessage(server.answer(encodeQuery({ name: name(owner), type, class: 1, edns }, 1), limit)!);
}

const load = (records: readonly ResourceRecord[], signing: 'none' | 'own' | 'primary'): void => {
  if (signing === 'primary') {
    server.loadSigned(presign(records, SIGNED));
    return;
  }
  const signers = signing === 'own' ? new Map([[nameId(apex), signerOf(apex, 1_800_000_000)]]) : new Map();
  server.load(new Map([[nameId(apex), records]]), new Map(), new Map(), signers);
};

for (const signing of ['none', 'own', 'primary'] as const)
  for (const [way, chain] of Object.entries(CHAINS))
    for (const [what, { type, records }] of Object.entries(LARGE))
      test(`${what} behind ${way}, signatures: ${signing}`, () => {
        const [query, links] = chain('end');
        load([...BASE, ...links, ...records('end')], signing);
        const isSigned = signing !== 'none';
        const direct = ask('end', type, isSigned);
        const chained = ask(query, type, isSigned);
        assert.equal([direct.header.tc, chained.header.tc, chained.rcode], [false, false, RCODE.NOERROR]);
        const own = (message: Message): string[] =>
          message.answer.filter((record) => nameId(record.name) === nameId(name('end'))).map(recordText);
        assert.ok(own(direct).length >= 200);
        assert.equal(own(chained), own(direct));
        assert.ok(chained.answer.length > direct.answer.length);
        const additional = chained.additional.map(recordText);
        assert.equal(additional, direct.additional.map(recordText).slice(0, additional.length));
        assert.ok(direct.additional.length === 0 || additional.length > 0);
        const truncated = ask(query, type, isSigned, UDP_LIMIT);
        assert.equal([truncated.header.tc, truncated.rcode, truncated.answer.length], [true, RCODE.NOERROR, 0]);
      });

for (const signing of ['none', 'own', 'primary'] as const)
  test(`a large referral behind a chain, signatures: ${signing}`, () => {
    load([...BASE, ...referral, at('to', TYPE.CNAME, name('x.cut'))], signing);
    const isSigned = signing !== 'none';
    const direct = ask('x.cut', TYPE.A, isSigned);
    const chained = ask('to', TYPE.A, isSigned);
    assert.not(chained.header.tc);
    assert.equal(chained.authority.map(recordText).sort(), direct.authority.map(recordText).sort());
    assert.equal(chained.additional.map(recordText), direct.additional.map(recordText));
    assert.equal([chained.header.aa, direct.header.aa], [true, false]);
    assert.ok(ask('to', TYPE.A, isSigned, UDP_LIMIT).header.tc);
  });

test('an answer that cannot fit is not decoded', () => {
  load([...BASE, at('to', TYPE.CNAME, name('end')), ...LARGE.addresses.records('end')], 'none');
  const growth = range(21, () => {
    const before = process.memoryUsage().heapUsed;
    assert.ok(ask('to', TYPE.A, false, UDP_LIMIT).header.tc);
    return process.memoryUsage().heapUsed - before;
  }).sort((a, b) => a - b);
  // The records take 700 KB.
  assert.ok(growth[10] < 150_000, `${growth[10]} bytes`);
});

test.run();

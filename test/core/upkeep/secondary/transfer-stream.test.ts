/** The parser of transfers: chains of differences, and streams that are cut, mixed or go on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { TransferMessage } from '../../../../core/nameserver/transfer/message.ts';
import type { StoredWarnings } from '../../../../core/store/rows.ts';
import { readDifference, recordsOfZone, TransferWarnings } from '../../../../core/upkeep/secondary/content.ts';
import { requestOf } from '../../../../core/upkeep/secondary/request.ts';
import { TransferStream } from '../../../../core/upkeep/secondary/transfer-stream.ts';
import fc from '../../../support/fc.ts';

const APEX = parseName('example.test.');
const NS: ResourceRecord = { name: APEX, type: TYPE.NS, ttl: 300, rdata: parseName('ns.example.test.') };
const FIRST = 100;

function soa(serial: number): ResourceRecord {
  const numbers = Buffer.alloc(20);
  [serial, 3600, 600, 86_400, 60].forEach((value, i) => {
    numbers.writeUInt32BE(value, i * 4);
  });
  return { name: APEX, type: TYPE.SOA, ttl: 300, rdata: Buffer.concat([parseName('ns.example.test.'), APEX, numbers]) };
}

const host = (n: number): ResourceRecord => ({
  name: parseName(`h${n >> 2}`, APEX),
  type: TYPE.A,
  ttl: 300,
  rdata: Uint8Array.of(192, 0, 2, n),
});

/** Messages of at most `most` records each. */
function messagesOf(request: Buffer, records: readonly ResourceRecord[], limit: number): Buffer[] {
  const envelope = { request, questionEnd: 12 + APEX.length + 4, opt: null };
  const messages: Buffer[] = [];
  for (let i = 0; i < records.length; i += limit) {
    const message = new TransferMessage(envelope, 0);
    for (const record of records.slice(i, i + limit)) message.add(record);
    messages.push(message.take());
  }
  return messages;
}

interface Read {
  readonly stream: TransferStream;
  /** Whether the last message was the end of the transfer. */
  readonly isWhole: boolean;
}

function read(request: Buffer, messages: readonly Buffer[], type: number, serial: number | null): Read {
  const stream = new TransferStream({ apex: APEX, id: request.readUInt16BE(0), type, serial });
  let isWhole = false;
  for (const message of messages) {
    assert.not(isWhole, 'nothing follows the end');
    isWhole = stream.add(message);
  }
  return { stream, isWhole };
}

const textOf = ({ name, type, rdata }: ResourceRecord): string =>
  `${Buffer.from(name).toString('hex')} ${type} ${Buffer.from(rdata).toString('hex')}`;

/** The content of a zone at each serial. */
const versions = fc.array(fc.uniqueArray(fc.nat(40), { maxLength: 12 }), { minLength: 2, maxLength: 6 });
const most = fc.integer({ min: 1, max: 7 });

/** RFC 1995 section 4. */
function chainOf(contents: readonly (readonly number[])[]): ResourceRecord[] {
  const last = soa(FIRST + contents.length - 1);
  const records = [last];
  for (let i = 1; i < contents.length; i++) {
    const [before, after] = [contents[i - 1], contents[i]];
    records.push(soa(FIRST + i - 1), ...before.filter((n) => !after.includes(n)).map(host));
    records.push(soa(FIRST + i), ...after.filter((n) => !before.includes(n)).map(host));
  }
  return [...records, last];
}

test('a chain of differences leads from the first content to the last', () => {
  fc.assert(
    fc.property(versions, most, (contents, perMessage) => {
      const request = requestOf(APEX, TYPE.IXFR, FIRST);
      const messages = messagesOf(request, chainOf(contents), perMessage);
      const { stream, isWhole } = read(request, messages, TYPE.IXFR, FIRST);
      assert.equal([isWhole, stream.kind, stream.serial], [true, 'ixfr', FIRST + contents.length - 1]);
      const { removed, added } = readDifference(messages, APEX);
      const zone = new Set([soa(FIRST), ...contents[0].map(host)].map(textOf));
      for (const record of removed) assert.ok(zone.delete(textOf(record)), 'what is removed is there');
      for (const record of added) zone.add(textOf(record));
      const expected = [soa(FIRST + contents.length - 1), ...contents[contents.length - 1].map(host)];
      assert.equal([...zone].sort(), expected.map(textOf).sort());
    }),
  );
});

test('a whole zone has each record once, however it is cut into messages', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 30 }), most, fc.boolean(), (hosts, perMessage, asIxfr) => {
      const type = asIxfr ? TYPE.IXFR : TYPE.AXFR;
      const request = requestOf(APEX, type, asIxfr ? FIRST : null);
      const records = [soa(200), NS, ...hosts.map(host), soa(200)];
      const messages = messagesOf(request, records, perMessage);
      const { stream, isWhole } = read(request, messages, type, asIxfr ? FIRST : null);
      assert.equal([isWhole, stream.kind, stream.serial], [true, 'axfr', 200]);
      const expected = new Set([soa(200), NS, ...hosts.map(host)].map(textOf));
      assert.equal(recordsOfZone(messages, APEX, 50, new TransferWarnings()).map(textOf).sort(), [...expected].sort());
    }),
  );
});

test('a stream that ends early is never whole', () => {
  fc.assert(
    fc.property(versions, fc.nat(), (contents, at) => {
      const request = requestOf(APEX, TYPE.IXFR, FIRST);
      const messages = messagesOf(request, chainOf(contents), 1);
      const cut = messages.slice(0, 1 + (at % (messages.length - 1)));
      assert.is(read(request, cut, TYPE.IXFR, FIRST).isWhole, false);
    }),
  );
});

test('arbitrary bytes are refused with an error of their own', () => {
  fc.assert(
    fc.property(versions, fc.nat(), fc.nat(255), (contents, at, byte) => {
      const request = requestOf(APEX, TYPE.IXFR, FIRST);
      const messages = messagesOf(request, chainOf(contents), 100);
      const [message] = messages;
      message[at % message.length] = byte;
      try {
        const { stream, isWhole } = read(request, messages, TYPE.IXFR, FIRST);
        if (isWhole && stream.kind === 'ixfr') readDifference(messages, APEX);
      } catch (error) {
        const { name } = (error as Error).constructor;
        assert.ok(error instanceof InvalidError || name === 'ResponseCodeError', String(error));
      }
    }),
  );
});

test('a lone SOA that is not newer says that nothing has changed', () => {
  for (const serial of [FIRST, FIRST - 1]) {
    const request = requestOf(APEX, TYPE.IXFR, FIRST);
    const { stream, isWhole } = read(request, messagesOf(request, [soa(serial)], 1), TYPE.IXFR, FIRST);
    assert.equal([isWhole, stream.kind, stream.serial], [true, 'current', serial]);
  }
  const request = requestOf(APEX, TYPE.IXFR, FIRST);
  assert.is(read(request, messagesOf(request, [soa(FIRST + 1)], 1), TYPE.IXFR, FIRST).isWhole, false);
});

/** The records and warnings of a whole zone with these records. */
function loaded(...records: readonly ResourceRecord[]): { texts: string[]; codes: string[] } {
  const request = requestOf(APEX, TYPE.AXFR, null);
  const messages = messagesOf(request, [soa(1), ...records, soa(1)], 9);
  assert.ok(read(request, messages, TYPE.AXFR, null).isWhole);
  const warnings = new TransferWarnings();
  const texts = recordsOfZone(messages, APEX, 50, warnings).map(textOf);
  return { texts, codes: warnings.stored.first.map(({ code }) => code) };
}

const outside: ResourceRecord = { ...host(1), name: parseName('www.example.org.') };
const opaque = (type: number, ...rdata: number[]): ResourceRecord => ({
  name: parseName('x', APEX),
  type,
  ttl: 300,
  rdata: Uint8Array.from(rdata),
});

test('records that a zone cannot hold are dropped with a warning, and the rest is loaded', () => {
  const soaBelow: ResourceRecord = { ...soa(1), name: parseName('x', APEX) };
  const cases: readonly (readonly [code: string, record: ResourceRecord])[] = [
    ['name_outside', outside],
    ['name_outside', { ...outside, name: parseName('test.') }],
    ['query_type', opaque(TYPE.ANY)],
    ['query_type', opaque(TYPE.OPT)],
    ['extra_soa', soaBelow],
    ['extra_soa', soa(2)],
    ['invalid_content', opaque(TYPE.ALIAS, 255)],
  ];
  const clean = loaded(NS, host(1)).texts;
  for (const [code, record] of cases) assert.equal(loaded(NS, record, host(1)), { texts: clean, codes: [code] });
});

test('content that the service does not read is kept as it is, with a warning if it is malformed', () => {
  assert.equal(loaded(NS, opaque(TYPE.LOC, 1, 2, 3)), {
    texts: loaded(NS).texts.concat(textOf(opaque(TYPE.LOC, 1, 2, 3))),
    codes: [],
  });
  for (const record of [
    opaque(TYPE.LOC, 0, 2, 3),
    opaque(TYPE.TXT, 5, 97),
    opaque(TYPE.CAA, 0, 0),
    opaque(TYPE.DS, 0, 1, 8, 2, 97),
    opaque(TYPE.HTTPS, 0, 1, 0, 0, 3, 0, 2, 0, 1, 0, 1, 0, 3, 2, 104, 50),
  ]) {
    const { texts, codes } = loaded(NS, record);
    assert.ok(texts.includes(textOf(record)));
    assert.equal(codes, ['invalid_content']);
  }
});

test('malformed names and addresses are refused', () => {
  for (const record of [opaque(TYPE.A, 1, 2, 3), opaque(TYPE.SRV, 0), opaque(TYPE.HTTPS, 0), opaque(TYPE.NSEC, 9)])
    assert.throws(() => loaded(NS, record), /malformed/);
});

test('a zone without NS records is loaded with a warning', () => {
  assert.equal(loaded(host(1)).codes, ['no_nameservers']);
});

test('a difference adds and removes the warnings of its records', () => {
  const differenceOf = (
    removed: readonly ResourceRecord[],
    added: readonly ResourceRecord[],
    before?: StoredWarnings,
  ) => {
    const request = requestOf(APEX, TYPE.IXFR, 1);
    const records = [soa(2), soa(1), ...removed, soa(2), ...added, soa(2)];
    return readDifference(messagesOf(request, records, 9), APEX, before);
  };
  const first = differenceOf([], [outside, host(1), opaque(TYPE.TXT, 5, 97)]);
  assert.is(first.added.length, 3);
  assert.equal(
    first.warnings.first.map(({ code }) => code),
    ['name_outside', 'invalid_content'],
  );
  const second = differenceOf([outside], [], first.warnings);
  assert.equal([second.removed.length, second.warnings.first.map(({ code }) => code)], [1, ['invalid_content']]);
});

test.run();

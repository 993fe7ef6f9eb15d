/** The parser of transfers: chains of differences, and streams that are cut, mixed or go on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { type ResourceRecord, TYPE } from '../../../../core/dns/wire/types.ts';
import { TransferMessage } from '../../../../core/nameserver/transfer/message.ts';
import { readDifference, recordsOfZone } from '../../../../core/upkeep/secondary/content.ts';
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
      const request = requestOf(APEX, TYPE.IXFR, FIRST, false);
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
      const request = requestOf(APEX, type, asIxfr ? FIRST : null, false);
      const records = [soa(200), NS, ...hosts.map(host), soa(200)];
      const messages = messagesOf(request, records, perMessage);
      const { stream, isWhole } = read(request, messages, type, asIxfr ? FIRST : null);
      assert.equal([isWhole, stream.kind, stream.serial], [true, 'axfr', 200]);
      const expected = new Set([soa(200), NS, ...hosts.map(host)].map(textOf));
      assert.equal(recordsOfZone(messages, APEX, 50).map(textOf).sort(), [...expected].sort());
    }),
  );
});

test('a stream that ends early is never whole', () => {
  fc.assert(
    fc.property(versions, fc.nat(), (contents, at) => {
      const request = requestOf(APEX, TYPE.IXFR, FIRST, false);
      const messages = messagesOf(request, chainOf(contents), 1);
      const cut = messages.slice(0, 1 + (at % (messages.length - 1)));
      assert.is(read(request, cut, TYPE.IXFR, FIRST).isWhole, false);
    }),
  );
});

test('arbitrary bytes are refused with an error of their own', () => {
  fc.assert(
    fc.property(versions, fc.nat(), fc.nat(255), (contents, at, byte) => {
      const request = requestOf(APEX, TYPE.IXFR, FIRST, false);
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
    const request = requestOf(APEX, TYPE.IXFR, FIRST, false);
    const { stream, isWhole } = read(request, messagesOf(request, [soa(serial)], 1), TYPE.IXFR, FIRST);
    assert.equal([isWhole, stream.kind, stream.serial], [true, 'current', serial]);
  }
  const request = requestOf(APEX, TYPE.IXFR, FIRST, false);
  assert.is(read(request, messagesOf(request, [soa(FIRST + 1)], 1), TYPE.IXFR, FIRST).isWhole, false);
});

test('a zone without NS, or with records of others, is refused', () => {
  const request = requestOf(APEX, TYPE.AXFR, null, false);
  const other: ResourceRecord = { ...host(1), name: parseName('www.example.org.') };
  for (const records of [
    [soa(1), soa(1)],
    [soa(1), NS, other, soa(1)],
  ])
    assert.throws(() => recordsOfZone(messagesOf(request, records, 9), APEX, 50), /malformed/);
});

test.run();

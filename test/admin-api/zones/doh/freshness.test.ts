/** RFC 8484 5.1: no response is cached longer than its records. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { freshness } from '../../../../admin-api/zones/doh/routes.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';

interface Section {
  readonly type: number;
  readonly ttl: number;
  readonly rdata?: Uint8Array;
}

const NAME = parseName('www.example.test.');
/** A compression pointer to the name of the question. */
const POINTER = Uint8Array.of(0xc0, 12);

function record({ type, ttl, rdata = Uint8Array.of(192, 0, 2, 1) }: Section, owner: Uint8Array): Buffer {
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(type, 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(ttl, 4);
  fields.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([owner, fields, rdata]);
}

/** A response with these records, their owners alternately in full and as pointers. */
function response(rcode: number, answer: readonly Section[], authority: readonly Section[] = [], additional = answer) {
  const header = Buffer.alloc(12);
  header[2] = 0x84;
  header[3] = rcode;
  [1, answer.length, authority.length, additional.length].forEach((count, i) => {
    header.writeUInt16BE(count, 4 + 2 * i);
  });
  const records = [...answer, ...authority, ...additional].map((fields, i) =>
    record(fields, i % 2 === 0 ? POINTER : NAME),
  );
  return new Uint8Array(Buffer.concat([header, NAME, Uint8Array.of(0, 1, 0, 1), ...records]));
}

const a = (ttl: number): Section => ({ type: TYPE.A, ttl });
const ns = (ttl: number): Section => ({ type: TYPE.NS, ttl, rdata: POINTER });
function soa(ttl: number, minimum: number): Section {
  const rdata = Buffer.alloc(2 + 2 + 20, 0xc0);
  rdata[1] = 12;
  rdata[3] = 12;
  rdata.writeUInt32BE(minimum, 20);
  return { type: TYPE.SOA, ttl, rdata };
}

test('answers: the smallest TTL of the answer section', () => {
  assert.is(freshness(response(RCODE.NOERROR, [a(300)])), 300);
  assert.is(freshness(response(RCODE.NOERROR, [a(300), a(60), a(600)])), 60);
  assert.is(freshness(response(RCODE.NOERROR, [a(300)], [ns(10)], [a(5)])), 300);
  assert.is(freshness(response(RCODE.NOERROR, [a(0), a(60)])), 0);
});

test('a queried SOA counts only with its TTL', () => {
  assert.is(freshness(response(RCODE.NOERROR, [soa(3600, 60)])), 3600);
});

test('negative answers: TTL and MINIMUM of the SOA, and the CNAME chain', () => {
  for (const rcode of [RCODE.NOERROR, RCODE.NXDOMAIN]) {
    assert.is(freshness(response(rcode, [], [soa(3600, 60)], [])), 60);
    assert.is(freshness(response(rcode, [], [soa(30, 60)], [])), 30);
    assert.is(freshness(response(rcode, [{ type: TYPE.CNAME, ttl: 20, rdata: POINTER }], [soa(300, 60)])), 20);
    assert.is(freshness(response(rcode, [{ type: TYPE.CNAME, ttl: 200, rdata: POINTER }], [soa(300, 60)])), 60);
  }
});

test('referrals: the NS records', () => {
  assert.is(freshness(response(RCODE.NOERROR, [], [ns(86_400), ns(3600)], [a(5)])), 3600);
});

test('failures and responses without a TTL are not cached', () => {
  for (const rcode of [RCODE.FORMERR, RCODE.SERVFAIL, RCODE.NOTIMP, RCODE.REFUSED, 7])
    assert.is(freshness(response(rcode, [a(300)], [soa(300, 300)])), null, String(rcode));
  for (const rcode of [RCODE.NOERROR, RCODE.NXDOMAIN]) assert.is(freshness(response(rcode, [], [], [])), null);
});

test('a TTL with the top bit set counts as 0', () => {
  assert.is(freshness(response(RCODE.NOERROR, [a(0x8000_0000), a(60)])), 0);
  assert.is(freshness(response(RCODE.NOERROR, [a(0x7fff_ffff)])), 0x7fff_ffff);
});

test.run();

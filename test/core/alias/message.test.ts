/** Questions and responses of resolvers, against dns-packet and against bytes that mean nothing. */
import { type Answer, decode, encode } from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  encodeQuestion,
  newQuestion,
  type Outcome,
  type Reply,
  readName,
  readReply,
} from '../../../core/alias/message.ts';
import { formatName, parseName } from '../../../core/wire/name.ts';
import { TYPE } from '../../../core/wire/types.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';
import { anyName } from '../wire/arbitrary.ts';

const QUESTION = { id: 77, name: parseName('lb.example.'), type: TYPE.A };
const ADDRESS: Answer = { type: 'A', name: 'end.example', ttl: 50, data: '192.0.2.1' };
const cname = (name: string, data: string, ttl: number): Answer => ({ type: 'CNAME', name, ttl, data });
const SOA: Answer = {
  type: 'SOA',
  name: 'example',
  ttl: 900,
  data: { mname: 'a', rname: 'b', serial: 1, minimum: 40 },
};
const NS: Answer = { type: 'NS', name: 'example', ttl: 900, data: 'ns.example' };

interface Given {
  readonly flags?: number;
  readonly answers?: Answer[];
  readonly authorities?: Answer[];
}

const RA = 0x80;

function reply({ flags = RA, answers = [], authorities = [] }: Given, name = 'LB.eXample', id = 77): Reply {
  const questions = [{ type: 'A' as const, name }];
  return readReply(encode({ type: 'response', id, flags, questions, answers, authorities }), QUESTION);
}

function outcome(given: Given): Outcome {
  const read = reply(given);
  if (read.kind !== 'outcome') throw new Error(read.kind);
  return read.outcome;
}

test('a question is what dns-packet reads', () => {
  fc.assert(
    fc.property(anyName, fc.boolean(), (name, edns) => {
      const question = newQuestion(name, TYPE.AAAA);
      const bytes = encodeQuestion(question, edns);
      assert.equal(readName(bytes, 12), { name, end: 12 + name.length });
      const query = decode(bytes);
      assert.is(query.id, question.id);
      assert.is(query.questions?.[0].type, 'AAAA');
      assert.is(query.additionals?.length, edns ? 1 : 0);
      assert.is(query.flags, 0x100);
    }),
    { seed: SEED },
  );
});

test('a chain that goes in a circle, or does not end, is no "no"', () => {
  const circle = [
    cname('lb.example', 'a.example', 9),
    cname('a.example', 'b.example', 9),
    cname('b.example', 'a.example', 9),
  ];
  assert.is(outcome({ answers: circle }).kind, 'failed');
  const long = Array.from({ length: 40 }, (_, i) =>
    cname(i === 0 ? 'lb.example' : `n${i}.example`, `n${i + 1}.example`, 9),
  );
  assert.is(outcome({ answers: long }).kind, 'failed');
  assert.is(outcome({ answers: circle.slice(0, 1) }).kind, 'none');
});

test('pointers to pointers are followed so far and no further', () => {
  const pointers = (count: number): Buffer => {
    const bytes = Buffer.alloc(2 + 2 * count);
    for (let i = 1; i < count; i++) bytes.writeUInt16BE(0xc000 | (2 * i), 2 + 2 * i);
    bytes.writeUInt16BE(0xc000, 2);
    return bytes;
  };
  const at = (count: number) => readName(pointers(count), 2 * count);
  assert.equal(at(100), { name: Uint8Array.of(0), end: 202 });
  assert.throws(
    () => at(200),
    (error: unknown) => error instanceof RangeError,
  );
});

test('chains in any order, the least TTL, and each step of the way', () => {
  const found = outcome({
    answers: [
      ADDRESS,
      { ...ADDRESS, data: '192.0.2.2', ttl: 45 },
      { ...ADDRESS, name: 'other.example', ttl: 1 },
      cname('mid.example', 'END.example', 70),
      cname('lb.example', 'mid.example', 90),
    ],
  });
  if (found.kind !== 'addresses') throw new Error(found.kind);
  assert.equal(
    found.addresses.map((address) => [...address].join('.')),
    ['192.0.2.1', '192.0.2.2'],
  );
  assert.is(found.ttl, 45);
  assert.equal(
    found.chain.map(({ name, ttl }) => [formatName(name), ttl]),
    [
      ['mid.example.', 90],
      ['end.example.', 70],
    ],
  );
});

test('"no" for as long as it holds', () => {
  const none = (given: Given) => {
    const { kind, ...rest } = outcome(given);
    return kind === 'none' && 'missing' in rest ? [rest.missing, rest.ttl] : kind;
  };
  assert.equal(none({ flags: RA | 3, authorities: [SOA] }), [true, 40]);
  assert.equal(none({ authorities: [SOA] }), [false, 40]);
  assert.equal(none({ answers: [cname('lb.example', 'mid.example', 20)], authorities: [SOA] }), [false, 20]);
  assert.is(none({ answers: [cname('lb.example', 'lb.example', 20)] }), 'failed', 'a loop');
  assert.equal(none({}), [false, 30]);
});

test('who does not know is not believed', () => {
  assert.equal(outcome({ flags: 0 }), { kind: 'failed', error: 'the resolver does not resolve names for us' });
  assert.is(outcome({ flags: RA, authorities: [NS] }).kind, 'failed', 'a referral');
  assert.is(outcome({ flags: 0x400, authorities: [SOA] }).kind, 'none', 'an authoritative server');
  assert.equal(outcome({ flags: RA | 5 }), { kind: 'failed', error: 'the resolver answered REFUSED' });
  assert.equal(outcome({ flags: RA | 2 }), { kind: 'failed', error: 'the resolver answered SERVFAIL' });
});

test('what answers another question is no answer', () => {
  assert.is(reply({ answers: [ADDRESS] }, 'lc.example').kind, 'other');
  assert.is(reply({ answers: [ADDRESS] }, 'lb.example', 78).kind, 'other');
  assert.is(
    readReply(encode({ type: 'query', id: 77, questions: [{ type: 'A', name: 'lb.example' }] }), QUESTION).kind,
    'other',
  );
  assert.is(reply({ flags: RA | 0x200 }).kind, 'truncated');
  assert.is(reply({ flags: RA | 1 }).kind, 'no-edns');
});

test(`bytes that mean nothing are never more than that, seed ${SEED}`, () => {
  const good = encode({
    type: 'response',
    id: 77,
    flags: RA,
    questions: [{ type: 'A', name: 'lb.example' }],
    answers: [cname('lb.example', 'end.example', 9), ADDRESS],
    authorities: [SOA],
  });
  const change = fc.record({ at: fc.nat(good.length - 1), to: fc.nat(255) });
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 6 }), fc.nat(good.length), (changes, length) => {
      const bytes = Buffer.from(good);
      for (const { at, to } of changes) bytes[at] = to;
      const whole = readReply(bytes, QUESTION);
      const part = readReply(bytes.subarray(0, length), QUESTION);
      for (const { kind } of [whole, part]) assert.ok(['other', 'truncated', 'no-edns', 'outcome'].includes(kind));
    }),
    { seed: SEED, numRuns: 20_000 },
  );
});

test('pointers lead backwards', () => {
  const name = (...bytes: number[]) => readName(Uint8Array.from(bytes), 0);
  assert.throws(() => name(0xc0, 0));
  assert.throws(() => name(1, 0x61, 0xc0, 0));
  assert.throws(() => name(0xc0, 2, 0xc0, 0));
  assert.throws(() => name(3, 0x61));
  assert.throws(() => name(0x40, 0));
  assert.throws(() => name());
  assert.equal(readName(Uint8Array.from([1, 0x41, 0, 1, 0x62, 0xc0, 0]), 3), {
    name: Uint8Array.from([1, 0x62, 1, 0x61, 0]),
    end: 7,
  });
  const labels = Buffer.concat(
    Array.from({ length: 5 }, () => Buffer.concat([Uint8Array.of(63), Buffer.alloc(63, 0x61)])),
  );
  assert.throws(() => readName(Buffer.concat([labels, Uint8Array.of(0)]), 0), 'over 255 bytes');
});

test.run();

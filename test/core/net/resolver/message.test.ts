/** Questions and responses of resolvers, against dns-packet and against bytes that mean nothing. */
import { type Answer, decode, encode } from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MessageReader } from '../../../../core/dns/wire/message-reader.ts';
import { formatName, LOWER, parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import {
  encodeQuestion,
  newQuestion,
  type Outcome,
  type Reply,
  readReply,
} from '../../../../core/net/resolver/message.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { SEED } from '../../../support/seed.ts';
import { anyName } from '../../dns/wire/arbitrary.ts';

const QUESTION = {
  id: 77,
  name: parseName('lb.example.'),
  sent: Buffer.from('\x02LB\x07eXample\0', 'latin1'),
  type: TYPE.A,
};
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
      assert.equal(new MessageReader(bytes, 12).name(), name);
      const query = decode(bytes);
      assert.is(query.id, question.id);
      assert.is(query.questions?.[0].type, 'AAAA');
      assert.is(query.additionals?.length, edns ? 1 : 0);
      assert.is(query.flags, 0x100);
    }),
    { seed: SEED },
  );
});

test('a looping or endless chain is not a negative answer', () => {
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

test('the case of letters is random, and nothing else is changed', () => {
  const name = parseName(`${'abcdefghijklmnopqrstuvwxyz.'.repeat(4)}\\255-_9.example.`);
  const seen = new Set<string>();
  for (let i = 0; i < 50; i++) {
    const { sent } = newQuestion(name, TYPE.A);
    assert.equal(
      sent.map((c) => LOWER[c]),
      name,
    );
    seen.add(Buffer.from(sent).toString('latin1'));
  }
  // 110 letters: that two of them are alike has a chance of 2^-100.
  assert.is(seen.size, 50);
});

test('the response must have the name in the case of the query', () => {
  const answers = [{ ...ADDRESS, name: 'lb.example' }];
  assert.is(reply({ answers }).kind, 'outcome');
  for (const name of ['lb.example', 'LB.EXAMPLE', 'LB.exAmple']) {
    assert.is(reply({ answers }, name).kind, 'other-case');
    assert.is(reply({ answers, flags: RA | 0x200 }, name).kind, 'other-case');
    const whole = encode({ type: 'response', id: 77, flags: RA, questions: [{ type: 'A', name }], answers });
    assert.is(readReply(whole, QUESTION, true).kind, 'outcome');
  }
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

test('a negative answer has the TTL of its SOA', () => {
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

test('referrals and failures are not negative answers', () => {
  assert.equal(outcome({ flags: 0 }), { kind: 'failed', error: 'the resolver does not offer recursion' });
  assert.is(outcome({ flags: RA, authorities: [NS] }).kind, 'failed', 'a referral');
  assert.is(outcome({ flags: 0x400, authorities: [SOA] }).kind, 'none', 'an authoritative server');
  assert.equal(outcome({ flags: RA | 5 }), { kind: 'failed', error: 'the resolver returned REFUSED' });
  assert.equal(outcome({ flags: RA | 2 }), { kind: 'failed', error: 'the resolver returned SERVFAIL' });
});

test('a response to another question is ignored', () => {
  assert.is(reply({ answers: [ADDRESS] }, 'lc.example').kind, 'other');
  assert.is(reply({ answers: [ADDRESS] }, 'lb.example', 78).kind, 'other');
  assert.is(
    readReply(encode({ type: 'query', id: 77, questions: [{ type: 'A', name: 'lb.example' }] }), QUESTION).kind,
    'other',
  );
  assert.is(reply({ flags: RA | 0x200 }).kind, 'truncated');
  assert.is(reply({ flags: RA | 1 }).kind, 'no-edns');
});

test(`random bytes are never an answer, seed ${SEED}`, () => {
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
      for (const { kind } of [whole, part])
        assert.ok(['other', 'truncated', 'no-edns', 'outcome', 'other-case'].includes(kind));
    }),
    { seed: SEED, numRuns: depth({ quick: 2000, moderate: 5000, full: 400_000 }) },
  );
});

test('a CNAME without a target, and an SOA without its numbers, are malformed', () => {
  const record = (type: number, rdata: number[]): Buffer =>
    Buffer.of(0xc0, 12, 0, type, 0, 1, 0, 0, 0, 9, 0, rdata.length, ...rdata);
  const head = (answers: number, authorities: number): Buffer => {
    const bytes = encode({ type: 'response', id: 77, flags: RA, questions: [{ type: 'A', name: 'LB.eXample' }] });
    bytes.set([0, answers, 0, authorities], 6);
    return bytes;
  };
  const malformed = { kind: 'outcome', outcome: { kind: 'failed', error: 'the resolver sent a malformed response' } };
  for (const rdata of [[], [0, 0], [1, 0x61, 0, 1]])
    assert.equal(readReply(Buffer.concat([head(1, 0), record(5, rdata)]), QUESTION), malformed);
  for (const rdata of [[], [0, 0, 1, 2, 3, 4]])
    assert.equal(readReply(Buffer.concat([head(0, 1), record(6, rdata)]), QUESTION), malformed);
});

test.run();

/** The questions of a comparison, and the verdict about two replies. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseServer } from '../../../../admin-api/cli/compare/server.ts';
import {
  compareReplies,
  parseReply,
  type Question,
  questionsOf,
  type Reply,
} from '../../../../admin-api/zones/migration/index.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { typeName } from '../../../../core/dns/wire/mnemonics.ts';
import { formatName, nameId, parseName } from '../../../../core/dns/wire/name.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { type ResourceRecord, SIGNER_STATE, TYPE } from '../../../../core/dns/wire/types.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';

const apex = parseName('a.test');

const questionLines = (...records: readonly (readonly [name: string, type: number])[]): string[] =>
  questionsOf({ apex, records: records.map(([name, type]) => ({ name: parseName(name), type })) }, 'missing').map(
    ({ name, type, mayDiffer }) =>
      `${formatName(name)} ${typeName(type)}${mayDiffer === undefined ? '' : ` ${mayDiffer}`}`,
  );

test('queries types, a missing type, empty non-terminals, and names that do not exist', () => {
  assert.equal(
    questionLines(['a.test', TYPE.SOA], ['a.test', TYPE.NS], ['x.y.a.test', TYPE.A], ['x.y.a.test', TYPE.RRSIG]),
    [
      'a.test. SOA soa',
      'a.test. NS apex_ns',
      'a.test. A',
      'x.y.a.test. A',
      'x.y.a.test. TXT',
      'y.a.test. A',
      'missing.a.test. A',
    ],
  );
});

test('queries below wildcards, delegations and DNAME, and addresses of aliases', () => {
  assert.equal(questionLines(['*.a.test', TYPE.ALIAS]), [
    ...['*.a.test. A alias', '*.a.test. AAAA alias', '*.a.test. TXT'],
    ...['missing.a.test. A alias', 'missing.a.test. AAAA alias', 'missing.a.test. TXT'],
    'a.test. A',
  ]);
  assert.equal(
    questionLines(['d.a.test', TYPE.NS], ['n.a.test', TYPE.DNAME], ['c.a.test', TYPE.CNAME], ['b.test', TYPE.A]),
    [
      ...['d.a.test. NS', 'd.a.test. A', 'missing.d.a.test. A', 'a.test. A'],
      ...['n.a.test. DNAME', 'n.a.test. A', 'missing.n.a.test. A'],
      ...['c.a.test. CNAME', 'c.a.test. A', 'c.a.test. TXT'],
      'missing.a.test. A',
    ],
  );
});

test('what only one signer has is expected to differ', () => {
  assert.equal(questionLines(['a.test', TYPE.ZONEMD], ['a.test', SIGNER_STATE], ['a.test', TYPE.DNSKEY]), [
    'a.test. ZONEMD dnssec',
    'a.test. TYPE65534 dnssec',
    'a.test. DNSKEY dnssec',
    'a.test. A dnssec',
    'missing.a.test. A',
  ]);
});

test('names of a zone that is compared by itself are not asked twice', () => {
  const child = nameId(parseName('c.a.test'));
  const records = [
    ...[
      ['c.a.test', TYPE.NS],
      ['c.a.test', TYPE.DS],
      ['ns.c.a.test', TYPE.A],
      ['cc.a.test', TYPE.A],
    ],
  ] as const;
  const questions = questionsOf(
    {
      apex,
      records: records.map(([name, type]) => ({ name: parseName(name), type })),
      isApex: (name) => nameId(name) === child || nameId(name) === nameId(apex),
    },
    'missing',
  );
  assert.equal(
    questions.map(({ name, type }) => `${formatName(name)} ${typeName(type)}`),
    ['c.a.test. DS', 'a.test. A', 'cc.a.test. A', 'cc.a.test. TXT', 'missing.a.test. A'],
  );
});

const record = (name: string, type: number, content: string, ttl = 60): ResourceRecord => ({
  ...{ name: parseName(name), type, ttl, rdata: parseRdata(type, content) },
});
const reply = (answer: readonly ResourceRecord[], more: Partial<Reply> = {}): Reply => ({
  ...{ rcode: 0, authoritative: true, answer, authority: [] },
  ...more,
});
const A1 = record('w.a.test', TYPE.A, '192.0.2.1');
const A2 = record('w.a.test', TYPE.A, '192.0.2.2');
const SOA = record('a.test', TYPE.SOA, 'ns.a.test. h.a.test. 1 2 3 4 5');
const OUT = record('w.a.test', TYPE.CNAME, 'x.b.test.');
const IN = record('w.a.test', TYPE.CNAME, 'x.a.test.');
const LOOP = record('w.a.test', TYPE.CNAME, 'w.a.test.');
const missing = reply([], { rcode: 3, authority: [SOA] });
const referral = (ns: string): Reply =>
  reply([], { authoritative: false, authority: [record('d.a.test', TYPE.NS, ns)] });

const VERDICTS: readonly (readonly [
  what: string,
  before: Reply,
  after: Reply,
  verdict: string | undefined,
  mayDiffer?: Question['mayDiffer'],
])[] = [
  ['the same in another order', reply([A1, A2]), reply([A2, A1]), undefined],
  ['another TTL', reply([A1]), reply([{ ...A1, ttl: 5 }]), 'ttl'],
  ['another address', reply([A1]), reply([A2]), 'answer'],
  ['no record', reply([A1]), reply([], { authority: [SOA] }), 'status answer'],
  ['no name', reply([A1]), missing, 'rcode status answer'],
  ['not authoritative', reply([A1]), reply([A1], { authoritative: false }), 'aa'],
  ['an error', missing, reply([], { rcode: 2 }), 'rcode status'],
  ['another delegation', referral('n.x.'), referral('n.y.'), 'referral'],
  ['the same delegation', referral('n.x.'), referral('n.x.'), undefined],
  [
    'a CNAME into another zone that is followed',
    reply([OUT]),
    reply([OUT, record('x.b.test', TYPE.A, '192.0.2.1')]),
    'answer: chain',
  ],
  [
    'a CNAME in the zone that is not followed',
    reply([IN]),
    reply([IN, record('x.a.test', TYPE.A, '192.0.2.1')]),
    'answer',
  ],
  ['a CNAME to its own name', reply([LOOP]), reply([LOOP], { rcode: 2 }), 'rcode status: chain'],
  ['another SOA', reply([SOA]), reply([{ ...SOA, rdata: SOA.rdata.map((byte) => byte ^ 1) }]), 'answer: soa', 'soa'],
  ['no SOA', reply([SOA]), missing, 'rcode status answer', 'soa'],
  ['no address of an ALIAS', reply([A1]), reply([], { authority: [SOA] }), 'status answer: alias', 'alias'],
  ['no AA for an ALIAS', reply([A1]), reply([A1], { authoritative: false }), 'aa', 'alias'],
];

for (const [what, before, after, verdict, mayDiffer] of VERDICTS)
  test(`${what}: ${verdict ?? 'alike'}`, () => {
    const question: Question = { name: parseName('w.a.test'), type: TYPE.A, mayDiffer };
    const text = (found: ReturnType<typeof compareReplies>): string | undefined =>
      found && found.parts.join(' ') + (found.reason === undefined ? '' : `: ${found.reason}`);
    const options = { apex, ttl: true };
    assert.is(text(compareReplies(question, before, after, options)), verdict);
    assert.is(text(compareReplies(question, after, before, options)), verdict);
  });

const SERVERS: readonly (readonly [text: string, host: string, port: number])[] = [
  ['192.0.2.1', '192.0.2.1', 53],
  ['192.0.2.1:5300', '192.0.2.1', 5300],
  ['192.0.2.1@5300', '192.0.2.1', 5300],
  ['2001:db8::1', '2001:db8::1', 53],
  ['2001:db8::1@54', '2001:db8::1', 54],
  ['[2001:db8::1]:54', '2001:db8::1', 54],
  ['ns.example:54', 'ns.example', 54],
];

test('addresses of servers', () => {
  for (const [text, host, port] of SERVERS) assert.equal(parseServer(text), { host, port });
  for (const text of ['', '192.0.2.1:0', '192.0.2.1:99999', 'a:b:c', '[::1'])
    assert.throws(() => parseServer(text), /is not the address of a server/);
});

test('no message makes the reader fail with anything but InvalidError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), (bytes) => {
      try {
        parseReply(Buffer.from(bytes));
      } catch (error) {
        assert.instance(error, InvalidError);
      }
    }),
    { numRuns: depth({ quick: 100, moderate: 500, full: 100_000 }) },
  );
});

test.run();

/**
 * Packets and their responses, byte for byte: docs/internals/answers.md, "Header", "EDNS" and
 * "Which code comes first".
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { TCP_LIMIT, UDP_LIMIT } from '../../../reference/compare.ts';
import { QueryPath } from '../../../support/in-process.ts';
import { putZone, ZONE } from '../../nameserver/fixture.ts';

const index = new IndexWriter(1 << 20);
putZone(index, ZONE);
const path = new QueryPath(index);

const bytes = (...parts: readonly (readonly number[] | Uint8Array | string)[]): Uint8Array =>
  new Uint8Array(
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Uint8Array.from(part))),
    ),
  );

const u16 = (n: number): number[] => [n >> 8, n & 255];

/** `flags` are bytes 2 and 3; `counts` QD, AN, NS, AR. */
const header = (flags: number, ...counts: readonly number[]): number[] => [
  0xab,
  0xcd,
  ...u16(flags),
  ...counts.flatMap(u16),
];
const HOST1 = bytes('\x05host1\x07example\x04test\x00');
const question = (name: Uint8Array = HOST1, type: number = TYPE.A, klass = 1): Uint8Array =>
  bytes(name, u16(type), u16(klass));
const Q = question();

interface OptFields {
  readonly owner?: readonly number[];
  readonly size?: number;
  readonly version?: number;
  readonly flags?: number;
  readonly rdata?: readonly number[];
  readonly rdlength?: number;
}
const opt = ({
  owner = [0],
  size = 1232,
  version = 0,
  flags = 0,
  rdata = [],
  rdlength = rdata.length,
}: OptFields = {}): Uint8Array =>
  bytes(owner, u16(TYPE.OPT), u16(size), [0, version], u16(flags), u16(rdlength), rdata);
/** The OPT of our responses. */
const reply = (extended = 0, flags = 0): Uint8Array =>
  bytes([0], u16(TYPE.OPT), u16(UDP_LIMIT), [extended, 0], u16(flags), [0, 0]);
const A1 = bytes([0xc0, 12], u16(TYPE.A), u16(1), [0, 0, 1, 44], u16(4), [192, 0, 2, 1]);

const TSIG = bytes('\x03key\x00', u16(250), u16(255), [0, 0, 0, 0], u16(3), [1, 2, 3]);
/** An address record whose owner is a pointer to the question. */
const POINTED = bytes([0xc0, 12], u16(TYPE.A), u16(1), [0, 0, 0, 0], u16(4), [1, 2, 3, 4]);

const FORMERR = 0x8000 | RCODE.FORMERR;
const AA = 0x8400;
const formErr = (section: Uint8Array = Q): Uint8Array => bytes(header(FORMERR, 1, 0, 0, 0), section);
const noQuestion = (code: number, flags = 0): Uint8Array => bytes(header(0x8000 | flags | code, 0, 0, 0, 0));
const good = bytes(header(AA, 1, 1, 0, 0), Q, A1);
const goodWithOpt = (flags = 0): Uint8Array => bytes(header(AA, 1, 1, 0, 1), Q, A1, reply(0, flags));

const label = (length: number): Uint8Array => bytes([length], new Uint8Array(length).fill(0x61));
/** A name of exactly `length` bytes, outside our zones. */
const nameOfLength = (length: number): Uint8Array => {
  const parts: Uint8Array[] = [];
  let left = length - 1;
  while (left > 0) {
    // A single remaining byte would be a length without a label, so it is avoided.
    const take = left === 65 ? 63 : Math.min(left, 64);
    parts.push(label(take - 1));
    left -= take;
  }
  return bytes(...parts, [0]);
};
const labels = (count: number): Uint8Array => bytes(...Array.from({ length: count }, () => label(1)), [0]);
const refused = (name: Uint8Array): Uint8Array => bytes(header(0x8000 | RCODE.REFUSED, 1, 0, 0, 0), question(name));

const updateOf = (
  [zones, prerequisites, updates, additional]: readonly number[],
  rest: readonly number[] | Uint8Array = [],
) => bytes(header(0x2800, zones, prerequisites, updates, additional), Q, rest);

const malformedUpdate = bytes(header(0xa801, 1, 0, 0, 0), Q);

type Case = readonly [what: string, packet: Uint8Array, expected: Uint8Array | null];

const cases: readonly Case[] = [
  // Header
  ['a plain query', bytes(header(0, 1, 0, 0, 0), Q), good],
  ['RD is copied', bytes(header(0x0100, 1, 0, 0, 0), Q), bytes(header(AA | 0x0100, 1, 1, 0, 0), Q, A1)],
  ['TC, AA, RA, Z, AD, CD and a code in a query are cleared', bytes(header(0x06ff, 1, 0, 0, 0), Q), good],
  ['no question', bytes(header(0, 0, 0, 0, 0)), noQuestion(RCODE.FORMERR)],
  ['no question, but OPT', bytes(header(0, 0, 0, 0, 1), opt()), bytes(header(FORMERR, 0, 0, 0, 1), reply())],
  ['no question, but other records', bytes(header(0, 0, 0, 1, 1), POINTED, opt()), noQuestion(RCODE.FORMERR)],
  [
    'no question, but version 1',
    bytes(header(0, 0, 0, 0, 1), opt({ version: 1 })),
    bytes(header(0x8000, 0, 0, 0, 1), reply(1)),
  ],
  ['two questions', bytes(header(0, 2, 0, 0, 0), Q, Q), noQuestion(RCODE.FORMERR)],
  ['256 questions', bytes(header(0, 256, 0, 0, 0), Q), noQuestion(RCODE.FORMERR)],
  ['257 questions', bytes(header(0, 257, 0, 0, 0), Q), noQuestion(RCODE.FORMERR)],
  ...Array.from({ length: 15 }, (_, i): Case => {
    const flags = ((i + 1) << 11) | 0x0100;
    const code = { 4: RCODE.NOTAUTH, 5: RCODE.REFUSED }[i + 1];
    const echoed = bytes(header(0x8000 | flags | (code ?? 0), 1, 0, 0, 0), Q);
    return [
      `opcode ${i + 1}`,
      bytes(header(flags, 1, 0, 0, 0), Q),
      code === undefined ? noQuestion(RCODE.NOTIMP, flags) : echoed,
    ];
  }),
  // A NOTIFY may include the new SOA (RFC 1996 section 3.7), and has AA set.
  [
    'NOTIFY with an answer and OPT',
    bytes(header(0x2400, 1, 1, 0, 1), Q, POINTED, opt()),
    bytes(header(0xa009, 1, 0, 0, 1), Q, reply()),
  ],
  ['NOTIFY that is signed', bytes(header(0x2400, 1, 0, 0, 1), Q, TSIG), bytes(header(0xa009, 1, 0, 0, 0), Q)],
  ['NOTIFY of half a record', bytes(header(0x2400, 1, 1, 0, 0), Q, [0]), bytes(header(0xa009, 1, 0, 0, 0), Q)],
  ['NOTIFY of two zones', bytes(header(0x2400, 2, 0, 0, 0), Q, Q), noQuestion(RCODE.NOTAUTH, 0x2000)],
  ['NOTIFY of no zone', bytes(header(0x2400, 0, 0, 0, 0)), noQuestion(RCODE.NOTAUTH, 0x2000)],
  ['NOTIFY of half a name', bytes(header(0x2400, 1, 0, 0, 0), Q.slice(0, 9)), noQuestion(RCODE.NOTAUTH, 0x2000)],
  // An unsigned UPDATE is refused by the receiving thread, if it is well-formed.
  [
    'UPDATE',
    bytes(header(0x2800, 1, 1, 1, 1), Q, POINTED, POINTED, opt()),
    bytes(header(0xa805, 1, 0, 0, 1), Q, reply()),
  ],
  ['UPDATE without a zone', bytes(header(0x2800, 0, 0, 0, 0)), noQuestion(RCODE.FORMERR, 0x2800)],
  ['UPDATE of two zones', bytes(header(0x2800, 2, 0, 0, 0), Q, Q), noQuestion(RCODE.FORMERR, 0x2800)],
  // A signed message is deferred (without a handler: REFUSED), even if it is otherwise invalid.
  ['signed UPDATE of two zones', bytes(header(0x2800, 2, 0, 0, 1), Q, Q, TSIG), noQuestion(RCODE.REFUSED, 0x2800)],
  ['signed UPDATE without a zone', bytes(header(0x2800, 0, 0, 0, 1), TSIG), noQuestion(RCODE.REFUSED, 0x2800)],
  ['UPDATE without what it counts', bytes(header(0x2800, 1, 0, 1, 0), Q), malformedUpdate],
  ['UPDATE with counts of 65,535', updateOf([0xffff, 0xffff, 0xffff, 0xffff]), noQuestion(RCODE.FORMERR, 0x2800)],
  ['UPDATE in half a zone', bytes(header(0x2800, 1, 0, 0, 0), Q.slice(0, -1)), noQuestion(RCODE.FORMERR, 0x2800)],
  ['UPDATE in half a record', updateOf([1, 0, 1, 0], POINTED.slice(0, -5)), malformedUpdate],
  ['UPDATE with a byte behind it', bytes(header(0x2800, 1, 0, 0, 0), Q, [0]), malformedUpdate],
  ['opcode before FORMERR', bytes(header(0x1000, 9, 9, 9, 9), [0xff]), noQuestion(RCODE.NOTIMP, 0x1000)],
  ['an answer in the query', bytes(header(0, 1, 1, 0, 0), Q, POINTED), formErr()],
  ['an authority in the query', bytes(header(0, 1, 0, 1, 0), Q, POINTED), formErr()],
  ['counts without records', bytes(header(0, 1, 0, 0, 1), Q), formErr()],
  ['counts of 65,535', bytes(header(0, 1, 0, 0, 65_535), Q, POINTED), formErr()],
  ['one byte behind the question', bytes(header(0, 1, 0, 0, 0), Q, [0]), formErr()],
  ['an OPT that is not counted', bytes(header(0, 1, 0, 0, 0), Q, opt()), formErr()],
  ['one byte behind OPT', bytes(header(0, 1, 0, 0, 1), Q, opt(), [0]), bytes(header(FORMERR, 1, 0, 0, 1), Q, reply())],
  // Silence
  ['empty', bytes(), null],
  ['11 bytes', bytes(header(0, 1, 0, 0, 0)).slice(0, 11), null],
  ['a response', bytes(header(0x8000, 1, 0, 0, 0), Q), null],
  ['a response of an unknown opcode', bytes(header(0xf800, 0, 0, 0, 0)), null],
  // Question
  ['12 bytes that promise a question', bytes(header(0, 1, 0, 0, 0)), noQuestion(RCODE.FORMERR)],
  ['a name that runs out', bytes(header(0, 1, 0, 0, 0), HOST1.slice(0, -1)), noQuestion(RCODE.FORMERR)],
  ['no type', bytes(header(0, 1, 0, 0, 0), HOST1), noQuestion(RCODE.FORMERR)],
  ['half a class', bytes(header(0, 1, 0, 0, 0), Q.slice(0, -1)), noQuestion(RCODE.FORMERR)],
  ['a pointer as name', bytes(header(0, 1, 0, 0, 0), question(bytes([0xc0, 12]))), noQuestion(RCODE.FORMERR)],
  [
    'a pointer after a label',
    bytes(header(0, 1, 0, 0, 0), question(bytes('\x01a\xc0\x0c'))),
    noQuestion(RCODE.FORMERR),
  ],
  ['a label of 63', bytes(header(0, 1, 0, 0, 0), question(bytes(label(63), [0]))), refused(bytes(label(63), [0]))],
  ['a label of 64', bytes(header(0, 1, 0, 0, 0), question(bytes(label(64), [0]))), noQuestion(RCODE.FORMERR)],
  ['label type 0x80', bytes(header(0, 1, 0, 0, 0), question(bytes(label(0x80), [0]))), noQuestion(RCODE.FORMERR)],
  ['a name of 255 bytes', bytes(header(0, 1, 0, 0, 0), question(nameOfLength(255))), refused(nameOfLength(255))],
  ['a name of 256 bytes', bytes(header(0, 1, 0, 0, 0), question(nameOfLength(256))), noQuestion(RCODE.FORMERR)],
  ['127 labels', bytes(header(0, 1, 0, 0, 0), question(labels(127))), refused(labels(127))],
  ['128 labels', bytes(header(0, 1, 0, 0, 0), question(labels(128))), noQuestion(RCODE.FORMERR)],
  ['the root', bytes(header(0, 1, 0, 0, 0), question(bytes([0]))), refused(bytes([0]))],
  // Classes and types
  ...[0, 2, 3, 4, 254, 255, 65_535].map(
    (klass): Case => [
      `class ${klass}`,
      bytes(header(0, 1, 0, 0, 0), question(HOST1, TYPE.A, klass)),
      bytes(header(0x8000 | RCODE.REFUSED, 1, 0, 0, 0), question(HOST1, TYPE.A, klass)),
    ],
  ),
  ...(
    [
      [TYPE.OPT, RCODE.FORMERR],
      [128, RCODE.NOTIMP],
      [249, RCODE.NOTIMP],
      [250, RCODE.NOTIMP],
      [TYPE.IXFR, RCODE.REFUSED],
      [TYPE.AXFR, RCODE.REFUSED],
      [253, RCODE.NOTIMP],
      [254, RCODE.NOTIMP],
    ] as const
  ).map(
    ([type, code]): Case => [
      `QTYPE ${type}`,
      bytes(header(0, 1, 0, 0, 0), question(HOST1, type)),
      bytes(header(0x8000 | code, 1, 0, 0, 0), question(HOST1, type)),
    ],
  ),
  [
    'IXFR brings its SOA',
    bytes(header(0, 1, 0, 1, 0), question(HOST1, TYPE.IXFR), POINTED),
    bytes(header(0x8005, 1, 0, 0, 0), question(HOST1, TYPE.IXFR)),
  ],
  [
    'QTYPE OPT before class',
    bytes(header(0, 1, 0, 0, 0), question(HOST1, TYPE.OPT, 3)),
    formErr(question(HOST1, TYPE.OPT, 3)),
  ],
  [
    'class before AXFR and NOTIMP',
    bytes(header(0, 1, 0, 0, 0), question(HOST1, 128, 3)),
    bytes(header(0x8005, 1, 0, 0, 0), question(HOST1, 128, 3)),
  ],
  // EDNS
  ['OPT', bytes(header(0, 1, 0, 0, 1), Q, opt()), goodWithOpt()],
  ...[0, 511, 512, 4096, 65_535].map(
    (size): Case => [`OPT of size ${size}`, bytes(header(0, 1, 0, 0, 1), Q, opt({ size })), goodWithOpt()],
  ),
  ['DO is copied', bytes(header(0, 1, 0, 0, 1), Q, opt({ flags: 0x8000 })), goodWithOpt(0x8000)],
  ['other EDNS flags are not', bytes(header(0, 1, 0, 0, 1), Q, opt({ flags: 0x7fff })), goodWithOpt()],
  [
    'unknown options are ignored',
    bytes(header(0, 1, 0, 0, 1), Q, opt({ rdata: [0, 10, 0, 2, 1, 2, 0xff, 0xfe, 0, 0] })),
    goodWithOpt(),
  ],
  ['an option past the end', bytes(header(0, 1, 0, 0, 1), Q, opt({ rdata: [0, 10, 0, 3, 1, 2] })), formErr()],
  ['half an option', bytes(header(0, 1, 0, 0, 1), Q, opt({ rdata: [0, 10, 0] })), formErr()],
  ['OPT rdata past the end', bytes(header(0, 1, 0, 0, 1), Q, opt({ rdlength: 1 })), formErr()],
  ['OPT cut short', bytes(header(0, 1, 0, 0, 1), Q, opt().slice(0, 10)), formErr()],
  ['OPT with an owner', bytes(header(0, 1, 0, 0, 1), Q, opt({ owner: [1, 0x61, 0] })), formErr()],
  ['OPT with a pointer as owner', bytes(header(0, 1, 0, 0, 1), Q, opt({ owner: [0xc0, 28] })), formErr()],
  ['two OPT', bytes(header(0, 1, 0, 0, 2), Q, opt(), opt()), bytes(header(FORMERR, 1, 0, 0, 1), Q, reply())],
  [
    'OPT as authority',
    bytes(header(0, 1, 0, 1, 0), question(HOST1, TYPE.IXFR), opt()),
    formErr(question(HOST1, TYPE.IXFR)),
  ],
  [
    'version 1',
    bytes(header(0x0100, 1, 0, 0, 1), Q, opt({ version: 1, flags: 0x8000 })),
    bytes(header(0x8100, 1, 0, 0, 1), Q, reply(1, 0x8000)),
  ],
  [
    'version 255 before class',
    bytes(header(0, 1, 0, 0, 1), question(HOST1, TYPE.A, 3), opt({ version: 255 })),
    bytes(header(0x8000, 1, 0, 0, 1), question(HOST1, TYPE.A, 3), reply(1)),
  ],
  [
    'FORMERR before version 1',
    bytes(header(0, 1, 0, 0, 1), Q, opt({ version: 1 }), [0]),
    bytes(header(FORMERR, 1, 0, 0, 1), Q, reply()),
  ],
  [
    'version 1 before QTYPE OPT',
    bytes(header(0, 1, 0, 0, 1), question(HOST1, TYPE.OPT), opt({ version: 1 })),
    bytes(header(0x8000, 1, 0, 0, 1), question(HOST1, TYPE.OPT), reply(1)),
  ],
  // Additional records
  ['a record, then OPT', bytes(header(0, 1, 0, 0, 2), Q, POINTED, opt()), goodWithOpt()],
  ['TSIG is deferred', bytes(header(0, 1, 0, 0, 1), Q, TSIG), bytes(header(0x8005, 1, 0, 0, 0), Q)],
  [
    'OPT, then TSIG, deferred before version 1',
    bytes(header(0, 1, 0, 0, 2), Q, opt({ version: 1 }), TSIG),
    bytes(header(0x8005, 1, 0, 0, 1), Q, reply()),
  ],
  ['TSIG before OPT', bytes(header(0, 1, 0, 0, 2), Q, TSIG, opt()), formErr()],
  ['two TSIG', bytes(header(0, 1, 0, 0, 2), Q, TSIG, TSIG), formErr()],
  ['TSIG cut short', bytes(header(0, 1, 0, 0, 1), Q, TSIG.slice(0, -1)), formErr()],
  [
    'an additional owner with a label of 64',
    bytes(header(0, 1, 0, 0, 1), Q, label(64), [0], POINTED.slice(2)),
    formErr(),
  ],
  ['half a pointer at the end', bytes(header(0, 1, 0, 0, 1), Q, [0xc0]), formErr()],
];

const hex = (packet: Uint8Array | null): string | null =>
  packet === null ? null : Buffer.from(packet).toString('hex');

for (const [what, packet, expected] of cases)
  test(what, () => {
    assert.is(hex(path.answer(packet, UDP_LIMIT)), hex(expected));
    // The result depends neither on the transport nor on the previous packet.
    path.answer(bytes(header(0, 1, 0, 0, 1), Q, opt({ flags: 0x8000, version: 3 })), UDP_LIMIT);
    assert.is(hex(path.answer(packet, TCP_LIMIT)), hex(expected));
  });

test('every prefix of a query with OPT is answered by FORMERR or not at all', () => {
  const whole = bytes(header(0, 1, 0, 0, 1), Q, opt({ rdata: [0, 10, 0, 2, 1, 2] }));
  for (let length = 0; length < whole.length; length++) {
    const response = path.answer(whole.slice(0, length), UDP_LIMIT);
    if (length < 12) assert.is(response, null);
    else assert.is(hex(response), hex(length < 12 + Q.length ? noQuestion(RCODE.FORMERR) : formErr()));
  }
});

test.run();

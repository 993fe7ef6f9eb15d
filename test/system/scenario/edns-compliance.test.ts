/**
 * The rows of the tests by which ISC judges nameservers (DNS-Compliance-Testing, "genreport"; the
 * same as RFC 8906 section 8): versions, flags, options and sizes of EDNS, bits of the header,
 * opcodes and types that a server may not know. Each over UDP and TCP, to a daemon as a person
 * starts it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../core/dns/wire/name.ts';
import { RCODE, TYPE } from '../../../core/dns/wire/types.ts';
import { ADMIN_PASSWORD } from '../../support/daemon.ts';
import { queryTcp, UdpClient } from '../../support/dns-client.ts';
import { decodeMessage, type Message } from '../../support/message.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { type Borrowed, borrowDaemon } from '../../support/shared-daemon.ts';

const ZONE = 'example.com';
const DNSKEY = 48;

/** Bits of bytes 2 and 3 of the header (RFC 1035 4.1.1, RFC 4035 3.1.6). */
const AA = 0x0400;
const TC = 0x0200;
const RD = 0x0100;
const RA = 0x0080;
const Z = 0x0040;
const AD = 0x0020;
const CD = 0x0010;

const NSID = [0, 3, 0, 0];
/** 0.0.0.0/0 (RFC 7871). */
const SUBNET = [0, 8, 0, 4, 0, 1, 0, 0];
const EXPIRE = [0, 9, 0, 0];
const CLIENT_COOKIE = [1, 2, 3, 4, 5, 6, 7, 8];
const COOKIE = [0, 10, 0, 8, ...CLIENT_COOKIE];
const UNKNOWN = [0, 100, 0, 0];

interface Asked {
  readonly bits?: number;
  readonly opcode?: number;
  /** Left out: no question. */
  readonly type?: number;
  readonly edns?: { readonly size: number; readonly version?: number; readonly flags?: number };
  readonly options?: readonly number[];
}

interface Wanted {
  readonly rcode: number;
  /** Whether the SOA, or another record of the type asked, is the answer. */
  readonly answer?: boolean;
  readonly dnssecOk?: boolean;
  /**
   * Codes of the options in the response's OPT, in their order; without EDNS in the query there is
   * no OPT.
   */
  readonly options?: readonly number[];
}

type Row = readonly [name: string, asked: Asked, wanted: Wanted];

const edns = { size: 4096 };
const edns1 = { size: 4096, version: 1 };
const soa: Wanted = { rcode: RCODE.NOERROR, answer: true };
const badVersion: Wanted = { rcode: RCODE.BADVERS };

const ROWS: readonly Row[] = [
  ['dns', { type: TYPE.SOA }, soa],
  ['aa', { type: TYPE.SOA, bits: AA }, soa],
  ['ad', { type: TYPE.SOA, bits: AD }, soa],
  ['cd', { type: TYPE.SOA, bits: CD }, soa],
  ['ra', { type: TYPE.SOA, bits: RA }, soa],
  ['rd', { type: TYPE.SOA, bits: RD }, soa],
  ['tc', { type: TYPE.SOA, bits: TC }, soa],
  ['zflag', { type: TYPE.SOA, bits: Z }, soa],
  ['opcode', { opcode: 15 }, { rcode: RCODE.NOTIMP }],
  ['opcodeflg', { opcode: 15, bits: AA | TC | RD | RA | Z | AD | CD }, { rcode: RCODE.NOTIMP }],
  ['type666', { type: 666 }, { rcode: RCODE.NOERROR }],
  ['edns', { type: TYPE.SOA, edns }, soa],
  ['edns1', { type: TYPE.SOA, edns: edns1 }, badVersion],
  ['edns@512', { type: DNSKEY, edns: { size: 512, flags: 0x8000 } }, { rcode: RCODE.NOERROR, dnssecOk: true }],
  ['ednsopt', { type: TYPE.SOA, edns, options: UNKNOWN }, soa],
  ['edns1opt', { type: TYPE.SOA, edns: edns1, options: UNKNOWN }, badVersion],
  ['do', { type: TYPE.SOA, edns: { size: 4096, flags: 0x8000 } }, { ...soa, dnssecOk: true }],
  ['docd', { type: TYPE.SOA, bits: CD, edns: { size: 4096, flags: 0x8000 } }, { ...soa, dnssecOk: true }],
  ['edns1do', { type: TYPE.SOA, edns: { ...edns1, flags: 0x8000 } }, { ...badVersion, dnssecOk: true }],
  ['ednsflags', { type: TYPE.SOA, edns: { size: 4096, flags: 0x0080 } }, soa],
  [
    'optlist',
    { type: TYPE.SOA, edns, options: [...NSID, ...SUBNET, ...EXPIRE, ...COOKIE] },
    { ...soa, options: [10, 3, 8, 9] },
  ],
  ['ednsnsid', { type: TYPE.SOA, edns, options: NSID }, { ...soa, options: [3] }],
  ['ednscookie', { type: TYPE.SOA, edns, options: COOKIE }, { ...soa, options: [10] }],
  ['ednsexpire', { type: TYPE.SOA, edns, options: EXPIRE }, { ...soa, options: [9] }],
  ['ednssubnet', { type: TYPE.SOA, edns, options: SUBNET }, { ...soa, options: [8] }],
  ['edns1nsid', { type: TYPE.SOA, edns: edns1, options: NSID }, badVersion],
  ['edns1cookie', { type: TYPE.SOA, edns: edns1, options: COOKIE }, badVersion],
  ['edns1expire', { type: TYPE.SOA, edns: edns1, options: EXPIRE }, badVersion],
  ['edns1subnet', { type: TYPE.SOA, edns: edns1, options: SUBNET }, badVersion],
  [
    'bind11',
    { type: TYPE.SOA, edns: { size: 4096, flags: 0x8000 }, options: COOKIE },
    { ...soa, dnssecOk: true, options: [10] },
  ],
  ['dig11', { type: TYPE.SOA, bits: RD | AD, edns, options: COOKIE }, { ...soa, options: [10] }],
  // A type may be known or not: none of these exists at the apex.
  ...[
    TYPE.A,
    ...[3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32],
    ...[33, 34, 35, 36, 37, 38, 39, 40, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 55, 56, 57, 58, 59, 60, 61, 62],
    ...[99, 100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 256, 257, 258, 259, 32_768, 32_769],
  ].map((type): Row => [`TYPE${type}`, { type }, { rcode: RCODE.NOERROR }]),
  ['TYPE2', { type: TYPE.NS }, { rcode: RCODE.NOERROR, answer: true }],
];

const u16 = (n: number): number[] => [n >> 8, n & 255];

function encode({ bits = 0, opcode = 0, type, edns: option, options = [] }: Asked, id: number): Uint8Array {
  const question = type === undefined ? [] : [...parseName(`${ZONE}.`), ...u16(type), 0, 1];
  const opt =
    option === undefined
      ? []
      : [
          0,
          ...u16(TYPE.OPT),
          ...u16(option.size),
          0,
          option.version ?? 0,
          ...u16(option.flags ?? 0),
          ...u16(options.length),
        ];
  const counts = [type === undefined ? 0 : 1, 0, 0, option === undefined ? 0 : 1].flatMap(u16);
  return Uint8Array.from([...u16(id), ...u16((opcode << 11) | bits), ...counts, ...question, ...opt, ...options]);
}

function optionsOf(options: Uint8Array): Map<number, Uint8Array> {
  const found = new Map<number, Uint8Array>();
  for (let p = 0; p < options.length; ) {
    const end = p + 4 + ((options[p + 2] << 8) | options[p + 3]);
    assert.ok(end <= options.length, 'an option runs past the end');
    found.set((options[p] << 8) | options[p + 1], options.slice(p + 4, end));
    p = end;
  }
  return found;
}

function check({ bits = 0, opcode = 0, type, edns: option }: Asked, wanted: Wanted, message: Message): void {
  const { header, opt } = message;
  const isAnswered = wanted.rcode === RCODE.NOERROR;
  assert.is(message.rcode, wanted.rcode);
  assert.equal(
    { ...header, id: 0, rcode: 0 },
    {
      id: 0,
      rcode: 0,
      qr: true,
      opcode,
      aa: isAnswered,
      tc: false,
      rd: (bits & RD) !== 0,
      ra: false,
      z: false,
      ad: false,
      cd: false,
    },
  );
  assert.is(message.question.length > 0, type !== undefined, 'the question is echoed');
  assert.is(message.answer.length > 0, wanted.answer === true, 'an answer');
  for (const record of message.answer) assert.is(record.type, type);
  assert.is(message.authority.length > 0, isAnswered && wanted.answer !== true, 'the SOA of NODATA');
  assert.is(opt !== undefined, option !== undefined, 'OPT');
  if (opt === undefined) return;
  assert.is(opt.version, 0);
  assert.is(opt.size, 1232);
  assert.is(opt.do, wanted.dnssecOk === true);
  const options = optionsOf(opt.options);
  assert.equal([...options.keys()], wanted.options ?? []);
  if (options.has(3)) assert.is(Buffer.from(options.get(3)!).toString(), 'node-7');
  if (options.has(10)) {
    assert.is(options.get(10)!.length, 24);
    assert.equal([...options.get(10)!.slice(0, 9)], [...CLIENT_COOKIE, 1]);
  }
}

const test = suite<{ daemon: Borrowed; client: UdpClient }>('EDNS compliance');

test.before(async (context) => {
  context.daemon = await borrowDaemon();
  const { api, dnsPort } = context.daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const id = await api.createDomain(ZONE);
  for (let i = 0; i < 12; i++) await api.createRecord(id, 'long', 'TXT', `"${String(i).padEnd(100, 'x')}"`);
  context.client = await UdpClient.connect(dnsPort);
});

test.after(async ({ daemon, client }) => {
  client.close();
  await daemon.giveBack();
});

ROWS.forEach(([name, request, wanted], i) => {
  test(`${name} over UDP`, async ({ client }) => {
    const response = await client.query(encode(request, i), PATIENCE_MS);
    assert.ok(response !== null, 'a response');
    check(request, wanted, decodeMessage(response));
  });
});

test('all of them over TCP, on one connection', async ({ daemon }) => {
  const packets = ROWS.map(([, request], i) => encode(request, i));
  const responses = new Map(
    (await queryTcp(daemon.dnsPort, packets)).map((response) => [(response[0] << 8) | response[1], response]),
  );
  ROWS.forEach(([name, request, wanted], i) => {
    try {
      check(request, wanted, decodeMessage(responses.get(i)!));
    } catch (error) {
      throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
    }
  });
});

test('an answer over 512 bytes at a size of 512: truncated over UDP, whole over TCP (ednstcp)', async ({
  daemon,
  client,
}) => {
  const packet = encode({ type: TYPE.TXT, edns: { size: 512, flags: 0x8000 }, options: [...COOKIE, ...NSID] }, 7000);
  // The same question, for another name.
  const long = Uint8Array.from([...packet.slice(0, 12), 4, ...Buffer.from('long'), ...packet.slice(12)]);
  const short = decodeMessage((await client.query(long, PATIENCE_MS))!);
  assert.ok(short.header.tc);
  assert.equal([short.answer.length, short.opt!.do], [0, true]);
  assert.equal([...optionsOf(short.opt!.options).keys()], [10, 3]);
  const [whole] = (await queryTcp(daemon.dnsPort, [long])).map(decodeMessage);
  assert.not.ok(whole.header.tc);
  assert.equal([whole.answer.length, whole.opt!.do], [12, true]);
  assert.equal([...optionsOf(whole.opt!.options).keys()], [10, 3]);
});

test.run();

/** Parsers of DNS messages. */
import { InvalidError } from '../../../core/base/errors.ts';
import { MessageReader } from '../../../core/dns/wire/message-reader.ts';
import { formatName, parseName } from '../../../core/dns/wire/name.ts';
import { checkRdata } from '../../../core/dns/wire/rdata/index.ts';
import { signRequest, type TsigKey, verifyTsig } from '../../../core/dns/wire/tsig.ts';
import { CLASS_IN, TYPE } from '../../../core/dns/wire/types.ts';
import { parseUpdate, parseUpdateZone } from '../../../core/dns/wire/update.ts';
import { newQuestion, readReply } from '../../../core/net/resolver/message.ts';
import { IndexWriter } from '../../../core/store/index/writer.ts';
import { readDifference, recordsOfZone, TransferWarnings } from '../../../core/upkeep/secondary/content.ts';
import { ResponseCodeError, TransferStream } from '../../../core/upkeep/secondary/transfer-stream.ts';
import { putZone, ZONE } from '../../core/nameserver/fixture.ts';
import { TCP_LIMIT, UDP_LIMIT } from '../../reference/compare.ts';
import { QueryPath } from '../../support/in-process.ts';
import { encodeQuery } from '../../support/message.ts';
import { type Target, tolerate } from '../target.ts';

const APEX = parseName('example.test.');
const KEY: TsigKey = { name: parseName('key.test.'), algorithm: 'hmac-sha256', secret: Buffer.alloc(32, 7) };
/** A time at which signatures of the seeds are valid. */
const NOW = 1_800_000_000;

const query = (name: string, type: number): Uint8Array =>
  encodeQuery({ name: parseName(name), type, class: CLASS_IN }, 0x1234);
const header = (flags: number, ...counts: readonly number[]): Buffer =>
  Buffer.from([0x12, 0x34, flags >> 8, flags & 255, ...counts.flatMap((count) => [count >> 8, count & 255])]);
const record = (name: Uint8Array, type: number, rdata: Uint8Array, klass = CLASS_IN, ttl = 300): Buffer => {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(klass, 2);
  fixed.writeUInt32BE(ttl, 4);
  fixed.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([name, fixed, rdata]);
};
const SOA = record(
  APEX,
  TYPE.SOA,
  Buffer.concat([APEX, APEX, Buffer.from('0000000a0000000b0000000c0000000d0000000e', 'hex')]),
);
const HOST = parseName('www.example.test.');
const A = record(HOST, TYPE.A, Uint8Array.of(192, 0, 2, 1));
const QUESTION = Buffer.concat([APEX, Uint8Array.of(0, 252, 0, 1)]);
const OPT = Buffer.from('00002904d0000080000000', 'hex');
const OPT_COOKIE = Buffer.from('00002904d0000080000018000a00080102030405060708000c0004000000000b0000', 'hex');

let path: QueryPath | undefined;

/** The query path over a small zone, made at its first use. */
function answerPath(): QueryPath {
  if (path !== undefined) return path;
  const index = new IndexWriter(1 << 20);
  putZone(index, ZONE);
  path = new QueryPath(index);
  return path;
}

const withOpt = (message: Uint8Array, opt: Uint8Array): Buffer => {
  const out = Buffer.concat([message, opt]);
  out[11] = 1;
  return out;
};

const update = Buffer.concat([
  header(0x2800, 1, 1, 2, 0),
  APEX,
  Uint8Array.of(0, 6, 0, 1),
  record(HOST, 255, new Uint8Array(0), 255, 0),
  A,
  record(HOST, TYPE.TXT, Buffer.from('\x04text', 'latin1'), 254, 0),
]);
const signed = (): Uint8Array => signRequest(Buffer.from(query('www.example.test.', TYPE.A)), KEY, NOW).message;

export const DNS_TARGETS: readonly Target[] = [
  {
    name: 'dns-query',
    maxBytes: 1500,
    seeds: [
      query('host1.example.test.', TYPE.A),
      query('nowhere.example.test.', TYPE.MX),
      query('example.test.', TYPE.SOA),
      withOpt(query('host1.example.test.', 255), OPT),
      withOpt(query('host1.example.test.', TYPE.A), OPT_COOKIE),
      update,
    ],
    run(input) {
      for (const limit of [UDP_LIMIT, TCP_LIMIT]) {
        const response = answerPath().answer(input, limit);
        if (response === null) continue;
        if (response.length > limit) throw new Error(`a response of ${response.length} bytes`);
        if (response[0] !== input[0] || response[1] !== input[1]) throw new Error('the response has another id');
        if ((response[2] & 0x80) === 0) throw new Error('the response is a query');
      }
    },
  },
  {
    name: 'dns-records',
    seeds: [
      Buffer.concat([header(0x8400, 0, 2, 0, 0), SOA, A]),
      Buffer.concat([
        header(0x8400, 0, 4, 0, 0),
        record(HOST, TYPE.MX, Buffer.concat([Uint8Array.of(0, 10), HOST])),
        record(HOST, TYPE.TXT, Buffer.from('\x03abc\x00', 'latin1')),
        record(HOST, TYPE.CAA, Buffer.from('\x00\x05issueca.test', 'latin1')),
        record(HOST, TYPE.HTTPS, Buffer.concat([Uint8Array.of(0, 1, 0), Buffer.from('00010003026832', 'hex')])),
      ]),
    ],
    run(input) {
      tolerate(() => {
        const reader = new MessageReader(input, 12);
        for (let i = 0; i < 64 && reader.offset < input.length; i++) {
          const { name, type, rdata } = reader.record();
          formatName(name);
          tolerate(() => checkRdata(type, rdata), InvalidError);
        }
      }, InvalidError);
    },
  },
  {
    name: 'dns-update',
    seeds: [update],
    run(input) {
      tolerate(() => parseUpdateZone(input), InvalidError);
      tolerate(() => parseUpdate(input), InvalidError);
    },
  },
  {
    name: 'dns-reply',
    seeds: [
      Buffer.concat([header(0x8180, 1, 1, 0, 0), HOST, Uint8Array.of(0, 1, 0, 1), A]),
      Buffer.concat([header(0x8183, 1, 0, 1, 0), HOST, Uint8Array.of(0, 1, 0, 1), SOA]),
      Buffer.concat([
        header(0x8180, 1, 2, 0, 0),
        HOST,
        Uint8Array.of(0, 1, 0, 1),
        record(HOST, TYPE.CNAME, APEX),
        record(APEX, TYPE.A, Uint8Array.of(192, 0, 2, 1)),
      ]),
    ],
    run(input) {
      const question = { ...newQuestion(HOST, TYPE.A), id: 0x1234 };
      tolerate(() => readReply(input, question, true), InvalidError);
    },
  },
  {
    name: 'zone-transfer',
    seeds: [
      Buffer.concat([header(0x8400, 1, 3, 0, 0), QUESTION, SOA, A, SOA]),
      Buffer.concat([header(0x8400, 0, 5, 0, 0), SOA, SOA, A, SOA, SOA]),
    ],
    run(input) {
      for (const type of [TYPE.AXFR, TYPE.IXFR])
        tolerate(
          () => {
            const stream = new TransferStream({ apex: APEX, id: 0x1234, type, serial: type === TYPE.IXFR ? 9 : null });
            if (!stream.add(input)) return;
            if (stream.kind === 'axfr') recordsOfZone([input], APEX, 50, new TransferWarnings());
            else if (stream.kind === 'ixfr') readDifference([input], APEX);
          },
          InvalidError,
          ResponseCodeError,
        );
    },
  },
  {
    name: 'tsig',
    seeds: [query('www.example.test.', TYPE.A), signed()],
    run(input) {
      for (const isKnown of [true, false]) {
        const verdict = verifyTsig(input, () => (isKnown ? [KEY] : []), NOW);
        if (verdict.kind === 'error') verdict.response();
      }
    },
  },
];

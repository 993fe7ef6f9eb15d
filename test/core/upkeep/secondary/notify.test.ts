/** NOTIFY of primaries: who may send it, and what it says. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AA, QR } from '../../../../core/dns/wire/header.ts';
import { equalNames, type Name, parseName } from '../../../../core/dns/wire/name.ts';
import { isSignedResponse, signRequest, type TsigKey } from '../../../../core/dns/wire/tsig.ts';
import { CLASS_IN, RCODE, TYPE } from '../../../../core/dns/wire/types.ts';
import { type Domain, PRIMARY } from '../../../../core/store/rows.ts';
import { notifyResponder } from '../../../../core/upkeep/secondary/notify.ts';
import { requestOf } from '../../../../core/upkeep/secondary/request.ts';
import fc from '../../../support/fc.ts';

const APEX = parseName('example.test.');
const OPCODE_NOTIFY = 4 << 3;
const KEY: TsigKey = {
  name: parseName('transfer.test.'),
  algorithm: 'hmac-sha256',
  secret: Buffer.alloc(32, 7),
} as unknown as TsigKey;
const OTHER: TsigKey = { ...KEY, name: parseName('other.test.') };
const now = (): number => Math.floor(Date.now() / 1000);

const noted: [number, number | null][] = [];
const primaries = [
  { address: '192.0.2.1', port: 53, tsigKeyId: null, tls: null },
  { address: '192.0.2.2', port: 53, tsigKeyId: 5, tls: null },
];
const domains: Domain[] = [
  { ...PRIMARY, id: 1, apex: APEX, kind: 'secondary', primaries },
  { ...PRIMARY, id: 2, apex: parseName('own.test.') },
] as unknown as Domain[];

const answer = notifyResponder({
  reader: { domainByApex: (apex: Name) => domains.find((domain) => equalNames(domain.apex, apex)) } as never,
  findKey: (name) => {
    const found = [KEY, OTHER].findIndex((key) => equalNames(key.name, name));
    return found < 0 ? [] : [{ ...[KEY, OTHER][found], row: { id: found === 0 ? 5 : 6 } } as never];
  },
  keyOf: () => undefined,
  log: { debug: () => {} } as never,
  notify: (domainId, serial) => void noted.push([domainId, serial]),
});

interface Result {
  readonly rcode: number;
  readonly noted: readonly (readonly [number, number | null])[];
  readonly response: Buffer;
}

async function send(message: Uint8Array, address = '192.0.2.1'): Promise<Result> {
  noted.length = 0;
  const responses: Uint8Array[] = [];
  const cancelled = new AbortController().signal;
  for await (const response of answer({ message, address, port: 1, transport: 'udp', cancelled }))
    responses.push(response);
  assert.is(responses.length, 1);
  const response = Buffer.from(responses[0]);
  assert.ok((response[2] & QR) !== 0);
  return { rcode: response[3] & 15, noted: [...noted], response };
}

/** `serial` undefined: without an SOA record in the answer section (RFC 1996 section 3.7). */
function notice(apex = APEX, serial?: number, type: number = TYPE.SOA): Buffer {
  const message = requestOf(apex, type, null);
  message[2] |= OPCODE_NOTIFY | AA;
  if (serial === undefined) return message;
  message[7] = 1;
  const rdata = Buffer.alloc(22);
  rdata.writeUInt32BE(serial, 2);
  const record = Buffer.alloc(10);
  record.writeUInt16BE(TYPE.SOA, 0);
  record.writeUInt16BE(CLASS_IN, 2);
  record.writeUInt16BE(rdata.length, 8);
  return Buffer.concat([message, apex, record, rdata]);
}

test('the primaries of a zone are heard, with and without a serial', async () => {
  for (const serial of [undefined, 0, 1, 0xffffffff]) {
    const { rcode, noted: heard, response } = await send(notice(APEX, serial));
    assert.is(rcode, RCODE.NOERROR);
    assert.ok((response[2] & AA) !== 0);
    assert.equal(heard, [[1, serial ?? null]]);
  }
  assert.equal((await send(notice(parseName('EXAMPLE.test.')))).noted, [[1, null]]);
});

test('others are refused, unless they sign with the key of a primary', async () => {
  const refused = await send(notice(), '192.0.2.9');
  assert.equal([refused.rcode, refused.noted], [RCODE.REFUSED, []]);
  const { message, mac } = signRequest(notice(APEX, 9), KEY, now());
  const signed = await send(message, '192.0.2.9');
  assert.equal([signed.rcode, signed.noted], [RCODE.NOERROR, [[1, 9]]]);
  assert.ok(isSignedResponse(signed.response, KEY, mac, now()));
  const other = await send(signRequest(notice(), OTHER, now()).message, '192.0.2.9');
  assert.equal([other.rcode, other.noted], [RCODE.REFUSED, []]);
});

test('a wrong or old signature is an error, also of a primary', async () => {
  const { message } = signRequest(notice(), KEY, now());
  const damaged = Buffer.from(message);
  damaged[2] ^= AA;
  const unknown = { ...KEY, name: parseName('unknown.test.') };
  for (const bytes of [
    damaged,
    signRequest(notice(), KEY, now() - 3600).message,
    signRequest(notice(), unknown, now()).message,
  ]) {
    const { rcode, noted: heard } = await send(bytes);
    assert.equal([rcode, heard], [RCODE.NOTAUTH, []]);
  }
});

test('zones that are not transferred are not known', async () => {
  for (const name of ['own.test.', 'absent.test.', 'www.example.test.', 'test.', '.'])
    assert.equal((await send(notice(parseName(name)))).rcode, RCODE.NOTAUTH, name);
});

test('malformed messages are answered, and change nothing', async () => {
  const whole = notice(APEX, 5);
  assert.is((await send(notice(APEX, undefined, TYPE.A))).rcode, RCODE.FORMERR);
  for (let length = whole.length - 1; length >= 12; length--) {
    const { rcode, noted: heard } = await send(whole.subarray(0, length));
    assert.equal([rcode, heard], [RCODE.FORMERR, []], String(length));
  }
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length - 5), fc.integer({ min: 1, max: 255 }), async (at, bits) => {
      const bytes = Buffer.from(whole);
      // Behind the id and the flags.
      bytes[4 + at] ^= bits;
      await send(bytes);
      for (const [id] of noted) assert.is(id, 1);
    }),
  );
});

test.run();

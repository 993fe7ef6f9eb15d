/** TSIG (RFC 8945), held to the digest as the RFC writes it down, and case by case. */
import { createHmac, randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import {
  isSignedResponse,
  signRequest,
  TSIG_ERROR,
  type TsigAlgorithm,
  type TsigKey,
  TsigSigner,
  verifyTsig,
} from '../../../../core/dns/wire/tsig.ts';
import { appendTsig, findTsig, type TsigRecord } from '../../../../core/dns/wire/tsig-record.ts';
import { RCODE } from '../../../../core/dns/wire/types.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';

const test = suite('TSIG');
const NOW = 1_700_000_000;
const KEY: TsigKey = { name: parseName('key.example.'), algorithm: 'hmac-sha256', secret: randomBytes(32) };
const LONG: TsigKey = { name: parseName('long.example.'), algorithm: 'hmac-sha512', secret: randomBytes(64) };
const OTHERS = (['hmac-md5', 'hmac-sha1', 'hmac-sha224', 'hmac-sha384'] as const).map(
  (algorithm): TsigKey => ({ name: parseName(`${algorithm}.example.`), algorithm, secret: randomBytes(20) }),
);
const NAMES: Readonly<Record<TsigAlgorithm, Uint8Array>> = {
  'hmac-md5': parseName('hmac-md5.sig-alg.reg.int.'),
  'hmac-sha1': parseName('hmac-sha1.'),
  'hmac-sha224': parseName('hmac-sha224.'),
  'hmac-sha256': parseName('hmac-sha256.'),
  'hmac-sha384': parseName('hmac-sha384.'),
  'hmac-sha512': parseName('hmac-sha512.'),
};

/** A query for `example.` TXT. */
const query = (id = 0x1234): Buffer => {
  const name = parseName('example.');
  return Buffer.concat([Buffer.of(id >> 8, id & 255, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0), name, Buffer.of(0, 16, 0, 1)]);
};
const OPT = Buffer.of(0, 0, 41, 0x10, 0, 0, 0, 0, 0, 0, 0);
const withOpt = (message: Buffer): Buffer => {
  const bytes = Buffer.concat([message, OPT]);
  bytes[11]++;
  return bytes;
};

const find = (name: Uint8Array, algorithm: TsigAlgorithm): readonly TsigKey[] =>
  [KEY, LONG, ...OTHERS].filter((key) => Buffer.compare(key.name, name) === 0 && key.algorithm === algorithm);
const verify = (message: Uint8Array, now = NOW) => verifyTsig(message, find, now);
const tsigOf = (message: Uint8Array): TsigRecord => {
  const found = findTsig(message);
  if (found.kind !== 'found') throw new Error(found.kind);
  return found.record;
};

/** The digest of RFC 8945 4.3, field by field. */
function digest(key: TsigKey, parts: readonly (readonly [bytes: number, value: number] | Uint8Array)[]): Buffer {
  const hmac = createHmac(key.algorithm.slice(5), key.secret);
  for (const part of parts) {
    if (part instanceof Uint8Array) hmac.update(part);
    else hmac.update(Buffer.from(part[1].toString(16).padStart(part[0] * 2, '0'), 'hex'));
  }
  return hmac.digest();
}

const variables = (key: TsigKey, time: number, fudge: number, error = 0, other: Uint8Array = Buffer.alloc(0)) =>
  [
    key.name,
    [2, 255],
    [4, 0],
    NAMES[key.algorithm],
    [6, time],
    [2, fudge],
    [2, error],
    [2, other.length],
    other,
  ] as const;

test('a correctly signed request is accepted, and its message is the signed one', () => {
  for (const key of [KEY, LONG, ...OTHERS]) {
    const message = withOpt(query());
    const { message: signed, mac } = signRequest(message, key, NOW);
    assert.equal(mac, digest(key, [message, ...variables(key, NOW, 300)]));
    const verdict = verify(signed);
    assert.is(verdict.kind, 'ok');
    if (verdict.kind !== 'ok') return;
    assert.equal(Buffer.from(verdict.message), message);
    assert.is(verdict.key, key);
    assert.equal(verdict.opt, { udpSize: 4096, dnssecOk: false });
    assert.is(verdict.goodUntil, NOW + 300);
    assert.equal(Buffer.from(verdict.mac), Buffer.from(mac));
  }
});

test('a forwarder may change the id: the original one was signed', () => {
  const signed = Buffer.from(signRequest(query(), KEY, NOW).message);
  signed.writeUInt16BE(0x9999, 0);
  const verdict = verify(signed);
  assert.is(verdict.kind, 'ok');
  if (verdict.kind === 'ok') assert.is(Buffer.from(verdict.message).readUInt16BE(0), 0x9999);
});

test('names in another case and a compressed owner are accepted', () => {
  const message = query();
  const { message: signed } = signRequest(message, { ...KEY, name: parseName('key.example.') }, NOW);
  const upper = Buffer.from(signed);
  for (let i = message.length; i < message.length + 12; i++) if (upper[i] >= 0x61) upper[i] -= 32;
  assert.is(verify(upper).kind, 'ok');
  const pointed = Buffer.concat([
    signed.subarray(0, message.length + 4),
    Buffer.of(0xc0, 12),
    signed.subarray(message.length + KEY.name.length),
  ]);
  assert.is(verify(pointed).kind, 'ok');
});

test('messages of a stream are signed by 5.3.1: the first whole, the others with their timers', () => {
  const request = signRequest(query(), LONG, NOW);
  const signer = new TsigSigner(LONG, request.mac);
  let prior: Uint8Array = request.mac;
  for (let i = 0; i < 4; i++) {
    const message = query(0x1234);
    message[12 + 2] = 0x61 + i;
    const signed = signer.sign(message, NOW + i);
    assert.is(signed.length, message.length + signer.size);
    const timers = [
      [6, NOW + i],
      [2, 300],
    ] as const;
    const rest = i === 0 ? variables(LONG, NOW, 300) : timers;
    const { mac } = tsigOf(signed);
    assert.equal(Buffer.from(mac), digest(LONG, [[2, prior.length], prior, message, ...rest]));
    assert.ok(isSignedResponse(signed, LONG, prior, NOW, i > 0));
    assert.not.ok(isSignedResponse(signed, LONG, prior, NOW, i === 0));
    prior = mac;
  }
});

test('an unknown key or algorithm is BADKEY, another secret BADSIG: unsigned, with the names and time of the request', () => {
  const stranger = { ...KEY, name: parseName('stranger.example.') };
  const other = { ...KEY, secret: randomBytes(32) };
  const wrong = { ...LONG, name: KEY.name };
  for (const [key, error] of [
    [stranger, TSIG_ERROR.BADKEY],
    [wrong, TSIG_ERROR.BADKEY],
    [other, TSIG_ERROR.BADSIG],
  ] as const) {
    const { message } = signRequest(withOpt(query()), key, NOW - 9999);
    const verdict = verify(message);
    assert.is(verdict.kind, 'error');
    if (verdict.kind !== 'error') return;
    assert.equal([verdict.rcode, verdict.error], [RCODE.NOTAUTH, error]);
    const response = Buffer.from(verdict.response());
    assert.is(response.readUInt16BE(0), 0x1234);
    assert.is(response.readUInt16BE(2), 0x8100 | RCODE.NOTAUTH);
    assert.is(response.readUInt16BE(10), 2);
    const record = tsigOf(response);
    assert.equal([record.mac.length, record.error, record.timeSigned, record.other.length], [0, error, NOW - 9999, 0]);
    assert.equal(record.owner, key.name);
  }
});

test('outside of the fudge is BADTIME: signed, with our time and that of the request', () => {
  for (const off of [301, -301, 86_400]) {
    const { message, mac } = signRequest(query(), KEY, NOW + off);
    const verdict = verify(message);
    if (verdict.kind !== 'error') throw new Error(verdict.kind);
    assert.equal([verdict.rcode, verdict.error], [RCODE.NOTAUTH, TSIG_ERROR.BADTIME]);
    const response = verdict.response();
    const record = tsigOf(response);
    const bare = Buffer.from(response.subarray(0, query().length));
    bare[11] = 0;
    assert.is(record.timeSigned, NOW + off);
    assert.is(Buffer.from(record.other).readUIntBE(0, 6), NOW);
    const expected = variables(KEY, NOW + off, 300, TSIG_ERROR.BADTIME, record.other);
    assert.equal(Buffer.from(record.mac), digest(KEY, [[2, mac.length], mac, bare, ...expected]));
  }
  for (const off of [300, -300]) assert.is(verify(signRequest(query(), KEY, NOW + off).message).kind, 'ok');
});

test('a fudge of more than an hour counts as one of an hour', () => {
  // Signed by hand, since what we send has a fudge of 300.
  const outcome = (off: number): readonly number[] => {
    const record = { ...tsigOf(signRequest(query(), KEY, NOW).message), timeSigned: NOW + off, fudge: 65_535 };
    const mac = digest(KEY, [query(), ...variables(KEY, NOW + off, 65_535)]);
    const verdict = verify(appendTsig(query(), { ...record, mac }));
    if (verdict.kind === 'error') return [verdict.rcode, verdict.error];
    return verdict.kind === 'ok' ? [verdict.goodUntil - NOW] : [];
  };
  assert.equal(outcome(3600), [7200]);
  assert.equal(outcome(-3600), [0]);
  for (const off of [3601, -3601, 65_535]) assert.equal(outcome(off), [RCODE.NOTAUTH, TSIG_ERROR.BADTIME]);
});

test('a truncated MAC is BADTRUNC if it matches, else BADSIG, and malformed if too short or too long', () => {
  const record = tsigOf(signRequest(query(), KEY, NOW).message);
  const outcome = (mac: Uint8Array): string => {
    const verdict = verify(appendTsig(query(), { ...record, mac }));
    return verdict.kind === 'error' ? `${verdict.rcode} ${verdict.error}` : verdict.kind;
  };
  const changed = Buffer.from(record.mac);
  changed[3] ^= 1;
  assert.is(outcome(record.mac), 'ok');
  assert.is(outcome(record.mac.subarray(0, 16)), `${RCODE.NOTAUTH} ${TSIG_ERROR.BADTRUNC}`);
  assert.is(outcome(changed.subarray(0, 20)), `${RCODE.NOTAUTH} ${TSIG_ERROR.BADSIG}`);
  for (const mac of [record.mac.subarray(0, 15), Buffer.alloc(0), Buffer.concat([record.mac, Buffer.of(0)])])
    assert.is(outcome(mac), `${RCODE.FORMERR} 0`);
});

test('a TSIG record that is not last, stands twice, or has another class or TTL is malformed', () => {
  const { message } = signRequest(query(), KEY, NOW);
  const at = query().length + KEY.name.length;
  const edited = (edit: (bytes: Buffer) => void): Buffer => {
    const bytes = Buffer.from(message);
    edit(bytes);
    return bytes;
  };
  const twice = Buffer.concat([message, message.subarray(query().length)]);
  twice[11] = 2;
  const cases = [
    withOpt(Buffer.from(message)),
    twice,
    edited((bytes) => bytes.writeUInt16BE(1, at + 2)),
    edited((bytes) => bytes.writeUInt32BE(1, at + 4)),
    edited((bytes) => {
      bytes[11] = 0;
      bytes[7] = 1;
    }),
    Buffer.concat([message, Buffer.of(0)]),
  ];
  for (const bytes of cases) {
    const verdict = verify(bytes);
    assert.ok(verdict.kind === 'error' && verdict.rcode === RCODE.FORMERR, verdict.kind);
    if (verdict.kind === 'error') assert.is(findTsig(verdict.response()).kind, 'none');
  }
  assert.is(verify(query()).kind, 'none');
});

test('any changed byte changes the verdict, and nothing throws', () => {
  console.log(`seed ${SEED}`);
  const random = new Random(SEED);
  const { message } = signRequest(withOpt(query()), KEY, NOW);
  for (let i = 0; i < 20_000; i++) {
    const bytes = Buffer.from(message);
    const at = random.below(bytes.length);
    bytes[at] ^= 1 << random.below(8);
    const cut = bytes.subarray(0, random.below(4) === 0 ? random.below(bytes.length) : bytes.length);
    const verdict = verify(cut);
    if (verdict.kind === 'error') verdict.response();
    // The id is not signed, nor is the case of names that are compared without it.
    const isCase = cut.length > at && (bytes[at] ^ message[at]) === 0x20 && at > query().length;
    if (verdict.kind === 'ok') assert.ok(at < 2 || isCase, `byte ${at}`);
  }
});

test('of several keys with one name the MAC decides, and the question of the message is passed on', () => {
  const other = { ...KEY, secret: randomBytes(32) };
  const asked: string[] = [];
  const namesakes = (_name: Uint8Array, _algorithm: TsigAlgorithm, question: Uint8Array): readonly TsigKey[] => {
    asked.push(formatName(question));
    return [KEY, other];
  };
  for (const key of [KEY, other]) {
    const { message } = signRequest(query(), key, NOW);
    const verdict = verifyTsig(message, namesakes, NOW);
    assert.is(verdict.kind === 'ok' && verdict.key, key);
  }
  const verdict = verifyTsig(signRequest(query(), { ...KEY, secret: randomBytes(32) }, NOW).message, namesakes, NOW);
  assert.is(verdict.kind === 'error' && verdict.error, TSIG_ERROR.BADSIG);
  const bare = query().subarray(0, 12);
  bare[5] = 0;
  verifyTsig(signRequest(bare, KEY, NOW).message, namesakes, NOW);
  assert.equal(asked, ['example.', 'example.', 'example.', '.']);
});

test.run();

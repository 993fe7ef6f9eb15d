/** Key pairs, DNSKEY and what parents get of it, with the examples of the RFCs. */
import { inspect } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { WaypostError } from '../../../../core/base/errors.ts';
import {
  ALGORITHM,
  type Algorithm,
  algorithmOf,
  DELETE_CDNSKEY,
  DELETE_CDS,
  dnskeyRdata,
  dsRdata,
  keyIdentity,
  keyTag,
  publicKeyOf,
} from '../../../../core/dns/dnssec/dnskey.ts';
import { generateKeyPair, SigningKey } from '../../../../core/dns/dnssec/keys.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { checkRdata, formatRdata, parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { RDATA } from '../wire/arbitrary.ts';
import { tagOf } from './reference.ts';

const test = suite('DNSSEC keys');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64 = (text: string): Buffer => Buffer.from(text, 'base64');
const ALGORITHMS: readonly Algorithm[] = [ALGORITHM.ECDSAP256SHA256, ALGORITHM.ED25519];

const EXAMPLES = [
  {
    source: 'RFC 6605 6.1',
    owner: 'example.net.',
    dnskey: '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
    privateKey: 'GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=',
    ds: '55648 13 2 b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17',
  },
  {
    source: 'RFC 8080 6.1, first',
    owner: 'example.com.',
    dnskey: '257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
    privateKey: 'ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI=',
    ds: '3613 15 2 3aa5ab37efce57f737fc1627013fee07bdf241bd10f3b1964ab55c78e79a304b',
  },
  {
    source: 'RFC 8080 6.1, second',
    owner: 'example.com.',
    dnskey: '257 3 15 zPnZ/QwEe7S8C5SPz2OfS5RR40ATk2/rYnE9xHIEijs=',
    privateKey: 'DSSF3o0s0f+ElWzj9E/Osxw8hLpk55chkmx0LYN5WiY=',
    ds: '35217 15 2 401781b934e392de492ec77ae2e15d70f6575a1c0bc59c5275c04ebe80c6614c',
  },
];

for (const { source, owner, dnskey, privateKey, ds } of EXAMPLES)
  test(`the key pair and DS of ${source}`, () => {
    const rdata = parseRdata(TYPE.DNSKEY, dnskey);
    const key = new SigningKey({ dnskey: rdata, privateKey: base64(privateKey) });
    assert.is(formatRdata(TYPE.DS, dsRdata(parseName(owner), rdata)), ds);
    assert.is(key.tag, Number(ds.split(' ')[0]));
    assert.is(hex(dnskeyRdata(key.algorithm, publicKeyOf(rdata))), hex(rdata));
  });

test('the key tag of RFC 4034 5.4 and the DS of RFC 4509 2.3', () => {
  const dnskey = parseRdata(
    TYPE.DNSKEY,
    '256 3 5 AQOeiiR0GOMYkDshWoSKz9XzfwJr1AYtsmx3TGkJaNXVbfi/2pHm822aJ5iI9BMzNXxeYCmZDRD99WYwYqUSdjMmmAphXdvx' +
      'egXd/M5+X7OrzKBaMbCVdFLUUh6DhweJBjEVv5f2wwjM9XzcnOf+EPbtG9DMBmADjFDc2w/rljwvFw==',
  );
  assert.is(keyTag(dnskey), 60485);
  const ds = '60485 5 2 d4b7d520e7bb5f0f67674a0cceb1e3e0614b93c4f9e99b8383f6a1e4469da50a';
  for (const owner of ['dskey.example.com.', 'DSKey.EXAMPLE.com.'])
    assert.is(formatRdata(TYPE.DS, dsRdata(Buffer.from(wire(owner)), dnskey)), ds);
});

/** Wire form with the case kept. */
const wire = (name: string): string =>
  name.replace(/([^.]*)\./g, (_, label: string) => String.fromCharCode(label.length) + label).concat('\0');

test('key tags are those of RFC 4034 appendix B', () => {
  fc.assert(
    fc.property(RDATA.get(TYPE.DNSKEY)!, (dnskey) => assert.is(keyTag(dnskey), tagOf(dnskey))),
    { numRuns: depth({ quick: 200, moderate: 500, full: 40_000 }) },
  );
  // The carries, and a last byte alone.
  for (const length of [64, 65, 0xffff]) assert.is(keyTag(Buffer.alloc(length, 255)), tagOf(Buffer.alloc(length, 255)));
});

for (const algorithm of ALGORITHMS)
  test(`a generated key of algorithm ${algorithm} is well-formed and loads`, () => {
    const pair = generateKeyPair(algorithm);
    checkRdata(TYPE.DNSKEY, pair.dnskey);
    assert.match(formatRdata(TYPE.DNSKEY, pair.dnskey), new RegExp(`^257 3 ${algorithm} `));
    assert.is(algorithmOf(pair.dnskey), algorithm);
    assert.is(pair.privateKey.length, 32);
    const key = new SigningKey(pair);
    assert.is(key.algorithm, algorithm);
    assert.is(hex(key.dnskey), hex(pair.dnskey));
    assert.is(key.tag, tagOf(pair.dnskey));
    assert.is(hex(key.identity), hex(keyIdentity(pair.dnskey)));
  });

test('the private key is not in what is printed', () => {
  for (const algorithm of ALGORITHMS) {
    const pair = generateKeyPair(algorithm);
    const key = new SigningKey(pair);
    const keys = Object.keys(key).sort();
    assert.equal(keys, ['algorithm', 'cost', 'dnskey', 'identity', 'signatureLength', 'tag']);
    assert.not.match(inspect(key, { depth: 9, showHidden: true }), /scalar|secret|KeyObject/i);
  }
});

test('the private key is copied', () => {
  const pair = generateKeyPair(ALGORITHM.ECDSAP256SHA256);
  const key = new SigningKey(pair);
  const input = { key, message: Buffer.of(1), digest: Buffer.alloc(32, 7) };
  const [before] = SigningKey.signAll([input]);
  pair.privateKey.fill(0);
  assert.is(hex(SigningKey.signAll([input])[0]), hex(before));
});

test('the identity of a key depends on its public key alone', () => {
  const { dnskey } = generateKeyPair(ALGORITHM.ED25519);
  const other = dnskeyRdata(ALGORITHM.ED25519, publicKeyOf(dnskey), 256);
  assert.is.not(keyTag(other), keyTag(dnskey));
  assert.is(hex(keyIdentity(other)), hex(keyIdentity(dnskey)));
  assert.is.not(hex(keyIdentity(generateKeyPair(ALGORITHM.ED25519).dnskey)), hex(keyIdentity(dnskey)));
});

test('a new key has none of the key tags that are taken', () => {
  // One tag in 16 is free.
  const taken = new Set(Array.from({ length: 0x10000 }, (_, tag) => tag).filter((tag) => tag % 16 !== 0));
  for (const algorithm of ALGORITHMS)
    for (let i = 0; i < 5; i++) assert.is(keyTag(generateKeyPair(algorithm, taken).dnskey) % 16, 0);
});

const isBadKey = (reason: RegExp) => (error: unknown) =>
  error instanceof WaypostError && error.code === 'bad_signing_key' && reason.test(error.message);

test('a private key does not load with the public key of another', () => {
  for (const algorithm of ALGORITHMS) {
    const [first, second] = [generateKeyPair(algorithm), generateKeyPair(algorithm)];
    assert.throws(
      () => new SigningKey({ dnskey: first.dnskey, privateKey: second.privateKey }),
      isBadKey(new RegExp(`key tag ${keyTag(first.dnskey)}: the private key belongs to another public key`)),
    );
    // The same bytes are a private key of either algorithm.
    const other = ALGORITHMS[1 - ALGORITHMS.indexOf(algorithm)];
    const { dnskey } = generateKeyPair(other);
    assert.throws(() => new SigningKey({ dnskey, privateKey: first.privateKey }), isBadKey(/another public key/));
    const cut = first.dnskey.subarray(0, first.dnskey.length - 1);
    assert.throws(() => new SigningKey({ dnskey: cut, privateKey: first.privateKey }), isBadKey(/another public key/));
  }
});

test('malformed private keys and other algorithms do not load', () => {
  for (const algorithm of ALGORITHMS) {
    const { dnskey, privateKey } = generateKeyPair(algorithm);
    for (const bytes of [privateKey.subarray(1), Buffer.concat([privateKey, Buffer.of(0)]), Buffer.alloc(0)])
      assert.throws(() => new SigningKey({ dnskey, privateKey: bytes }), isBadKey(/malformed/));
    const foreign = dnskey.slice();
    foreign[3] = 5;
    assert.throws(() => new SigningKey({ dnskey: foreign, privateKey }), isBadKey(/algorithm 5 is not supported/));
  }
  const { dnskey } = generateKeyPair(ALGORITHM.ECDSAP256SHA256);
  assert.throws(() => new SigningKey({ dnskey, privateKey: Buffer.alloc(32, 255) }), isBadKey(/malformed/));
});

test('CDS and CDNSKEY that delete are those of RFC 8078 section 4', () => {
  assert.is(hex(DELETE_CDS), hex(parseRdata(TYPE.CDS, '0 0 0 00')));
  assert.is(hex(DELETE_CDNSKEY), hex(parseRdata(TYPE.CDNSKEY, '0 3 0 AA==')));
});

test('signatures of several keys and algorithms come in the order of the inputs', () => {
  const keys = [13, 15, 13, 15, 15, 13].map((algorithm) => new SigningKey(generateKeyPair(algorithm as Algorithm)));
  const inputs = keys.map((key, i) => ({ key, message: Buffer.of(i), digest: Buffer.alloc(32, i) }));
  const together = SigningKey.signAll(inputs).map(hex);
  assert.equal(
    together,
    inputs.map((input) => hex(SigningKey.signAll([input])[0])),
  );
  assert.ok(together.every((signature) => signature.length === 128));
  assert.equal(SigningKey.signAll([]), []);
});

test.run();

/** NSEC3: hashes, owner names and rdata. */
import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { InvalidError } from '../../../../core/base/errors.ts';
import {
  hashName,
  hashNameWords,
  hashOfOwner,
  hashPrefix,
  hashSalted,
  MAX_NSEC3_APEX,
  NEXT_HASH_OFFSET,
  NSEC3_HASH_WORDS,
  NSEC3PARAM_RDATA,
  nsec3Owner,
  nsec3Rdata,
} from '../../../../core/dns/dnssec/nsec3.ts';
import { sha1LowerCased } from '../../../../core/dns/dnssec/sha1.ts';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { formatBase32 } from '../../../../core/dns/wire/rdata/base32.ts';
import { checkRdata, formatRdata, parseRdata, typeBitmap } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { nameOf } from '../../../support/names.ts';
import { anyName } from '../wire/arbitrary.ts';
import { nsec3Hash } from './reference.ts';

const test = suite('NSEC3');
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const ROOT = parseName('.');

/** The hash of words as bytes. */
const wordsToHex = (words: Int32Array): string =>
  [...words.subarray(0, NSEC3_HASH_WORDS)].map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');

/** RFC 5155 appendix A: 12 iterations, salt aabbccdd. */
const RFC_5155: Readonly<Record<string, string>> = {
  'example.': '0p9mhaveqvm6t7vbl5lop2u3t2rp3tom',
  'a.example.': '35mthgpgcu1qg68fab165klnsnk3dpvl',
  'ai.example.': 'gjeqe526plbf1g8mklp59enfd789njgi',
  'ns1.example.': '2t7b4g4vsa5smi47k61mv5bv1a22bojr',
  'ns2.example.': 'q04jkcevqvmu85r014c7dkba38o0ji5r',
  'w.example.': 'k8udemvp1j2f7eg6jebps17vp3n8i58h',
  '*.w.example.': 'r53bq7cc2uvmubfu5ocmm6pers9tk9en',
  'x.w.example.': 'b4um86eghhds6nea196smvmlo4ors995',
  'y.w.example.': 'ji6neoaepv8b5o6k4ev33abha8ht9fgc',
  'x.y.w.example.': '2vptu5timamqttgl4luu9kg21e0aor3s',
  'xx.example.': 't644ebqk9bibcna874givr6joj62mlhv',
  '2t7b4g4vsa5smi47k61mv5bv1a22bojr.example.': 'kohar7mbb8dc2ce8a9qvl8hon4k53uhi',
};

for (const [name, label] of Object.entries(RFC_5155))
  test(`RFC 5155 appendix A: ${name}`, () => {
    const hash = nsec3Hash(parseName(name), 12, Buffer.from('aabbccdd', 'hex'));
    assert.is(formatName(nsec3Owner(hash, parseName('example.'))), `${label}.example.`);
  });

test('RFC 9824 and Knot: the hash of com. without salt and iterations', () => {
  // What `knsec3hash - 1 0 com.` prints.
  const label = formatName(nsec3Owner(hashName(parseName('com.')), parseName('com.')));
  assert.is(label, 'ck0pojmg874ljref7efn8430qvit8bsm.com.');
});

test('names of any case hash as the reference', () => {
  const words = new Int32Array(NSEC3_HASH_WORDS);
  fc.assert(
    fc.property(anyName, fc.nat(9), fc.boolean(), (name, offset, isUpper) => {
      const written = isUpper ? upper(name) : name;
      const expected = nsec3Hash(name).toString('hex');
      assert.is(hex(hashName(written)), expected);
      const around = Buffer.concat([Buffer.alloc(offset, 0x41), written, Buffer.alloc(9, 0x42)]);
      hashNameWords(around, offset, offset + name.length, words);
      assert.is(wordsToHex(words), expected);
      assert.is(hashPrefix(hashName(written)), words[0] >>> 0);
    }),
    { numRuns: depth({ quick: 200, moderate: 1000, full: 50_000 }) },
  );
});

test('names hash as the reference with any salt and iterations', () => {
  const salts = fc.uint8Array({ maxLength: 80 }).map((salt) => Uint8Array.from(salt));
  fc.assert(
    fc.property(anyName, salts, fc.nat(3), (name, salt, iterations) => {
      assert.is(hex(hashSalted(upper(name), { iterations, salt })), hex(nsec3Hash(name, iterations, salt)));
    }),
    { numRuns: depth({ quick: 100, moderate: 300, full: 50_000 }) },
  );
});

test('the hash of an owner is read from its label in either case', () => {
  const hash = hashName(parseName('example.'));
  const owner = nsec3Owner(hash, parseName('test.'));
  for (const name of [owner, upper(owner)]) assert.is(hex(hashOfOwner(name)!), hex(hash));
  for (const label of ['w'.repeat(32), 'a'.repeat(31), `${'a'.repeat(31)}_`])
    assert.is(hashOfOwner(parseName(label, ROOT)), null);
});

const upper = (name: Uint8Array): Uint8Array => {
  const copy = Uint8Array.from(name);
  for (let p = 0; name[p] !== 0; p += name[p] + 1)
    for (let i = p + 1; i <= p + name[p]; i++) if (name[i] >= 0x61 && name[i] <= 0x7a) copy[i] -= 0x20;
  return copy;
};

test('SHA-1 of every length up to 300 bytes, in private and shared memory', () => {
  const words = new Int32Array(8).fill(7);
  const shared = new Uint8Array(new SharedArrayBuffer(400));
  for (let length = 0; length <= 300; length++) {
    for (let i = 0; i < length; i++) shared[i + 3] = (i * 31 + length * 7) & 255;
    const expected = createHash('sha1')
      .update(Buffer.from(shared.subarray(3, 3 + length)).map((c) => (c >= 0x41 && c <= 0x5a ? c + 32 : c)))
      .digest('hex');
    for (const bytes of [shared, Uint8Array.from(shared)]) {
      sha1LowerCased(bytes, 3, 3 + length, words);
      assert.is(wordsToHex(words), expected, `${length} bytes`);
    }
  }
  assert.equal([...words.subarray(NSEC3_HASH_WORDS)], [7, 7, 7], 'only five words are written');
});

test('the order of hashes is that of their owner names', () => {
  const hashes = Array.from({ length: 200 }, (_, i) => hashName(parseName(`n${i}.example.`)));
  const labels = hashes.map((hash) => formatName(nsec3Owner(hash, ROOT)));
  const byHash = [...hashes].sort(Buffer.compare).map((hash) => formatName(nsec3Owner(hash, ROOT)));
  assert.equal(byHash, [...labels].sort());
  // And of their first 32 bits.
  const prefixes = [...hashes].sort(Buffer.compare).map(hashPrefix);
  assert.equal(
    prefixes,
    [...prefixes].sort((a, b) => a - b),
  );
});

test('owner names have at most 255 bytes', () => {
  const hash = hashName(parseName('x.'));
  const apex = (length: number): Uint8Array =>
    nameOf(['a'.repeat(63), 'a'.repeat(63), 'a'.repeat(63), 'a'.repeat(length - 3 * 64 - 2)], ROOT);
  assert.is(nsec3Owner(hash, apex(MAX_NSEC3_APEX)).length, 255);
  assert.throws(
    () => nsec3Owner(hash, apex(MAX_NSEC3_APEX + 1)),
    (error: unknown) =>
      error instanceof InvalidError && error.code === 'invalid_name' && /223 bytes, .* 222\.$/.test(error.message),
  );
});

test('rdata of NSEC3 and NSEC3PARAM', () => {
  const hash = Buffer.from('0123456789abcdef0123456789abcdef01234567', 'hex');
  const text = formatBase32(hash).toLowerCase();
  assert.is(formatName(nsec3Owner(hash, ROOT)), `${text}.`);
  for (const [types, names] of [
    [[], ''],
    [[TYPE.A], ' A'],
    [[TYPE.RRSIG, TYPE.A, TYPE.CAA, TYPE.A, 65280], ' A RRSIG CAA TYPE65280'],
  ] as const) {
    const rdata = nsec3Rdata(hash, types);
    checkRdata(TYPE.NSEC3, rdata);
    assert.is(formatRdata(TYPE.NSEC3, rdata).toLowerCase(), `1 0 0 - ${text}${names.toLowerCase()}`);
    assert.is(hex(rdata.subarray(NEXT_HASH_OFFSET, NEXT_HASH_OFFSET + 20)), hex(hash));
  }
  assert.is(hex(NSEC3PARAM_RDATA), hex(parseRdata(TYPE.NSEC3PARAM, '1 0 0 -')));
});

test('the bit map of RFC 4034 4.3', () => {
  const types = [1234, TYPE.NSEC, TYPE.MX, TYPE.RRSIG, TYPE.A];
  assert.is(hex(typeBitmap(types)), `0006400100000003041b${'00'.repeat(26)}20`);
  assert.is(hex(typeBitmap(new Set())), '');
  assert.is(hex(typeBitmap([0xffff, 0])), `000180ff20${'00'.repeat(31)}01`);
});

test('bit maps of any types are those of their text', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { maxLength: 12 }), (types) => {
      const text = types.map((type) => `TYPE${type}`).join(' ');
      const hash = Buffer.alloc(20, 1);
      const label = formatName(nsec3Owner(hash, ROOT)).slice(0, -1);
      assert.is(hex(nsec3Rdata(hash, types)), hex(parseRdata(TYPE.NSEC3, `1 0 0 - ${label} ${text}`)));
    }),
    { numRuns: depth({ quick: 100, moderate: 125, full: 10_000 }) },
  );
});

test.run();

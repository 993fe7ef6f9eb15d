/** Deterministic ECDSA on P-256: the vectors of RFC 6979, and signatures that Node verifies. */
import { createHash, generateKeyPairSync, randomBytes, verify } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NonceSource } from '../../../../core/dns/dnssec/nonce.ts';
import { generateP256Scalar, loadP256Key, signP256Batch } from '../../../../core/dns/dnssec/p256.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { nonceCandidates, publicKeyObject } from './reference.ts';

const test = suite('ECDSA P-256');

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const sha256 = (message: string | Uint8Array): Buffer => createHash('sha256').update(message).digest();
const ORDER = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex');

/** RFC 6979 A.2.5. */
const SCALAR = Buffer.from('c9afa9d845ba75166b5c215767b1d6934e50c3db36e89b127b8a622b120f6721', 'hex');
const PUBLIC_KEY =
  '60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6' +
  '7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299';
const VECTORS = [
  {
    message: 'sample',
    k: 'a6e3c57dd01abe90086538398355dd4c3b17aa873382b0f24d6129493d8aad60',
    r: 'efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716',
    s: 'f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8',
  },
  {
    message: 'test',
    k: 'd16b6ae827f17175e040871a1c7ec3500192c4c92677336ec2537acaee0008e0',
    r: 'f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367',
    s: '019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083',
  },
];

for (const { message, k, r, s } of VECTORS)
  test(`RFC 6979 A.2.5, "${message}"`, () => {
    const key = loadP256Key(SCALAR);
    assert.is(hex(key.publicKey), PUBLIC_KEY);
    const nonces = new NonceSource();
    nonces.seed(SCALAR, sha256(message));
    assert.is(hex(nonces.next()), k);
    assert.is(hex(signP256Batch([{ key, digest: sha256(message) }])[0]), r + s);
  });

test('an empty batch has no signatures', () => {
  assert.equal(signP256Batch([]), []);
});

test('every candidate for a nonce is that of RFC 6979 3.2', () => {
  const nonces = new NonceSource();
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (key, hash) => {
        nonces.seed(key, hash);
        const expected = nonceCandidates(key, hash);
        for (let i = 0; i < 4; i++) assert.is(hex(nonces.next()), hex(expected.next().value));
      },
    ),
    { numRuns: depth({ quick: 50, moderate: 300, full: 3000 }) },
  );
});

/** Numbers near the order. */
const near = (bytes: Buffer, below: boolean) =>
  fc.integer({ min: 1, max: 1000 }).map((distance) => {
    const value = BigInt(`0x${hex(bytes)}`) + BigInt(below ? -distance : distance - 1);
    return Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
  });
const random = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));
const short = fc.tuple(random, fc.integer({ min: 1, max: 31 })).map(([bytes, zeros]) => {
  bytes.fill(0, 0, zeros);
  return bytes;
});
const inRange = (bytes: Buffer): boolean => Buffer.compare(bytes, ORDER) < 0 && bytes.some((byte) => byte !== 0);
const scalar = fc
  .oneof({ weight: 5, arbitrary: random }, { weight: 1, arbitrary: short }, { weight: 1, arbitrary: near(ORDER, true) })
  .filter(inRange);
const digest = fc.oneof(
  { weight: 8, arbitrary: random },
  { weight: 1, arbitrary: short },
  { weight: 1, arbitrary: fc.constantFrom(Buffer.alloc(32), Buffer.alloc(32, 255)) },
  { weight: 1, arbitrary: near(ORDER, false) },
);

/** RFC 6979 3.2 and FIPS 186-5 6.4.1 with plain numbers; the point is that of a loaded key. */
function slowSignature(key: Buffer, hash: Buffer): string {
  const n = BigInt(`0x${hex(ORDER)}`);
  const number = (bytes: Uint8Array): bigint => BigInt(`0x${hex(bytes)}`);
  const text = (value: bigint): string => value.toString(16).padStart(64, '0');
  const z = number(hash) % n;
  for (const candidate of nonceCandidates(key, Buffer.from(text(z), 'hex'))) {
    if (!inRange(candidate)) continue;
    const k = number(candidate);
    const r = number(loadP256Key(candidate).publicKey.subarray(0, 32)) % n;
    // Fermat: the inverse is the power of n - 2.
    let [inverse, base, exponent] = [1n, k, n - 2n];
    for (; exponent > 0n; exponent >>= 1n, base = (base * base) % n) if (exponent & 1n) inverse = (inverse * base) % n;
    return text(r) + text((inverse * (z + r * number(key))) % n);
  }
  throw new Error('no candidate');
}

test('signatures of any key and digest are those of the definition, in batches of any size', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(scalar, digest), { minLength: 1, maxLength: 9 }), (cases) => {
      const signatures = signP256Batch(cases.map(([key, hash]) => ({ key: loadP256Key(key), digest: hash })));
      cases.forEach(([key, hash], i) => {
        assert.is(hex(signatures[i]), slowSignature(key, hash));
      });
    }),
    { numRuns: depth({ quick: 10, moderate: 60, full: 1000 }) },
  );
});

test('Node verifies signatures of random messages, and no others', () => {
  for (let i = 0; i < depth({ quick: 4, moderate: 20, full: 200 }); i++) {
    const key = loadP256Key(generateP256Scalar());
    const publicKey = publicKeyObject(Buffer.concat([Buffer.of(1, 1, 3, 13), key.publicKey]));
    const messages = Array.from({ length: 100 }, () => randomBytes(40));
    const signatures = signP256Batch(messages.map((message) => ({ key, digest: sha256(message) })));
    messages.forEach((message, j) => {
      const check = (text: Buffer): boolean =>
        verify('sha256', text, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signatures[j]);
      assert.ok(check(message), hex(message));
      assert.not(check(Buffer.concat([message, Buffer.of(0)])));
      assert.is(hex(signP256Batch([{ key, digest: sha256(message) }])[0]), hex(signatures[j]));
    });
  }
});

test('public keys are those that Node derives', () => {
  for (let i = 0; i < 20; i++) {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const key = loadP256Key(Buffer.from(jwk.d!, 'base64url'));
    assert.is(Buffer.from(key.publicKey.subarray(0, 32)).toString('base64url'), jwk.x);
    assert.is(Buffer.from(key.publicKey.subarray(32)).toString('base64url'), jwk.y);
  }
});

test('generated keys differ and have 32 bytes', () => {
  const keys = Array.from({ length: 600 }, () => hex(generateP256Scalar()));
  assert.is(new Set(keys).size, keys.length);
  assert.ok(keys.every((key) => key.length === 64));
  // One in 256 begins with a zero byte, which Node leaves out.
  for (const key of keys) loadP256Key(Buffer.from(key, 'hex'));
});

for (const [what, bytes] of [
  ['zero', Buffer.alloc(32)],
  ['the order', ORDER],
  ['more than the order', Buffer.alloc(32, 255)],
  ['31 bytes', Buffer.alloc(31, 1)],
  ['33 bytes', Buffer.alloc(33, 1)],
  ['nothing', Buffer.alloc(0)],
] as const)
  test(`${what} is no private key`, () => {
    assert.throws(
      () => loadP256Key(bytes),
      (error: unknown) => error instanceof RangeError,
    );
  });

test('one less than the order and 1 are private keys', () => {
  const last = Buffer.from(ORDER);
  last[31]--;
  const first = Buffer.alloc(32);
  first[31] = 1;
  // The points of n - 1 and 1 are opposite: their first coordinates are equal.
  assert.is(hex(loadP256Key(last).publicKey.subarray(0, 32)), hex(loadP256Key(first).publicKey.subarray(0, 32)));
});

test.run();

import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyTag, publicKeyOf } from '../../../../core/dns/dnssec/dnskey.ts';
import { readKeyPair } from '../../../../core/dns/dnssec/private-key.ts';
import { faultOfRsaKey } from '../../../../core/dns/dnssec/rsa.ts';
import { parseRdata } from '../../../../core/dns/wire/rdata/index.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { EXAMPLE_KEYS, rsaFile } from './rsa-keys.ts';

const test = suite('private keys of other nameservers');

/** RFC 6605 section 6.1: its DNSKEY has the flags 257 and the key tag 55648. */
const P256 = `Private-key-format: v1.2
Algorithm: 13 (ECDSAP256SHA256)
PrivateKey: GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=
`;
/** RFC 8080 section 6: flags 257, key tag 3613. */
const ED25519 = `Private-key-format: v1.2
Algorithm: 15 (ED25519)
PrivateKey: ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI=
`;

const tagOf = (text: string): number => keyTag(readKeyPair(text).dnskey);
const pemOf = (key: KeyObject): string => key.export({ format: 'pem', type: 'pkcs8' }).toString();

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });

test('files of BIND have the keys of the RFCs', () => {
  assert.is(tagOf(P256), 55648);
  assert.is(tagOf(ED25519), 3613);
  assert.is(tagOf(`${P256.replaceAll('\n', '\r\n')}Created: 20260101000000\n`), 55648);
});

test('files with RSA have the keys of RFC 5702', () => {
  for (const { file, dnskey } of EXAMPLE_KEYS)
    assert.equal(publicKeyOf(readKeyPair(file).dnskey), publicKeyOf(parseRdata(TYPE.DNSKEY, dnskey)));
});

test('PKCS #8 in PEM', () => {
  for (const pair of [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')]) {
    const { dnskey } = readKeyPair(pemOf(pair.privateKey));
    const { x, y = '' } = pair.publicKey.export({ format: 'jwk' });
    const expected = Buffer.concat([Buffer.from(x!, 'base64url'), Buffer.from(y, 'base64url')]);
    assert.equal(Buffer.from(dnskey.subarray(4)), expected);
  }
});

test('a PEM with RSA needs its algorithm, and has the key of the file', () => {
  const pem = pemOf(RSA.privateKey);
  for (const algorithm of [8, 10])
    assert.equal(readKeyPair(pem, algorithm).dnskey, readKeyPair(rsaFile(algorithm, RSA.privateKey)).dnskey);
  assert.throws(() => readKeyPair(pem), /8 \(RSASHA256\) or 10 \(RSASHA512\)/);
  assert.throws(() => readKeyPair(pem, 13), /a key of RSA, and the algorithm 13 is not/);
});

test('keys of RSA have 1024 to 4096 bits', () => {
  for (const [bits, message] of [
    [512, /has 512 bits, and 1024 to 4096 are allowed/],
    [1016, /has 1016 bits/],
  ] as const) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    assert.throws(() => readKeyPair(pemOf(privateKey), 8), message);
  }
  // The exponent 3, and any odd modulus.
  const publicKey = (bytes: number, first = 0x80) =>
    Buffer.concat([Uint8Array.of(1, 3, first), Buffer.alloc(bytes - 1, 1)]);
  assert.is(faultOfRsaKey(publicKey(512)), null);
  assert.match(faultOfRsaKey(publicKey(513, 1))!, /has 4097 bits/);
  assert.match(faultOfRsaKey(publicKey(128, 0x7f))!, /has 1023 bits/);
  assert.is(faultOfRsaKey(publicKey(128, 0)), 'it is malformed');
  for (const bits of [1024, 1280]) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits });
    // The length of the exponent, 65537, and the modulus.
    assert.is(publicKeyOf(readKeyPair(pemOf(privateKey), 8).dnskey).length, 1 + 3 + bits / 8);
  }
});

test('what cannot sign here is refused without repeating the key', () => {
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey;
  const large = generateKeyPairSync('rsa', { modulusLength: 1024, publicExponent: 2 ** 31 + 11 }).privateKey;
  const file = rsaFile(8, RSA.privateKey);
  const other = rsaFile(8, generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey);
  const swapped = ['PrivateExponent', 'Prime1', 'Prime2', 'Exponent1', 'Exponent2', 'Coefficient'].reduce(
    (text, field) => text.replace(lineOf(text, field), lineOf(other, field)),
    file,
  );
  assert.ok(readKeyPair(rsaFile(8, large)));
  for (const [text, message] of [
    ['hello', /neither a file with "Private-key-format/],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', /PEM cannot be read/],
    [pemOf(p384), /the algorithm secp384r1 cannot sign here/],
    [P256.replace('13 ', '14 '), /the algorithm 14 cannot sign here/],
    [P256.replace('GU6S', ''), /has 29 bytes in place of 32/],
    [P256 + ED25519, /it has several keys/],
    [file.replace('8 ', '5 '), /algorithm 5 \(RSASHA1\) is obsolete.*replace the key by one of algorithm 13/],
    [file.replace('8 ', '7 '), /algorithm 7 \(RSASHA1-NSEC3-SHA1\) is obsolete/],
    [file.replace(/Prime2.*\n/, ''), /the field "prime2" is missing/],
    [swapped, /does not belong|not a key of RSA/],
    [`${P256}${'#'.repeat(8192)}`, /more than 8192 characters/],
  ] as const)
    assert.throws(
      () => readKeyPair(text),
      (error: Error) => message.test(error.message) && !error.message.includes('Ou+xC5'),
      text.slice(0, 60),
    );
});

const lineOf = (text: string, field: string): string => new RegExp(`^${field}: .*$`, 'm').exec(text)![0];

test.run();

import { generateKeyPairSync } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyTag } from '../../../../core/dns/dnssec/dnskey.ts';
import { readKeyPair } from '../../../../core/dns/dnssec/private-key.ts';

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

test('files of BIND have the keys of the RFCs', () => {
  assert.is(tagOf(P256), 55648);
  assert.is(tagOf(ED25519), 3613);
  assert.is(tagOf(`${P256.replaceAll('\n', '\r\n')}Created: 20260101000000\n`), 55648);
});

test('PKCS #8 in PEM', () => {
  for (const pair of [generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ed25519')]) {
    const { dnskey } = readKeyPair(pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    const { x, y = '' } = pair.publicKey.export({ format: 'jwk' });
    const expected = Buffer.concat([Buffer.from(x!, 'base64url'), Buffer.from(y, 'base64url')]);
    assert.equal(Buffer.from(dnskey.subarray(4)), expected);
  }
});

test('what cannot sign here is refused without repeating the key', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'pem', type: 'pkcs8' });
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'pem', type: 'pkcs8' });
  for (const [text, message] of [
    ['hello', /neither a file with "Private-key-format/],
    ['-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n', /PEM cannot be read/],
    [rsa.toString(), /the algorithm rsa cannot sign here/],
    [p384.toString(), /the algorithm P-384 cannot sign here/],
    [P256.replace('13 ', '8 '), /the algorithm 8 cannot sign here/],
    [P256.replace('GU6S', ''), /has 29 bytes in place of 32/],
  ] as const)
    assert.throws(
      () => readKeyPair(text),
      (error: Error) => message.test(error.message) && !error.message.includes('Ou+xC5'),
      text.slice(0, 40),
    );
});

test.run();

/**
 * Which certificates and keys go the short way, that what comes of it equals the input, and that
 * nothing stays.
 */
import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Memory } from '../../../../../edge/http/tls/native/memory.ts';
import { type Handle, Objects, shareObjects } from '../../../../../edge/http/tls/native/ownership.ts';
import { QuickReader, type QuickTools, quickTools } from '../../../../../edge/http/tls/native/quick-credential.ts';
import { certificate, ecKey, type KeyPair, pemOfKey, rsaKey } from '../../../../support/certificate.ts';
import { assertLeavesLess } from '../../../../support/garbage.ts';

const test = suite('edge/http/tls/native/quick-credential');
const objects = new Objects(shareObjects(8));
const { openssl } = objects;
const reader = new QuickReader(objects, quickTools() as QuickTools);
const [issuer, key] = [{ name: 'ca', key: ecKey() }, ecKey()];
const certOf = (keyPair: KeyPair, name = 'k.test'): string =>
  certificate({ name, key: keyPair, dnsNames: [name], issuer });
const sec1 = key.privateKey.export({ type: 'sec1', format: 'pem' }).toString();

/** What OpenSSL makes of an X509, and whether its public key is that of an EVP_PKEY. */
function shown(own: Handle<'X509'>, pair: Handle<'EVP_PKEY'>): { readonly der: Buffer; readonly isPair: boolean } {
  const [memory, position] = [new Memory(4096), new Memory(8)];
  position.writePointer(0, memory.address);
  const length = openssl.i2d_X509(own.pointer, position.address);
  return {
    der: Buffer.from(memory.bytes.subarray(0, length)),
    isPair: openssl.X509_check_private_key(own.pointer, pair.pointer) === 1,
  };
}

test('keys on the usual curves in the usual form use the fast path, and the certificate is unchanged', () => {
  for (const curve of ['prime256v1', 'secp384r1'])
    for (let i = 0; i < 20; i++) {
      const pair = ecKey(curve);
      const cert = certOf(pair, `${i}.test`);
      const text = i % 2 === 0 ? pemOfKey(pair) : pemOfKey(pair).replaceAll('\n', '\r\n');
      const read = reader.read(i % 3 === 0 ? new X509Certificate(cert).raw : `\n${cert}`.trimStart(), text);
      assert.ok(read !== undefined, curve);
      const { der, isPair } = shown(read.certificate, read.key);
      assert.ok(der.equals(new X509Certificate(cert).raw));
      assert.ok(isPair);
      read.certificate.free();
      read.key.free();
    }
});

const good = certOf(key);
const body = pemOfKey(key).split('\n').slice(1, -2).join('');
const changed = (at: number): string => {
  const der = Buffer.from(body, 'base64');
  der[at] ^= 1;
  return `-----BEGIN PRIVATE KEY-----\n${der.toString('base64')}\n-----END PRIVATE KEY-----\n`;
};
const cutCertificate = (): string => {
  const der = Buffer.from(new X509Certificate(good).raw);
  return `-----BEGIN CERTIFICATE-----\n${der.subarray(0, -1).toString('base64')}\n-----END CERTIFICATE-----\n`;
};
const longCertificate = (): string => {
  const der = Buffer.concat([new X509Certificate(good).raw, Buffer.of(0)]);
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
};
const ec521 = ecKey('secp521r1');
const rsa = rsaKey(2048);
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['another pair', good, pemOfKey(ecKey())],
  ['a key on another curve', good, pemOfKey(ecKey('secp384r1'))],
  ['a curve that is seldom', certOf(ec521), pemOfKey(ec521)],
  ['RSA', certOf(rsa), pemOfKey(rsa)],
  ['SEC 1', good, sec1],
  ['words before it', good, `Key\n${pemOfKey(key)}`],
  ['words behind it', good, `${pemOfKey(key)}Key\n`],
  ['two of them', good + good, pemOfKey(key)],
  ['another version of the key', good, changed(5)],
  ['a point that is none of the curve', good, changed(137)],
  ['something else between number and point', good, changed(70)],
  ['a certificate that is cut', cutCertificate(), pemOfKey(key)],
  ['a byte behind a certificate', longCertificate(), pemOfKey(key)],
  ['no certificate', '', pemOfKey(key)],
  ['no key', good, ''],
  ['one that is too large', good.replace('\n', `\n${'A'.repeat(20_000)}\n`), pemOfKey(key)],
];

test('anything else uses the slow path', () => {
  for (const [what, cert, privateKey] of REFUSED) assert.is(reader.read(cert, privateKey), undefined, what);
});

/** Times that a round reads something. */
const TIMES = 20_000;

test('nothing remains of accepted and refused keys', () => {
  const pem = pemOfKey(key);
  // One that stayed takes 4.6 KB.
  assertLeavesLess(TIMES * 1024, () => {
    for (let i = 0; i < TIMES; i++) {
      const read = reader.read(good, pem);
      read?.certificate.free();
      read?.key.free();
      const [, cert, other] = REFUSED[i % REFUSED.length];
      reader.read(cert, other);
    }
  });
});

test.run();

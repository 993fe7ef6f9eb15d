import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCertificate } from '../../../../admin-api/sites/proxy/certificate.ts';
import { InvalidError } from '../../../../core/base/errors.ts';
import { CoveredNames } from '../../../../core/site/tls/covered-names.ts';
import { certificate, ecKey, type KeyPair, pemOfKey, rsaKey } from '../../../support/certificate.ts';
import fc from '../../../support/fc.ts';
import { LONG_KEY } from './long-key.ts';

const test = suite('admin-api/sites/proxy/certificate');

const root = { name: 'Test Root', key: ecKey() };
const rootPem = certificate({ ...root, ca: true });
const middle = { name: 'Test Intermediate', key: ecKey() };
const middlePem = certificate({ ...middle, ca: true, issuer: root });
const key = ecKey();
const keyPem = pemOfKey(key);
const NAMES = ['example.com', '*.example.com'];
const leaf = (more: Partial<Parameters<typeof certificate>[0]> = {}): string =>
  certificate({ name: 'example.com', key, issuer: middle, dnsNames: NAMES, ...more });

const now = (): number => Math.floor(Date.now() / 1000);
const check = (pem: string, privateKey = keyPem, domain = 'example.com') =>
  checkCertificate(pem, privateKey, domain, now());

function refused(pem: string, privateKey = keyPem): InvalidError {
  try {
    check(pem, privateKey);
  } catch (error) {
    assert.instance(error, InvalidError, String(error));
    const { message } = error as InvalidError;
    for (const line of privateKey.split('\n').filter((text) => text.length > 20 && !text.startsWith('---')))
      assert.not(message.includes(line), 'nothing of the key is told');
    return error as InvalidError;
  }
  return assert.unreachable('it was taken') as never;
}

test('a valid chain: accepted, times of the leaf, no warnings', () => {
  const checked = check(leaf() + middlePem);
  assert.equal(checked.warnings, []);
  assert.ok(Math.abs(checked.notBefore - (now() - 86_400)) < 5);
  assert.ok(Math.abs(checked.notAfter - (now() + 90 * 86_400)) < 5);
  assert.is(checked.privateKey, keyPem);
  assert.is(checked.fingerprint, new X509Certificate(checked.chain).fingerprint256);
  assert.equal(check(leaf() + middlePem + rootPem).warnings, []);
});

test('text around the blocks is ignored', () => {
  const checked = check(`subject=example.com\r\n${leaf()}\nBag Attributes\n${middlePem}trailing`);
  assert.is(checked.chain.match(/-----BEGIN/g)?.length, 2);
  assert.not.match(checked.chain, /subject|Bag|trailing/);
});

test('accepts every key that browsers support, in every format of common tools', () => {
  const pairs: [string, KeyPair][] = [
    ['P-256', ecKey()],
    ['P-384', ecKey('secp384r1')],
    ['RSA 2048', rsaKey(2048)],
  ];
  for (const [name, pair] of pairs) {
    const pem = leaf({ key: pair }) + middlePem;
    const forms = [pemOfKey(pair)];
    if (name === 'RSA 2048') forms.push(pair.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString());
    else forms.push(pair.privateKey.export({ type: 'sec1', format: 'pem' }).toString());
    for (const form of forms) assert.is(check(pem, form).privateKey, pemOfKey(pair), name);
  }
});

test('rejects keys that browsers do not support, or that are too slow', () => {
  const short = rsaKey(1024);
  for (const [pair, why] of [
    [short, /1024 bits/],
    [LONG_KEY, /4104 bits/],
    [ecKey('secp521r1'), /secp521r1/],
    [ecKey('secp256k1'), /secp256k1/],
  ] as const) {
    const { code, message, pointer } = refused(leaf({ key: pair }) + middlePem, pemOfKey(pair));
    assert.equal([code, pointer], ['unsupported_key', '/private_key']);
    assert.match(message, why);
  }
});

test('rejects invalid keys', () => {
  const encrypted = key.privateKey
    .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString();
  const old = key.privateKey
    .export({ type: 'sec1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' })
    .toString();
  for (const [text, why] of [
    ['hello', /contains no key/],
    [leaf(), /contains no key/],
    [keyPem.slice(0, 100), /contains no key/],
    [keyPem + keyPem, /several keys/],
    [encrypted, /passphrase/],
    [old, /passphrase/],
    [keyPem.replace(/[A-Za-z]{6}/, 'AAAAAA'), /./],
  ] as const) {
    const { code, message } = refused(leaf() + middlePem, text);
    assert.is(code, 'invalid_private_key', message);
    assert.match(message, why);
  }
});

test('rejects invalid certificates', () => {
  for (const [text, why] of [
    ['hello', /no certificate in PEM form/],
    [leaf().slice(0, 200), /no certificate in PEM form/],
    [leaf() + middlePem.replace(/\n[A-Za-z0-9+/]{64}\n/, '\n'), /Certificate 2/],
    [leaf() + keyPem, /private key/],
    [leaf() + middlePem.repeat(10), /11 certificates/],
    ['-----BEGIN CERTIFICATE-----\n'.repeat(2000), /no certificate/],
  ] as const) {
    const { code, message, pointer } = refused(text);
    assert.equal([code, pointer], ['invalid_certificate', '/certificate'], message);
    assert.match(message, why);
  }
});

test('rejects the key of another certificate', () => {
  assert.is(refused(leaf() + middlePem, pemOfKey(ecKey())).code, 'key_mismatch');
  const swapped = refused(middlePem + leaf());
  assert.equal([swapped.code, swapped.pointer], ['certificate_chain', '/certificate']);
  assert.match(swapped.message, /certificate 2: put that certificate first/);
});

test('rejects a chain in the wrong order, or of another certificate', () => {
  assert.match(
    refused(leaf() + rootPem).message,
    /Certificate 1 \(CN=example\.com\) is not issued by certificate 2 \(CN=Test Root\)/,
  );
  assert.is(refused(leaf() + rootPem + middlePem).code, 'certificate_chain');
  const other = certificate({ name: middle.name, key: ecKey(), ca: true, issuer: root });
  assert.is(refused(leaf() + other).code, 'certificate_chain', 'the same name, another key');
  assert.match(refused(leaf({ ca: true }) + middlePem).message, /is a CA certificate/);
});

test('dates: checks every certificate of the chain, and shows the dates', () => {
  const expired = refused(leaf({ from: -30, to: -1 }) + middlePem);
  assert.is(expired.code, 'certificate_expired');
  assert.match(expired.message, /expired at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/);
  const early = refused(leaf({ from: 1 }) + middlePem);
  assert.is(early.code, 'certificate_not_yet_valid');
  assert.match(early.message, /not valid before \d{4}-\d\d-\d\d/);
  const oldMiddle = certificate({ ...middle, ca: true, issuer: root, from: -30, to: -1 });
  assert.match(refused(leaf() + oldMiddle).message, /Certificate 2 of the chain .*expired/);
});

test('names: at least one name of the domain must be covered, which need not be the apex', () => {
  assert.match(refused(leaf({ dnsNames: [] }) + middlePem).message, /subjectAltName/);
  assert.match(
    refused(leaf({ dnsNames: ['*.another.test', 'a.notexample.com'] }) + middlePem).message,
    /for a\.notexample\.com, \*\.another\.test, not for example\.com or a name below it/,
  );
  for (const name of ['example.com', '*.example.com', 'www.shop.example.com', '*.dev.example.com'])
    assert.not.throws(() => check(leaf({ dnsNames: [name] }) + middlePem), name);
  assert.is(refused(leaf({ dnsNames: ['*.com'] }) + middlePem).code, 'certificate_names');
});

test('rejects wrong usage and weak signatures', () => {
  assert.is(refused(leaf({ usage: ['1.3.6.1.5.5.7.3.2'] }) + middlePem).code, 'certificate_usage');
  check(leaf({ usage: ['1.3.6.1.5.5.7.3.2', '1.3.6.1.5.5.7.3.1'] }) + middlePem);
  const weak = refused(leaf({ hash: 'sha1' }) + middlePem);
  assert.is(weak.code, 'invalid_certificate');
  assert.match(weak.message, /Certificate 1 is signed with SHA-1/);
});

test('rejects must-staple, because the edge does not staple (RFC 7633)', () => {
  const { code, message } = refused(leaf({ features: [5] }) + middlePem);
  assert.is(code, 'certificate_must_staple');
  assert.match(message, /Request one without must-staple/);
  assert.is(refused(leaf({ features: [17] }) + middlePem).code, 'certificate_must_staple');
  assert.is(
    refused(leaf({ features: [1, 5], usage: ['1.3.6.1.5.5.7.3.1'] }) + middlePem).code,
    'certificate_must_staple',
  );
  check(leaf({ features: [1] }) + middlePem);
});

test('an unknown issuer is a warning', () => {
  const self = check(certificate({ name: 'example.com', key, dnsNames: NAMES, ca: true }));
  assert.match(self.warnings.join(), /is self-signed/);
  const alone = check(leaf());
  assert.match(alone.warnings.join(), /issued by CN=Test Intermediate/);
  const soon = check(leaf({ to: 10 }) + middlePem);
  assert.match(soon.warnings.join(), /expires at/);
});

test('damaged input is rejected or accepted, without an unexpected error', () => {
  const pem = leaf() + middlePem;
  const cut = fc.tuple(fc.nat(pem.length), fc.nat(40), fc.string({ maxLength: 10 }));
  fc.assert(
    fc.property(
      cut,
      fc.tuple(fc.nat(keyPem.length), fc.nat(3), fc.string({ maxLength: 3 })),
      fc.boolean(),
      (first, second, isKey) => {
        const damage = (text: string, [at, length, put]: [number, number, string]): string =>
          text.slice(0, at) + put + text.slice(at + length);
        try {
          check(isKey ? pem : damage(pem, first), isKey ? damage(keyPem, second) : keyPem);
        } catch (error) {
          assert.instance(error, InvalidError, String(error));
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('parses names as Node writes them, including names that imitate two names', () => {
  const names = CoveredNames.read(
    'DNS:A.example.com, DNS:*.b.example, IP Address:192.0.2.1, DNS:"x.example, DNS:evil.example", DirName:"CN=, DNS:evil2.example"',
  );
  assert.is(names.size, 2);
  assert.ok(names.covers('a.example.com') && names.covers('www.b.example') && names.covers('*.b.example'));
  for (const host of ['b.example', 'x.www.b.example', 'evil.example', 'evil2.example', 'x.example', 'example.com'])
    assert.not(names.covers(host), host);
  assert.is(CoveredNames.read(undefined).size, 0);
});

test.run();

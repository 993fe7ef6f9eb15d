/**
 * Certificates and keys that can be used, and those that cannot; what a connection shows; nothing
 * stays.
 */
import { generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TlsCertificate } from '../../../../edge/http/tls/certificate.ts';
import { TlsContext } from '../../../../edge/http/tls/context.ts';
import { Credentials } from '../../../../edge/http/tls/credentials.ts';
import { type Kind, Objects } from '../../../../edge/http/tls/native/ownership.ts';
import { clearPlaces, sharePlaces } from '../../../../edge/http/tls/places.ts';
import { certificate, ecKey, pemOfKey, rsaKey } from '../../../support/certificate.ts';
import { liveObjects } from './native/live.ts';

const test = suite('edge/http/tls/credentials');
const key = ecKey();
const good = { key: pemOfKey(key), cert: certificate({ name: 'a.test', key, dnsNames: ['a.test'] }) };
const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

interface Rig {
  readonly credentials: Credentials;
  /** Opens an SSL and frees it; whether there was one. */
  shows(served: TlsCertificate): boolean;
  /** Addresses of the objects of a kind. */
  kept(kind?: Kind): number[];
}

function withCredentials(use: (rig: Rig) => void, capacity = 8): void {
  const shared = sharePlaces(1, capacity);
  const objects = new Objects(shared.objects);
  const context = new TlsContext(objects, 3600);
  const credentials = new Credentials(objects, shared.certificates, shared.quick);
  try {
    use({
      credentials,
      shows(served) {
        const ssl = credentials.open(context.ssl, served);
        ssl.free();
        return ssl.isFreed;
      },
      kept: (kind = 'X509') => liveObjects(shared.objects, kind),
    });
  } finally {
    credentials.close();
    context.close();
  }
  assert.is(credentials.live, 0);
  assert.is(clearPlaces(shared), 0, 'main has nothing to free');
}

test('a certificate is read once, as long as the same object names it', () => {
  withCredentials(({ shows, kept, credentials }) => {
    assert.ok(shows(good));
    const first = kept();
    assert.is(first.length, 1);
    assert.ok(shows(good));
    assert.equal(kept(), first);
    assert.is(credentials.live, 1);
    assert.ok(shows({ ...good }));
    assert.is(credentials.live, 2);
  });
});

test('an alternative is read once, too, and one that cannot be used fails the connection', () => {
  const rsa = rsaKey(2048);
  const alternative = { key: pemOfKey(rsa), cert: certificate({ name: 'a.test', key: rsa, dnsNames: ['a.test'] }) };
  withCredentials(({ shows, kept, credentials }) => {
    const both = { ...good, alternative };
    for (let i = 0; i < 3; i++) assert.ok(shows(both));
    assert.is(credentials.live, 2);
    assert.is(kept().length, 2);
    assert.throws(() => shows({ ...good, alternative: { key: 'x', cert: 'x' } }), /not PEM/);
    assert.ok(shows(both));
  });
});

test('recently used ones are cached, others are read again', () => {
  const certificates = Array.from({ length: 12 }, (_, i) => ({
    key: good.key,
    cert: certificate({ name: `${i}.test`, key, dnsNames: [`${i}.test`] }),
  }));
  withCredentials(({ shows, kept, credentials }) => {
    assert.ok(shows(certificates[0]));
    const [first] = kept();
    for (const pair of certificates) {
      assert.ok(shows(pair));
      assert.ok(shows(certificates[0]));
      assert.ok(kept().includes(first));
      assert.ok(credentials.live <= 4);
      assert.is(kept().length, credentials.live);
    }
    // Which they are is what a list of the last that were asked for says.
    const last = certificates.slice(-3);
    for (const pair of last) shows(pair);
    const all = kept();
    assert.is(all.length, 4);
    for (const pair of last) shows(pair);
    assert.equal(kept(), all);
    for (let i = 0; i < 50; i++) assert.throws(() => shows({ cert: 'nonsense', key: good.key }));
    assert.equal(kept(), all, 'what cannot be read takes no place');
  }, 4);
});

test('one more than the cache holds is served, while all others are used repeatedly', () => {
  withCredentials(({ shows, credentials }) => {
    const all = Array.from({ length: 5 }, () => ({ ...good }));
    const kept = all.slice(0, 4);
    for (const pair of [...kept, ...kept]) assert.ok(shows(pair));
    assert.ok(shows(all[4]));
    assert.is(credentials.live, 4);
  }, 4);
});

test('callbacks passed to OpenSSL are released: a process has slots for some thousands', () => {
  const shared = sharePlaces(1, 1);
  const objects = new Objects(shared.objects);
  for (let i = 0; i < 2100; i++) new TlsContext(objects, 3600).close();
  assert.is(clearPlaces(shared), 0);
});

test('keys of every kind and form', () => {
  const [ec384, rsa, ed] = [ecKey('secp384r1'), rsaKey(2048), generateKeyPairSync('ed25519')];
  const certOf = (keyPair: typeof key): string =>
    certificate({ name: 'k.test', key: keyPair, dnsNames: ['k.test'], issuer: { name: 'ca', key } });
  const cases: [string, typeof key, string][] = [
    ['PKCS #8, P-256', key, pemOfKey(key)],
    ['SEC 1', key, key.privateKey.export({ type: 'sec1', format: 'pem' }).toString()],
    ['P-384', ec384, pemOfKey(ec384)],
    ['RSA', rsa, pemOfKey(rsa)],
    ['PKCS #1', rsa, rsa.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
    ['Ed25519', ed, pemOfKey(ed)],
    ['with words before it', key, `Key of k.test\n${pemOfKey(key)}`],
    // As `openssl ecparam -genkey` writes it.
    [
      'behind its parameters',
      key,
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${pemOfKey(key)}`,
    ],
    ['with its certificate before it', key, `${good.cert}${pemOfKey(key)}`],
  ];
  withCredentials(({ shows, credentials }) => {
    for (const [what, pair, pem] of cases) assert.ok(shows({ cert: certOf(pair), key: pem }), what);
    assert.is(credentials.live, cases.length);
  }, 20);
});

test('a chain is used whole, and read once for all certificates with it', () => {
  const other = ecKey();
  const issuer = certificate({ name: 'ca.test', key: other, dnsNames: ['ca.test'] });
  withCredentials(({ shows, kept }) => {
    const chains = (): number => kept('OPENSSL_STACK').length;
    assert.ok(shows({ ...good, cert: `${good.cert}\n${issuer}\n${issuer}\n` }));
    assert.is(chains(), 1);
    const second = certificate({ name: 'b.test', key, dnsNames: ['b.test'] });
    assert.ok(shows({ ...good, cert: `A comment.\n${second}${issuer}${issuer}` }));
    assert.ok(shows({ ...good, cert: `${second}\n${issuer}\n${issuer}\n` }));
    assert.is(chains(), 2, 'an empty line between them is another text');
    assert.ok(shows({ ...good, cert: `${good.key}\n${second}` }), 'a key before it is passed over');
    const broken = issuer.replace(/\n[A-Za-z0-9+/]{20}/, '\n????????????????????');
    assert.throws(() => shows({ ...good, cert: `${good.cert}\n${broken}` }), /of the chain is not PEM/);
    const cut = issuer.slice(0, issuer.length / 2);
    assert.throws(() => shows({ ...good, cert: `${good.cert}\n${cut}` }), /of the chain is not PEM/);
    assert.is(chains(), 2, 'what cannot be read takes no place');
  });
});

test('many chains, many certificates: those in use stay valid after eviction', () => {
  withCredentials(({ shows, credentials }) => {
    for (let i = 0; i < 200; i++) {
      const issuer = certificate({ name: `ca-${i}.test`, key, ca: true });
      assert.ok(shows({ ...good, cert: certificate({ name: `${i}.test`, key }) + issuer }));
    }
    assert.is(credentials.live, 2);
  }, 2);
});

test('the main thread frees what a dead thread leaves, with and without connections', () => {
  const shared = sharePlaces(8, 3);
  const objects = new Objects(shared.objects);
  const context = new TlsContext(objects, 3600);
  const credentials = new Credentials(objects, shared.certificates, shared.quick);
  const issuer = certificate({ name: 'ca.test', key, ca: true });
  for (let i = 0; i < 5; i++)
    credentials.open(context.ssl, {
      key: good.key,
      cert: certificate({ name: `${i}.test`, key }) + (i === 4 ? issuer : ''),
    });
  assert.equal(liveObjects(shared.objects, 'SSL').length, 5);
  assert.is(clearPlaces(shared), 5 + 2 * 3 + 1 + 2, 'connections, certificates and keys, a chain, context and cipher');
  assert.is(clearPlaces(shared), 0);
});

test('an unusable certificate or key is an error with its reason, and leaves nothing', () => {
  withCredentials(({ shows, credentials }) => {
    for (const [cert, privateKey, what] of [
      ['', good.key, /the certificate is not PEM/],
      ['nonsense', good.key, /the certificate is not PEM/],
      [good.key, good.key, /the certificate is not PEM/],
      [good.cert.slice(0, 200), good.key, /the certificate is not PEM/],
      [good.cert, '', /the private key is not PEM/],
      [good.cert, good.cert, /the private key is not PEM/],
      // No prompt asks for its passphrase.
      [good.cert, encrypted, /the private key is not PEM/],
      [good.cert, pemOfKey(ecKey()), /the private key does not match the certificate/],
      [good.cert, pemOfKey(rsaKey(2048, 1)), /the private key does not match the certificate/],
    ] as const)
      assert.throws(() => shows({ cert, key: privateKey }), what);
    assert.is(credentials.live, 0);
    assert.ok(shows(good), 'the next one can');
  });
});

test.run();

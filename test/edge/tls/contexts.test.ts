/** Certificates and keys that can be used, and those that can't; nothing stays. */
import { generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextTicketKeys } from '../../../core/net/tls-tickets.ts';
import { Contexts } from '../../../edge/tls/contexts.ts';
import { loadOpenssl } from '../../../edge/tls/openssl.ts';
import { certificate, ecKey, pemOfKey } from '../../support/certificate.ts';

const test = suite('edge/tls/contexts');
const key = ecKey();
const good = { key: pemOfKey(key), cert: certificate({ name: 'a.test', key, dnsNames: ['a.test'] }) };
const encrypted = generateKeyPairSync('ec', {
  namedCurve: 'P-256',
  privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
}).privateKey;

function withContexts(use: (contexts: Contexts) => void): void {
  const contexts = new Contexts(loadOpenssl(), 3600);
  contexts.setTickets(nextTicketKeys(null));
  try {
    use(contexts);
  } finally {
    contexts.close();
  }
  assert.is(contexts.live, 0);
}

test('a context is made once for a certificate', () => {
  withContexts((contexts) => {
    const first = contexts.of(good);
    assert.ok(first > 0);
    assert.is(contexts.of(good), first);
    assert.is.not(contexts.of({ ...good }), first);
    assert.is(contexts.live, 2);
  });
});

test('a chain is taken whole', () => {
  const other = ecKey();
  const issuer = certificate({ name: 'ca.test', key: other, dnsNames: ['ca.test'] });
  withContexts((contexts) => {
    assert.ok(contexts.of({ ...good, cert: `${good.cert}\n${issuer}\n${issuer}` }) > 0);
  });
});

test('what can not be used is an error that says so, and leaves nothing', () => {
  withContexts((contexts) => {
    for (const [cert, privateKey, what] of [
      ['', good.key, /the certificate is not PEM/],
      ['nonsense', good.key, /the certificate is not PEM/],
      [good.key, good.key, /the certificate is not PEM/],
      [good.cert, '', /the private key is not PEM/],
      [good.cert, good.cert, /the private key is not PEM/],
      // Nobody is asked for its passphrase.
      [good.cert, encrypted, /the private key is not PEM/],
      [good.cert, pemOfKey(ecKey()), /the private key is not that of the certificate/],
    ] as const)
      assert.throws(() => contexts.of({ cert, key: privateKey }), what);
    assert.is(contexts.live, 0);
    assert.ok(contexts.of(good) > 0, 'the next one can');
  });
});

test.run();

/** The keys of nodes, and connections by them. */
import { createHash, hkdfSync, X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createPeerIdentity, PEER_SERVER_NAME } from '../../../edge/peers/identity.ts';

const secretsOf = (...keys: string[]) => ({
  derive: (purpose: string, length: number) =>
    keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, length))),
});

const pinOf = (certificate: string): string =>
  createHash('sha256')
    .update(new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64');

test('nodes with the same key file accept each other', async () => {
  const [here, there] = await Promise.all([createPeerIdentity(secretsOf('a')), createPeerIdentity(secretsOf('a'))]);
  assert.equal(here.pins, there.pins);
  assert.equal(here.signingKeys, there.signingKeys);
  assert.is(pinOf(here.certificate.cert), there.pins[0]);
  const certificate = new X509Certificate(here.certificate.cert);
  assert.is(certificate.checkHost(PEER_SERVER_NAME), PEER_SERVER_NAME);
});

test('while the key file is rotated, both keys are accepted', async () => {
  const before = await createPeerIdentity(secretsOf('a'));
  const after = await createPeerIdentity(secretsOf('b', 'a'));
  assert.ok(after.pins.includes(pinOf(before.certificate.cert)));
  assert.is.not(pinOf(after.certificate.cert), pinOf(before.certificate.cert));
  assert.is(after.signingKeys.length, 2);
});

test.run();

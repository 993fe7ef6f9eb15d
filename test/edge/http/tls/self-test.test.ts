/** A server whose OpenSSL fails the self-test says so, and serves by node:tls. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadOpenssl, type Openssl } from '../../../../edge/http/tls/native/library.ts';
import { quickTools } from '../../../../edge/http/tls/native/quick-credential.ts';
import { testOpenssl } from '../../../../edge/http/tls/self-test.ts';
import { getHttp2, HOST, startServer } from '../server/rig.ts';

const test = suite('edge/http/tls/self-test');
const real = loadOpenssl();

/** OpenSSL as another library could differ from it. */
const DIFFERENT: Readonly<Record<string, [Partial<Openssl>, RegExp]>> = {
  'tickets that are never opened': [{ EVP_MAC_CTX_set_params: () => 0 }, /the handshake failed/],
  'tickets that are ignored': [{ copyIn: (to) => to.fill(1) }, /ALPN selected another protocol|not resumed/],
  'no protocol': [{ SSL_CTX_set_alpn_select_cb: () => {} }, /ALPN selected another protocol/],
  'another version': [{ SSL_version: () => 0x0303 }, /another version of TLS/],
  'other data': [{ SSL_read: () => 3 }, /received other data/],
  'a key that is not accepted': [{ SSL_use_cert_and_key: () => 0 }, /the certificate is unusable/],
  'no context': [{ SSL_CTX_new: () => 0 as ReturnType<Openssl['SSL_CTX_new']> }, /out of memory for a TLS context/],
};

test('it passes here, with the fast parser and without it', () => {
  testOpenssl(quickTools());
  testOpenssl(null);
});

for (const [name, [change, message]] of Object.entries(DIFFERENT))
  test(`it finds ${name}`, () => {
    assert.throws(() => testOpenssl(null, { ...real, ...change }), message);
    assert.is(real.ERR_peek_last_error(), 0);
    testOpenssl(null);
  });

test('then node:tls serves', async () => {
  const { server, tlsPort, counters, stop } = await startServer({ openssl: { ...real, SSL_accept: () => 0 } });
  assert.match(server.nativeFailure, /self-test of OpenSSL: the handshake failed/);
  assert.is((await getHttp2(`https://${HOST}`, tlsPort)).body, 'hello');
  assert.is(counters.get('handshakes_full'), 1);
  await stop();
});

test.run();

/** OpenSSL's client with and without ECDSA, against a site with certificates of both key types. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey, rsaKey } from '../../../support/certificate.ts';
import { startChild } from '../../../support/child.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../../support/daemon.ts';
import { freePort } from '../../../support/ports.ts';
import { whyNotPrograms } from '../../../support/programs.ts';

const test = suite('edge/daemon/rsa-certificate');
const SITE = 'site.test';
const names = [SITE, `*.${SITE}`];
const [ec, rsa] = [ecKey(), rsaKey(2048)];

async function shown(port: number, ...options: readonly string[]): Promise<string> {
  const connect = ['-connect', `127.0.0.1:${port}`, '-servername', SITE];
  const child = startChild('openssl', ['s_client', ...connect, ...options]);
  await child.ended();
  return child.output();
}

for (const tls of ['auto', 'node'])
  test(`edge.tls ${tls}: the signature algorithms of the client choose the certificate`, async () => {
    const port = await freePort();
    const daemon = await startDaemon({
      ...{ WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`, WAYPOST_EDGE_WORKERS: '1', WAYPOST_EDGE_TLS: tls },
    });
    try {
      const { api } = daemon;
      await api.logIn('admin', ADMIN_PASSWORD);
      const path = `/api/v1/domains/${await api.createDomain(SITE)}/proxy`;
      await api.call('PUT', path, { origin: '198.51.101.7', port: 80, protocol: 'http' });
      await api.call('PUT', `${path}/certificate`, {
        certificate: certificate({ name: SITE, key: ec, dnsNames: names }),
        private_key: pemOfKey(ec),
        rsa_certificate: certificate({ name: SITE, key: rsa, dnsNames: names }),
        rsa_private_key: pemOfKey(rsa),
      });
      await api.call('POST', `${path}/toggle`, { enable: true });
      for (const version of ['-tls1_2', '-tls1_3']) {
        const ofRsa = await shown(port, version, '-sigalgs', 'RSA-PSS+SHA256');
        assert.match(ofRsa, /Server public key is 2048 bit/, version);
        assert.match(ofRsa, /Peer signature type: (?:RSA-PSS|rsa_pss_rsae_sha256)/);
        const ofEcdsa = await shown(port, version, '-sigalgs', 'ECDSA+SHA256');
        assert.match(ofEcdsa, /Server public key is 256 bit/, version);
        assert.match(await shown(port, version), /Server public key is 256 bit/, 'ECDSA is preferred');
      }
    } finally {
      await daemon.close();
    }
  });

const why = whyNotPrograms('openssl');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: edge/daemon/rsa-certificate, ${why}`);

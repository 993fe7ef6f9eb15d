/** OpenSSL's client, without a server name and with an unknown one, and the operator's default. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { startChild } from '../../../support/child.ts';
import { ADMIN_PASSWORD, startDaemon } from '../../../support/daemon.ts';
import { freePort } from '../../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../../support/programs.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const test = suite('edge/daemon/default-certificate');
const SITE = 'site.test';
const siteKey = ecKey();
const sitePem = certificate({ name: SITE, key: siteKey, dnsNames: [SITE, `*.${SITE}`] });

async function shown(port: number, ...options: readonly string[]): Promise<string> {
  const child = startChild('openssl', ['s_client', '-connect', `127.0.0.1:${port}`, ...options]);
  await child.ended();
  return child.output();
}
const NAMELESS = ['-noservername'];
const UNKNOWN = ['-servername', 'unknown.test'];
const OWN = ['-servername', SITE];

async function withSite(settings: Record<string, string>, use: (port: number) => Promise<void>): Promise<void> {
  const port = await freePort();
  const daemon = await startDaemon({
    ...{ WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`, WAYPOST_EDGE_WORKERS: '1', ...settings },
  });
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const path = `/api/v1/domains/${await api.createDomain(SITE)}/proxy`;
    await api.call('PUT', path, { origin: '198.51.101.7', port: 80, protocol: 'http' });
    await api.call('PUT', `${path}/certificate`, { certificate: sitePem, private_key: pemOfKey(siteKey) });
    await api.call('POST', `${path}/toggle`, { enable: true });
    await use(port);
  } finally {
    await daemon.close();
  }
}

test('without a default, their handshakes fail, and a site is served', () =>
  withSite({}, async (port) => {
    assert.match(await shown(port, ...OWN), /subject=CN ?= ?site\.test/);
    assert.match(await shown(port, ...NAMELESS), /handshake failure/);
    assert.match(await shown(port, ...UNKNOWN), /unrecognized name/);
  }));

for (const tls of ['auto', 'node'])
  test(`a default from files, tls: ${tls}; a request may be for the hosts that it covers`, async () => {
    const folder = temporaryFolder('default');
    const key = ecKey();
    const [certificateFile, keyFile] = [join(folder, 'default.crt'), join(folder, 'default.key')];
    writeFileSync(certificateFile, certificate({ name: 'default.test', key, dnsNames: ['default.test', SITE] }));
    writeFileSync(keyFile, pemOfKey(key));
    const settings = {
      ...{ WAYPOST_EDGE_DEFAULT_CERTIFICATE: certificateFile, WAYPOST_EDGE_DEFAULT_KEY: keyFile },
      WAYPOST_EDGE_TLS: tls,
    };
    await withSite(settings, async (port) => {
      for (const version of ['-tls1_2', '-tls1_3']) {
        assert.match(await shown(port, ...OWN, version), /subject=CN ?= ?site\.test/);
        assert.match(await shown(port, ...NAMELESS, version), /subject=CN ?= ?default\.test/);
        assert.match(await shown(port, ...UNKNOWN, version), /subject=CN ?= ?default\.test/);
      }
      // An address is no server name, so curl sends none.
      const statusOf = async (host: string): Promise<string> =>
        (
          await runProgram('curl', [
            ...['-sk', '-o', '/dev/null', '-w', '%{http_code}', '-H', `host: ${host}`],
            `https://127.0.0.1:${port}/`,
          ])
        ).output.trim();
      assert.is.not(await statusOf(SITE), '421');
      assert.is(await statusOf(`www.${SITE}`), '421', 'the default does not cover it');
    });
  });

test('a default by name: the certificate of a site', () =>
  withSite({ WAYPOST_EDGE_DEFAULT_SERVER_NAME: SITE }, async (port) => {
    for (const client of [NAMELESS, UNKNOWN, OWN])
      assert.match(await shown(port, ...client), /subject=CN ?= ?site\.test/);
  }));

const why = whyNotPrograms('openssl', 'curl');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: edge/daemon/default-certificate, ${why}`);

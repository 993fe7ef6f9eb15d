/**
 * The key exchange that clients agree on: the hybrid with ML-KEM-768 where OpenSSL has it, from
 * version 3.5 on.
 */
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../../support/child.ts';
import { PATIENCE_MS } from '../../../support/patience.ts';
import { pathOf, whyNotPrograms } from '../../../support/programs.ts';
import { type Host, startHost } from '../host/host.ts';

const [major, minor] = process.versions.openssl.split('.').map(Number);
const hasHybrid = major > 3 || minor >= 5;

const test = suite<{ host: Host }>('key exchange');
const why = whyNotPrograms('chromium', 'openssl');
if (why !== null) test.skip(`key exchange: ${why}`, () => {});
else clientTests();

function clientTests(): void {
  test.before(async (context) => {
    context.host = await startHost();
  });
  test.after(async ({ host }) => assert.is(await host.stop(), 0, host.output()));

  test('Chromium negotiates the hybrid key exchange', async ({ host }) => {
    const browser = await chromium.launch({
      executablePath: pathOf('chromium'),
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking'],
    });
    try {
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      const session = await context.newCDPSession(page);
      await session.send('Network.enable');
      const group = new Promise<string | undefined>((done) =>
        session.on('Network.responseReceived', ({ response: { securityDetails } }) =>
          done(securityDetails?.keyExchangeGroup ?? securityDetails?.keyExchange),
        ),
      );
      await page.goto(`${host.origin}/ready`, { timeout: PATIENCE_MS });
      assert.is(await group, hasHybrid ? 'X25519MLKEM768' : 'X25519');
    } finally {
      await browser.close();
    }
  });

  test('a client of OpenSSL, with and without the hybrid', async ({ host }) => {
    const connect = async (...options: readonly string[]): Promise<string> => {
      const program = ['s_client', '-connect', `127.0.0.1:${host.tlsPort}`, '-servername', 'localhost', ...options];
      const child = startChild('openssl', program);
      await child.ended();
      return child.output();
    };
    for (const version of ['-tls1_2', '-tls1_3']) {
      const output = await connect(version, '-groups', 'X25519:P-256');
      assert.match(output, /Server Temp Key: X25519/, output);
    }
    const hybrid = await connect('-groups', 'X25519MLKEM768');
    if (!hasHybrid || /Call to SSL_CONF_cmd\(-groups/.test(hybrid)) return;
    assert.match(hybrid, /Negotiated TLS1\.3 group: X25519MLKEM768/);
  });
}

test.run();

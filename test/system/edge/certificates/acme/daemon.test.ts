/**
 * The daemon from toggle to a connection that a browser would trust: API, orders, challenges in the
 * zone and over HTTP, and the threads that show the certificate.
 */

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ADMIN_PASSWORD, type Daemon, runCommand, startDaemon } from '../../../../support/daemon.ts';
import { PATIENCE_MS } from '../../../../support/patience.ts';
import { runProgram, whyNotPrograms } from '../../../../support/programs.ts';
import { temporaryFolder } from '../../../../support/temp.ts';
import { type Directory, startDaemonDirectory } from '../../../peers/pebble.ts';

interface Context {
  daemon: Daemon;
  directory: Directory;
  httpsPort: number;
}

const test = suite<Context>('certificates of the daemon');

test.before(async (context) => {
  const { directory, httpsPort, settings } = await startDaemonDirectory({ nonceReject: 50 });
  const daemon = await startDaemon(settings);
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  Object.assign(context, { daemon, directory, httpsPort });
});
test.after(async ({ daemon, directory }) => {
  await daemon?.close();
  await directory?.stop();
});

type Proxy = { ssl_status: string; ssl_error: string | null; ssl_expires_at: string | null };

async function turnOn(
  { daemon: { api } }: Context,
  apex: string,
  more: Record<string, string | number>[] = [],
  port = 9,
): Promise<string> {
  const id = await api.createDomain(apex);
  for (const record of [
    { name: '@', type: 'A', content: '192.0.2.1', ttl: 300 },
    { name: 'www', type: 'A', content: '192.0.2.1', ttl: 300 },
    ...more,
  ])
    assert.is((await api.call('POST', `/api/v1/domains/${id}/records`, record)).status, 200);
  const origin = { origin: '127.0.0.1', port, protocol: 'http' };
  assert.is((await api.call('PUT', `/api/v1/domains/${id}/proxy`, origin)).status, 200);
  assert.is((await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true })).status, 200);
  return id;
}

async function untilActive({ daemon, directory }: Context, id: string): Promise<Proxy> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}/proxy`);
    const proxy = body.proxy as unknown as Proxy;
    if (proxy.ssl_status === 'active') return proxy;
    if (Date.now() > deadline)
      throw new Error(`${JSON.stringify(proxy)}\n${daemon.child.output()}\n${directory.output()}`);
  }
}

/**
 * Whether a connection is trusted through the root alone, and for which names. The certificate
 * comes to the threads by a message, a moment after it is stored.
 */
async function seen({ directory, httpsPort }: Context, servername: string): Promise<string> {
  const ca = await directory.root();
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(20)) {
    const outcome = await new Promise<string>((done) => {
      const socket = connect({ host: '127.0.0.1', port: httpsPort, servername, ca, ALPNProtocols: ['h2', 'http/1.1'] });
      socket.once('secureConnect', () => {
        done(`${socket.alpnProtocol} ${socket.getPeerCertificate().subjectaltname}`);
        socket.destroy();
      });
      socket.once('error', ({ message }) => done(`error ${message}`));
    });
    if (!outcome.startsWith('error') || Date.now() > deadline) return outcome;
  }
}

test('from the switch to a trusted connection, for the domain and all names below it', async (context) => {
  const id = await turnOn(context, 'daemon-one.test');
  const { ssl_error, ssl_expires_at } = await untilActive(context, id);
  assert.is(ssl_error, null);
  assert.match(ssl_expires_at ?? '', /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/);
  for (const host of ['daemon-one.test', 'www.daemon-one.test']) {
    const outcome = await seen(context, host);
    assert.match(outcome, /^h2 .*DNS:\*\.daemon-one\.test/);
    assert.match(outcome, /DNS:daemon-one\.test/);
  }
  const { body } = await context.daemon.api.call('GET', `/api/v1/domains/${id}/records`);
  assert.not.match(JSON.stringify(body), /_acme-challenge/);
  const { output } = await runCommand(['proxy', 'status', 'daemon-one.test'], {
    ...context.daemon.env,
    WAYPOST_URL: `http://127.0.0.1:${context.daemon.adminPort}`,
    WAYPOST_TOKEN: context.daemon.api.token ?? '',
  });
  assert.match(output, /certificate {2}active, issued 20\d\d-.*, expires 20\d\d-/);
});

test('by HTTP, on the plain listener, where the zone cannot answer', async (context) => {
  const cname = { name: '_acme-challenge', type: 'CNAME', content: 'elsewhere.example.', ttl: 300 };
  const id = await turnOn(context, 'daemon-two.test', [cname]);
  const { ssl_error } = await untilActive(context, id);
  assert.is(ssl_error, null);
  assert.match(await seen(context, 'www.daemon-two.test'), /DNS:www\.daemon-two\.test/);
  const late = { name: 'late', type: 'A', content: '192.0.2.1', ttl: 300 };
  assert.is((await context.daemon.api.call('POST', `/api/v1/domains/${id}/records`, late)).status, 200);
  assert.match(await seen(context, 'late.daemon-two.test'), /DNS:late\.daemon-two\.test/, 'added after the order');
});

test('names two labels below the apex have HTTPS, as curl sees it', async (context) => {
  const { daemon, directory, httpsPort } = context;
  const origin = createServer((request, response) => response.end(`hello from ${request.headers.host}`));
  await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
  const at = (name: string) => ({ name, type: 'A', content: '192.0.2.1', ttl: 300 });
  const id = await turnOn(
    context,
    'daemon-deep.test',
    [at('www.shop'), at('*.dev')],
    (origin.address() as AddressInfo).port,
  );
  await untilActive(context, id);
  const later = (await daemon.api.call('POST', `/api/v1/domains/${id}/records`, at('a.b.c'))).status;
  assert.is(later, 200);
  const root = join(temporaryFolder('curl'), 'root.pem');
  writeFileSync(root, await directory.root());
  for (const host of [
    'daemon-deep.test',
    'www.shop.daemon-deep.test',
    'x.dev.daemon-deep.test',
    'a.b.c.daemon-deep.test',
  ]) {
    // The certificate comes to the threads by a message, a moment after it is stored.
    await seen(context, host);
    const trust = ['--cacert', root, '--resolve', `${host}:${httpsPort}:127.0.0.1`];
    const { code, output } = await runProgram('curl', ['-sS', ...trust, `https://${host}:${httpsPort}/`]);
    assert.is(code, 0, output);
    assert.match(output, new RegExp(`hello from ${host}`));
  }
  const { body } = await daemon.api.call('GET', `/api/v1/domains/${id}/proxy`);
  const proxy = body.proxy as unknown as {
    warnings: string[];
    uncovered: unknown[];
    certificates: { hosts: string[] }[];
  };
  assert.equal(proxy.uncovered, []);
  assert.not.match(proxy.warnings.join(), /certificate/i);
  assert.ok(proxy.certificates[0].hosts.includes('www.shop.daemon-deep.test'));
  origin.closeAllConnections();
  await new Promise((done) => origin.close(done));
});

test('killed in the middle of an order: ordered after the next start, and no challenge is left', async (context) => {
  const { daemon } = context;
  const id = await turnOn(context, 'daemon-three.test');
  await daemon.kill();
  await daemon.start();
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  await untilActive(context, id);
  const dig = ['@127.0.0.1', '-p', String(daemon.dnsPort), '+norecurse', '_acme-challenge.daemon-three.test', 'TXT'];
  // The port that the daemon was given by its settings.
  dig[2] = daemon.env.WAYPOST_DNS_LISTEN!.replace(/.*:/, '');
  assert.match((await runProgram('dig', dig)).output, /status: NXDOMAIN/);
  assert.match(await seen(context, 'daemon-one.test'), /DNS:daemon-one\.test/);
  assert.not.match(daemon.child.output(), /PRIVATE KEY/);
});

const why = whyNotPrograms('pebble', 'dig', 'curl');
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: certificates of the daemon, ${why}`);

/**
 * Who trusts what the daemon shows: curl and Chromium, by the root of the directory alone, and
 * connections that outlive a renewal.
 */
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startChild } from '../../../../support/child.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../../../support/daemon.ts';
import { PATIENCE_MS } from '../../../../support/patience.ts';
import { freePort } from '../../../../support/ports.ts';
import { whyNotPrograms } from '../../../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../../../support/temp.ts';
import { acmeSettings, type Directory, startDirectory } from '../../../peers/pebble.ts';

interface Context {
  daemon: Daemon;
  directory: Directory;
  origin: Server;
  httpsPort: number;
  folder: string;
  /** File of the directory's root. */
  root: string;
  domainId: string;
}

const test = suite<Context>('certificates of the daemon, trusted by the root');
const APEX = 'trusted-one.test';
const HOST = `www.${APEX}`;
/** So many come to both threads. */
const CONNECTIONS = 30;

test.before(async (context) => {
  const [dnsPort, httpsPort] = [await freePort(), await freePort()];
  const directory = await startDirectory(dnsPort, { nonceReject: 20 });
  const origin = createServer(({ headers, url }, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(`<title>origin</title><p id="said">${headers.host} ${headers['x-forwarded-proto']} ${url}</p>`);
  });
  await new Promise<void>((done) => origin.listen(0, '127.0.0.1', done));
  const daemon = await startDaemon({
    WAYPOST_DNS_LISTEN: `127.0.0.1:${dnsPort}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
    WAYPOST_EDGE_WORKERS: '2',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_CLUSTER_IPV4: '127.0.0.1',
    ...acmeSettings(directory, dnsPort),
  });
  await daemon.api.logIn('admin', ADMIN_PASSWORD);
  const folder = temporaryFolder('trust');
  const root = join(folder, 'root.pem');
  writeFileSync(root, await directory.root());
  Object.assign(context, { daemon, directory, origin, httpsPort, folder, root });
  context.domainId = await turnOn(context);
  await untilActive(context);
});
test.after(async ({ daemon, directory, origin, folder }) => {
  await daemon?.close();
  await directory?.stop();
  origin?.closeAllConnections();
  origin?.close();
  if (folder !== undefined) removeFolder(folder);
});

async function turnOn({ daemon: { api }, origin }: Context): Promise<string> {
  const id = await api.createDomain(APEX);
  for (const name of ['@', 'www']) {
    const record = { name, type: 'A', content: '192.0.2.1', ttl: 300 };
    assert.is((await api.call('POST', `/api/v1/domains/${id}/records`, record)).status, 200);
  }
  const to = { origin: '127.0.0.1', port: (origin.address() as AddressInfo).port, protocol: 'http' };
  assert.is((await api.call('PUT', `/api/v1/domains/${id}/proxy`, to)).status, 200);
  assert.is((await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true })).status, 200);
  return id;
}

async function untilActive({ daemon, domainId }: Context): Promise<void> {
  for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(50)) {
    const { body } = await daemon.api.call('GET', `/api/v1/domains/${domainId}/proxy`);
    const { ssl_status: status } = body.proxy as unknown as { ssl_status: string };
    if (status === 'active') return;
    if (Date.now() > deadline) throw new Error(`${JSON.stringify(body)}\n${daemon.child.output()}`);
  }
}

/** A new connection that trusts the root alone. */
async function open({ directory, httpsPort }: Context): Promise<TLSSocket> {
  const ca = await directory.root();
  const socket = connect({ host: '127.0.0.1', port: httpsPort, servername: HOST, ca, ALPNProtocols: ['h2'] });
  await new Promise<void>((done, fail) => {
    socket.once('secureConnect', done);
    socket.once('error', fail);
  });
  return socket;
}

async function shownSerial(context: Context): Promise<string> {
  const socket = await open(context);
  const { serialNumber } = new X509Certificate(socket.getPeerCertificate().raw);
  socket.destroy();
  return serialNumber;
}

test('curl trusts it with the root, and not without', async ({ httpsPort, root }) => {
  const curl = async (...args: string[]) => {
    const url = `https://${HOST}:${httpsPort}/page?a=1`;
    const all = ['-sS', '--resolve', `${HOST}:${httpsPort}:127.0.0.1`, '-w', '\n%{http_version} %{ssl_verify_result}'];
    const child = startChild('/usr/bin/curl', [...all, ...args, url], { PATH: process.env.PATH, HOME: '/nonexistent' });
    return { code: await child.ended(), output: child.output() };
  };
  for (const [flag, version] of [
    ['--http2', '2'],
    ['--http1.1', '1.1'],
  ]) {
    const { code, output } = await curl('--cacert', root, flag);
    assert.is(code, 0, output);
    assert.match(output, new RegExp(`${HOST}:${httpsPort} https /page\\?a=1</p>\n${version} 0$`));
  }
  // CURLE_PEER_FAILED_VERIFICATION
  assert.is((await curl()).code, 60);
});

test('Chromium shows the page without a warning: its own store of certificates has the root', async (context) => {
  const { httpsPort, folder, root } = context;
  const [home, stranger] = [join(folder, 'home'), join(folder, 'stranger')];
  const database = join(home, '.pki/nssdb');
  for (const text of [database, stranger]) mkdirSync(text, { recursive: true });
  for (const args of [
    ['-N', '--empty-password'],
    ['-A', '-t', 'C,,', '-n', 'root', '-i', root],
  ]) {
    const child = startChild('/usr/bin/certutil', ['-d', `sql:${database}`, ...args], { HOME: home });
    assert.is(await child.ended(), 0, child.output());
  }
  const visit = async (HOME: string): Promise<{ output: string | null; protocol: string }> => {
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      env: { PATH: process.env.PATH ?? '', HOME },
      args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--host-resolver-rules=MAP *.test 127.0.0.1'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(`https://${HOST}:${httpsPort}/page`, { timeout: PATIENCE_MS });
      const protocol = await page.evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol");
      return { output: await page.textContent('#said'), protocol: protocol as string };
    } finally {
      await browser.close();
    }
  };
  assert.equal(await visit(home), { output: `${HOST}:${httpsPort} https /page`, protocol: 'h2' });
  const refused = await visit(stranger).then(
    () => 'it was trusted without the root',
    (error: Error) => error.message,
  );
  assert.match(refused, /ERR_CERT_AUTHORITY_INVALID/);
});

test('renewed: new connections of all threads get the new certificate; an open one continues', async (context) => {
  const { daemon, domainId, httpsPort } = context;
  const before = await shownSerial(context);
  const socket = await open(context);
  const session = connectHttp2(`https://${HOST}:${httpsPort}`, { createConnection: () => socket });
  assert.match(await get(session, '/first'), / https \/first/);
  // A request for another just after one was issued waits for seconds.
  const { status } = await daemon.api.call('POST', `/api/v1/domains/${domainId}/proxy/certificate`, {});
  assert.is(status, 200);
  // Every thread takes it in its own time.
  for (let deadline = Date.now() + PATIENCE_MS, inTurn = 0; inTurn < CONNECTIONS; ) {
    inTurn = (await shownSerial(context)) === before ? 0 : inTurn + 1;
    if (inTurn === 0) await sleep(50);
    assert.match(await get(session, '/during'), / https \/during/);
    assert.ok(Date.now() < deadline, 'every thread shows the new one');
  }
  await untilActive(context);
  const after = new Set<string>();
  for (let i = 0; i < CONNECTIONS; i++) after.add(await shownSerial(context));
  assert.is(after.size, 1, 'every thread shows the same');
  assert.not.ok(after.has(before));
  assert.match(await get(session, '/after'), / https \/after/);
  assert.is(new X509Certificate(socket.getPeerCertificate().raw).serialNumber, before);
  assert.not.ok(session.closed);
  session.close();
});

function get(session: ClientHttp2Session, path: string): Promise<string> {
  return new Promise((done, fail) => {
    const stream = session.request({ ':path': path });
    let text = '';
    stream.setEncoding('utf8');
    stream.on('data', (part: string) => {
      text += part;
    });
    stream.once('end', () => done(text));
    stream.once('error', fail);
  });
}

const missing = ['chromium', 'certutil'].filter((program) => !existsSync(`/usr/bin/${program}`));
const why = whyNotPrograms('pebble', 'curl') ?? (missing.length > 0 ? `${missing.join(', ')} not installed` : null);
if (why === null) test.run();
else if (process.env.WAYPOST_REQUIRE_PEERS === '1') throw new Error(`${why}, and peers are required.`);
else console.log(`skipped: certificates of the daemon, trusted by the root, ${why}`);

/**
 * A site goes through the edge of the whole daemon: from the API to visitors, and every change
 * without a restart.
 */

import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import * as dns from 'dns-packet';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Made, makeCertificate } from '../../edge/sites/rig.ts';
import { pemOfKey } from '../../support/certificate.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { freePort } from '../../support/ports.ts';
import { runProgram, whyNotPrograms } from '../../support/programs.ts';

const SITE = 'site.test';

interface Origin {
  readonly port: number;
  /** Paths that were asked for. */
  readonly paths: string[];
  close(): void;
}

async function startOrigin(name: string): Promise<Origin> {
  const paths: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const path = request.url ?? '';
    paths.push(path);
    if (path === '/slow') {
      response.writeHead(200, { 'cache-control': 'no-store' });
      let parts = 0;
      const timer = setInterval(() => {
        response.write(`${parts};`);
        if (++parts < 10) return;
        clearInterval(timer);
        response.end('end');
      }, 200);
      return;
    }
    response.setHeader('cache-control', path === '/kept' ? 'max-age=600' : 'no-store');
    response.setHeader('seen-for', String(request.headers['x-forwarded-for']));
    response.end(`${name} ${request.headers.host} ${path}`);
  };
  const server: Server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    paths,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Visit {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly serial: string;
}

interface VisitOptions {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly serverName?: string;
}

/** Not the origin's address, which no response shows. */
const VISITOR = '127.0.0.2';

/** Over a connection of its own. */
function visit(port: number, host: string, path: string, options: VisitOptions = {}): Promise<Visit> {
  return new Promise((resolve, reject) => {
    const { method = 'GET', headers = {}, body, serverName = host } = options;
    const asking = requestHttps({
      localAddress: VISITOR,
      ...{ host: '127.0.0.1', port, path, method, servername: serverName, agent: false, rejectUnauthorized: false },
      headers: { host, ...headers },
      timeout: PATIENCE_MS,
    });
    asking.on('response', (response) => {
      const serial = (response.socket as TLSSocket).getPeerCertificate().serialNumber;
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({
          ...{ status: response.statusCode ?? 0, headers: response.headers, serial },
          body: Buffer.concat(parts).toString('latin1'),
        }),
      );
    });
    asking.on('timeout', () => asking.destroy(new Error('no answer in time')));
    asking.on('error', reject);
    asking.end(body);
  });
}

interface World {
  readonly daemon: Daemon;
  readonly http: number;
  readonly https: number;
  readonly origins: readonly [Origin, Origin];
  readonly id: string;
  put(path: string, json: Record<string, string | number | boolean>): Promise<void>;
}

async function withWorld(use: (world: World) => Promise<void>): Promise<void> {
  const [http, https] = [await freePort(), await freePort()];
  const origins = [await startOrigin('first'), await startOrigin('second')] as const;
  const daemon = await startDaemon({
    WAYPOST_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
    WAYPOST_EDGE_WORKERS: '2',
    WAYPOST_EDGE_ALLOW_PRIVATE_ORIGINS: '127.0.0.0/8',
    WAYPOST_EDGE_ACCESS_LOG: '1',
    WAYPOST_ADMIN_HOSTNAME: `admin.${SITE}`,
    WAYPOST_DNS_DOH: 'true',
  });
  try {
    const { api } = daemon;
    await api.logIn('admin', ADMIN_PASSWORD);
    const id = await api.createDomain(SITE);
    for (const name of ['@', 'www', 'mail']) await api.createRecord(id, name, 'A', '192.0.2.7');
    await api.createRecord(id, '@', 'MX', `10 mail.${SITE}`);
    const put: World['put'] = async (path, json) => {
      await api.call('PUT', `/api/v1/domains/${id}/proxy${path}`, json);
    };
    await put('', { origin: '127.0.0.1', port: origins[0].port, protocol: 'http' });
    await api.call('POST', `/api/v1/domains/${id}/proxy/toggle`, { enable: true });
    await use({ daemon, http, https, origins, id, put });
  } finally {
    await daemon.close();
    for (const origin of origins) origin.close();
  }
}

const bring = ({ put }: World, { pem, key }: Made): Promise<void> =>
  put('/certificate', { certificate: pem, private_key: pemOfKey(key) });

const clear = (port: number, host: string, path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: { host } });

async function overHttp({ http, origins }: World): Promise<void> {
  // fetch puts the address into Host: of no site.
  assert.is((await clear(http, '', '/')).status, 404);
  assert.equal(origins[0].paths, []);
}

async function certificatesChange(world: World): Promise<void> {
  const { https, origins } = world;
  let refused = '';
  await visit(https, `www.${SITE}`, '/').catch((error: Error) => {
    refused = error.message;
  });
  assert.match(refused, /unrecognized name/i, 'no certificate yet');
  const [first, second] = [makeCertificate([SITE, `*.${SITE}`]), makeCertificate([SITE, `*.${SITE}`])];
  await bring(world, first);
  const item = await visit(https, `www.${SITE}`, '/a?b');
  assert.is(item.body, `first www.${SITE} /a?b`);
  assert.is(item.headers['seen-for'], VISITOR);
  await bring(world, second);
  const other = await visit(https, `www.${SITE}`, '/a');
  assert.is.not(other.serial, item.serial, 'without a restart');
  await world.put('', { origin: '127.0.0.1', port: origins[1].port, protocol: 'http', hsts_max_age: 300 });
  const moved = await visit(https, `www.${SITE}`, '/a');
  assert.is(moved.body, `second www.${SITE} /a`);
  assert.is(moved.headers['strict-transport-security'], 'max-age=300');
}

async function hosts({ https, daemon, id }: World): Promise<void> {
  const statusOf = async (host: string, serverName = host): Promise<number> =>
    (await visit(https, host, '/', { serverName })).status;
  assert.is(await statusOf(SITE), 200);
  assert.is(await statusOf(`mail.${SITE}`), 404, 'mail is sent there: no web name');
  assert.is(await statusOf(`new.${SITE}`), 404);
  await daemon.api.createRecord(id, 'new', 'A', '192.0.2.8');
  assert.is(await statusOf(`new.${SITE}`), 200, 'from the answer on');
  await daemon.api.createRecord(id, '*', 'A', '192.0.2.8');
  assert.is(await statusOf(`any.${SITE}`), 200, 'by the wildcard');
  assert.is(await statusOf('other.test', SITE), 421);
}

async function purges({ https, daemon, id, origins }: World): Promise<void> {
  const ask = async (): Promise<string> => (await visit(https, SITE, '/kept')).headers['cache-status'] as string;
  const count = (): number => origins[1].paths.filter((path) => path === '/kept').length;
  // Each thread has a memory of its own; what one has, the other finds on the disk, a moment later.
  for (let i = 0; i < 20; i++) await ask();
  const before = count();
  assert.ok(before <= 2, `${before} times`);
  assert.match(await ask(), /hit/);
  await daemon.api.call('POST', `/api/v1/domains/${id}/proxy/purge`, { urls: [`https://${SITE}/kept`] });
  assert.not.match(await ask(), /hit/, 'from the answer on, in each thread');
  for (let i = 0; i < 10; i++) await ask();
  assert.ok(count() > before);
}

async function admin({ https, http, daemon }: World): Promise<void> {
  const host = `admin.${SITE}`;
  const json = { 'content-type': 'application/json' };
  const login = JSON.stringify({ login: 'admin', password: ADMIN_PASSWORD, name: 'edge' });
  const token = await visit(https, host, '/api/v1/auth/token', { method: 'POST', headers: json, body: login });
  assert.is(token.status, 200, token.body);
  const bearer = { authorization: `Bearer ${JSON.parse(token.body).token}` };
  const list = await visit(https, host, '/api/v1/domains', { headers: bearer });
  assert.is(JSON.parse(list.body).domains[0].domain, SITE);
  assert.is((await visit(https, host, '/metrics')).status, 401, 'a request from outside is none of this machine');
  for (const path of ['/healthz', '/readyz']) {
    const { status, body } = await visit(https, host, path);
    assert.is(status, 200, 'a monitor asks from outside, without a token');
    assert.is(JSON.parse(body).ok, true);
    assert.not.match(body, /127\.0\.0\.1/, 'addresses are not shown to others');
  }
  const lie = { 'x-waypost-client': 'guess 127.0.0.1', 'x-forwarded-for': '127.0.0.1' };
  assert.is((await visit(https, host, '/metrics', { headers: lie })).status, 401);
  const metrics = await visit(https, host, '/metrics', { headers: bearer });
  assert.match(metrics.body, /^waypost_edge_responses_total\{destination="site",status="2xx"\} [1-9]/m);
  assert.match(metrics.body, /^waypost_edge_responses_total\{destination="admin",status="4xx"\} 2$/m);
  const query = dns.encode({ type: 'query', id: 0, questions: [{ name: SITE, type: 'A' }] });
  const message = { 'content-type': 'application/dns-message' };
  const answer = await visit(https, host, '/dns-query', { method: 'POST', headers: message, body: query });
  const [{ data }] = dns.decode(Buffer.from(answer.body, 'latin1')).answers as { data: string }[];
  assert.is(data, '127.0.0.1', 'the cluster');
  assert.is((await fetch(`http://127.0.0.1:${http}/api/v1/domains`)).status, 404, 'never without TLS');
  await daemon.child.waitFor(/"host":"admin\.site\.test","method":"POST","path":"\/dns-query"/);
}

async function byCurl({ http, https, daemon }: World): Promise<void> {
  if (whyNotPrograms('curl') !== null) return;
  const file = join(daemon.dataDir, 'site.pem');
  const made = makeCertificate([SITE, `*.${SITE}`]);
  await daemon.api.call('PUT', `/api/v1/domains/${(await firstDomain(daemon)).id}/proxy/certificate`, {
    certificate: made.pem,
    private_key: pemOfKey(made.key),
  });
  writeFileSync(file, made.pem);
  const curl = (...args: readonly string[]) =>
    runProgram('curl', [
      ...['-sS', '--max-time', '20', '--cacert', file],
      ...['--connect-to', `${SITE}:443:127.0.0.1:${https}`, '--connect-to', `${SITE}:80:127.0.0.1:${http}`],
      ...args,
    ]);
  for (const [flag, version] of [
    ['--http2', '2'],
    ['--http1.1', '1.1'],
  ]) {
    const { code, output } = await curl(flag, '-w', ' %{http_version}', `https://${SITE}/c`);
    assert.is(code, 0, output);
    assert.is(output, `second ${SITE} /c ${version}`);
  }
  const moved = await curl('-o', '/dev/null', '-w', '%{http_code} %{redirect_url}', `http://${SITE}/d?e=f`);
  assert.is(moved.output, `308 https://${SITE}/d?e=f`);
  const followed = await curl('-L', `http://${SITE}/d`);
  assert.is(followed.output, `second ${SITE} /d`);
}

async function firstDomain({ api }: Daemon): Promise<{ id: string }> {
  const { body } = await api.call('GET', '/api/v1/domains');
  return (body.domains as unknown as { id: string }[])[0];
}

async function reloads({ daemon, https }: World): Promise<void> {
  let isOver = false;
  let served = 0;
  const faults: string[] = [];
  const visitor = async (): Promise<void> => {
    while (!isOver) {
      await visit(https, SITE, '/load').then(
        ({ status }) => (status === 200 ? served++ : faults.push(`status ${status}`)),
        (error: Error) => faults.push(error.message),
      );
    }
  };
  const slow = visit(https, SITE, '/slow');
  const visitors = Array.from({ length: 4 }, visitor);
  const someAreServed = async (): Promise<void> => {
    for (const enough = served + 20, deadline = Date.now() + PATIENCE_MS; served < enough; await sleep(10))
      if (Date.now() > deadline) throw new Error(`${served} requests served; ${faults.join(', ')}`);
  };
  for (let i = 0; i < 2; i++) {
    await someAreServed();
    process.kill(daemon.child.pid, 'SIGHUP');
    await daemon.child.waitFor(/\breloaded\b/);
  }
  await someAreServed();
  isOver = true;
  await Promise.all(visitors);
  assert.equal(faults, []);
  assert.match((await slow).body, /9;end$/, 'what was under way ended');
}

async function drains({ daemon, https }: World): Promise<void> {
  const slow = visit(https, SITE, '/slow');
  await sleep(500);
  const stopped = daemon.child.stop();
  await sleep(300);
  const refused = await visit(https, SITE, '/').then(
    () => 'taken',
    () => 'refused',
  );
  assert.is(refused, 'refused');
  assert.match((await slow).body, /9;end$/);
  assert.is(await stopped, 0);
}

test('a site through the edge, from the API to its visitors', () =>
  withWorld(async (world) => {
    // 1. Without a certificate: over HTTP alone, for its own host alone.
    await overHttp(world);
    // 2. A certificate, another one, another origin.
    await certificatesChange(world);
    // 3. Which names are sites.
    await hosts(world);
    // 4. What is kept, until it is purged.
    await purges(world);
    // 5. The admin API and DNS over HTTPS under its host name.
    await admin(world);
    // 6. As curl sees it.
    await byCurl(world);
    // 7. New threads under load.
    await reloads(world);
    // 8. Turned off, it is served for some minutes more; after a restart, too.
    await world.daemon.api.call('POST', `/api/v1/domains/${world.id}/proxy/toggle`, { enable: false });
    assert.is((await visit(world.https, SITE, '/')).status, 200);
    // 9. The end.
    await drains(world);
    await world.daemon.start();
    assert.is((await visit(world.https, SITE, '/')).status, 200);
  }));

test('a port in use: the error has the next step, and nothing is left running', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await startDaemon({ WAYPOST_EDGE_HTTPS_LISTEN: `127.0.0.1:${port}`, WAYPOST_EDGE_WORKERS: '1' });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /ended early \(1\)/);
    assert.match((error as Error).message, new RegExp(`cannot listen on 127\\.0\\.0\\.1:${port}: address in use`));
    assert.match((error as Error).message, /WAYPOST_EDGE_HTTPS_LISTEN/);
  } finally {
    other.close();
  }
});

test.run();

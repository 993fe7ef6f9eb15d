/** One check of an answer: what counts as a success, what is connected to, and the reasons. */
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PUBLIC_ONLY, parseExemptions } from '../../../../core/net/address/index.ts';
import { createSteeringProbe } from '../../../../core/site/steering/probe.ts';
import { certificate, ecKey, pemOfKey } from '../../../support/certificate.ts';
import { CHECK } from '../../zone/steering/rig.ts';

interface Context {
  server: Server;
  port: number;
  hosts: (string | undefined)[];
}

const test = suite<Context>('steering probe');
const loopback = { exemptions: parseExemptions(['127.0.0.0/8']), own: [] };
const resolve = async (host: string): Promise<readonly string[]> => (host === 'origin.test' ? ['127.0.0.1'] : []);
const probe = createSteeringProbe({ rule: loopback, resolve });

test.before(async (context) => {
  context.hosts = [];
  context.server = createServer(({ url, headers }, response) => {
    context.hosts.push(headers.host);
    if (url === '/slow') return;
    const status = Number(url?.slice(1)) || 200;
    response.writeHead(status, status === 302 ? { location: 'http://127.0.0.2:1/' } : {}).end('x'.repeat(100_000));
  });
  await new Promise<void>((done) => context.server.listen(0, '127.0.0.1', done));
  context.port = (context.server.address() as AddressInfo).port;
});
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

test('HTTP: 200 to 399 or the expected status, with the owner name or the given host', async ({ port, hosts }) => {
  const check = { ...CHECK, type: 'http', port } as const;
  const run = (path: string, more: object = {}) =>
    probe({ target: '127.0.0.1', host: 'www.site.test', health: { ...check, path, ...more } });
  assert.is(await run('/200'), null);
  assert.is(await run('/304'), null);
  assert.match(String(await run('/500')), 'Status 500; expected 200 to 399.');
  assert.is(await run('/503', { status: 503 }), null);
  assert.match(String(await run('/200', { status: 204 })), 'Status 200; expected 204.');
  assert.is(hosts.at(-1), 'www.site.test');
  await run('/200', { host: 'other.test' });
  assert.is(hosts.at(-1), 'other.test');
  assert.is(await probe({ target: 'origin.test', host: 'x', health: { ...check, path: '/200' } }), null);
});

test('a server that does not answer in time, or without TLS, fails', async ({ port }) => {
  const run = (more: object) => probe({ target: '127.0.0.1', host: 'x', health: { ...CHECK, port, ...more } });
  assert.match(String(await run({ type: 'http', path: '/slow', timeout: 1 })), 'No response within 1 second.');
  assert.type(await run({ type: 'https' }), 'string');
});

test('HTTPS: a certificate of an authority that origins are trusted by, for the host of the check', async () => {
  const authority = { name: 'authority', key: ecKey() };
  const key = ecKey();
  const cert = certificate({ name: 'www.site.test', key, issuer: authority, dnsNames: ['www.site.test'] });
  const trusted = certificate({ ...authority, ca: true });
  const names: string[] = [];
  const server = createTlsServer({ key: pemOfKey(key), cert }, (_, response) => response.end());
  server.on('secureConnection', (socket) => names.push(`${socket.servername}`));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const run = (ca: string | undefined, host: string) =>
    createSteeringProbe({ rule: loopback, resolve, ca })({
      target: '127.0.0.1',
      host,
      health: { ...CHECK, type: 'https', port, path: '/' },
    });
  try {
    assert.is(await run(trusted, 'www.site.test'), null);
    assert.is(names.at(-1), 'www.site.test');
    const failed = 'The TLS handshake failed: check its certificate.';
    assert.is(await run(trusted, 'other.test'), failed);
    assert.is(await run(undefined, 'www.site.test'), failed);
  } finally {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

test('redirects are not followed, and a name is resolved once for each connection', async ({ port, hosts }) => {
  const asked: string[] = [];
  const rebinding = createSteeringProbe({
    rule: { exemptions: parseExemptions(['127.0.0.1']), own: [] },
    async resolve(host) {
      asked.push(host);
      return asked.length === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    },
  });
  const health = { ...CHECK, type: 'http', port, path: '/302' } as const;
  const before = hosts.length;
  assert.is(await rebinding({ target: 'origin.test', host: 'x', health }), null, 'a redirect is a response');
  assert.equal([asked.length, hosts.length - before], [1, 1]);
  assert.match(
    String(await rebinding({ target: 'origin.test', host: 'x', health })),
    'Its address is not public, or belongs to this service.',
    'the name leads elsewhere now',
  );
});

test('TCP: a connection is enough', async () => {
  const server = createTcpServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const run = (target: string) => probe({ target, host: 'x', health: { ...CHECK, type: 'tcp', port } });
  assert.is(await run('127.0.0.1'), null);
  assert.is(await run('origin.test'), null);
  await new Promise((done) => server.close(done));
  assert.match(String(await run('127.0.0.1')), 'It refused the connection.');
});

test('only public addresses are connected to, also when a name leads to others', async ({ port }) => {
  const strict = createSteeringProbe({ rule: PUBLIC_ONLY, resolve });
  for (const target of ['127.0.0.1', 'origin.test', 'none.test'])
    for (const type of ['tcp', 'http'] as const)
      assert.match(
        String(await strict({ target, host: 'x', health: { ...CHECK, type, port } })),
        'Its address is not public, or belongs to this service.',
        `${target} ${type}`,
      );
});

test.run();

/** One check of an answer: what counts as a success, what is connected to, and the reasons. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PUBLIC_ONLY, parseExemptions } from '../../../../core/net/address/index.ts';
import { createSteeringProbe } from '../../../../core/site/steering/probe.ts';
import { CHECK } from '../../zone/steering/rig.ts';

interface Context {
  server: Server;
  port: number;
  hosts: (string | undefined)[];
}

const test = suite<Context>('steering probe');
const loopback = { exemptions: parseExemptions(['127.0.0.0/8']), own: [] };
const resolve = async (host: string): Promise<readonly string[]> => (host === 'origin.test' ? ['127.0.0.1'] : []);
const probe = createSteeringProbe(loopback, resolve);

test.before(async (context) => {
  context.hosts = [];
  context.server = createServer(({ url, headers }, response) => {
    context.hosts.push(headers.host);
    if (url === '/slow') return;
    response.writeHead(Number(url?.slice(1)) || 200).end('x'.repeat(100_000));
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
  const strict = createSteeringProbe(PUBLIC_ONLY, resolve);
  for (const target of ['127.0.0.1', 'origin.test', 'none.test'])
    for (const type of ['tcp', 'http'] as const)
      assert.match(
        String(await strict({ target, host: 'x', health: { ...CHECK, type, port } })),
        'Its address is not public, or belongs to this service.',
        `${target} ${type}`,
      );
});

test.run();

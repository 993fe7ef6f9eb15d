/** Attempts over real connections: statuses, deadline, redirects, and refused addresses. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PUBLIC_ONLY, parseExemptions } from '../../../../core/net/address/index.ts';
import { type Attempt, Sender, type SenderOptions } from '../../../../core/net/delivery/sender.ts';

interface Context {
  server: Server;
  url: string;
  /** Paths of requests. */
  paths: string[];
  connections: number;
}

const test = suite<Context>('core/net/delivery/sender');
test.before(async (context) => {
  context.paths = [];
  context.connections = 0;
  context.server = createServer((request, response) => {
    const path = request.url ?? '';
    context.paths.push(path);
    request.resume();
    if (path === '/hang') return;
    if (path === '/endless') {
      response.write('begun');
      return;
    }
    if (path === '/large') {
      response.write(Buffer.alloc(200_000));
      return;
    }
    response.writeHead(Number(path.slice(1)), { location: '/200' }).end('read and dropped');
  });
  context.server.on('connection', () => context.connections++);
  await new Promise<void>((resolve) => context.server.listen(0, '127.0.0.1', resolve));
  context.url = `http://127.0.0.1:${(context.server.address() as AddressInfo).port}`;
});
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

const LOOPBACK = { exemptions: parseExemptions(['127.0.0.0/8']), own: [] };

async function attempt(url: string, options: Partial<SenderOptions> = {}): Promise<Attempt> {
  const sender = new Sender({ rule: LOOPBACK, resolve: async () => [], ...options });
  const result = await sender.send({ receiverId: 1, url, headers: { 'content-type': 'application/json' }, body: '{}' });
  sender.close();
  return result;
}

test('statuses from 200 to 299 are deliveries; redirects are not followed', async (context) => {
  for (const status of [200, 202, 204]) assert.is((await attempt(`${context.url}/${status}`)).error, null);
  for (const status of [400, 410, 500]) {
    const { error, ...result } = await attempt(`${context.url}/${status}`);
    assert.equal([error, result.status], [`status ${status}`, status]);
  }
  context.paths.length = 0;
  assert.match(String((await attempt(`${context.url}/301`)).error), /redirects are not followed/);
  assert.equal(context.paths, ['/301']);
});

test('a receiver without a response, and one with an endless body, run into the timeout', async ({ url }) => {
  const { status, error } = await attempt(`${url}/hang`, { deadline: 200 });
  assert.equal([status, error], [null, 'no response within 0.2 seconds']);
  assert.is((await attempt(`${url}/large`)).status, 200, 'the rest is not waited for');
  assert.is((await attempt(`${url}/endless`, { deadline: 200 })).error, null, 'the status counts');
});

test('no connection is made to an address that is not public', async (context) => {
  const { port } = new URL(context.url);
  const before = context.connections;
  const refused: readonly [string, readonly string[]][] = [
    [`http://127.0.0.1:${port}/200`, []],
    [`http://[::ffff:127.0.0.1]:${port}/200`, []],
    [`http://2130706433:${port}/200`, []],
    [`http://rebound.test:${port}/200`, ['127.0.0.1', '10.0.0.1']],
    [`http://rebound.test:${port}/200`, []],
  ];
  for (const [url, addresses] of refused) {
    const { error } = await attempt(url, { rule: PUBLIC_ONLY, resolve: async () => addresses });
    assert.match(String(error), /^no public address/, url);
  }
  assert.is(context.connections, before);
});

test('a name is checked at each connection', async (context) => {
  const { port } = new URL(context.url);
  const answers = [['127.0.0.1'], ['10.0.0.1']];
  const sender = new Sender({ rule: LOOPBACK, resolve: async () => answers.shift() ?? [] });
  const message = { receiverId: 1, url: `http://rebound.test:${port}/200`, headers: {}, body: '{}' };
  assert.is((await sender.send(message)).error, null);
  sender.release(1);
  assert.match(String((await sender.send(message)).error), /10\.0\.0\.1/);
  sender.close();
});

test.run();

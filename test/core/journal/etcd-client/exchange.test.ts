/** An answer of etcd as it comes in parts, and what is known of one that is given up. */
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EtcdCompacted, EtcdUnavailable } from '../../../../core/journal/etcd-client/errors.ts';
import { Exchange, NotConnected } from '../../../../core/journal/etcd-client/exchange.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { put } from '../../../../core/journal/etcd-client/messages.ts';

async function withServer(answer: RequestListener, use: (gateway: EtcdGateway) => Promise<void>): Promise<void> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const gateway = new EtcdGateway({ endpoints: [`http://127.0.0.1:${port}`], timeout: 300 });
  try {
    await use(gateway);
  } finally {
    await gateway.close();
    server.close();
    server.closeAllConnections();
  }
}

const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => assert.unreachable(),
    (error: unknown) => error,
  );

const event = (key: string): string =>
  `${JSON.stringify({ result: { header: { revision: '7' }, events: [{ kv: { key: Buffer.from(key).toString('base64'), value: '', mod_revision: '7' } }] } })}\n`;

/** Each part goes out in a packet of its own. */
async function sendParts(response: ServerResponse, parts: readonly string[]): Promise<void> {
  for (const part of parts) {
    await new Promise((done) => response.write(part, done));
    await new Promise((done) => setTimeout(done, 5));
  }
}

test('lines of a watch are delivered whole and in order, however they are split', async () => {
  const text = `${event('a')}\n${event('bb')}${event('ccc')}`;
  for (const size of [1, 7, 100, text.length]) {
    const parts = Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
    await withServer(
      (_, response) => void sendParts(response, parts).then(() => response.end()),
      async (gateway) => {
        const keys: string[] = [];
        const take = ({ puts }: { puts: readonly { key: Buffer }[] }): void => {
          for (const { key } of puts) keys.push(key.toString());
        };
        const error = await failureOf(gateway.watch('a', 'z', 1, take, new AbortController().signal));
        assert.match((error as Error).message, /the watch ended/);
        assert.equal(keys, ['a', 'bb', 'ccc'], `parts of ${size}`);
      },
    );
  }
});

test('a watch ends by its lines, by its status, and by its signal', async () => {
  const compacted = `${JSON.stringify({ result: { header: {}, canceled: true, compact_revision: '5' } })}\n`;
  const cases: readonly [RequestListener, (error: unknown) => boolean][] = [
    [(_, response) => void response.write(compacted), (error) => error instanceof EtcdCompacted],
    [
      (_, response) => void response.writeHead(503).end('no leader'),
      (error) => error instanceof EtcdUnavailable && /status 503: no leader/.test(error.message),
    ],
    [(_, response) => void response.write(event('a')), (error) => error === 'enough'],
  ];
  for (const [answer, isRight] of cases)
    await withServer(answer, async (gateway) => {
      const stop = new AbortController();
      const error = await failureOf(gateway.watch('a', 'z', 1, () => stop.abort('enough'), stop.signal));
      assert.ok(isRight(error), String(error));
    });
});

test('a request that is aborted before it has a connection is never sent', async () => {
  const seen: string[] = [];
  const held: ServerResponse[] = [];
  const server = createServer((request, response) => {
    seen.push(String(request.url));
    if (request.url === '/held') held.push(response);
    else response.end('answer');
  });
  const at = Math.floor(Date.now() / 1000) * 1000;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = new Agent({ connections: 1, pipelining: 1 });
  const first = new Exchange(agent, { endpoint, path: '/held', message: {} });
  const second = new Exchange(agent, { endpoint, path: '/given-up', message: {} });
  const third = new Exchange(agent, { endpoint, path: '/last', message: {} });
  second.abort(new Error('too late'));
  assert.instance(await failureOf(second.done), NotConnected);
  while (held.length === 0) await new Promise((done) => setTimeout(done, 5));
  held[0].end();
  for (const [exchange, expected] of [
    [first, ''],
    [third, 'answer'],
  ] as const) {
    const { status, text, date } = await exchange.done;
    assert.equal([status, text], [200, expected]);
    assert.ok(date >= at && date <= Date.now(), 'the clock of the server');
  }
  assert.equal(seen, ['/held', '/last']);
  // What is no address at all is no reason to end for the client.
  assert.instance(
    await failureOf(new Exchange(agent, { endpoint: 'https://node:none', path: '/', message: {} }).done),
    NotConnected,
  );
  await agent.destroy();
  server.close();
});

test('a request that times out after it was sent has an unknown outcome', async () => {
  await withServer(
    () => {},
    async (gateway) => {
      const error = await failureOf(gateway.transaction([], [put('/key', Buffer.alloc(1))]));
      assert.instance(error, EtcdUnavailable);
      assert.ok((error as EtcdUnavailable).mayHappen);
      assert.match((error as Error).message, /no response within 300 ms/);
    },
  );
});

test.run();

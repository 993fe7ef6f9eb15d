/** Limits of a connection, its timeouts, the number of connections, and the bytes it sends. */

import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorResponse } from '../../../admin-api/http/errors.ts';
import type { Handler, HttpResponse, Listening } from '../../../admin-api/http/transport.ts';
import { createLogger } from '../../../core/base/log/index.ts';
import { connected, exchange } from '../../support/raw-http.ts';
import { until } from '../../support/until.ts';
import { endsIdleConnection, endsUnreadBodies } from './timed-ends.ts';
import { forEachTransport } from './transports.ts';

const LIMIT = 1000;
const BIG = 'x'.repeat(1 << 20);
const get = (path: string, fields = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${fields}\r\n`;
const CLOSE = 'Connection: close\r\n';

/** Values that would end a line, start another one, or be truncated: none may be sent. */
const INJECTIONS = [
  'a\r\nX-Evil: 1',
  'a\nX-Evil: 1',
  'a\rX-Evil: 1',
  'a\0b',
  'ünïcode',
  '漢',
  'a\r\n\r\n<script>',
  '\x7f',
  '\ud800',
];

await forEachTransport((make, name) => {
  const test = suite<{ listening: Listening }>(`connection ${name}`);
  const calls: string[] = [];
  const logged: string[] = [];
  const rejections: unknown[] = [];
  process.on('unhandledRejection', (reason) => rejections.push(reason));
  let ended = 0;
  /** Resolves when the test lets the held responses go. */
  let held = Promise.resolve();
  let injected: Record<string, string> = {};

  async function* pieces(): AsyncGenerator<string> {
    try {
      yield BIG;
      yield BIG;
    } finally {
      ended++;
    }
  }

  const handler: Handler = async (request) => {
    calls.push(request.path);
    const answer = (body: HttpResponse['body'], headers = {}): HttpResponse => ({ status: 200, headers, body });
    if (request.path === '/big') return answer(BIG);
    if (request.path === '/huge') return answer(Buffer.alloc(64 << 20));
    if (request.path === '/slow') return wait(100).then(() => answer('late'));
    if (request.path === '/held') return held.then(() => answer('late'));
    if (request.path === '/held-stream') return held.then(() => answer(pieces()));
    if (request.path === '/unread') return answer('unread');
    if (request.path === '/inject') return answer('injected', injected);
    try {
      const body = await request.body(LIMIT);
      const { method, path, query } = request;
      return answer(JSON.stringify({ method, path, query, body: body.toString('latin1') }));
    } catch (error) {
      return errorResponse(error, 'id');
    }
  };
  const log = createLogger({ level: 'error', format: 'text', write: (line) => logged.push(line) });
  test.before(async (context) => {
    context.listening = await make({ log }).listen({ address: '127.0.0.1', port: 0 }, handler);
  });
  test.before.each(() => {
    calls.length = 0;
  });
  test.after(({ listening }) => listening.close());

  test('accepts 8 KB of request line and another 8 KB of fields', async ({ listening }) => {
    const query = 'q'.repeat(7_980);
    const fields = `Authorization: Bearer ${'t'.repeat(2_000)}\r\nIdempotency-Key: ${'k'.repeat(2_000)}\r\nX: ${'x'.repeat(3_900)}\r\n`;
    const { status, text } = await exchange(listening.port, get(`/?${query}`, fields + CLOSE));
    assert.is(status, 200);
    assert.ok(text.includes(query));
  });

  test('accepts 90 fields', async ({ listening }) => {
    const fields = Array.from({ length: 90 }, (_, i) => `X${i}: 1\r\n`).join('');
    assert.is((await exchange(listening.port, get('/', fields + CLOSE))).status, 200);
  });

  test('closes the connection on request, in any spelling', async ({ listening }) => {
    for (const value of ['close', 'Close', 'CLOSE', 'TE, close', 'close , x', 'keep-alive,close']) {
      const { status, closed } = await exchange(listening.port, get('/', `Connection: ${value}\r\n`));
      assert.equal([status, closed], [200, true], value);
    }
  });

  test('the last response of a connection is complete, even if it is long', async ({ listening }) => {
    for (const fields of [CLOSE, 'Connection: TE, close\r\n', 'Connection: close\r\nTransfer-Encoding: chunked\r\n']) {
      const { text, closed } = await exchange(listening.port, `${get('/big', fields)}0\r\n\r\n`);
      assert.ok(closed, fields);
      assert.is(text.match(/x/g)?.length, BIG.length, fields);
    }
  });

  if (name === 'node')
    test('an invalid request closes the connection after the previous responses', async ({ listening }) => {
      for (const path of ['/slow', '/big']) {
        const { text, closed } = await exchange(listening.port, `${get('/slow')}${get(path)}\0\r\n\r\n`);
        assert.ok(closed);
        assert.is(text.match(/HTTP\/1\.1 200 /g)?.length, 2);
        assert.not.match(text, /HTTP\/1\.1 4/);
      }
    });

  test('ignores Upgrade', async ({ listening }) => {
    const fields =
      'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n';
    const { status } = await exchange(listening.port, get('/', fields), { done: (text) => text.includes('}') });
    assert.is(status, 200);
  });

  test('closes an HTTP/1.0 connection after the response', async ({ listening }) => {
    const { status, closed } = await exchange(listening.port, 'GET / HTTP/1.0\r\n\r\n');
    assert.equal([status, closed], [name === 'node' ? 200 : 505, true]);
  });

  test('accepts the absolute form and the asterisk form', async ({ listening }) => {
    const absolute = await exchange(listening.port, get('http://other/path?q=1', CLOSE));
    const asterisk = await exchange(listening.port, `OPTIONS * HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`);
    if (name === 'uws') return assert.equal([absolute.status, asterisk.status], [505, 505]);
    assert.match(absolute.text, /"path":"\/path","query":"q=1"/);
    assert.match(asterisk.text, /"path":"\*"/);
  });

  test('rejects a body with Expect: 100-continue before it is sent', async ({ listening }) => {
    const send = (length: number): string =>
      `PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`;
    const refused = await exchange(listening.port, send(LIMIT + 1));
    assert.is(refused.status, 413);
    assert.ok(refused.closed);
    if (name === 'node') assert.not.match(refused.text, /100 Continue/);
    const response = await exchange(listening.port, send(3), { done: (text) => text.includes('100') });
    assert.match(response.text, /^HTTP\/1\.1 100 Continue\r\n\r\n/);
  });

  test('trailers of a body are never parsed as a request', async ({ listening }) => {
    const body = '3\r\nabc\r\n0\r\nGET /smuggled HTTP/1.1\r\nX: 1\r\n\r\n';
    await exchange(listening.port, `PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`, {
      ms: 600,
    });
    assert.not(calls.includes('/smuggled'));
  });

  test('bytes after a chunked body with ambiguous sizes are never parsed as a request', async ({ listening }) => {
    const smuggled = get('/smuggled');
    for (const body of ['3;a=b\r\nabc\r\n0\r\n\r\n', '3\r\nabcd\r\n0\r\n\r\n', '3\nabc\n0\n\n', '0\r\n\r\n'])
      for (const gap of [0, 60]) {
        const socket = await connected(listening.port);
        socket.on('error', () => {});
        socket.write(`PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body}`);
        await wait(gap);
        socket.write(smuggled);
        // With node:http, a request may follow a valid body, because its parser reads extensions
        // correctly.
        const isGood = name === 'node' && (body.startsWith('3;') || body.startsWith('0'));
        await (isGood ? until(() => calls.includes('/smuggled')) : wait(60));
        socket.destroy();
        assert.is(calls.includes('/smuggled'), isGood, JSON.stringify(body));
        calls.length = 0;
      }
  });

  test('pipelined requests are answered in order, or the connection closes', async ({ listening }) => {
    const paths = ['/slow', '/one', '/two', '/three'];
    const { text } = await exchange(listening.port, paths.map((path) => get(path)).join('') + get('/end', CLOSE));
    const bodies = [...text.matchAll(/late|"path":"([^"]+)"/g)].map(([whole, path]) => path ?? whole);
    const expected = ['late', '/one', '/two', '/three', '/end'];
    assert.equal(bodies, expected.slice(0, bodies.length));
    if (name === 'node') assert.is(bodies.length, 5);
  });

  test('a client that pipelines a thousand requests without reading causes few responses', async ({ listening }) => {
    const before = process.memoryUsage().rss;
    const socket = await connected(listening.port);
    socket.on('error', () => {});
    socket.pause();
    // First within the limit of queued requests, then above it.
    socket.write(get('/big').repeat(50));
    await wait(300);
    assert.ok(calls.length <= 20, `${calls.length} answers of a megabyte were made`);
    socket.write(get('/big').repeat(1_000));
    await wait(200);
    const grown = process.memoryUsage().rss - before;
    assert.ok(calls.length <= 20, `${calls.length} answers of a megabyte were made`);
    // All of them would be a thousand megabytes.
    assert.ok(grown < 200 << 20, `${grown} bytes`);
    socket.destroy();
    await until(() => listening.connections() === 0);
  });

  test('closes the connection of a client that does not read its response', async ({ listening }) => {
    const socket = await connected(listening.port);
    socket.on('error', () => {});
    socket.pause();
    const begin = performance.now();
    socket.write(get('/huge'));
    await until(() => listening.connections() === 0);
    assert.ok(performance.now() - begin > 500);
    socket.destroy();
  });

  test('a response for a disconnected client is discarded', async ({ listening }) => {
    ended = 0;
    for (const path of ['/held', '/held-stream', '/held-stream'])
      for (const leave of [(socket: Socket) => socket.destroy(), (socket: Socket) => socket.resetAndDestroy()]) {
        let letGo = () => {};
        held = new Promise((resolve) => (letGo = resolve));
        const socket = await connected(listening.port);
        const before = calls.length;
        socket.write(get(path));
        await until(() => calls.length > before);
        leave(socket);
        await until(() => listening.connections() === 0);
        letGo();
        // The response is sent, or discarded, in the next turns of the event loop.
        await wait(20);
      }
    assert.is(calls.length, 6);
    // A generator that was never started has nothing to end.
    assert.is(ended, 0);
    assert.equal(rejections, []);
  });

  test('drops and logs unsafe response headers', async ({ listening }) => {
    for (const value of INJECTIONS)
      for (const headers of [
        { 'X-Echo': value, 'X-Good': 'yes' },
        { [value]: 'name', 'X-Good': 'yes' },
      ]) {
        injected = headers;
        logged.length = 0;
        const { text, status } = await exchange(listening.port, get('/inject', CLOSE));
        const label = JSON.stringify(headers);
        assert.is(status, 200, label);
        assert.match(text, /X-Good: yes\r\n/, label);
        assert.ok(text.endsWith('\r\n\r\ninjected'), label);
        assert.not.match(text, /evil|echo|script|name|[\0\x7f-\xff]|\r(?!\n)|(?<!\r)\n/i, label);
        assert.is(logged.length, 1, label);
      }
    injected = { 'X-Echo': ' a "quoted", ~value;\t=1 ' };
    assert.match(
      (await exchange(listening.port, get('/inject', CLOSE))).text,
      /X-Echo: +a "quoted", ~value;\t=1 *\r\n/,
    );
  });

  // uWebSockets.js has slower timers; test/system/admin-api/http/uws-timer.test.ts waits for them.
  if (name === 'node') {
    test('an unread body does not keep a connection open forever', ({ listening }) => endsUnreadBodies(listening));
    test('closes an idle connection', ({ listening }) => endsIdleConnection(listening));
  }

  test('closes connections above the total limit and keeps the others', async () => {
    const listening = await make({ limits: { total: 5, perAddress: 5 } }).listen(
      { address: '127.0.0.1', port: 0 },
      handler,
    );
    const kept = await Promise.all(Array.from({ length: 5 }, () => connected(listening.port)));
    await until(() => listening.connections() === 5);
    for (let i = 0; i < 3; i++)
      assert.equal(await exchange(listening.port, get('/')), { text: '', status: 0, closed: true });
    assert.ok(await isServed(kept[0]));
    kept[1].destroy();
    await until(() => listening.connections() === 4);
    assert.is((await exchange(listening.port, get('/', CLOSE))).status, 200);
    for (const socket of kept) socket.destroy();
    await until(() => listening.connections() === 0);
    await listening.close();
  });

  test('connections above the limit of an address are closed; other addresses are not affected', async () => {
    const listening = await make({ limits: { total: 50, perAddress: 3 } }).listen(
      { address: '127.0.0.1', port: 0 },
      handler,
    );
    const sockets: Socket[] = [];
    const from = (localAddress: string): Promise<Socket> =>
      new Promise((resolve) => {
        const socket = connect({ port: listening.port, host: '127.0.0.1', localAddress }, () => resolve(socket));
        socket.on('error', () => {});
        sockets.push(socket);
      });
    // While a new listing would cost too much, the server closes connections within the limit.
    const served = async (localAddress: string): Promise<Socket> => {
      let socket = await from(localAddress);
      await until(async () => {
        if (await isServed(socket)) return true;
        socket = await from(localAddress);
        return false;
      }, `a connection of ${localAddress} is served`);
      return socket;
    };
    try {
      const others: Socket[] = [];
      for (let i = 10; i < 20; i++) others.push(await from(`127.0.0.${i}`));
      await until(() => listening.connections() === 10);
      // Repeats, so that closed connections are detected.
      for (let round = 0; round < 5; round++) {
        const own: Socket[] = [];
        for (let i = 0; i < 3; i++) own.push(await served('127.0.0.2'));
        await until(() => listening.connections() === 13, '13 connections');
        for (let i = 0; i < 3; i++) {
          const extra = await from('127.0.0.2');
          extra.resume();
          await until(() => extra.closed || extra.readableEnded || extra.destroyed);
          await until(() => listening.connections() === 13);
        }
        for (const socket of own) assert.ok(await isServed(socket));
        for (const socket of own) socket.destroy();
        await until(() => listening.connections() === 10);
      }
      for (const socket of others) assert.ok(await isServed(socket));
      for (const socket of others) socket.destroy();
      await until(() => listening.connections() === 0);
    } finally {
      for (const socket of sockets) socket.destroy();
      await listening.close();
    }
  });

  test.run();
});

/** Whether the connection serves requests. */
async function isServed(socket: Socket): Promise<boolean> {
  const answered = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    socket.once('close', () => resolve('closed'));
  });
  if (socket.destroyed) return false;
  socket.write(get('/'));
  return (await answered).startsWith('HTTP/1.1 200 ');
}

/** The same tests for both transports. */

import { once } from 'node:events';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request as clientRequest } from 'undici';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyMemory } from '../../../admin-api/http/body-memory.ts';
import { errorResponse } from '../../../admin-api/http/errors.ts';
import { NodeTransport } from '../../../admin-api/http/node-transport.ts';
import {
  Aborted,
  type Handler,
  ListenError,
  type Listening,
  type Transport,
} from '../../../admin-api/http/transport.ts';
import { UwsTransport } from '../../../admin-api/http/uws-transport.ts';
import { createLogger } from '../../../core/base/log/index.ts';
import { until } from '../../support/until.ts';
import { uwsFor } from '../transports.ts';

const OPTIONS = {
  timeouts: { body: 300, headers: 2_000, idle: 75_000, write: 1_000, close: 2_000 },
  limits: { total: 1024, perAddress: 1024 },
  memory: new BodyMemory(256 << 20),
  log: createLogger({ level: 'error', format: 'text' }),
};
const LIMIT = 1 << 20;

/** What the handler of one transport has received. */
interface Seen {
  aborted: number;
  chunks: number;
  ended: number;
  /** Requests with a delayed response. */
  slow: number;
}

async function* endless(seen: Seen): AsyncGenerator<Uint8Array> {
  try {
    for (;;) {
      seen.chunks++;
      yield Buffer.alloc(256 * 1024, 'x');
    }
  } finally {
    seen.ended++;
  }
}

async function* three(): AsyncGenerator<string> {
  for (const text of ['eins ', 'zwei ', 'drei']) {
    await wait(1);
    yield text;
  }
}

/** Responds with the received request. */
const handlerOf =
  (seen: Seen): Handler =>
  async (sample) => {
    const headers = { 'X-Test': 'yes' };
    try {
      if (sample.path === '/stream') return { status: 200, headers, body: three() };
      if (sample.path === '/sized') return { status: 200, headers, body: three(), length: 14 };
      if (sample.path === '/short') return { status: 200, headers, body: three(), length: 15 };
      if (sample.path === '/endless') return { status: 200, headers, body: endless(seen) };
      if (sample.path === '/bytes') return { status: 200, headers, body: Uint8Array.of(0, 255, 10) };
      if (sample.path === '/slow') {
        seen.slow++;
        await wait(150);
        return { status: 200, headers, body: 'late' };
      }
      if (sample.path === '/unchanged')
        return { status: 304, headers: { ...headers, ETag: '"7"' }, body: '', length: 14 };
      if (sample.path === '/ignore') return { status: 418, headers, body: 'not read' };
      const body = await sample.body(LIMIT);
      const { method, path, query, remoteAddress } = sample;
      const sum = body.reduce((a, b) => (a + b) % 65_521, 0);
      const echo = {
        method,
        path,
        query,
        remoteAddress,
        length: body.length,
        sum,
        x: sample.header('x-one') ?? sample.header('x-forwarded-for') ?? null,
      };
      return { status: 200, headers, body: JSON.stringify(echo) };
    } catch (error) {
      if (error instanceof Aborted) seen.aborted++;
      return errorResponse(error, 'id');
    }
  };

async function raw(port: number, text: string, more?: (socket: Socket) => void): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let answer = '';
  socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')));
  socket.on('error', () => {});
  socket.write(text);
  more?.(socket);
  const deadline = setTimeout(() => socket.destroy(new Error('The server keeps the connection.')), 60_000);
  await once(socket, 'close');
  clearTimeout(deadline);
  socket.destroy();
  return answer;
}

type Timeouts = Partial<typeof OPTIONS.timeouts>;

function contract(make: (changed?: Timeouts) => Transport, name: string): void {
  const test = suite<{ listening: Listening; url: string }>(`transport ${name}`);
  const seen: Seen = { aborted: 0, chunks: 0, ended: 0, slow: 0 };
  const handler = handlerOf(seen);
  test.before(async (context) => {
    context.listening = await make().listen({ address: '127.0.0.1', port: 0 }, handler);
    context.url = `http://127.0.0.1:${context.listening.port}`;
  });
  test.after(({ listening }) => listening.close());

  test('passes on method, path, query, headers, address', async ({ url }) => {
    const answer = await fetch(`${url}/a%2Fb/%C3%BC?x=1&y=%20`, { method: 'DELETE', headers: { 'X-One': 'one' } });
    assert.is(answer.status, 200);
    assert.is(answer.headers.get('x-test'), 'yes');
    const expected = { method: 'DELETE', path: '/a%2Fb/%C3%BC', query: 'x=1&y=%20', remoteAddress: '127.0.0.1' };
    assert.equal(await answer.json(), { ...expected, length: 0, sum: 0, x: 'one' });
  });

  test('all lines of X-Forwarded-For are one list', async ({ url }) => {
    const outgoing = request(url, { headers: { 'x-forwarded-for': ['192.0.2.1, 192.0.2.2', '192.0.2.3'] } }).end();
    const [answer] = await once(outgoing, 'response');
    assert.is(((await json(answer)) as { x: string }).x, '192.0.2.1, 192.0.2.2, 192.0.2.3');
  });

  for (const length of [1, 1000, 70_000, LIMIT])
    test(`passes on a body of ${length} bytes`, async ({ url }) => {
      const body = new Uint8Array(length).map((_, i) => (i * 7) & 255);
      const sum = body.reduce((a, b) => (a + b) % 65_521, 0);
      const echo = (await (await fetch(url, { method: 'PUT', body })).json()) as { length: number; sum: number };
      assert.equal([echo.length, echo.sum], [length, sum]);
    });

  test('passes on a chunked body', async ({ listening }) => {
    const text = await raw(
      listening.port,
      'POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n',
    );
    assert.match(text, /^HTTP\/1.1 200 /);
    assert.match(text, /"length":7/);
  });

  test('rejects by Content-Length before reading', async ({ listening }) => {
    const text = await raw(listening.port, `PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LIMIT + 1}\r\n\r\n`);
    assert.match(text, /^HTTP\/1.1 413 /);
    assert.match(text, /body_too_large/);
  });

  test('rejects a body that exceeds the limit', async ({ listening }) => {
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const text = await raw(
      listening.port,
      'PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n',
      (socket) => {
        for (let i = 0; i < 40; i++) socket.write(chunk);
      },
    );
    assert.match(text, /^HTTP\/1.1 413 /);
  });

  test('applies the timeout to a slow body, not only to an idle connection', async () => {
    const anyPort = { address: '127.0.0.1', port: 0 };
    const patient = await make({ headers: 600_000, idle: 600_000 }).listen(anyPort, handler);
    const text = await raw(patient.port, 'PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    assert.match(text, /^HTTP\/1.1 408 /);
    await patient.close();
  });

  test('reports a client that disconnects during its body', async ({ listening }) => {
    const before = seen.aborted;
    const socket = connect(listening.port, '127.0.0.1');
    socket.write('PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc');
    await wait(50);
    socket.destroy();
    await until(() => seen.aborted === before + 1);
  });

  test('continues after a client disconnects before its response', async ({ listening, url }) => {
    const socket = connect(listening.port, '127.0.0.1');
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
    await wait(30);
    socket.destroy();
    await wait(200);
    assert.is((await fetch(url)).status, 200);
  });

  test('sends strings, bytes and streams', async ({ url }) => {
    assert.equal([...new Uint8Array(await (await fetch(`${url}/bytes`)).arrayBuffer())], [0, 255, 10]);
    assert.is(await (await fetch(`${url}/stream`)).text(), 'eins zwei drei');
  });

  test('sends a stream of a known length with Content-Length, and breaks off one that is shorter', async ({ url }) => {
    const sized = await fetch(`${url}/sized`);
    assert.equal([sized.headers.get('content-length'), await sized.text()], ['14', 'eins zwei drei']);
    const short = await fetch(`${url}/short`);
    const error = await short.text().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof TypeError);
  });

  test('responds to HEAD with headers only', async ({ listening }) => {
    for (const path of ['/bytes', '/stream', '/sized']) {
      const text = await raw(
        listening.port,
        `HEAD ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
        (socket) => {
          socket.once('data', () => socket.end());
        },
      );
      assert.match(text, /^HTTP\/1.1 200 /);
      assert.is(text.slice(text.indexOf('\r\n\r\n') + 4), '');
      if (path === '/bytes') assert.match(text, /content-length: 3/i);
      if (path === '/sized') assert.match(text, /content-length: 14/i);
    }
  });

  test('no response names the software', async ({ listening }) => {
    const close = 'Host: a\r\nConnection: close\r\n\r\n';
    for (const line of [
      ...['/', '/bytes', '/stream', '/sized', '/unchanged', '/ignore'].map((path) => `GET ${path}`),
      ...['HEAD /bytes', 'HEAD /sized', 'PUT /missing'],
    ]) {
      const text = await raw(listening.port, `${line} HTTP/1.1\r\n${close}`);
      assert.match(text, /^HTTP\/1\.1 \d{3} /, line);
      assert.not.match(text, /^(?:uwebsockets|server|x-powered-by|via):/im, line);
    }
  });

  test('a 304 has no Content-Length, which clients take for that of a body', async ({ listening, url }) => {
    const text = await raw(listening.port, 'GET /unchanged HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const [head, body, ...more] = text.split('\r\n\r\n');
    assert.match(head, /^HTTP\/1\.1 304 Not Modified\r\n/);
    assert.not.match(head, /^(?:content-length|transfer-encoding):/im);
    assert.equal([body, more], ['', []]);
    for (const field of ['Date: \\w{3}, \\d\\d ', 'X-Test: yes', 'ETag: "7"', 'Connection: close'])
      assert.is([...head.matchAll(new RegExp(`^${field}`, 'gim'))].length, 1, `${field} in ${head}`);
    // Of a client that compares the length with the body.
    const dispatcher = new Agent();
    for (const _ of [1, 2]) {
      const response = await clientRequest(`${url}/unchanged`, { dispatcher });
      assert.equal([response.statusCode, await response.body.text()], [304, '']);
    }
    await dispatcher.close();
  });

  test('ends the stream of a client that disconnects, and waits for a slow client', async ({ listening }) => {
    seen.chunks = 0;
    const before = seen.ended;
    const socket = connect(listening.port, '127.0.0.1');
    socket.pause();
    socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await wait(300);
    // At most the buffers of two sockets, not the endless rest.
    assert.ok(seen.chunks < 200, `${seen.chunks} chunks were made`);
    socket.destroy();
    await until(() => seen.ended === before + 1);
  });

  test('closes the connection of a client that reads nothing', async ({ listening }) => {
    const before = seen.ended;
    const socket = connect(listening.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write('GET /endless HTTP/1.1\r\nHost: a\r\n\r\n');
    await until(() => seen.ended === before + 1);
    socket.destroy();
  });

  test('responds without reading an unrequested body', async ({ url }) => {
    const answer = await fetch(`${url}/ignore`, { method: 'POST', body: new Uint8Array(50_000) });
    assert.is(answer.status, 418);
    assert.is(await answer.text(), 'not read');
  });

  test('rejects an endless header', async ({ listening }) => {
    const text = await raw(listening.port, `GET / HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(100_000)}\r\n\r\n`);
    assert.ok(text === '' || /^HTTP\/1.1 431 /.test(text), text.slice(0, 80));
  });

  test('responds to the requests of a connection in order', async ({ listening }) => {
    const get = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${more}\r\n`;
    const text = await raw(listening.port, get('/slow'), (socket) => {
      socket.once('data', () => socket.write(get('/second', 'Connection: close\r\n')));
    });
    assert.ok(text.indexOf('late') > 0 && text.indexOf('/second') > text.indexOf('late'), text);
  });

  test('accepts 200 concurrent connections', async ({ url }) => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => fetch(`${url}/${i}`).then((r) => r.json())),
    );
    assert.equal(
      answers.map((answer) => (answer as { path: string }).path),
      Array.from({ length: 200 }, (_, i) => `/${i}`),
    );
  });

  test('reports a port that is in use', async ({ listening }) => {
    const again = make().listen({ address: '127.0.0.1', port: listening.port }, handler);
    const error = await again.then(
      () => null,
      (reason: unknown) => reason,
    );
    assert.instance(error, ListenError);
  });

  test('waits for requests in flight when it closes', async () => {
    const listening = await make().listen({ address: '127.0.0.1', port: 0 }, handler);
    const before = seen.slow;
    const answer = fetch(`http://127.0.0.1:${listening.port}/slow`, { headers: { Connection: 'close' } });
    await until(() => seen.slow > before);
    const closed = listening.close();
    assert.is(await (await answer).text(), 'late');
    await closed;
    const refused = await fetch(`http://127.0.0.1:${listening.port}/`).then(
      () => false,
      () => true,
    );
    assert.ok(refused);
  });

  test.run();
}

const withTimeouts = (changed?: Timeouts) => ({ ...OPTIONS, timeouts: { ...OPTIONS.timeouts, ...changed } });
contract((changed) => new NodeTransport(withTimeouts(changed)), 'node:http');
const uws = await uwsFor('transport');
if (uws !== undefined) contract((changed) => new UwsTransport(uws, withTimeouts(changed)), 'uWebSockets.js');

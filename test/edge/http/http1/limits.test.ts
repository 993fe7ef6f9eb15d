/**
 * Clients that are slow, or never done: ended by a limit, counted, and other clients do not notice.
 * Limits are short here; nothing is said of how long it takes.
 */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { AbortCause, Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { connected } from '../../../support/raw-http.ts';
import { unstalled } from '../../../support/unstalled.ts';
import { describe, withServer } from './server.ts';

/** A slow client sends each 15 ms, and a request is answered before the shortest limit. */
const it = (name: string, work: () => Promise<void>): void => test(name, unstalled(25, work));

const HEAD = 'GET / HTTP/1.1\r\nHost: site.test\r\n';
const READY = new ReadyAnswer(200, [], Buffer.from('ready'));

/** All that comes until the server ends. Writes a character now and then meanwhile. */
async function trickle(socket: Socket, character: string): Promise<string> {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (part) => {
    text += part;
  });
  const timer = setInterval(() => {
    if (socket.writable) socket.write(character);
  }, 15);
  if (!socket.readableEnded) await once(socket, 'end');
  clearInterval(timer);
  socket.destroy();
  return text;
}

it('a head that never ends is answered by 408', async () => {
  await withServer(
    (exchange) => exchange.answer(READY),
    async ({ port, send, counters }) => {
      const first = await connected(port);
      first.write(HEAD);
      const slow = trickle(first, 'a');
      const later = await connected(port);
      later.write(`${HEAD}\r\n`);
      await once(later, 'data');
      later.write(HEAD);
      const slowLater = trickle(later, 'a');
      const rawAnswer = await send(`${HEAD}\r\n`, 'ready');
      assert.is(rawAnswer.status, 200);
      assert.match(await slow, /^HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close/);
      assert.match(await slowLater, /^HTTP\/1\.1 408 /);
      assert.is(counters.get('slow_head'), 2);
      assert.is(counters.get('requests'), 2);
    },
    { headerTimeout: 200, idleTimeout: 60_000 },
  );
});

it('connections without a request are closed, before the first and after one', async () => {
  await withServer(
    (exchange) => exchange.answer(READY),
    async ({ port, counters, events }) => {
      const silent = await connected(port);
      silent.resume();
      await once(silent, 'end');
      const idle = await connected(port);
      idle.write(`${HEAD}\r\n`);
      assert.match(String(await once(idle, 'data')), /200 OK/);
      idle.resume();
      await once(idle, 'end');
      assert.is(counters.get('idle'), 2);
      assert.equal(events, [], 'it is not reported');
    },
    { headerTimeout: 100, idleTimeout: 100 },
  );
});

it('a slow body gets 408, one that is not read does not', async () => {
  const causes: (AbortCause | string)[] = [];
  let finish = (): void => {};
  const handler = async (exchange: Exchange): Promise<void> => {
    if (exchange.method === 'PUT') {
      finish = () => exchange.answer(READY);
      return;
    }
    exchange.onAbort((cause) => causes.push(cause));
    if (exchange.path === '/begun') exchange.respond(200, []);
    await describe(exchange).catch((error) => causes.push(error.reason));
  };
  await withServer(
    handler,
    async ({ port, counters }) => {
      const post = (method: string, path: string): string =>
        `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n`;
      const unread = await connected(port);
      unread.write(post('PUT', '/'));
      const unreadText = trickle(unread, 'a');
      const slow = await connected(port);
      slow.write(post('POST', '/'));
      assert.match(await trickle(slow, 'a'), /^HTTP\/1\.1 408 /);
      const begun = await connected(port);
      begun.write(post('POST', '/begun'));
      await once(begun, 'data');
      begun.on('error', () => {});
      begun.resume();
      await once(begun, 'close');
      assert.equal(causes, ['limit', 'limit', 'limit', 'limit']);
      assert.is(counters.get('slow_body'), 2);
      finish();
      // Now what is left of it is waited for, and no longer than others.
      assert.match(await unreadText, /^HTTP\/1\.1 200 OK/);
      assert.is(counters.get('slow_body'), 3);
    },
    { bodyWindow: 150, bodyRate: 1_000 },
  );
});

it('a client that reads nothing is disconnected, whatever is sent', async () => {
  const causes: AbortCause[] = [];
  const large = new ReadyAnswer(200, [], Buffer.alloc(30_000_000));
  const handler = (exchange: Exchange): void => {
    exchange.onAbort((cause) => causes.push(cause));
    if (exchange.path === '/ready') exchange.answer(large);
    else {
      exchange.respond(200, []);
      exchange.write(Buffer.alloc(30_000_000));
    }
  };
  await withServer(
    handler,
    async ({ port, counters }) => {
      for (const path of ['/ready', '/streamed']) {
        const socket = await connected(port);
        socket.on('error', () => {});
        socket.pause();
        socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
        const before = counters.get('connections_closed');
        while (counters.get('connections_closed') === before) await sleep(10);
        socket.destroy();
      }
      assert.is(counters.get('slow_reader'), 2);
      assert.equal(causes, ['limit'], 'the ready answer was given away');
    },
    { writeTimeout: 150 },
  );
});

it('the write timeout also applies to the first response', async () => {
  const writeTimeout = 1000;
  // The clock of a thread begins with the thread.
  while (performance.now() < writeTimeout * 1.1) await sleep(10);
  let hold = (): void => {};
  const handler = (exchange: Exchange): void => {
    hold();
    exchange.answer(READY);
  };
  await withServer(
    handler,
    async ({ sockets, send, counters }) => {
      // It does not leave at once, while the server looks at its connections every 10 ms.
      hold = () => {
        const [socket] = sockets;
        socket.cork();
        setTimeout(() => socket.uncork(), 100);
      };
      const { text } = await send(`${HEAD}\r\n`, 'ready');
      assert.match(text, /ready$/);
      assert.is(counters.get('slow_reader'), 0);
    },
    { writeTimeout, lingerTimeout: 40 },
  );
});

it('an idle tunnel is ended', async () => {
  const causes: AbortCause[] = [];
  await withServer(
    (exchange) => {
      exchange.onAbort((cause) => causes.push(cause));
      exchange.upgrade([]);
    },
    async ({ port, counters }) => {
      const socket = await connected(port);
      socket.on('error', () => {});
      socket.write(`${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
      socket.resume();
      await once(socket, 'close');
      assert.is(counters.get('idle_tunnel'), 1);
      assert.equal(causes, ['limit']);
    },
    { tunnelIdleTimeout: 100 },
  );
});

it('idle requests: 504, 408 if incomplete, the end of the connection after a head', async () => {
  const causes: string[] = [];
  const requests = [
    { text: `${HEAD}\r\n`, path: 'whole', answer: /^HTTP\/1\.1 504 .*\r\n(.*\r\n)*connection: close\r\n/ },
    { text: `${HEAD}Content-Length: 9\r\n\r\n1234`, path: 'part', answer: /^HTTP\/1\.1 408 / },
    { text: `${HEAD}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`, path: 'tunnel', answer: /^HTTP\/1\.1 504 / },
    { text: `${HEAD}\r\n`, path: 'begun', answer: /^HTTP\/1\.1 200 [\s\S]*\r\nbegun\r\n$/ },
    { text: `${HEAD}\r\n${HEAD}\r\n`, path: 'twice', answer: /^HTTP\/1\.1 504 (?![\s\S]*HTTP)/ },
    { text: `${HEAD.replace('GET', 'HEAD')}\r\n`, path: 'head', answer: /^HTTP\/1\.1 504 [^\0]*\r\n\r\n$/ },
    // What is malformed behind it is not what is answered.
    { text: `${HEAD}\r\nGET / HTTP/1.1\r\n\r\n`, path: 'bad', answer: /^HTTP\/1\.1 504 (?![\s\S]*HTTP)/ },
    { text: `${HEAD}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`, path: 'expects', answer: /^HTTP\/1\.1 408 / },
  ];
  for (const { text, path, answer } of requests)
    await withServer(
      (exchange) => {
        exchange.onAbort((cause) => {
          causes.push(`${path} ${cause}`);
          // A look at it now asks the client for nothing more.
          exchange.body.read().catch(() => {});
        });
        if (path !== 'begun') return;
        exchange.respond(200, []);
        exchange.write(Buffer.from('begun'));
      },
      async ({ send, counters, events }) => {
        const { text: output, closed } = await send(text);
        assert.ok(closed, path);
        assert.match(output, answer);
        assert.is(counters.get('idle_stream'), 1);
        assert.equal(events, path === 'bad' ? ['authority', 'idle_stream'] : ['idle_stream']);
      },
      { streamIdleTimeout: 100 },
    );
  assert.equal(
    causes,
    requests.map(({ path }) => `${path} limit`),
  );
});

it('a request is not idle while data moves', async () => {
  await withServer(
    async (exchange) => {
      exchange.respond(200, []);
      for (let i = 0; i < 130; i++) {
        await sleep(10);
        exchange.write(Buffer.from('a'));
      }
      exchange.end();
    },
    async ({ send, counters }) => {
      const { text } = await send(`${HEAD}\r\n`, '0\r\n\r\n');
      assert.match(text, /\r\n0\r\n\r\n$/);
      assert.is(counters.get('idle_stream'), 0);
    },
    { streamIdleTimeout: 1000 },
  );
});

it('a client that continues to send after a refusal is cut off', async () => {
  await withServer(
    (exchange) => exchange.answer(READY),
    async ({ port, counters }) => {
      const socket = await connected(port);
      socket.on('error', () => {});
      const answered = once(socket, 'data');
      socket.write('GET / HTTP/1.1\r\nHost : a\r\n\r\n');
      assert.match(String(await answered), /^HTTP\/1\.1 400 /);
      const timer = setInterval(() => socket.writable && socket.write(Buffer.alloc(65_536, 'a')), 5);
      socket.resume();
      await once(socket, 'close');
      clearInterval(timer);
      while (counters.get('connections_closed') === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      assert.is(counters.get('requests'), 0);
    },
    { lingerTimeout: 60_000, lingerBytes: 262_144 },
  );
});

it('a refused client that pipelines further requests behind a pending one is cut off', async () => {
  await withServer(
    () => {},
    async ({ port, counters }) => {
      const socket = await connected(port);
      socket.on('error', () => {});
      const closed = once(socket, 'close');
      // The second has no Host: what it gets waits for the first, whose handler never answers.
      socket.write(`${HEAD}\r\nGET / HTTP/1.1\r\n\r\n`);
      socket.write(`${HEAD}\r\n`.repeat(200));
      await closed;
      assert.equal([counters.get('authority'), counters.get('pipelining'), counters.get('requests')], [1, 1, 1]);
    },
    { pipelined: 16 },
  );
});

it('while requests wait, no more is read than the parser holds, and everything is read in the end', async () => {
  const LENGTH = 60_000;
  const COUNT = 40;
  const lengths: number[] = [];
  let answerFirst = (): void => {};
  const handler = async (exchange: Exchange): Promise<void> => {
    if (exchange.method === 'GET') {
      answerFirst = () => exchange.answer(READY);
      return;
    }
    let length = 0;
    for (let part = await exchange.body.read(); part !== null; part = await exchange.body.read()) length += part.length;
    lengths.push(length);
    exchange.answer(READY);
  };
  await withServer(handler, async ({ port, sockets }) => {
    const socket = await connected(port);
    const post = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${LENGTH}\r\n\r\n${'x'.repeat(LENGTH)}`;
    const written = new Promise<void>((resolve) => socket.write(`${HEAD}\r\n${post.repeat(COUNT)}`, () => resolve()));
    const [accepted] = sockets;
    // Until what is read stays the same for a while: there is nothing else that says that no more
    // is read.
    for (let read = -1; read !== accepted.bytesRead; ) {
      read = accepted.bytesRead;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.ok(accepted.bytesRead < 4 * 65_536, `${accepted.bytesRead} bytes were read`);
    answerFirst();
    let text = '';
    while (text.split('ready').length <= COUNT + 1) text += (await once(socket, 'data'))[0];
    await written;
    assert.equal(lengths, Array(COUNT).fill(LENGTH));
    socket.destroy();
  });
});

test.run();

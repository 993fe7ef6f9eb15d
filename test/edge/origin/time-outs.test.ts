/**
 * What an origin may take its time for, and for how long. None is met early; how much later is not
 * asked.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyQueue } from '../../../edge/http/exchange/body-queue.ts';
import { unstalled } from '../../support/unstalled.ts';
import { until } from '../../support/until.ts';
import { bodyOf, bodyText, faultOf, OK, request, type Script, seen, withOrigin } from './rig.ts';

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n';
const SHORT = { limits: { headerTimeout: 200, idleTimeout: 300 } };

/** An origin that says something each 60 ms, or answers at once, has not been silent for 200. */
const it = (name: string, work: () => Promise<void>): void => test(name, unstalled(40, work));

/** The fault, and that it did not come before its time. */
async function late(outcome: Promise<unknown>, fault: string, least: number): Promise<void> {
  const begin = performance.now();
  assert.is(await faultOf(outcome), fault);
  assert.ok(performance.now() - begin >= least - 1, 'not before its time');
}

it('an origin that sends nothing', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      await late(fetch(request(origin.port)), 'header-timeout', 200);
      await until(() => origin.sockets.size === 0, 'closed');
      assert.is(origin.accepted, 1, 'it is not asked again');
    },
    SHORT,
  ));

it('a head that arrives byte by byte has the same timeout as a missing one', () => {
  const script: Script = (socket) => {
    const timer = setInterval(() => socket.write('H'), 20);
    socket.on('close', () => clearInterval(timer));
    socket.write('HTTP/1.1 200 OK\r\na: ');
  };
  return withOrigin(script, ({ port }, { fetch }) => late(fetch(request(port)), 'header-timeout', 200), SHORT);
});

it('each 1xx response restarts the timeout, since their number is bounded', () => {
  const script: Script = (socket) => {
    let left = 5;
    const timer = setInterval(() => {
      if (left-- > 0) socket.write('HTTP/1.1 102 P\r\n\r\n');
      else {
        clearInterval(timer);
        socket.write(OK);
      }
    }, 100);
  };
  return withOrigin(
    script,
    async ({ port }, { fetch }) => assert.is((await seen(fetch(request(port)))).body, 'ok'),
    SHORT,
  );
});

it('a body that stops', () =>
  withOrigin(
    (socket) => socket.write(`${HEAD}abc`),
    async (origin, { fetch }) => {
      await late(seen(fetch(request(origin.port))), 'idle-timeout', 300);
      await until(() => origin.sockets.size === 0, 'closed');
    },
    SHORT,
  ));

it('a slow body has no total timeout', () => {
  const script: Script = (socket) => {
    socket.write(HEAD);
    let left = 10;
    const timer = setInterval(() => {
      socket.write('x');
      if (--left === 0) clearInterval(timer);
    }, 60);
  };
  return withOrigin(
    script,
    async ({ port }, { fetch }) => assert.is((await seen(fetch(request(port)))).body, 'x'.repeat(10)),
    SHORT,
  );
});

it('a paused reader is not a fault of the origin', () =>
  withOrigin(
    (socket) =>
      socket.write(
        Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 20000000\r\n\r\n'), Buffer.alloc(20_000_000)]),
      ),
    async ({ port }, { fetch }) => {
      const { body } = await fetch(request(port));
      await new Promise((done) => setTimeout(done, 900));
      assert.is((await bodyText(body)).length, 20_000_000);
    },
    SHORT,
  ));

it('a refusal of an upload, by an origin that reads no more, to a paused reader', () => {
  const page = Buffer.alloc(250_000, 'x');
  const script: Script = (socket) => {
    socket.pause();
    socket.write(`HTTP/1.1 413 No\r\ncontent-length: ${page.length}\r\n\r\n`);
    socket.write(page);
    // When all of it has come.
    setTimeout(() => socket.resetAndDestroy(), 300);
  };
  return withOrigin(script, async ({ port }, { fetch }) => {
    const upload = bodyOf(
      Array.from({ length: 1000 }, () => 'x'.repeat(65_536)),
      undefined,
    );
    const { status, body } = await fetch(request(port, { method: 'POST', body: upload }));
    assert.is(status, 413);
    await new Promise((done) => setTimeout(done, 1800));
    assert.is((await bodyText(body)).length, page.length);
  });
});

it('a stream of events may be silent for longer than another body', () =>
  withOrigin(
    (socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n3\r\n: \n\r\n',
      ),
    ({ port }, { fetch }) => late(seen(fetch(request(port))), 'idle-timeout', 900),
    { limits: { ...SHORT.limits, streamIdleTimeout: 900 } },
  ));

it('an upload that the origin does not read', () =>
  withOrigin(
    (socket) => socket.pause(),
    async ({ port }, { fetch }) => {
      const body = bodyOf(
        Array.from({ length: 1000 }, () => 'x'.repeat(65_536)),
        undefined,
      );
      assert.is(await faultOf(fetch(request(port, { method: 'POST', body }))), 'idle-timeout');
    },
    SHORT,
  ));

it('a visitor with a slow upload is not a fault of the origin', () =>
  withOrigin(
    (socket) => socket.on('data', (data: Buffer) => data.toString().endsWith('b') && socket.write(OK)),
    async ({ port }, { fetch }) => {
      const parts = ['a', 'b'];
      const read = async () => {
        await new Promise((done) => setTimeout(done, 700));
        return Buffer.from(parts.shift()!);
      };
      const { status } = await seen(fetch(request(port, { method: 'POST', body: { ...bodyOf([], 2), read } })));
      assert.is(status, 200);
    },
    SHORT,
  ));

it('a tunnel has no timeout here', () =>
  withOrigin(
    (socket) => {
      socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      setTimeout(() => socket.end('late'), 900);
    },
    async ({ port }, { fetch }) => {
      const { body } = await fetch(request(port, { protocol: 'websocket' }));
      assert.is(await bodyText(body), 'late');
    },
    SHORT,
  ));

it('a half-closed tunnel whose origin reads no more', () => {
  const script: Script = (socket) => {
    socket.pause();
    socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    // When all has been written that goes out.
    setTimeout(() => socket.end(), 200);
  };
  return withOrigin(
    script,
    async ({ port }, { fetch, counters }) => {
      const { tunnel, body } = await fetch(request(port, { protocol: 'websocket' }));
      while (tunnel?.write(Buffer.alloc(1 << 20)));
      let isTold = false;
      tunnel?.onDrain(() => {
        isTold = true;
      });
      assert.is(await body.read(), null);
      assert.ok(isTold, 'who waits to write is not left waiting');
      assert.is(counters.open, 1, 'what is on its way goes on');
      await until(() => counters.open === 0, 'ended');
    },
    SHORT,
  );
});

it('an origin that accepts no connection: all waiting requests get that error, not busy', async () => {
  const limits = { tlsTimeout: 150, connections: 4 };
  await withOrigin(
    () => {},
    async (origin, { fetch }) => {
      const sent = request(origin.port);
      const secure = { ...sent, origin: { ...sent.origin, protocol: 'https' as const } };
      const faults = await Promise.all(Array.from({ length: 20 }, () => faultOf(fetch(secure))));
      assert.equal(new Set(faults), new Set(['connect-timeout']));
      await until(() => origin.sockets.size === 0, 'closed');
    },
    { limits },
  );
});

const RATE = { limits: { bodyRate: 1000, bodyWindow: 200, bodyPressedWindow: 200 } };

/** A body of which so many bytes come each 20 ms. */
function dripping(bytes: number, parts: number): { body: BodyQueue; stop: () => void } {
  const body = new BodyQueue({ onFirstRead() {}, onTaken() {} }, bytes * parts);
  let left = parts;
  const timer = setInterval(() => {
    body.push(Buffer.alloc(bytes, 'x'));
    if (--left > 0) return;
    clearInterval(timer);
    body.finish();
  }, 20);
  return { body, stop: () => clearInterval(timer) };
}

it('a request whose body is too slow loses its connection', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      const { body, stop } = dripping(5, 1000);
      await late(fetch(request(origin.port, { method: 'POST', body })), 'slow-body', 200);
      await until(() => origin.sockets.size === 0, 'closed');
      stop();
    },
    RATE,
  ));

it('a body above the minimum rate has no total timeout', () =>
  withOrigin(
    (socket) => {
      let left = 100 * 40;
      socket.on('data', (part: Buffer) => {
        left -= part.toString('latin1').split('x').length - 1;
        if (left <= 0) socket.write(OK);
      });
    },
    async ({ port }, { fetch }) => {
      const { body } = dripping(100, 40);
      assert.is((await seen(fetch(request(port, { method: 'POST', body })))).body, 'ok');
    },
    RATE,
  ));

test.run();

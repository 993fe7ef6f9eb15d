/**
 * Connections: which are used again, how many there are, when they end; and when a request is sent
 * once more.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openNodeSocket } from '../../../edge/origin/node-socket.ts';
import { OriginCancel } from '../../../edge/origin/origin.ts';
import { mayRetry, SafeIdle } from '../../../edge/origin/retry.ts';
import type { OpenSocket } from '../../../edge/origin/sockets.ts';
import { unstalled } from '../../support/unstalled.ts';
import { until } from '../../support/until.ts';
import { kind } from './own-sockets.ts';
import {
  bodyOf,
  bodyText,
  client,
  faultOf,
  OK,
  request,
  type Script,
  saying,
  scriptedOrigin,
  seen,
  withOrigin,
} from './rig.ts';

const answer = (lines: string, body = 'ok'): string => `HTTP/1.1 200 OK\r\n${lines}\r\n${body}`;
const KEPT: readonly (readonly [string, string, boolean])[] = [
  ['a length', OK, true],
  ['chunks', answer('transfer-encoding: chunked\r\n', '2\r\nok\r\n0\r\n\r\n'), true],
  ['204', 'HTTP/1.1 204 No\r\n\r\n', true],
  ['204 with length 0', 'HTTP/1.1 204 No\r\ncontent-length: 0\r\n\r\n', true],
  ['204 with a length', 'HTTP/1.1 204 No\r\ncontent-length: 2\r\n\r\n', false],
  ['204 in chunks', 'HTTP/1.1 204 No\r\ntransfer-encoding: chunked\r\n\r\n', false],
  ['304', 'HTTP/1.1 304 No\r\n\r\n', true],
  ['304 with length 0', 'HTTP/1.1 304 No\r\ncontent-length: 0\r\n\r\n', true],
  ['304 with a length', 'HTTP/1.1 304 No\r\ncontent-length: 99\r\n\r\n', false],
  ['304 in chunks', 'HTTP/1.1 304 No\r\ntransfer-encoding: chunked\r\n\r\n', false],
  ['Connection: close', answer('connection: close\r\ncontent-length: 2\r\n'), false],
  ['close in a list', answer('connection: a , CLOSE\r\ncontent-length: 2\r\n'), false],
  ['HTTP/1.0', 'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok', false],
  ['HTTP/1.0 with keep-alive', 'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 2\r\n\r\nok', true],
  [
    'HTTP/1.0 with close and keep-alive',
    'HTTP/1.0 200 OK\r\nconnection: keep-alive, close\r\ncontent-length: 2\r\n\r\nok',
    false,
  ],
  ['one byte too many', `${OK}!`, false],
  ['a response that was not requested', `${OK}${OK}`, false],
  ['Keep-Alive: timeout=0', answer('keep-alive: timeout=0\r\ncontent-length: 2\r\n'), false],
  ['Keep-Alive: timeout=5', answer('keep-alive: timeout=5, max=100\r\ncontent-length: 2\r\n'), true],
];

for (const [name, bytes, isKept] of KEPT)
  test(`${name}: ${isKept ? 'used again' : 'not used again'}`, () =>
    withOrigin(saying(bytes), async (origin, { fetch }) => {
      await seen(fetch(request(origin.port)));
      await seen(fetch(request(origin.port)));
      assert.is(origin.accepted, isKept ? 1 : 2);
      if (!isKept) await until(() => origin.sockets.size === 0, 'closed');
    }));

test('a request is counted for its origin until its response ends, fails or is cancelled', () =>
  withOrigin(
    (socket, head) => {
      if (head.startsWith('GET /slow')) socket.write('HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nok');
      else if (head.startsWith('GET /lost')) socket.destroy();
      else if (head.startsWith('GET /whole')) socket.write(OK);
    },
    async (origin, { fetch }) => {
      const load = { inFlight: 0 };
      const to = (path: string, canceller = new OriginCancel()) => {
        const made = request(origin.port, { path, cancel: canceller });
        return fetch({ ...made, origin: { ...made.origin, load } });
      };
      const slow = await to('/slow');
      const whole = to('/whole');
      assert.is(load.inFlight, 2);
      await seen(whole);
      assert.is(load.inFlight, 1, 'the other body has not ended');
      slow.body.cancel();
      assert.is(load.inFlight, 0);
      const lost = to('/lost');
      assert.is(load.inFlight, 1);
      assert.is(await faultOf(lost), 'reset');
      const cancel = new OriginCancel();
      const left = to('/silent', cancel);
      assert.is(load.inFlight, 1);
      cancel.cancel();
      assert.is(await faultOf(left), 'aborted');
      assert.is(load.inFlight, 0);
    },
  ));

test('after HEAD: not used again', () =>
  withOrigin(saying('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n'), async (origin, { fetch }) => {
    for (let i = 0; i < 2; i++) await seen(fetch(request(origin.port, { method: 'HEAD' })));
    assert.is(origin.accepted, 2);
    await until(() => origin.sockets.size === 0, 'closed');
  }));

for (const method of ['GET', 'HEAD', 'DELETE', 'OPTIONS'])
  test(`${method} with content: no other request follows on its connection`, () => {
    // This origin does not read content of requests that should have none, and so takes it for the
    // next one.
    const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: a\r\n\r\n';
    const heads: string[] = [];
    const script: Script = (socket, head) => {
      heads.push(head);
      socket.write('HTTP/1.1 204 No Content\r\n\r\n');
    };
    return withOrigin(script, async (origin, { fetch }) => {
      await seen(fetch(request(origin.port, { method, body: bodyOf([smuggled], smuggled.length) })));
      assert.is((await seen(fetch(request(origin.port, { path: '/victim' })))).status, 204);
      assert.ok(heads.some((head) => head.startsWith('GET /victim')));
      assert.is(origin.accepted, 2);
      assert.match(heads[0], /^connection: close\r$/m);
    });
  });

for (const method of ['POST', 'PUT', 'PATCH'])
  test(`${method} with content: the connection may be used again`, () => {
    const heads: string[] = [];
    const script: Script = (_socket, head) => void heads.push(head);
    return withOrigin(script, async (origin, { fetch }) => {
      const fetched = fetch(request(origin.port, { method, body: bodyOf(['content'], 7) }));
      await until(() => heads.length === 1, 'the head has come');
      for (const socket of origin.sockets) socket.write(OK);
      await seen(fetched);
      assert.not.match(heads[0], /^connection:/m);
    });
  });

test('bytes on an idle connection end it', () =>
  withOrigin(saying(OK), async (origin, { fetch, counters }) => {
    await seen(fetch(request(origin.port)));
    for (const socket of origin.sockets) socket.write(OK.replace('ok', 'no'));
    await until(() => counters.open === 0, 'closed');
    assert.is((await seen(fetch(request(origin.port)))).body, 'ok');
    assert.is(origin.accepted, 2);
  }));

test(
  'the connection used last is used first, the others grow old',
  unstalled(50, () =>
    withOrigin(
      saying(OK),
      async (origin, { fetch, counters }) => {
        await Promise.all(Array.from({ length: 5 }, () => seen(fetch(request(origin.port)))));
        assert.is(counters.open, 5);
        const begin = performance.now();
        while (performance.now() - begin < 1500) await seen(fetch(request(origin.port)));
        assert.is(counters.open, 1);
        assert.is(origin.accepted, 5);
      },
      { limits: { keepAlive: 400 } },
    ),
  ),
);

test('an idle connection is closed in time, also when the origin says less', () =>
  withOrigin(
    (socket) => socket.write(answer('keep-alive: timeout=2\r\ncontent-length: 2\r\n')),
    async (origin, { fetch }) => {
      await seen(fetch(request(origin.port)));
      assert.is(origin.sockets.size, 1);
      await until(() => origin.sockets.size === 0, 'closed');
    },
  ));

test('an idle connection that the origin closes is dropped', () =>
  withOrigin(saying(OK), async (origin, { fetch, counters }) => {
    await seen(fetch(request(origin.port)));
    for (const socket of origin.sockets) socket.end();
    await until(() => counters.open === 0, 'dropped');
    await seen(fetch(request(origin.port)));
    assert.is(counters.retries, 0);
  }));

test('no more connections than allowed: further requests wait, in order, and past the queue are refused', async () => {
  const held: (() => void)[] = [];
  const script: Script = (socket) => held.push(() => socket.write(OK));
  await withOrigin(
    script,
    async (origin, { fetch, counters }) => {
      const done: number[] = [];
      const all = Array.from({ length: 7 }, (_, i) =>
        faultOf(seen(fetch(request(origin.port, { path: `/${i}` }))).then(() => done.push(i))),
      );
      await until(() => held.length === 2, 'two are asked');
      assert.is(counters.open, 2);
      assert.equal([await all[5], await all[6]], ['busy', 'busy']);
      while (done.length < 5) {
        held.shift()?.();
        await new Promise((next) => setTimeout(next, 5));
      }
      await Promise.all(all);
      assert.equal(done.slice(2), [2, 3, 4]);
      assert.is(origin.accepted, 2);
    },
    { limits: { connections: 2, waiting: 5 } },
  );
});

test('while connections are opened, requests past the queue are refused', () =>
  withOrigin(
    saying(OK),
    async (origin, { fetch }) => {
      const send = (): Promise<string> => faultOf(seen(fetch(request(origin.port))));
      assert.equal(await Promise.all([send(), send()]), ['none', 'busy']);
      assert.is(await send(), 'none');
      assert.is(origin.accepted, 1);
    },
    { limits: { connections: 2, waiting: 1 } },
  ));

test('a request that yields is sent only while half of the connections are left', async () => {
  const held: (() => void)[] = [];
  await withOrigin(
    (socket) => held.push(() => socket.write(OK)),
    async (origin, { fetch }) => {
      const send = (yields: boolean): Promise<unknown> => faultOf(seen(fetch(request(origin.port, { yields }))));
      const first = send(true);
      await until(() => held.length === 1, 'the first is sent');
      const second = send(false);
      await until(() => held.length === 2, 'two are sent');
      assert.is(await send(true), 'aborted');
      assert.is(held.length, 2);
      for (const respond of held.splice(0)) respond();
      await Promise.all([first, second]);
      const third = send(true);
      await until(() => held.length === 1, 'connections are idle again');
      held[0]();
      await third;
      assert.is(origin.accepted, 2);
    },
    { limits: { connections: 4 } },
  );
});

test('a request that waits too long for a connection fails', () =>
  withOrigin(
    () => {},
    async (origin, { fetch }) => {
      const first = faultOf(fetch(request(origin.port)));
      assert.is(await faultOf(fetch(request(origin.port))), 'busy');
      for (const socket of origin.sockets) socket.destroy();
      assert.is(await first, 'reset');
    },
    { limits: { connections: 1, tlsTimeout: 200 } },
  ));

test('no more connections to all origins than allowed: the least recently used idle one is closed', async () => {
  const origins = await Promise.all([1, 2, 3].map(() => scriptedOrigin(saying(OK))));
  const its = client({ limits: { totalConnections: 2 } });
  for (const { port } of origins) {
    await seen(its.fetch(request(port)));
    await new Promise((done) => setTimeout(done, 300));
  }
  assert.is(its.counters.open, 2);
  await until(() => origins[0].sockets.size === 0, 'the first made room');
  await seen(its.fetch(request(origins[1].port)));
  assert.is(origins[1].accepted, 1);
  await its.close();
  for (const origin of origins) await origin.close();
});

test('with all connections in use elsewhere a request is refused', async () => {
  const [busy, other] = await Promise.all([scriptedOrigin(() => {}), scriptedOrigin(saying(OK))]);
  const its = client({ limits: { totalConnections: 1 } });
  const first = faultOf(its.fetch(request(busy.port)));
  await until(() => busy.accepted === 1, 'asked');
  assert.is(await faultOf(its.fetch(request(other.port))), 'busy');
  await its.close();
  assert.is(await first, 'aborted');
  await Promise.all([busy.close(), other.close()]);
});

test('a GET on a connection that had been closed meanwhile is sent once more, on a new one', () => {
  const script: Script = (socket, _, turn) => (turn === 0 ? socket.write(OK) : socket.destroy());
  return withOrigin(script, async (origin, { fetch, counters }) => {
    await seen(fetch(request(origin.port)));
    assert.is((await seen(fetch(request(origin.port)))).body, 'ok');
    assert.equal([origin.accepted, counters.retries], [2, 1]);
  });
});

const ONCE: readonly (readonly [string, Script, Parameters<typeof request>[1]])[] = [
  ['a POST', (socket) => socket.destroy(), { method: 'POST' }],
  ['a PATCH', (socket) => socket.end(), { method: 'PATCH' }],
  ['a large PUT', (socket) => socket.destroy(), { method: 'PUT', body: bodyOf(['a'.repeat(20_000)], 20_000) }],
  ['an upgrade', (socket) => socket.destroy(), { protocol: 'websocket' }],
  ['a GET of whose response something came', (socket) => socket.end('H'), {}],
];
for (const [name, end, more] of ONCE)
  test(`not sent once more: ${name}`, () => {
    const script: Script = (socket, head, turn) => (turn === 0 ? socket.write(OK) : end(socket, head, turn));
    return withOrigin(script, async (origin, { fetch }) => {
      await seen(fetch(request(origin.port)));
      assert.is(await faultOf(fetch(request(origin.port, more))), 'reset');
      assert.is(origin.accepted, 1);
    });
  });

/** The origin's close arrives while the request is on its way to it. */
const CROSSING: readonly (readonly [string, () => Parameters<typeof request>[1]])[] = [
  ['a GET', () => ({})],
  ['a POST without a body', () => ({ method: 'POST' })],
  ['a POST with a length', () => ({ method: 'POST', body: bodyOf(['some'], 4) })],
  ['a PATCH in chunks', () => ({ method: 'PATCH', body: bodyOf(['some'], undefined) })],
];
for (const [name, more] of CROSSING)
  test(`sent once more, since the origin had closed before anything arrived: ${name}`, () => {
    if (kind.isNode) return;
    return withOrigin(saying(OK), async (origin, { fetch, counters }) => {
      await seen(fetch(request(origin.port)));
      for (const socket of origin.sockets) socket.destroy();
      const response = await seen(fetch(request(origin.port, more())));
      assert.is(response.body, 'ok');
      assert.equal([origin.accepted, counters.retries], [2, 1]);
      const { method = 'GET', body } = more() ?? {};
      const text = body === undefined ? '' : body.length === undefined ? '4\r\nsome\r\n0\r\n\r\n' : 'some';
      await until(
        () => origin.received[1].endsWith(`\r\n\r\n${text}`),
        () => JSON.stringify(origin.received),
      );
      assert.ok(origin.received[1].startsWith(`${method} / HTTP/1.1\r\n`));
    });
  });

test('not sent once more: a large POST, although nothing of it arrived', () =>
  withOrigin(saying(OK), async (origin, { fetch }) => {
    await seen(fetch(request(origin.port)));
    for (const socket of origin.sockets) socket.destroy();
    const body = bodyOf(['a'.repeat(20_000)], 20_000);
    assert.is(await faultOf(fetch(request(origin.port, { method: 'POST', body }))), 'reset');
    assert.is(origin.accepted, 1);
  }));

test('a POST is not sent on a connection that was idle for longer than the origin is known to allow', () =>
  withOrigin(
    saying(OK),
    async (origin, { fetch }) => {
      const send = (method: string) => seen(fetch(request(origin.port, { method })));
      await send('GET');
      await send('POST');
      assert.is(origin.accepted, 1);
      await new Promise((idle) => setTimeout(idle, 1100));
      // The only connection that is allowed is replaced.
      await send('POST');
      assert.is(origin.accepted, 2);
    },
    { limits: { connections: 1 } },
  ));

test('how long a connection may be idle is learned from those that the origin kept and closed', () => {
  const idle = new SafeIdle();
  const limit = () => [0, 100, 400, 1000, 1900, 4000, 59_000].filter((ms) => idle.allows(ms)).at(-1);
  assert.is(limit(), 1000);
  idle.learnKept(1900);
  assert.is(limit(), 1900);
  idle.learnKept(300);
  assert.is(limit(), 1900);
  idle.learnClosed(2000);
  assert.is(limit(), 1000);
  idle.learnKept(59_000);
  idle.learnClosed(5000);
  assert.is(limit(), 4000);
  idle.learnClosed(800);
  assert.is(limit(), 400);
});

test('not sent once more: a GET on a new connection', () =>
  withOrigin(
    (socket) => socket.destroy(),
    async (origin, { fetch }) => {
      assert.is(await faultOf(fetch(request(origin.port))), 'reset');
      assert.is(origin.accepted, 1);
    },
  ));

test('when a request may be sent once more', () => {
  const may = {
    method: 'GET',
    isReused: true,
    hasReceived: false,
    canRepeat: true,
    isUnseen: false,
    isUpgrade: false,
    retries: 0,
  };
  for (const method of ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'])
    assert.ok(mayRetry({ ...may, method }), method);
  for (const method of ['POST', 'PATCH', 'CONNECT', 'get', 'LOCK']) assert.not(mayRetry({ ...may, method }), method);
  assert.not(mayRetry({ ...may, isReused: false }));
  assert.not(mayRetry({ ...may, hasReceived: true }));
  assert.ok(mayRetry({ ...may, method: 'POST', isUnseen: true }));
  assert.not(mayRetry({ ...may, canRepeat: false }));
  assert.not(mayRetry({ ...may, isUpgrade: true }));
  assert.not(mayRetry({ ...may, retries: 1 }));
});

/** The same by either way of cancelling. */
for (const way of ['cancel', 'signal'] as const) {
  const cancelling = () => {
    const cancel = new OriginCancel();
    const controller = new AbortController();
    return way === 'cancel'
      ? { more: { cancel }, signal: undefined, stop: () => cancel.cancel() }
      : { more: {}, signal: controller.signal, stop: () => controller.abort() };
  };

  test(`${way}: before it begins`, () =>
    withOrigin(saying(OK), async (origin, { fetch }) => {
      const { more, signal, stop } = cancelling();
      stop();
      assert.is(await faultOf(fetch(request(origin.port, more), signal)), 'aborted');
      assert.is(origin.accepted, 0);
    }));

  test(`${way}: while it connects`, () =>
    withOrigin(saying(OK), async (origin, { fetch, counters }) => {
      const { more, signal, stop } = cancelling();
      const fault = faultOf(fetch(request(origin.port, more), signal));
      stop();
      assert.is(await fault, 'aborted');
      assert.is(counters.open, 0);
    }));

  test(`${way}: while the response is waited for`, () =>
    withOrigin(
      () => {},
      async (origin, { fetch, counters }) => {
        const { more, signal, stop } = cancelling();
        const fault = faultOf(fetch(request(origin.port, more), signal));
        await until(() => (origin.received[0] ?? '') !== '', 'sent');
        stop();
        assert.is(await fault, 'aborted');
        assert.is(counters.open, 0);
        await until(() => origin.sockets.size === 0, 'closed');
      },
    ));

  test(`${way}: within the body`, () =>
    withOrigin(saying(answer('content-length: 5\r\n', 'abc')), async (origin, { fetch }) => {
      const { more, signal, stop } = cancelling();
      const { body } = await fetch(request(origin.port, more), signal);
      assert.is(Buffer.from((await body.read())!).toString(), 'abc');
      const read = faultOf(body.read());
      stop();
      assert.is(await read, 'aborted');
      await until(() => origin.sockets.size === 0, 'closed');
    }));

  test(`${way}: while it waits for a connection`, () =>
    withOrigin(
      () => {},
      async (origin, { fetch }) => {
        const first = faultOf(fetch(request(origin.port)));
        await until(() => origin.accepted === 1, 'the first is sent');
        const { more, signal, stop } = cancelling();
        const second = faultOf(fetch(request(origin.port, more), signal));
        stop();
        assert.is(await second, 'aborted');
        for (const socket of origin.sockets) socket.destroy();
        assert.is(await first, 'reset');
      },
      { limits: { connections: 1 } },
    ));

  test(`${way}: after the end it does nothing`, () =>
    withOrigin(saying(OK), async (origin, { fetch }) => {
      const { more, signal, stop } = cancelling();
      await seen(fetch(request(origin.port, more), signal));
      stop();
      await seen(fetch(request(origin.port)));
      assert.is(origin.accepted, 1);
    }));
}

test('an abandoned body closes its connection', () =>
  withOrigin(saying(answer('content-length: 5\r\n', 'abc')), async (origin, { fetch, counters }) => {
    const { body } = await fetch(request(origin.port));
    body.cancel();
    assert.is(await body.read(), null);
    assert.is(counters.open, 0);
    await until(() => origin.sockets.size === 0, 'closed');
  }));

test('data before a fault is read before the fault', () =>
  withOrigin(saying(answer('content-length: 5\r\n', 'abc'), { end: true }), async (origin, { fetch }) => {
    const { body } = await fetch(request(origin.port));
    await until(() => origin.sockets.size === 0, 'ended');
    await new Promise((done) => setTimeout(done, 20));
    assert.is(Buffer.from(body.readNow()!).toString(), 'abc');
    assert.throws(() => body.readNow(), /connection ended/);
    assert.is(await faultOf(body.read()), 'reset');
  }));

test('a small complete response is available at once', () =>
  withOrigin(saying(OK), async ({ port }, { fetch }) => {
    const { body } = await fetch(request(port));
    assert.is(body.length, 2);
    assert.is(Buffer.from(body.readNow()!).toString(), 'ok');
    assert.is(body.readNow(), null);
  }));

test('a reader that does not keep up stops the origin', () => {
  let sent = 0;
  const part = Buffer.alloc(65_536);
  const script: Script = (socket) => {
    socket.write(answer('content-length: 65536000\r\n', ''));
    const more = (): void => {
      while (sent < 1000) {
        sent++;
        if (!socket.write(part)) return;
      }
    };
    socket.on('drain', more);
    more();
  };
  return withOrigin(script, async ({ port }, { fetch }) => {
    const { body } = await fetch(request(port));
    let before = -1;
    for (; sent > before; await new Promise((done) => setTimeout(done, 100))) before = sent;
    assert.ok(sent < 500, `stopped at ${sent}`);
    assert.is((await bodyText(body)).length, 65_536_000);
  });
});

test('while a connection serves waiting requests, a new one is still opened', async () => {
  // Connecting takes longer than many answers.
  let opened = 0;
  const open: OpenSocket = (address, port, tls, attempt) =>
    openNodeSocket(address, port, tls, {
      onConnected: (socket) => attempt.onConnected(socket),
      onReady: (socket) => void setTimeout(() => attempt.onReady(socket), ++opened > 1 ? 200 : 0),
      onFailed: (socket, error) => attempt.onFailed(socket, error),
    });
  await withOrigin(
    saying(OK),
    async ({ port }, { fetch, counters }) => {
      await seen(fetch(request(port)));
      // Of two at a time one has the connection, the other asks for a second one and is answered by
      // the first.
      while (counters.connections < 2 && counters.requests < 20_000)
        await Promise.all([seen(fetch(request(port))), seen(fetch(request(port)))]);
      assert.is(opened, 2, 'the second is not begun anew for each request');
    },
    { open },
  );
});

test('origins that never finish leave connections for others', async () => {
  const held = await Promise.all(Array.from({ length: 4 }, () => scriptedOrigin(() => {})));
  const other = await scriptedOrigin(saying(OK));
  const its = client({ limits: { totalConnections: 16, connections: 8 } });
  try {
    const all = held.flatMap(({ port }) => Array.from({ length: 8 }, () => faultOf(its.fetch(request(port)))));
    await until(() => held.every(({ accepted }) => accepted > 0), 'each holds some');
    assert.is((await seen(its.fetch(request(other.port)))).body, 'ok');
    await its.close();
    await Promise.all(all);
  } finally {
    await its.close();
    for (const origin of [...held, other]) await origin.close();
  }
});

test('a site that is flooded from many networks leaves connections to an origin that it shares', async () => {
  const held = new Set<(bytes: string) => void>();
  const origin = await scriptedOrigin((socket) => held.add((bytes) => socket.write(bytes)));
  const its = client({ limits: { totalConnections: 64, connections: 8 } });
  try {
    const of = (site: string, network: number) => ({ ...request(origin.port), site, client: `192.0.2.${network}` });
    const flood = Array.from({ length: 40 }, (_, i) => faultOf(its.fetch(of('flooded', i))));
    await until(() => held.size === 7, 'seven eighths are open');
    const other = seen(its.fetch(of('other', 99)));
    await until(() => held.size === 8, 'one is left for the other site');
    [...held][7](OK);
    assert.is((await other).body, 'ok');
    await its.close();
    await Promise.all(flood);
  } finally {
    await its.close();
    await origin.close();
  }
});

test.run();

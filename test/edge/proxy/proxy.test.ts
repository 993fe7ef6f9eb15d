/** The proxy without a cache, with each version of HTTP, and an origin that the test answers. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cacheKey } from '../../../edge/cache/rules/cache-key.ts';
import type { OriginFault } from '../../../edge/origin/origin.ts';
import { FAULT_PAGES } from '../../../edge/proxy/pages.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import type { ExchangeRecord } from '../../../edge/proxy/record.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { until } from '../../support/until.ts';
import { bytesOf } from '../http/exchange/client-call.ts';
import { type Rig, VERSIONS, withRig } from '../http/exchange/rig.ts';
import { FakeExchange } from './fake-exchange.ts';
import { FakeOrigin, type PendingRequest, settled } from './fake-origin.ts';

const site: Site = {
  domainId: 'd1',
  domain: 'site.test',
  origin: { host: '203.0.113.9', port: 8080, protocol: 'http' },
  hasCertificate: true,
  hsts: '',
  documents: null,
};

interface Case {
  readonly rig: Rig;
  readonly origin: FakeOrigin;
  readonly records: ExchangeRecord[];
}

function each(
  name: string,
  onRequest: ((pending: PendingRequest) => void) | undefined,
  use: (given: Case) => Promise<void>,
): void {
  for (const version of VERSIONS)
    test(`${version}: ${name}`, async () => {
      const origin = new FakeOrigin(onRequest);
      const records: ExchangeRecord[] = [];
      const proxy = createSiteProxy({ fetch: origin.fetch, onDone: (record) => records.push(record) }).serve;
      await withRig(
        version,
        (exchange) => proxy(exchange, site),
        async (rig) => {
          await use({ rig, origin, records });
          assert.equal(rig.errors, []);
        },
      );
    });
}

each(
  'a response is passed on',
  (pending) => pending.answer(201, ['content-type', 'text/plain', 'x-a', '1', 'x-a', '2'], 'hello'),
  async ({ rig, origin, records }) => {
    const call = rig.call({ path: '/a?b', headers: { cookie: 'c=d' } });
    const { status, headers } = await call.head;
    assert.is(status, 201);
    assert.is(headers['content-length'], '5');
    assert.is(headers['x-a'], '1, 2');
    assert.is(headers.server, 'waypost');
    assert.is(headers.via, '1.1 waypost');
    assert.is((await bytesOf(await call.stream())).toString(), 'hello');
    const { request } = origin.last;
    assert.equal([request.method, request.path, request.serverName], ['GET', '/a?b', 'site.test']);
    assert.is(origin.last.field('cookie'), 'c=d');
    assert.equal([records.length, records[0].status, records[0].bytes, records[0].isWhole], [1, 201, 5, true]);
    assert.is(records[0].requestId, request.id);
  },
);

each(
  'HEAD, 204 and 304 have no body',
  (pending) => {
    pending.body.finish();
    if (pending.request.method === 'HEAD') pending.respond(200, ['content-length', '500']);
    else if (pending.request.path === '/304') pending.respond(304, ['etag', '"a"']);
    else pending.respond(204);
  },
  async ({ rig }) => {
    const head = rig.call({ method: 'HEAD' });
    assert.is((await head.head).headers['content-length'], '500');
    assert.is((await bytesOf(await head.stream())).length, 0);
    for (const status of [204, 304]) {
      const call = rig.call({ path: `/${status}` });
      assert.is((await call.head).status, status);
      assert.is((await bytesOf(await call.stream())).length, 0);
    }
  },
);

each(
  'early hints and trailers are passed on',
  (pending) => {
    pending.request.informs?.onInform(103, ['link', '<http://203.0.113.9:8080/a.css>; rel=preload'], pending.identity);
    pending.request.informs?.onInform(100, [], pending.identity);
    pending.body.push('x');
    pending.body.finish(['x-sum', '7']);
    pending.respond(200, ['trailer', 'x-sum']);
  },
  async ({ rig }) => {
    const call = rig.call({ headers: { te: 'trailers' } });
    await call.head;
    assert.is((await bytesOf(await call.stream())).toString(), 'x');
    assert.is(call.informational.length, 1);
    assert.match(String(call.informational[0].headers.link), '//site.test');
    assert.is(call.trailers()['x-sum'], '7');
  },
);

each('a request body is sent as the origin reads it', undefined, async ({ rig, origin }) => {
  const call = rig.call({ method: 'POST', hasBody: true });
  await until(() => origin.requests.length === 1);
  const { body } = origin.last.request;
  void call.write(Buffer.from('one'));
  assert.is(Buffer.from((await body.read()) ?? []).toString(), 'one');
  call.end(Buffer.from('two'));
  assert.is(Buffer.from((await body.read()) ?? []).toString(), 'two');
  assert.is(await body.read(), null);
  origin.last.answer(200, [], 'ok');
  assert.is((await call.head).status, 200);
});

each('an early answer does not wait for the body', undefined, async ({ rig, origin }) => {
  const call = rig.call({ method: 'POST', hasBody: true });
  await until(() => origin.requests.length === 1);
  origin.last.answer(413, [], 'too much');
  assert.is((await call.head).status, 413);
  call.reset();
});

each('a visitor who disconnects before the head cancels the request', undefined, async ({ rig, origin, records }) => {
  const call = rig.call();
  await until(() => origin.requests.length === 1);
  call.reset();
  await until(() => records.length === 1);
  assert.ok(origin.last.isCancelled);
  assert.equal([records[0].status, records[0].isWhole, records[0].fault], [499, false, null]);
  await call.head.then(
    () => assert.unreachable(),
    () => {},
  );
});

each('a visitor who disconnects within a body cancels it', undefined, async ({ rig, origin, records }) => {
  const call = rig.call();
  await until(() => origin.requests.length === 1);
  origin.last.body.push('begin');
  origin.last.respond(200);
  const stream = await call.stream();
  stream.on('error', () => {});
  await once(stream, 'readable');
  call.reset();
  // Over HTTP/1.1 only a write detects that the client has disconnected.
  await until(() => {
    origin.last.body.push('more');
    return records.length === 1;
  });
  assert.ok(origin.last.body.isCancelled);
  assert.equal([records[0].status, records[0].isWhole, records[0].fault], [200, false, null]);
});

each('a body that breaks off does not look complete', undefined, async ({ rig, origin, records }) => {
  const call = rig.call();
  await until(() => origin.requests.length === 1);
  origin.last.body.push('begin');
  origin.last.respond(200);
  await call.head;
  origin.last.body.fail('reset');
  const failed = await bytesOf(await call.stream()).then(
    () => false,
    () => true,
  );
  assert.ok(failed);
  await until(() => records.length === 1);
  assert.equal([records[0].isWhole, records[0].fault, records[0].bytes], [false, 'reset', 5]);
});

each('no more is read from the origin than the visitor reads', undefined, async ({ rig, origin, records }) => {
  const call = rig.call();
  await until(() => origin.requests.length === 1);
  const part = Buffer.alloc(16_384, 'x');
  const { body } = origin.last;
  for (let i = 0; i < 4096; i++) body.push(part);
  body.finish();
  origin.last.respond(200);
  const stream = await call.stream();
  for (let before = -1; before !== body.taken; await new Promise((resolve) => setTimeout(resolve, 50)))
    before = body.taken;
  // The buffers of both ends hold some parts.
  assert.ok(body.taken < 1500, `${body.taken} parts were read`);
  assert.is((await bytesOf(stream)).length, 4096 * part.length);
  await until(() => records.length === 1);
  assert.ok(records[0].isWhole);
});

for (const [fault, page] of Object.entries(FAULT_PAGES))
  each(
    `${fault} becomes ${page.status}, without revealing the origin`,
    (pending) => pending.fail(fault as OriginFault),
    async ({ rig, records }) => {
      const call = rig.call({ headers: { accept: 'application/json' } });
      const { status, headers } = await call.head;
      assert.is(status, page.status);
      const text = (await bytesOf(await call.stream())).toString();
      assert.is(JSON.parse(text).error.code, page.code);
      assert.is(JSON.parse(text).request_id, headers['x-request-id']);
      assert.not.match(text + JSON.stringify(headers), '203.0.113.9');
      assert.equal([records[0].fault, records[0].status], [fault, page.status]);
      assert.match(records[0].detail, '203.0.113.9');
    },
  );

each('a request that has already passed the edge gets 508', undefined, async ({ rig, origin }) => {
  const call = rig.call({ headers: { 'cdn-loop': 'waypost' } });
  assert.is((await call.head).status, 508);
  assert.is(origin.requests.length, 0);
});

each('TRACE is refused', undefined, async ({ rig, origin }) => {
  const call = rig.call({ method: 'TRACE' });
  const { status, headers } = await call.head;
  assert.is(status, 405);
  assert.match(String(headers.allow), 'GET');
  assert.is(origin.requests.length, 0);
});

each('OPTIONS with Max-Forwards 0 is answered by the edge', undefined, async ({ rig, origin }) => {
  const call = rig.call({ method: 'OPTIONS', headers: { 'max-forwards': '0' } });
  assert.is((await call.head).status, 204);
  assert.is(origin.requests.length, 0);
});

/** An origin that accepts a WebSocket (RFC 6455 section 4.2.2). */
function accept(pending: PendingRequest): void {
  const key = pending.field('sec-websocket-key') ?? '';
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');
  pending.respond(101, ['sec-websocket-accept', proof, 'sec-websocket-protocol', 'chat'], true);
}

each('a WebSocket carries bytes in both directions', accept, async ({ rig, origin, records }) => {
  const { status, headers, tunnel } = await rig.tunnel('/socket');
  assert.is(status, rig.isHttp2 ? 200 : 101);
  assert.is(headers['sec-websocket-protocol'], 'chat');
  if (rig.isHttp2) assert.is(headers['sec-websocket-accept'], undefined);
  if (tunnel === undefined) throw new Error('No tunnel');
  const { request, body, tunnel: up } = origin.last;
  assert.equal([request.method, request.protocol, request.path], ['GET', 'websocket', '/socket']);
  tunnel.write('ping');
  await until(() => up.text === 'ping');
  body.push('pong');
  const [part] = await once(tunnel, 'data');
  assert.is(part.toString(), 'pong');
  // The visitor's end is passed on, and later bytes of the origin still arrive.
  tunnel.end();
  await until(() => up.isEnded);
  body.push('last');
  const [last] = await once(tunnel, 'data');
  assert.is(last.toString(), 'last');
  body.finish();
  await until(() => records.length === 1);
  assert.is(records[0].bytes, 8);
});

each('a WebSocket waits for a slow origin', accept, async ({ rig, origin }) => {
  const { tunnel } = await rig.tunnel('/');
  if (tunnel === undefined) throw new Error('No tunnel');
  const { tunnel: up } = origin.last;
  up.isFull = true;
  tunnel.write('a');
  await until(() => up.text === 'a');
  tunnel.write('b');
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(up.text, 'a');
  up.drain();
  await until(() => up.text === 'ab');
  tunnel.destroy();
  // Over HTTP/1.1 it may look like a regular end.
  await until(() => up.isDestroyed || up.isEnded);
  origin.last.body.finish();
});

each('a WebSocket is closed when the origin breaks off', accept, async ({ rig, origin, records }) => {
  const { tunnel } = await rig.tunnel('/');
  if (tunnel === undefined) throw new Error('No tunnel');
  tunnel.on('error', () => {});
  tunnel.on('end', () => tunnel.end());
  tunnel.on('error', () => {});
  const closed = new Promise((resolve) => tunnel.once('close', resolve));
  tunnel.resume();
  origin.last.body.fail('reset');
  await closed;
  await until(() => records.length === 1);
  assert.ok(origin.last.tunnel.isDestroyed);
});

each(
  'a refused WebSocket gets the response of the origin',
  (pending) => pending.answer(403, [], 'no'),
  async ({ rig }) => {
    assert.is((await rig.tunnel('/')).status, 403);
  },
);

test('HTTP/1.1: an origin without a valid Sec-WebSocket-Accept opens no tunnel', async () => {
  for (const lines of [
    [],
    ['sec-websocket-accept', 'wrong'],
    ['sec-websocket-accept', 's3pPLMBiTxaQ9kYGzzhZRbK+xOo=', 'sec-websocket-accept', 'x'],
  ]) {
    const origin = new FakeOrigin((pending) => pending.respond(101, lines, true));
    const proxy = createSiteProxy({ fetch: origin.fetch }).serve;
    const headers = ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='];
    const exchange = new FakeExchange({ protocol: 'websocket', headers });
    await proxy(exchange, site);
    assert.equal([exchange.status, exchange.isUpgraded, origin.last.tunnel.isDestroyed], [502, false, true]);
  }
});

test('HTTP/1.1: a WebSocket without a single key of 16 bytes is not forwarded', async () => {
  const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
  for (const keys of [[], [''], ['x'], ['dGhlIHNhbXBsZSBub25jZQ'], [KEY, KEY], [`${KEY}, ${KEY}`]]) {
    const origin = new FakeOrigin(accept);
    const proxy = createSiteProxy({ fetch: origin.fetch }).serve;
    const headers = keys.flatMap((key) => ['sec-websocket-key', key]);
    const exchange = new FakeExchange({ protocol: 'websocket', headers });
    await proxy(exchange, site);
    assert.equal([exchange.status, exchange.isUpgraded, origin.requests.length], [400, false, 0], keys.join());
  }
});

test('a stream of events has the idle timeout of a tunnel', async () => {
  for (const [type, isStream] of [
    ['text/event-stream', true],
    ['Text/Event-Stream; charset=utf-8', true],
    ['application/grpc-web-text+proto', true],
    ['text/event-streams', false],
    ['text/html', false],
  ] as const) {
    const origin = new FakeOrigin((pending) => pending.respond(200, ['content-type', type]));
    const exchange = new FakeExchange({});
    void createSiteProxy({ fetch: origin.fetch }).serve(exchange, site);
    await settled();
    assert.equal([exchange.status, exchange.isConversation], [200, isStream], type);
    origin.last.body.finish();
    await settled();
  }
});

each('gRPC is refused with a reason that its clients show', undefined, async ({ rig, origin, records }) => {
  for (const type of ['application/grpc', 'application/grpc+proto', 'Application/gRPC; charset=utf-8']) {
    const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-type': type, te: 'trailers' } });
    const { status, headers } = await call.head;
    const text = (await bytesOf(await call.stream())).toString();
    if (rig.isHttp2) {
      assert.equal([status, headers['content-type'], headers['grpc-status']], [200, 'application/grpc', '12']);
      assert.match(String(headers['grpc-message']), /version of the origin.*gRPC-Web.*"proxied": false/);
      assert.is(text, '');
    } else {
      assert.is(status, 501);
      assert.match(text, 'gRPC-Web');
    }
    call.end();
  }
  assert.is(origin.requests.length, 0);
  assert.equal(
    records.map((record) => record.status),
    Array(3).fill(rig.isHttp2 ? 200 : 501),
  );
});

each(
  'gRPC-Web is forwarded',
  (pending) => pending.answer(200, ['content-type', 'application/grpc-web+proto'], 'frames'),
  async ({ rig }) => {
    const call = rig.call({ method: 'POST', hasBody: true, headers: { 'content-type': 'application/grpc-web+proto' } });
    call.end(Buffer.from('message'));
    const { status, headers } = await call.head;
    assert.equal([status, headers['content-type']], [200, 'application/grpc-web+proto']);
    assert.is((await bytesOf(await call.stream())).toString(), 'frames');
  },
);

test('h2: an origin that answers 200, or has no valid Sec-WebSocket-Accept, opens no tunnel', async () => {
  const answers: readonly ((pending: PendingRequest) => void)[] = [
    (pending) => pending.answer(200, [], 'a page'),
    (pending) => pending.respond(101, ['sec-websocket-accept', 'wrong'], true),
  ];
  for (const onRequest of answers) {
    const origin = new FakeOrigin(onRequest);
    const proxy = createSiteProxy({ fetch: origin.fetch }).serve;
    const exchange = new FakeExchange({ version: '2', method: 'CONNECT', protocol: 'websocket' });
    await proxy(exchange, site);
    assert.equal([exchange.status, exchange.isUpgraded], [502, false]);
  }
});

for (const [scheme, authority, sent] of [
  ['https', 'www.site.test:443', 'www.site.test'],
  ['http', 'www.site.test:80', 'www.site.test'],
  ['https', 'www.site.test:80', 'www.site.test:80'],
  ['http', 'www.site.test:443', 'www.site.test:443'],
  ['https', 'www.site.test:8443', 'www.site.test:8443'],
] as const)
  test(`${scheme}, Host ${authority}: the origin gets ${sent}, as in the cache key`, async () => {
    const origin = new FakeOrigin((pending) => pending.answer(404, [], 'no such host'));
    const proxy = createSiteProxy({ fetch: origin.fetch }).serve;
    await proxy(new FakeExchange({ scheme, authority }), site);
    assert.is(origin.last.request.authority, sent);
    assert.is(cacheKey(scheme, authority, '/'), `${scheme}://${sent}/`);
  });

test('CONNECT, and protocols other than WebSocket, are refused', async () => {
  const proxy = createSiteProxy({ fetch: new FakeOrigin().fetch }).serve;
  const connect = new FakeExchange({ version: '2', method: 'CONNECT', path: '' });
  await proxy(connect, site);
  assert.is(connect.status, 405);
  const other = new FakeExchange({ version: '2', method: 'CONNECT', protocol: 'connect-udp' });
  await proxy(other, site);
  assert.is(other.status, 501);
});

test('an error that is not a fault of an origin is rethrown', async () => {
  const proxy = createSiteProxy({ fetch: () => Promise.reject(new TypeError('a mistake')) }).serve;
  let thrown: unknown;
  try {
    await proxy(new FakeExchange(), site);
  } catch (error) {
    thrown = error;
  }
  await settled();
  assert.instance(thrown, TypeError);
});

test.run();

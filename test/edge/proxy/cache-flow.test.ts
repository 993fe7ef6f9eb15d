/**
 * Caching beyond the table: concurrent visitors, slow bodies, disconnecting visitors, codings,
 * purges.
 */

import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyCompressor } from '../../../edge/compress/body.ts';
import { WholeCompressor } from '../../../edge/compress/whole.ts';
import { until } from '../../support/until.ts';
import { type CacheRig, type CacheRigOptions, cacheRig } from './cache-rig.ts';
import { type PendingRequest, settled } from './fake-origin.ts';

const FRESH = ['cache-control', 'max-age=60', 'etag', '"a"'];
const CODED = {
  compression: { bodies: new BodyCompressor(10), minBytes: 100 },
  cache: { minCompressBytes: 100 },
} satisfies CacheRigOptions;
const TEXT = Array.from({ length: 400 }, (_, i) => `line ${i} says ${(i * i) % 97}\n`).join('');

function it(name: string, options: CacheRigOptions, use: (rig: CacheRig) => Promise<void>): void {
  test(name, async () => {
    const rig = await cacheRig(options);
    try {
      await use(rig);
    } finally {
      await rig.close();
    }
  });
}

const answers =
  (headers: readonly string[], text = 'body', status = 200) =>
  (pending: PendingRequest): void =>
    pending.answer(status, headers, text);

it('concurrent requests for one response share one request to the origin', {}, async (rig) => {
  const visits = Array.from({ length: 50 }, () => rig.begin({ path: '/a' }));
  await settled();
  assert.is(rig.origin.requests.length, 1);
  rig.origin.last.answer(200, FRESH, 'shared');
  await Promise.all(visits.map(({ handled }) => handled));
  assert.equal(new Set(visits.map(({ exchange }) => exchange.text)), new Set(['shared']));
  assert.is(rig.origin.requests.length, 1);
  assert.equal(new Set(rig.records.map(({ cache }) => cache)), new Set(['miss', 'hit']));
  assert.is(rig.records.length, 50);
});

it('a visitor with a client certificate bypasses the cache', {}, async (rig) => {
  const visit = async (certificate: string, text: string): Promise<string> => {
    const { exchange, handled } = rig.begin({ path: '/a', certificate });
    await settled();
    if (!exchange.isEnded) rig.origin.last.answer(200, FRESH, text);
    await handled;
    return exchange.text;
  };
  assert.is(await visit(':QUJD:', 'own'), 'own');
  assert.is(await visit('', 'for all'), 'for all');
  assert.is(await visit('', 'not fetched'), 'for all');
  assert.is(await visit(':QUJD:', 'own again'), 'own again');
  assert.is(rig.origin.requests.length, 3);
});

it('a response that is not shareable is fetched by each visitor, concurrently', {}, async (rig) => {
  const visits = Array.from({ length: 10 }, () => rig.begin());
  await settled();
  assert.is(rig.origin.requests.length, 1);
  rig.origin.requests[0].answer(200, ['cache-control', 'private', 'set-cookie', 'who=first'], 'first');
  await settled();
  assert.is(rig.origin.requests.length, 10);
  rig.origin.requests.slice(1).forEach((pending, i) => {
    pending.answer(200, ['cache-control', 'private'], `own ${i}`);
  });
  await Promise.all(visits.map(({ handled }) => handled));
  assert.is(new Set(visits.map(({ exchange }) => exchange.text)).size, 10);
  assert.is(visits.filter(({ exchange }) => exchange.field('set-cookie') !== undefined).length, 1);
  // Later requests do not wait at all.
  const more = [rig.begin(), rig.begin()];
  await settled();
  assert.is(rig.origin.requests.length, 12);
  for (const pending of rig.origin.requests.slice(10)) pending.answer(200, [], 'x');
  await Promise.all(more.map(({ handled }) => handled));
});

it('a waiting visitor waits no longer than collapseTimeout', { cache: { collapseTimeout: 20 } }, async (rig) => {
  const first = rig.begin();
  const second = rig.begin();
  await until(() => rig.origin.requests.length === 2);
  rig.origin.requests[1].answer(200, FRESH, 'second');
  await second.handled;
  assert.is(second.exchange.text, 'second');
  rig.origin.requests[0].answer(200, FRESH, 'first');
  await first.handled;
});

it('when the origin fails, waiting visitors send their own requests', {}, async (rig) => {
  const visits = [rig.begin(), rig.begin(), rig.begin()];
  await settled();
  rig.origin.requests[0].fail('reset');
  await settled();
  assert.is(rig.origin.requests.length, 3);
  for (const pending of rig.origin.requests.slice(1)) pending.answer(200, FRESH, 'ok');
  await Promise.all(visits.map(({ handled }) => handled));
  assert.equal(
    visits.map(({ exchange }) => exchange.status),
    [502, 200, 200],
  );
});

it('requests with credentials neither wait nor make others wait', {}, async (rig) => {
  const visits = [
    rig.begin({ headers: ['authorization', 'Basic eDp5'] }),
    rig.begin(),
    rig.begin({ headers: ['authorization', 'x'] }),
  ];
  await settled();
  assert.is(rig.origin.requests.length, 3);
  for (const pending of rig.origin.requests) pending.answer(200, FRESH, 'x');
  await Promise.all(visits.map(({ handled }) => handled));
});

it('the first visitor disconnects while others wait: the response is still fetched', {}, async (rig) => {
  const first = rig.begin();
  const second = rig.begin();
  await settled();
  first.exchange.leave();
  assert.not(rig.origin.requests[0].isCancelled);
  rig.origin.requests[0].answer(200, FRESH, 'shared');
  await Promise.all([first.handled, second.handled]);
  assert.is(second.exchange.text, 'shared');
  assert.is(rig.origin.requests.length, 1);
});

it('waiting visitors do not wait for a visitor who reads nothing', {}, async (rig) => {
  const slow = rig.begin();
  slow.exchange.isFull = true;
  await settled();
  const { last } = rig.origin;
  last.respond(200, FRESH);
  for (let i = 0; i < 5; i++) last.body.push('x'.repeat(100_000));
  await settled();
  assert.is(slow.exchange.text.length, 100_000);
  const waiting = [rig.begin(), rig.begin()];
  await settled();
  last.body.push('end');
  last.body.finish();
  await Promise.all(waiting.map(({ handled }) => handled));
  for (const { exchange } of waiting) assert.is(exchange.text.length, 500_003);
  assert.is(rig.origin.requests.length, 1);
  assert.is(slow.exchange.text.length, 100_000);
  slow.exchange.drain();
  await slow.handled;
  assert.equal([slow.exchange.text.length, slow.exchange.text.slice(-3)], [500_003, 'end']);
});

it('a body that breaks off while it is read ahead breaks for its visitor and is fetched again for waiting visitors', {}, async (rig) => {
  const slow = rig.begin();
  await settled();
  rig.origin.last.respond(200, FRESH);
  rig.origin.last.body.push('begin');
  await settled();
  const waiting = rig.begin();
  await settled();
  rig.origin.last.body.fail('reset');
  await slow.handled;
  assert.ok(slow.exchange.isAborted);
  await settled();
  assert.is(rig.origin.requests.length, 2);
  rig.origin.last.answer(200, FRESH, 'whole');
  await waiting.handled;
  assert.is(waiting.exchange.text, 'whole');
});

it('the only visitor disconnects before the head: the request is cancelled', {}, async (rig) => {
  const { exchange, handled } = rig.begin();
  await settled();
  exchange.leave();
  await handled;
  assert.ok(rig.origin.last.isCancelled);
  assert.equal([rig.records[0].status, rig.records[0].fault], [499, null]);
});

it('the only visitor disconnects within the body: a short rest is fetched and stored', {}, async (rig) => {
  const { exchange, handled } = rig.begin();
  await settled();
  const { last } = rig.origin;
  last.body.length = 10;
  last.body.push('12345');
  last.respond(200, [...FRESH, 'content-length', '10']);
  await settled();
  exchange.leave();
  last.body.push('67890');
  last.body.finish();
  await handled;
  await settled();
  assert.not(last.body.isCancelled);
  const next = await rig.visit();
  assert.equal([next.text, rig.origin.requests.length], ['1234567890', 1]);
});

it('the only visitor disconnects within a body of unknown length: the request is cancelled', {}, async (rig) => {
  const { exchange, handled } = rig.begin();
  await settled();
  const { last } = rig.origin;
  last.body.push('12345');
  last.respond(200, FRESH);
  await settled();
  exchange.leave();
  await handled;
  assert.ok(last.body.isCancelled);
  const next = rig.begin();
  await settled();
  assert.is(rig.origin.requests.length, 2);
  rig.origin.last.answer(200, FRESH, 'whole');
  await next.handled;
});

it('a body that breaks off is neither completed nor stored', {}, async (rig) => {
  const { exchange, handled } = rig.begin();
  await settled();
  const { last } = rig.origin;
  last.body.length = 10;
  last.body.push('12345');
  last.respond(200, [...FRESH, 'content-length', '10']);
  await settled();
  last.body.fail('reset');
  await handled;
  assert.ok(exchange.isAborted);
  assert.equal([rig.records[0].fault, rig.records[0].isWhole], ['reset', false]);
  const next = rig.begin();
  await settled();
  assert.is(rig.origin.requests.length, 2);
  rig.origin.last.answer(200, FRESH, 'whole');
  await next.handled;
});

it('stale-while-revalidate answers immediately and sends one request', {}, async (rig) => {
  const stale = ['cache-control', 'max-age=10, stale-while-revalidate=60', 'etag', '"a"'];
  const first = rig.begin();
  await settled();
  rig.origin.last.answer(200, stale, 'old');
  await first.handled;
  rig.now += 20_000;
  for (let i = 0; i < 5; i++) assert.is((await rig.visit()).text, 'old');
  assert.is(rig.origin.requests.length, 2);
  assert.is(rig.origin.last.field('if-none-match'), '"a"');
  rig.origin.last.answer(200, stale, 'new');
  await settled();
  const after = await rig.visit();
  assert.equal([after.text, rig.origin.requests.length], ['new', 2]);
  assert.equal(
    rig.records.map(({ cache }) => cache),
    ['miss', 'stale', 'stale', 'stale', 'stale', 'stale', 'hit'],
  );
});

it('a failure of a background revalidation is not reported to a visitor', {}, async (rig) => {
  const first = rig.begin();
  await settled();
  rig.origin.last.answer(200, ['cache-control', 'max-age=10, stale-while-revalidate=60'], 'old');
  await first.handled;
  rig.now += 20_000;
  await rig.visit();
  rig.origin.last.fail('refused');
  await settled();
  assert.is((await rig.visit()).text, 'old');
  assert.is(rig.origin.requests.length, 3);
  rig.origin.last.answer(503, [], 'no');
  await settled();
  assert.is((await rig.visit()).text, 'old');
});

it('stale-if-error answers for an unreachable origin', {}, async (rig) => {
  const first = rig.begin();
  await settled();
  rig.origin.last.answer(200, ['cache-control', 'max-age=10, stale-if-error=60'], 'old');
  await first.handled;
  rig.now += 20_000;
  const second = rig.begin();
  await settled();
  rig.origin.last.fail('connect-timeout');
  await second.handled;
  assert.equal([second.exchange.status, second.exchange.text], [200, 'old']);
  assert.match(String(second.exchange.field('cache-status')), 'fwd=stale');
  assert.is(rig.records[1].cache, 'stale');
});

it('a hit has its age and remaining freshness in seconds', { onRequest: answers(FRESH) }, async (rig) => {
  await rig.visit();
  const seen: string[] = [];
  for (const ms of [0, 400, 600, 1000, 57_000]) {
    rig.now += ms;
    const { fields, ready } = await rig.visit();
    assert.ok(ready);
    seen.push(`${fields[fields.indexOf('age') + 1]} ${fields[fields.indexOf('cache-status') + 1]}`);
  }
  assert.equal(seen, [
    '0 waypost; hit; ttl=60',
    '0 waypost; hit; ttl=60',
    '1 waypost; hit; ttl=59',
    '2 waypost; hit; ttl=58',
    '59 waypost; hit; ttl=1',
  ]);
  assert.is(rig.origin.requests.length, 1);
});

it('the same response is sent again within a second', { onRequest: answers(FRESH) }, async (rig) => {
  for (let i = 0; i < 3; i++) await rig.visit();
  const { ready } = await rig.visit();
  assert.is((await rig.visit()).ready, ready);
});

it('a range of a new response, and of a stored response', { onRequest: answers(FRESH, '0123456789') }, async (rig) => {
  const first = await rig.visit({ headers: ['range', 'bytes=2-4'] });
  assert.equal([first.status, first.text, first.field('content-range')], [206, '234', 'bytes 2-4/10']);
  await settled();
  const second = await rig.visit({ headers: ['range', 'bytes=-3'] });
  assert.equal([second.status, second.text, rig.origin.requests.length], [206, '789', 1]);
  const many = await rig.visit({ headers: ['range', 'bytes=0-1,5-6'] });
  assert.is(many.status, 206);
  assert.is(Number(many.field('content-length')), many.text.length);
  assert.match(many.text, 'bytes 5-6/10\r\n\r\n56');
  const none = await rig.visit({ headers: ['range', 'bytes=20-'] });
  assert.equal([none.status, none.field('content-range')], [416, 'bytes */10']);
});

it('a range that starts far into the body is forwarded unchanged', {}, async (rig) => {
  const { exchange, handled } = rig.begin({ headers: ['range', 'bytes=99000000-'] });
  await settled();
  assert.is(rig.origin.last.field('range'), 'bytes=99000000-');
  rig.origin.last.answer(206, [...FRESH, 'content-range', 'bytes 99000000-99000002/99000003'], 'end');
  await handled;
  assert.equal([exchange.status, exchange.text], [206, 'end']);
});

it('visitors get an accepted coding, the request to the origin has none', {
  ...CODED,
  onRequest: answers([...FRESH, 'content-type', 'text/plain'], TEXT),
}, async (rig) => {
  for (let i = 0; i < 4; i++) {
    const plain = await rig.visit();
    assert.equal([plain.text, plain.field('content-encoding'), plain.field('etag')], [TEXT, undefined, '"a"']);
    assert.is(plain.field('vary'), 'accept-encoding');
    const gzip = await rig.visit({ headers: ['accept-encoding', 'gzip'] });
    assert.equal([gzip.field('content-encoding'), gzip.field('etag')], ['gzip', 'W/"a-waypost"']);
    assert.is(gunzipSync(Buffer.concat(gzip.parts)).toString(), TEXT);
    const both = await rig.visit({ headers: ['accept-encoding', 'gzip, deflate, br'] });
    assert.is(brotliDecompressSync(Buffer.concat(both.parts)).toString(), TEXT);
    const notModified = await rig.visit({ headers: ['accept-encoding', 'gzip', 'if-none-match', 'W/"a-waypost"'] });
    assert.equal([notModified.status, notModified.field('etag')], [304, 'W/"a-waypost"']);
  }
  assert.is(rig.origin.requests.length, 1);
  assert.is(rig.origin.last.field('accept-encoding'), 'identity');
});

it('a long body on disk is also compressed, from its first hit on', {
  ...CODED,
  onRequest: answers([...FRESH, 'content-type', 'text/plain'], TEXT.repeat(10)),
}, async (rig) => {
  for (let i = 0; i < 5; i++) {
    const coded = await rig.visit({ headers: ['accept-encoding', 'gzip'] });
    assert.equal([coded.field('content-encoding'), coded.field('etag')], ['gzip', 'W/"a-waypost"'], `visit ${i}`);
    assert.is(gunzipSync(Buffer.concat(coded.parts)).toString(), TEXT.repeat(10));
    if (i > 0) assert.match(coded.field('cache-status') ?? '', /hit/);
  }
  assert.is(rig.origin.requests.length, 1);
  assert.equal(new Set(rig.records.slice(1).map(({ cache }) => cache)), new Set(['hit']));
});

test('a repeatedly requested body is compressed once, in the background', async () => {
  const whole = new WholeCompressor(1_000_000);
  const rig = await cacheRig({
    compression: CODED.compression,
    cache: { ...CODED.cache, whole },
    onRequest: answers([...FRESH, 'content-type', 'text/plain'], TEXT),
  });
  try {
    const headers = ['accept-encoding', 'br'];
    const first = await rig.visit({ headers });
    const key = 'https://www.example.com/';
    for (;;) {
      const { parts } = await rig.visit({ headers });
      assert.is(brotliDecompressSync(Buffer.concat(parts)).toString(), TEXT);
      const [kept] = await rig.store.lookup('d1', key);
      if (kept.encoding('br') !== undefined) break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const last = await rig.visit({ headers });
    assert.ok(Buffer.concat(last.parts).length <= Buffer.concat(first.parts).length);
    assert.is(brotliDecompressSync(Buffer.concat(last.parts)).toString(), TEXT);
  } finally {
    await whole.close();
    await rig.close();
  }
});

it('a purged response is fetched again', { onRequest: answers([...FRESH, 'cache-tag', 'news, home']) }, async (rig) => {
  const purge = { domainId: 'd1', urls: [], prefixes: [], tags: [] };
  for (const narrowed of [
    { tags: ['news'] },
    { urls: ['https://www.example.com/'] },
    { prefixes: ['www.example.com/'] },
    {},
  ]) {
    await rig.visit();
    const before = rig.origin.requests.length;
    assert.is((await rig.visit()).field('cache-tag'), undefined);
    assert.is(rig.origin.requests.length, before);
    await rig.purge({ ...purge, ...narrowed });
    await rig.visit();
    assert.is(rig.origin.requests.length, before + 1, JSON.stringify(narrowed));
  }
});

it('a response that is purged during its fetch is not stored', {}, async (rig) => {
  const { handled } = rig.begin();
  await settled();
  await rig.purge({ domainId: 'd1', urls: [], prefixes: [], tags: [] });
  rig.origin.last.answer(200, FRESH, 'old');
  await handled;
  const next = rig.begin();
  await settled();
  assert.is(rig.origin.requests.length, 2);
  rig.origin.last.answer(200, FRESH, 'new');
  await next.handled;
  assert.is(next.exchange.text, 'new');
});

it('a domain never gets the stored responses of another domain', { onRequest: answers(FRESH) }, async (rig) => {
  await rig.visit();
  await rig.visit({ authority: 'other.example.com' });
  await rig.visit({ scheme: 'http' });
  assert.is(rig.origin.requests.length, 3);
});

it('HEAD is answered from the stored response of a GET', { onRequest: answers(FRESH) }, async (rig) => {
  await rig.visit();
  const head = await rig.visit({ method: 'HEAD' });
  assert.equal([head.status, head.text, rig.origin.requests.length], [200, '', 1]);
});

it('an upload bypasses the cache and invalidates the stored response', { onRequest: answers(FRESH) }, async (rig) => {
  await rig.visit();
  const post = await rig.visit({ method: 'POST', headers: ['accept-encoding', 'br;q=0.1, gzip, deflate'] });
  assert.match(String(post.field('cache-status')), 'fwd=method');
  assert.is(rig.origin.last.field('accept-encoding'), 'br, gzip');
  await rig.visit();
  assert.is(rig.origin.requests.length, 3);
});

it('a body too large to be stored reaches its visitor', { cache: { maxBodyBytes: 100 } }, async (rig) => {
  const { exchange, handled } = rig.begin();
  await settled();
  for (let i = 0; i < 10; i++) rig.origin.last.body.push('x'.repeat(200_000));
  rig.origin.last.body.finish();
  rig.origin.last.respond(200, FRESH);
  await handled;
  assert.is(exchange.text.length, 2_000_000);
  assert.equal(await rig.store.lookup('d1', 'https://www.example.com/'), []);
});

it('a navigation to a stale page gets the links of the page as early hints', {}, async (rig) => {
  const page = ['cache-control', 'max-age=60', 'etag', '"a"', 'link', '</a.css>; rel=preload, </b>; rel=next'];
  const navigate = ['sec-fetch-mode', 'navigate'];
  const ask = async (headers: readonly string[], status = 304, more = {}): Promise<readonly unknown[]> => {
    const { exchange, handled } = rig.begin({ path: '/a', version: '2', headers: [...headers], ...more });
    await settled();
    const informed = [...exchange.informed];
    if (!exchange.isEnded) rig.origin.last.answer(status, page, status === 304 ? '' : 'page');
    await handled;
    return informed;
  };
  const hints = [{ status: 103, headers: ['link', '</a.css>; rel=preload'] }];
  assert.equal(await ask(navigate, 200), [], 'nothing is stored');
  assert.equal(await ask(navigate), [], 'a hit needs none');
  for (const [headers, more, informed] of [
    [navigate, {}, hints],
    [['sec-fetch-mode', 'no-cors'], {}, []],
    [navigate, { version: '1.1' }, []],
    [[], {}, []],
  ] as const) {
    rig.now += 61_000;
    assert.equal(await ask(headers, 304, more), informed);
  }
  await rig.purge({ domainId: 'd1', urls: [], prefixes: [], tags: [] });
  assert.equal(await ask(navigate, 200), [], 'purged');
});

test.run();

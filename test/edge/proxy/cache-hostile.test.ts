/** What caches got wrong in the past: visitors who try to decide what others get, origins that answer what nobody asked, answers that were taken back meanwhile. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStore } from '../../../edge/cache/store/cache-store.ts';
import { BodyCompressor } from '../../../edge/compress/body.ts';
import { type CacheRig, type CacheRigOptions, cacheRig, SITE } from './cache-rig.ts';
import { FakeExchange, type FakeRequest } from './fake-exchange.ts';
import { type Asked, settled } from './fake-origin.ts';

const FRESH = ['cache-control', 'max-age=60', 'etag', '"a"'];
const SHORT = ['cache-control', 'max-age=5, stale-if-error=60', 'etag', '"a"'];
const TEXT = 'all of it is text\n'.repeat(50);
const CODED = {
  compression: { bodies: new BodyCompressor(10), minBytes: 100 },
  cache: { minCompressBytes: 100 },
} satisfies CacheRigOptions;
const PROXY = '192.0.2.80';
const BEHIND_PROXY = { trusts: (address: string) => address === PROXY } satisfies CacheRigOptions;

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

/** A request that the origin answers so. */
async function exchanged(
  rig: CacheRig,
  request: FakeRequest,
  answer: (asked: Asked) => void,
  times = 1,
): Promise<FakeExchange> {
  const before = rig.origin.asked.length;
  const { exchange, handled } = rig.begin(request);
  for (let i = 0; i < times; i++) {
    await settled();
    const asked = rig.origin.asked[before + i];
    if (asked === undefined) throw new Error('The origin was not asked.');
    answer(asked);
  }
  await handled;
  assert.is(rig.origin.asked.length, before + times);
  return exchange;
}

const gives =
  (status: number, headers: readonly string[] = [], text = '') =>
  (asked: Asked): void =>
    asked.answer(status, headers, text);

for (const method of ['GET', 'HEAD'])
  it(`304 of an origin that was asked without a condition is no answer: ${method}`, {}, async (rig) => {
    const request = { method, headers: ['if-none-match', '"a"'] };
    const exchange = await exchanged(rig, request, gives(304, ['etag', '"a"']));
    assert.equal([exchange.status, rig.records[0].fault], [502, 'malformed']);
    assert.is((await exchanged(rig, {}, gives(200, FRESH, 'good'))).text, 'good');
  });

it('nor is one that speaks of nothing that is kept, twice', {}, async (rig) => {
  await exchanged(rig, {}, gives(200, SHORT, 'old'));
  rig.now += 10_000;
  assert.is((await exchanged(rig, {}, gives(304, ['etag', '"b"']), 2)).status, 502);
});

for (const [why, headers, answer] of [
  ['no-store', ['cache-control', 'no-store'], gives(200, SHORT, 'new')],
  ['credentials', ['authorization', 'Basic eDp5'], gives(200, SHORT, 'new')],
  ['too many requests of one visitor', [], gives(429, ['cache-control', 'max-age=60'], 'slow down')],
  ['fields that are too long', ['x-long', 'x'.repeat(9000)], gives(431, [], 'too long')],
] as const)
  it(`what is kept for others stays when the answer is for one visitor alone: ${why}`, {}, async (rig) => {
    await exchanged(rig, {}, gives(200, SHORT, 'old'));
    rig.now += 10_000;
    await exchanged(rig, { headers: [...headers] }, answer);
    const exchange = await exchanged(rig, {}, (asked) => asked.fail('refused'));
    assert.equal([exchange.status, exchange.text], [200, 'old']);
  });

it('a part, and 304, vary by what the whole varies by', CODED, async (rig) => {
  const headers = [...FRESH, 'content-type', 'text/plain'];
  const requests: readonly FakeRequest[] = [
    { headers: ['range', 'bytes=0-9'] },
    { headers: ['range', 'bytes=0-1,5-6'] },
    { headers: ['if-none-match', '"a"'] },
    { headers: ['if-none-match', 'W/"a"', 'accept-encoding', 'gzip'] },
    { headers: [] },
    { headers: ['accept-encoding', 'gzip'] },
  ];
  const seen: [number, string | undefined][] = [];
  for (const [i, { headers: fields }] of requests.entries()) {
    // Once as it comes from the origin, and then what is kept.
    const path = `/${i}`;
    const first = await exchanged(rig, { path, headers: fields }, gives(200, headers, TEXT));
    const second = await rig.visit({ path, headers: fields });
    for (const { status, field } of [first, second].map((one) => ({ status: one.status, field: one.field('vary') })))
      seen.push([status, field]);
  }
  const statuses = [206, 206, 200, 206, 304, 304, 304, 304, 200, 200, 200, 200];
  assert.equal(
    seen,
    statuses.map((status) => [status, 'accept-encoding']),
  );
});

it('what was purged while the origin was asked does not stand in for it', {}, async (rig) => {
  await exchanged(rig, {}, gives(200, [...SHORT, 'cache-tag', 't'], 'wrong'));
  rig.now += 10_000;
  for (const answer of [(asked: Asked) => asked.fail('header-timeout'), gives(503)]) {
    await exchanged(rig, { path: '/other' }, gives(200, SHORT, 'kept'));
    const { exchange, handled } = rig.begin();
    await settled();
    await rig.purge({ domainId: 'd1', urls: [], prefixes: [], tags: ['t'] });
    answer(rig.origin.last);
    await handled;
    assert.ok(exchange.status >= 500, String(exchange.status));
    await exchanged(rig, {}, gives(200, [...SHORT, 'cache-tag', 't'], 'wrong'));
    rig.now += 10_000;
  }
});

it('what is fetched ahead of slow visitors is bounded for all of them together', {}, async (rig) => {
  const MB = 1024 * 1024;
  const COUNT = 100;
  const slow = Array.from({ length: COUNT }, (_, i) => rig.begin({ path: `/${i}` }));
  for (const { exchange } of slow) exchange.isFull = true;
  await settled();
  const asked = [...rig.origin.asked];
  // The same bytes for all: it is counted what is held, not what the test has.
  const part = Buffer.alloc(MB / 4);
  for (const one of asked) {
    one.respond(200, FRESH);
    for (let i = 0; i < 8; i++) one.body.push(part);
  }
  await settled();
  const waiting = slow.map((_, i) => rig.begin({ path: `/${i}` }));
  for (let i = 0; i < 20; i++) await settled();
  // Two parts of each are on their way to the visitor.
  const ahead = asked.reduce((sum, one) => sum + (one.body.taken - 2) * part.length, 0);
  assert.ok(ahead >= 32 * MB && ahead <= 66 * MB, `${ahead / MB} MB`);
  for (const { exchange } of [...slow, ...waiting]) exchange.leave();
  for (const one of rig.origin.asked) one.body.fail('reset');
});

it('what a proxy in front passes on of the host does not reach an answer for all', BEHIND_PROXY, async (rig) => {
  const address = PROXY;
  const spoken = [
    ...['x-forwarded-host', 'evil.test', 'forwarded', 'for=192.0.2.1;host=evil.test'],
    ...['x-forwarded-prefix', '/evil', 'x-forwarded-port', '666', 'x-original-host', 'evil.test'],
    ...['x-forwarded-for', '192.0.2.1'],
  ];
  await exchanged(rig, { address, headers: spoken }, gives(200, FRESH, 'for all'));
  assert.not.match(rig.origin.last.request.headers.join('\n'), /evil|666/);
  assert.is(rig.origin.last.field('x-forwarded-host'), 'www.example.com');
  assert.is(rig.origin.last.field('x-forwarded-for'), '192.0.2.1, 192.0.2.80');
  // What goes past the cache has it all.
  await exchanged(rig, { address, method: 'POST', headers: spoken }, gives(200));
  assert.is(rig.origin.last.field('x-forwarded-host'), 'evil.test');
  assert.is(rig.origin.last.field('x-forwarded-prefix'), '/evil');
});

it('the scheme that a proxy in front tells is that of the URL', BEHIND_PROXY, async (rig) => {
  const by = (proto: string, address = PROXY): FakeRequest => ({
    ...{ scheme: 'http', address, headers: ['x-forwarded-proto', proto] },
  });
  const redirect = gives(301, ['cache-control', 'max-age=60', 'location', 'https://www.example.com/']);
  assert.is((await exchanged(rig, by('http'), redirect)).status, 301);
  assert.is(rig.origin.last.field('x-forwarded-proto'), 'http');
  assert.is((await exchanged(rig, by('https'), gives(200, FRESH, 'page'))).text, 'page');
  assert.is(rig.origin.last.field('x-forwarded-proto'), 'https');
  assert.is((await rig.visit(by('http'))).status, 301);
  assert.is((await rig.visit(by('https'))).text, 'page');
  // Who is not trusted can say what they like, and so can who says what is no scheme.
  assert.is((await rig.visit(by('https', '192.0.2.81'))).status, 301);
  assert.is((await rig.visit(by('x'))).status, 301);
  await rig.purge({ domainId: 'd1', urls: ['https://www.example.com/'], prefixes: [], tags: [] });
  await exchanged(rig, by('https'), gives(200, FRESH, 'page'));
});

it('a site that gets another origin does not tell of the one before it', {}, async (rig) => {
  const { host, port } = SITE.origin;
  const old = `http://${host}:${port}`;
  const telling = [
    ...['location', `${old}/a`, 'content-location', `${old}/b`, 'link', `<${old}/c>; rel=next`],
    ...['refresh', `5; url=${old}/d`, 'x-backend', host, 'via', `1.1 ${host}`, 'set-cookie', `a=b; Domain=${host}`],
  ];
  const lifetime = ['cache-control', 's-maxage=60', 'etag', '"a"'];
  await exchanged(rig, {}, gives(200, [...lifetime, ...telling], 'kept'));
  // Also what came with the word that it still holds.
  await exchanged(rig, { path: '/b' }, gives(200, lifetime, 'kept'));
  rig.now += 70_000;
  await exchanged(rig, { path: '/b' }, gives(304, [...lifetime, ...telling]));
  rig.now -= 65_000;
  const moved = { ...SITE, origin: { ...SITE.origin, host: 'new.internal.test' } };
  for (const path of ['/', '/b']) {
    const exchange = new FakeExchange({ authority: 'www.example.com', path });
    await rig.proxy(exchange, moved);
    assert.is(exchange.text, 'kept');
    assert.not.match(exchange.fields.join('\n'), new RegExp(host.replaceAll('.', '\\.')));
    assert.is(exchange.field('location'), 'https://www.example.com/a');
    assert.is(exchange.field('via'), '1.1 waypost');
  }
});

it('for a visitor who goes while the disk is read nothing is asked', {}, async (rig) => {
  const { store } = rig;
  const found: (() => void)[] = [];
  const later: CacheStore['lookup'] = (domainId, key) =>
    new Promise((resolve) => found.push(() => resolve(lookup(domainId, key))));
  const lookup = store.lookup.bind(store);
  store.lookup = later;
  const { exchange, handled } = rig.begin();
  await settled();
  exchange.leave();
  for (const one of found) one();
  await handled;
  assert.equal([rig.origin.asked.length, rig.records.map(({ status }) => status)], [0, [499]]);
});

test.run();

/**
 * Known cache vulnerabilities: visitors who try to influence the responses of others, origins that
 * answer a request they did not get, and responses that were purged meanwhile.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStore } from '../../../edge/cache/store/cache-store.ts';
import { BodyCompressor } from '../../../edge/compress/body.ts';
import { type CacheRig, type CacheRigOptions, cacheRig, SITE } from './cache-rig.ts';
import { FakeExchange, type FakeRequest } from './fake-exchange.ts';
import { type PendingRequest, settled } from './fake-origin.ts';

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

/**
 * Sends a request that the origin answers with `answer`. Expects `times` requests to the origin.
 */
async function answeredVisit(
  rig: CacheRig,
  request: FakeRequest,
  answer: (pending: PendingRequest) => void,
  times = 1,
): Promise<FakeExchange> {
  const before = rig.origin.requests.length;
  const { exchange, handled } = rig.begin(request);
  for (let i = 0; i < times; i++) {
    await settled();
    const pending = rig.origin.requests[before + i];
    if (pending === undefined) throw new Error('the origin received no request');
    answer(pending);
  }
  await handled;
  assert.is(rig.origin.requests.length, before + times);
  return exchange;
}

const gives =
  (status: number, headers: readonly string[] = [], text = '') =>
  (pending: PendingRequest): void =>
    pending.answer(status, headers, text);

for (const method of ['GET', 'HEAD'])
  it(`304 in response to an unconditional request is an error: ${method}`, {}, async (rig) => {
    const request = { method, headers: ['if-none-match', '"a"'] };
    const exchange = await answeredVisit(rig, request, gives(304, ['etag', '"a"']));
    assert.equal([exchange.status, rig.records[0].fault], [502, 'malformed']);
    assert.is((await answeredVisit(rig, {}, gives(200, FRESH, 'good'))).text, 'good');
  });

it('so is a 304 that matches no stored response, twice', {}, async (rig) => {
  await answeredVisit(rig, {}, gives(200, SHORT, 'old'));
  rig.now += 10_000;
  assert.is((await answeredVisit(rig, {}, gives(304, ['etag', '"b"']), 2)).status, 502);
});

for (const [why, headers, answer] of [
  ['no-store', ['cache-control', 'no-store'], gives(200, SHORT, 'new')],
  ['credentials', ['authorization', 'Basic eDp5'], gives(200, SHORT, 'new')],
  ['too many requests of one visitor', [], gives(429, ['cache-control', 'max-age=60'], 'slow down')],
  ['fields that are too long for the origin', ['x-long', 'x'.repeat(9000)], gives(431, [], 'too long')],
] as const)
  it(`a response for one visitor does not replace the shared stored response: ${why}`, {}, async (rig) => {
    await answeredVisit(rig, {}, gives(200, SHORT, 'old'));
    rig.now += 10_000;
    await answeredVisit(rig, { headers: [...headers] }, answer);
    const exchange = await answeredVisit(rig, {}, (pending) => pending.fail('refused'));
    assert.equal([exchange.status, exchange.text], [200, 'old']);
  });

it('206 and 304 have the same Vary as the complete response', CODED, async (rig) => {
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
    // The response as the origin sent it, followed by the stored response.
    const path = `/${i}`;
    const first = await answeredVisit(rig, { path, headers: fields }, gives(200, headers, TEXT));
    const second = await rig.visit({ path, headers: fields });
    for (const { status, field } of [first, second].map((exchange) => ({
      status: exchange.status,
      field: exchange.field('vary'),
    })))
      seen.push([status, field]);
  }
  const statuses = [206, 206, 200, 206, 304, 304, 304, 304, 200, 200, 200, 200];
  assert.equal(
    seen,
    statuses.map((status) => [status, 'accept-encoding']),
  );
});

it('a response that is purged during a revalidation is not served as stale', {}, async (rig) => {
  await answeredVisit(rig, {}, gives(200, [...SHORT, 'cache-tag', 't'], 'wrong'));
  rig.now += 10_000;
  for (const answer of [(pending: PendingRequest) => pending.fail('header-timeout'), gives(503)]) {
    await answeredVisit(rig, { path: '/other' }, gives(200, SHORT, 'kept'));
    const { exchange, handled } = rig.begin();
    await settled();
    await rig.purge({ domainId: 'd1', urls: [], prefixes: [], tags: ['t'] });
    answer(rig.origin.last);
    await handled;
    assert.ok(exchange.status >= 500, String(exchange.status));
    await answeredVisit(rig, {}, gives(200, [...SHORT, 'cache-tag', 't'], 'wrong'));
    rig.now += 10_000;
  }
});

it('memory for reading ahead of slow visitors has a shared limit', {}, async (rig) => {
  const MB = 1024 * 1024;
  const COUNT = 100;
  const slow = Array.from({ length: COUNT }, (_, i) => rig.begin({ path: `/${i}` }));
  for (const { exchange } of slow) exchange.isFull = true;
  await settled();
  const requests = [...rig.origin.requests];
  // All parts share these bytes: the test counts parts, and its own memory stays small.
  const part = Buffer.alloc(MB / 4);
  for (const pending of requests) {
    pending.respond(200, FRESH);
    for (let i = 0; i < 8; i++) pending.body.push(part);
  }
  await settled();
  const waiting = slow.map((_, i) => rig.begin({ path: `/${i}` }));
  for (let i = 0; i < 20; i++) await settled();
  // Two parts of each body are in flight to the visitor.
  const ahead = requests.reduce((sum, pending) => sum + (pending.body.taken - 2) * part.length, 0);
  assert.ok(ahead >= 32 * MB && ahead <= 66 * MB, `${ahead / MB} MB`);
  for (const { exchange } of [...slow, ...waiting]) exchange.leave();
  for (const pending of rig.origin.requests) pending.body.fail('reset');
});

it('host claims from a trusted proxy do not influence a shared response', BEHIND_PROXY, async (rig) => {
  const address = PROXY;
  const claims = [
    ...['x-forwarded-host', 'evil.test', 'forwarded', 'for=192.0.2.1;host=evil.test'],
    ...['x-forwarded-prefix', '/evil', 'x-forwarded-port', '666', 'x-original-host', 'evil.test'],
    ...['x-forwarded-for', '192.0.2.1'],
  ];
  await answeredVisit(rig, { address, headers: claims }, gives(200, FRESH, 'for all'));
  // A request id may contain the digits.
  assert.not.match(rig.origin.last.request.headers.join('\n'), /evil|^666$/m);
  assert.is(rig.origin.last.field('x-forwarded-host'), 'www.example.com');
  assert.is(rig.origin.last.field('x-forwarded-for'), '192.0.2.1, 192.0.2.80');
  // A request that bypasses the cache keeps all claims.
  await answeredVisit(rig, { address, method: 'POST', headers: claims }, gives(200));
  assert.is(rig.origin.last.field('x-forwarded-host'), 'evil.test');
  assert.is(rig.origin.last.field('x-forwarded-prefix'), '/evil');
});

it('the scheme from a trusted proxy is the scheme of the URL', BEHIND_PROXY, async (rig) => {
  const by = (proto: string, address = PROXY): FakeRequest => ({
    ...{ scheme: 'http', address, headers: ['x-forwarded-proto', proto] },
  });
  const redirect = gives(301, ['cache-control', 'max-age=60', 'location', 'https://www.example.com/']);
  assert.is((await answeredVisit(rig, by('http'), redirect)).status, 301);
  assert.is(rig.origin.last.field('x-forwarded-proto'), 'http');
  assert.is((await answeredVisit(rig, by('https'), gives(200, FRESH, 'page'))).text, 'page');
  assert.is(rig.origin.last.field('x-forwarded-proto'), 'https');
  assert.is((await rig.visit(by('http'))).status, 301);
  assert.is((await rig.visit(by('https'))).text, 'page');
  // Claims of an untrusted client are ignored, and so are values that are no scheme.
  assert.is((await rig.visit(by('https', '192.0.2.81'))).status, 301);
  assert.is((await rig.visit(by('x'))).status, 301);
  await rig.purge({ domainId: 'd1', urls: ['https://www.example.com/'], prefixes: [], tags: [] });
  await answeredVisit(rig, by('https'), gives(200, FRESH, 'page'));
});

it('after a change of the origin, stored responses do not reveal the previous origin', {}, async (rig) => {
  const { host, port } = SITE.origin;
  const old = `http://${host}:${port}`;
  const revealing = [
    ...['location', `${old}/a`, 'content-location', `${old}/b`, 'link', `<${old}/c>; rel=next`],
    ...['refresh', `5; url=${old}/d`, 'x-backend', host, 'via', `1.1 ${host}`, 'set-cookie', `a=b; Domain=${host}`],
  ];
  const lifetime = ['cache-control', 's-maxage=60', 'etag', '"a"'];
  await answeredVisit(rig, {}, gives(200, [...lifetime, ...revealing], 'kept'));
  // The same fields in a 304 response.
  await answeredVisit(rig, { path: '/b' }, gives(200, lifetime, 'kept'));
  rig.now += 70_000;
  await answeredVisit(rig, { path: '/b' }, gives(304, [...lifetime, ...revealing]));
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

it('no request is sent for a visitor who disconnects during the lookup', {}, async (rig) => {
  const { store } = rig;
  const lookups: (() => void)[] = [];
  const later: CacheStore['lookup'] = (domainId, key) =>
    new Promise((resolve) => lookups.push(() => resolve(lookup(domainId, key))));
  const lookup = store.lookup.bind(store);
  store.lookup = later;
  const { exchange, handled } = rig.begin();
  await settled();
  exchange.leave();
  for (const finishLookup of lookups) finishLookup();
  await handled;
  assert.equal([rig.origin.requests.length, rig.records.map(({ status }) => status)], [0, [499]]);
});

test.run();

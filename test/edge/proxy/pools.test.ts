/** Pools in the proxy: names, paths, cookies, health, and stale responses when all are down. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { healthKey } from '../../../core/site/pools/checks.ts';
import type { OriginsEntry } from '../../../core/site/pools/document.ts';
import type { SiteDocument } from '../../../core/store/rows.ts';
import type { OriginFault } from '../../../edge/origin/origin.ts';
import type { Site } from '../../../edge/sites/site.ts';
import { SiteDocuments } from '../../../edge/sites/site-documents.ts';
import { NO_POOLS } from '../sites/rig.ts';
import { cacheRig, SITE } from './cache-rig.ts';
import { FakeExchange, type FakeRequest } from './fake-exchange.ts';

const documentOf = (...origins: OriginsEntry[]): SiteDocument => ({
  ...{ domainId: 7, kind: 'origins', revision: 1, updatedAt: 0, content: { origins } },
});
const siteWith = (...origins: OriginsEntry[]): Site => ({
  ...SITE,
  documents: new SiteDocuments([documentOf(...origins)], { id: 7, name: 'example.com' }, { pools: NO_POOLS }, null),
});
const pool = (...origins: string[]): OriginsEntry['pool'] => origins.map((origin) => ({ origin, port: 80 }));

async function open(site: Site, fails: (host: string) => boolean = () => false, fault: OriginFault = 'refused') {
  const rig = await cacheRig({
    onRequest(pending) {
      if (fails(pending.request.origin.host)) pending.fail(fault);
      else pending.answer(200, ['cache-control', 'max-age=10', 'x-host', pending.request.origin.host], 'body');
    },
  });
  const visit = async (request: FakeRequest): Promise<FakeExchange> => {
    const exchange = new FakeExchange({ authority: 'www.example.com', ...request });
    await rig.proxy(exchange, site);
    return exchange;
  };
  const host = (): string => rig.origin.last.request.origin.host;
  return { rig, visit, host };
}

test('the name and the longest path select the pool; other requests use the origin of the proxy', async () => {
  const { visit, host, rig } = await open(
    siteWith(
      { name: 'www', path: '/api', pool: pool('a.example.net') },
      { name: 'www', path: '/api/v2', pool: pool('b.example.net') },
      { name: '*.dev', pool: pool('c.example.net') },
    ),
  );
  for (const [authority, path, expected] of [
    ['www.example.com', '/api?x', 'a.example.net'],
    ['www.example.com:8443', '/api/v2/x', 'b.example.net'],
    ['www.example.com', '/apis', '203.0.113.9'],
    ['x.dev.example.com', '/', 'c.example.net'],
    ['example.com', '/api', '203.0.113.9'],
  ] as const) {
    await visit({ authority, path });
    assert.is(host(), expected, `${authority}${path}`);
  }
  await rig.close();
});

test('a cookie is set when the visitor has none for the origin, and never stored', async () => {
  const site = siteWith({ pool: pool('a.example.net', 'b.example.net'), sticky: { by: 'cookie' } });
  const { visit, rig, host } = await open(site);
  const first = await visit({ path: '/1' });
  const cookie = first.field('set-cookie') ?? '';
  assert.match(cookie, /^waypost_origin=[A-Za-z0-9_-]{16}; Path=\/; HttpOnly; SameSite=Lax; Secure$/);
  const chosen = host();
  for (let i = 2; i < 6; i++) {
    const next = await visit({ path: `/${i}`, headers: ['cookie', cookie.split(';')[0]] });
    assert.equal([next.field('set-cookie'), host()], [undefined, chosen]);
  }
  const stored = await visit({ path: '/1' });
  assert.equal([stored.field('set-cookie'), stored.status], [undefined, 200]);
  await rig.close();
});

test('an origin that a new version of the document adds to its entry starts slowly', () => {
  const owner = { id: 7, name: 'example.com' };
  const documents = (revision: number, before: SiteDocuments | null, ...origins: string[]): SiteDocuments => {
    const entry = { name: 'www', slow_start: 3600, pool: pool(...origins) };
    return new SiteDocuments([{ ...documentOf(entry), revision }], owner, { pools: NO_POOLS }, before);
  };
  const sharesOf = ({ pools }: SiteDocuments): number[] => {
    const { pool: chooser, now } = pools!.routeOf('www.example.com', '/')!;
    const found = chooser.targets.map(() => 0);
    for (let i = 0; i < 110; i++) found[chooser.choose(0, -1, -1, now())]++;
    return found;
  };
  const first = documents(1, null, 'a.example.net', 'b.example.net');
  assert.equal(sharesOf(first), [55, 55], 'those of the first version have their whole share');
  const second = documents(2, first, 'a.example.net', 'c.example.net');
  assert.equal(sharesOf(second), [100, 10]);
  assert.equal(sharesOf(documents(3, second, 'a.example.net', 'c.example.net')), [100, 10], 'it still does');
});

test('a response does not reveal the other origins of its pool', async () => {
  const site = siteWith({ pool: pool('a.example.net', 'b.example.net') });
  const rig = await cacheRig({
    onRequest: (pending) => pending.answer(302, ['location', 'http://b.example.net/x', 'x-next', 'b.example.net']),
  });
  const exchange = new FakeExchange({ authority: 'www.example.com' });
  await rig.proxy(exchange, site);
  assert.equal([exchange.field('location'), exchange.field('x-next')], ['https://www.example.com/x', undefined]);
  await rig.close();
});

test('all origins down: a stale response, else 503; as the checks say, and as connections fail', async () => {
  const entry: OriginsEntry = { pool: pool('a.example.net', 'b.example.net'), health: {} };
  const site = siteWith(entry);
  let isDown = false;
  const { visit, rig } = await open(site, () => isDown);
  assert.is((await visit({ path: '/stored' })).status, 200);
  rig.now += 60_000;
  for (const byChecks of [false, true]) {
    isDown = !byChecks;
    const origins = entry.pool.map((origin) => ({
      ...{ key: healthKey(entry, origin), isUp: !byChecks, since: 0, reason: null },
    }));
    site.documents?.pools?.setHealth({ domainId: 7, region: '', origins });
    const requests = rig.origin.requests.length;
    const stale = await visit({ path: '/stored' });
    assert.equal([stale.status, stale.text], [200, 'body']);
    assert.match(stale.field('cache-status') ?? '', /fwd=stale/);
    const missing = await visit({ path: '/missing' });
    assert.equal([missing.status, missing.field('retry-after')], [503, '10']);
    if (byChecks) assert.is(rig.origin.requests.length, requests, 'no origin was asked');
    assert.is(rig.records.at(-1)?.fault, 'down');
  }
  site.documents?.pools?.setHealth(undefined);
  isDown = false;
  assert.is((await visit({ path: '/missing' })).status, 200);
  await rig.close();
});

for (const [fault, code, retryAfter] of [
  ['refused', 'origins_down', '10'],
  ['busy', 'origin_busy', '5'],
] as const)
  test(`when every origin is ${fault}, the page is that of ${code}, unless a stale response is stored`, async () => {
    let isFailing = false;
    const site = siteWith({ pool: pool('a.example.net', 'b.example.net') });
    const { visit, rig } = await open(site, () => isFailing, fault);
    assert.is((await visit({ path: '/stored' })).status, 200);
    rig.now += 60_000;
    isFailing = true;
    const missing = await visit({ path: '/missing', headers: ['accept', 'application/json'] });
    assert.equal([missing.status, missing.field('retry-after')], [503, retryAfter]);
    assert.is(JSON.parse(missing.text).error.code, code);
    const stale = await visit({ path: '/stored' });
    assert.equal([stale.status, stale.text], [200, 'body']);
    await rig.close();
  });

test('a stale response is not served if the entry does not want it, or the response forbids it', async () => {
  const off = await open(siteWith({ pool: pool('a.example.net'), stale_when_down: false }), (host) => fails.has(host));
  const fails = new Set<string>();
  await off.visit({ path: '/stored' });
  off.rig.now += 60_000;
  fails.add('a.example.net');
  // A single origin has the page of its fault.
  assert.is((await off.visit({ path: '/stored' })).status, 502);
  await off.rig.close();
});

test.run();

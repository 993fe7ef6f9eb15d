/** Purged responses that are fetched again: which, how the origin sees it, and what is stored. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileProtection, type SiteProtection } from '../../../core/site/protection/compile.ts';
import type { CachePurge } from '../../../edge/cache/store/cache-store.ts';
import { OriginError, type OriginFault } from '../../../edge/origin/origin.ts';
import { prefetchExchange } from '../../../edge/proxy/prefetch.ts';
import type { SiteDocuments } from '../../../edge/sites/site-documents.ts';
import { cacheRig, SITE } from './cache-rig.ts';
import { type PendingRequest, settled } from './fake-origin.ts';

const test = suite('prefetch of purged responses');

const URL = 'https://www.example.com/page';
const ALL: CachePurge = { domainId: 'd1', urls: [], prefixes: [], tags: [], prefetch: true };
const bare = (key = URL) => ({ key, selecting: [] });

const answering =
  (status: number, ...fields: string[]) =>
  (pending: PendingRequest): void =>
    pending.answer(status, fields, `${status} ${pending.request.path}`);
const fresh = answering(200, 'cache-control', 'max-age=60');

test('the origin receives a GET without a visitor, and the next visitor a hit', async () => {
  const rig = await cacheRig({ onRequest: fresh });
  assert.is(await rig.prefetch(bare(`${URL}?a=b`)), 'stored');
  const [{ request }] = rig.origin.requests;
  assert.equal([request.method, request.authority, request.path], ['GET', 'www.example.com', '/page?a=b']);
  assert.equal(request.headers, [
    ...['accept', '*/*', 'user-agent', 'waypost-prefetch'],
    ...['x-forwarded-for', '192.0.2.1', 'x-forwarded-proto', 'https', 'x-forwarded-host', 'www.example.com'],
    ...['x-forwarded-port', '443'],
    ...['forwarded', 'for=192.0.2.1;host=www.example.com;proto=https'],
    ...['via', '1.1 waypost', 'cdn-loop', 'waypost', 'accept-encoding', 'identity'],
  ]);
  assert.is(request.yields, true);
  assert.match((await rig.visit({ path: '/page?a=b' })).field('cache-status') ?? '', /; hit/);
  assert.is(await rig.prefetch(bare(`${URL}?a=b`)), 'present');
  assert.is(rig.origin.requests.length, 1);
  assert.is(rig.records.length, 1, 'only the visit is recorded');
  await rig.close();
});

test('what is not stored for a visitor is not stored by a prefetch, and errors never are', async () => {
  for (const [fields, status, result] of [
    [['cache-control', 'private, max-age=60'], 200, 'not-stored'],
    [['cache-control', 'no-store'], 200, 'not-stored'],
    [['cache-control', 'max-age=60', 'set-cookie', 'a=b'], 200, 'not-stored'],
    [['cache-control', 'max-age=60', 'vary', '*'], 200, 'not-stored'],
    [['cache-control', 'max-age=60', 'location', '/'], 301, 'stored'],
    [['cache-control', 'max-age=60'], 403, 'failed'],
    [['cache-control', 'max-age=60'], 404, 'failed'],
    [['cache-control', 'max-age=60'], 503, 'failed'],
  ] as const) {
    const rig = await cacheRig({ onRequest: answering(status, ...fields) });
    assert.is(await rig.prefetch(bare()), result, `${status} ${fields.join()}`);
    await rig.visit({ path: '/page' });
    assert.is(rig.origin.requests.length, result === 'stored' ? 1 : 2);
    await rig.close();
  }
});

test('a fault of the origin ends the prefetch only', async () => {
  for (const [fault, result] of [
    ['refused', 'failed'],
    ['reset', 'failed'],
    ['aborted', 'yielded'],
  ] as [OriginFault, string][]) {
    const rig = await cacheRig({ onRequest: (pending) => pending.fail(fault) });
    assert.is(await rig.prefetch(bare()), result);
    await rig.close();
  }
  const rig = await cacheRig({
    onRequest: (pending) => {
      pending.respond(200, ['cache-control', 'max-age=60', 'content-length', '9']);
      pending.body.push('part');
      pending.body.fail('reset');
    },
  });
  assert.is(await rig.prefetch(bare()), 'not-stored');
  await rig.close();
});

test('a visitor of the same URL waits for the prefetch, and one on its way is not fetched twice', async () => {
  const rig = await cacheRig();
  const prefetched = rig.prefetch(bare());
  await settled();
  const { exchange, handled } = rig.begin({ path: '/page' });
  assert.is(await rig.prefetch(bare()), 'present');
  assert.is(rig.origin.requests.length, 1);
  rig.origin.requests[0].answer(200, ['cache-control', 'max-age=60'], 'one');
  await handled;
  assert.equal([await prefetched, exchange.text], ['stored', 'one']);
  await rig.close();
});

test('the key is reported before anything is fetched, and decides', async () => {
  const rig = await cacheRig({ onRequest: fresh });
  const keys: string[] = [];
  const refuse = (key: string): boolean => keys.push(key) < 0;
  assert.is(await rig.prefetch(bare('https://www.example.com:443/page'), refuse), 'elsewhere');
  assert.equal([keys, rig.origin.requests], [[URL], []]);
  await rig.close();
});

test('a purge reports the most requested of what it removes, with the fields that select it', async () => {
  const vary = ['cache-control', 'max-age=60', 'vary', 'accept-language, cookie', 'cache-tag', 'news'];
  const rig = await cacheRig({ onRequest: answering(200, ...vary) });
  const visits: [string, number, string[]][] = [
    ['/often', 9, ['accept-language', 'de']],
    ['/cold', 1, []],
    ['/hot', 5, ['accept-language', 'en']],
  ];
  for (const [path, times, headers] of visits) for (let i = 0; i < times; i++) await rig.visit({ path, headers });
  const selecting = (language: string) => ['accept-language', language, 'cookie', '\0'];
  const often = { key: 'https://www.example.com/often', selecting: selecting('de') };
  const hot = { key: 'https://www.example.com/hot', selecting: selecting('en') };

  await rig.purge({ ...ALL, urls: ['https://www.example.com/none'] });
  await rig.purge({ ...ALL, domainId: 'd2' });
  rig.store.stats();
  await rig.visit({ path: '/cold' });
  assert.equal(rig.purged, []);
  await rig.purge({ ...ALL, tags: ['news'] });
  rig.store.lookup('d1', 'x');
  assert.equal(rig.purged.splice(0), [often, hot]);
  const before = rig.origin.requests.length;
  assert.is(await rig.prefetch(often), 'stored');
  assert.is(rig.origin.requests[before].field('accept-language'), 'de');
  assert.match((await rig.visit({ path: '/often', headers: visits[0][2] })).field('cache-status') ?? '', /; hit/);
  // Without the flag nothing is reported.
  for (let i = 0; i < 5; i++) await rig.visit({ path: '/hot', headers: visits[2][2] });
  await rig.purge({ ...ALL, prefetch: undefined });
  rig.store.lookup('d1', 'x');
  assert.equal(rig.purged, []);
  await rig.close();
});

test('only fields that a browser chooses are repeated', () => {
  const of = (selecting: string[], key = URL) => prefetchExchange({ key, selecting });
  assert.equal(of(['origin', 'https://a.test', 'x-api-key', '\0'])?.headers.slice(4), ['origin', 'https://a.test']);
  assert.equal(of(['accept', 'text/css', 'user-agent', '\0'])?.headers, ['accept', 'text/css']);
  for (const name of ['x-api-key', 'authorization', 'cookie', 'range', 'if-none-match', 'accept\n'])
    assert.is(of([name, 'secret']), undefined, name);
  assert.equal(
    [of([], `${URL}\nabc`)?.path, of([], 'ftp://www.example.com/'), of([], 'www')],
    ['/page', undefined, undefined],
  );
});

test('nothing is fetched of a site that requires certificates of its visitors', async () => {
  const protection = (mode: 'required' | 'optional'): SiteProtection =>
    compileProtection({ tls: { client_certificates: mode, client_authorities: 'PEM' } });
  for (const [mode, result] of [
    ['required', 'excluded'],
    ['optional', 'stored'],
  ] as const) {
    const documents = { rules: null, pools: null, protection: protection(mode) } as unknown as SiteDocuments;
    const rig = await cacheRig({ onRequest: fresh, site: { ...SITE, documents } });
    assert.is(await rig.prefetch(bare()), result);
    await rig.close();
  }
});

test('an internal error is not hidden', async () => {
  const rig = await cacheRig({
    onRequest: () => {
      throw new TypeError('a bug');
    },
  });
  const error = await rig.prefetch(bare()).catch((reason: unknown) => reason);
  assert.ok(error instanceof TypeError && !(error instanceof OriginError));
  await rig.close();
});

test.run();

/** Nodes that request misses from the owner of a URL. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CacheRule, Changes } from '../../../core/site/rules/changes.ts';
import { NO_UPLOAD_TERMS } from '../../../core/site/uploads.ts';
import { PEER_FIELD } from '../../../edge/peers/peer-call.ts';
import { BEGIN, SITE } from '../proxy/cache-rig.ts';
import { FakeExchange } from '../proxy/fake-exchange.ts';
import { type PendingRequest, settled } from '../proxy/fake-origin.ts';
import { peerRig } from './peer-rig.ts';

const cacheable = (pending: PendingRequest): void =>
  pending.answer(200, ['cache-control', 'max-age=600', 'cache-tag', 'home', 'etag', '"1"'], 'hello');

test('a cold object is requested from the origin once for all nodes', async () => {
  const rig = await peerRig({ names: ['a', 'b', 'c', 'd'], onRequest: cacheable });
  const path = rig.pathOwnedBy('a');
  for (const name of ['b', 'c', 'a', 'd']) {
    const { status, text } = await rig.nodes[name].visit({ path });
    assert.equal([status, text], [200, 'hello']);
  }
  assert.is(rig.origin.requests.length, 1);
  assert.equal(
    ['b', 'c', 'd'].map((name) => rig.nodes[name].results),
    [['miss'], ['hit'], ['hit']],
  );
  assert.is(rig.nodes.a.served, 3);
  // Each has its own copy now.
  for (const name of ['a', 'b', 'c', 'd']) assert.is((await rig.nodes[name].visit({ path })).text, 'hello');
  assert.is(rig.nodes.a.served, 3);
  await rig.close();
});

test('Cache-Status says what the owner did, and Age what the object has', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const [first, second] = [rig.pathOwnedBy('a'), rig.pathOwnedBy('a')];
  const missed = await rig.nodes.b.visit({ path: first });
  assert.is(missed.field('cache-status'), 'waypost; fwd=uri-miss; stored; detail=peer-miss');
  await rig.nodes.a.visit({ path: second });
  rig.now += 100_000;
  const hit = await rig.nodes.b.visit({ path: second });
  assert.is(hit.field('cache-status'), 'waypost; fwd=uri-miss; stored; detail=peer-hit');
  assert.is(hit.field('age'), '100');
  rig.now += 400_000;
  assert.is((await rig.nodes.b.visit({ path: second })).field('cache-status'), 'waypost; hit; ttl=100');
  rig.now += 100_000;
  // Stale on both: the origin confirms it.
  const { requests } = rig.origin;
  await rig.nodes.b.visit({ path: second });
  assert.is(requests.at(-1)?.field('if-none-match'), '"1"');
  for (const exchange of [missed, hit]) {
    assert.is(exchange.field(PEER_FIELD), undefined);
    assert.is(exchange.field('cache-tag'), undefined);
  }
  await rig.close();
});

test('the origin receives the visitor of the other node, and no trace of the owner', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const headers = ['user-agent', 'test', 'cookie', 'a=b', 'accept-encoding', 'br', 'range', 'bytes=0-1'];
  const address = '203.0.113.77';
  const [here, there] = [rig.pathOwnedBy('b'), rig.pathOwnedBy('a')];
  for (const path of [here, there]) await rig.nodes.b.visit({ path, headers, address });
  const [alone, shared] = rig.origin.requests.map(({ request }) => request);
  assert.equal(shared.headers, alone.headers);
  assert.is(shared.path, there);
  assert.is(shared.authority, alone.authority);
  assert.is(shared.client, alone.client);
  assert.is(shared.origin, SITE.origin);
  await rig.close();
});

test('a prefetch is sent to the origin by the owner alone, also while another node does not respond', async () => {
  const rig = await peerRig({ names: ['a', 'b', 'c'], onRequest: cacheable });
  const path = rig.pathOwnedBy('b');
  rig.nodes.b.isDown = true;
  for (let i = 0; i < 4; i++) await rig.nodes.a.visit({ path: rig.pathOwnedBy('b') });
  const before = rig.origin.requests.length;
  const results = await Promise.all(['a', 'b', 'c'].map((name) => rig.nodes[name].prefetch(path)));
  assert.equal(results, ['elsewhere', 'stored', 'elsewhere']);
  assert.is(rig.origin.requests.length, before + 1);
  rig.nodes.b.isDown = false;
  assert.is((await rig.nodes.c.visit({ path })).text, 'hello');
  assert.is(await rig.nodes.b.prefetch(path), 'present');
  assert.is(rig.origin.requests.length, before + 1);
  await rig.close();
});

test('a tag that another node received purges the copy', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const path = rig.pathOwnedBy('a');
  await rig.nodes.b.visit({ path });
  for (const { purge } of Object.values(rig.nodes))
    await purge({ domainId: 'd1', urls: [], prefixes: [], tags: ['home'] });
  await rig.nodes.b.visit({ path });
  assert.is(rig.origin.requests.length, 2);
  await rig.close();
});

test('an owner that has not executed a purge is not used', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const path = rig.pathOwnedBy('a');
  await rig.nodes.a.visit({ path });
  // The purge has reached b only.
  rig.nodes.b.positions.announce(5);
  await rig.nodes.b.purge({ domainId: 'd1', urls: [], prefixes: [], tags: [] });
  rig.nodes.a.positions.complete(4);
  const { text } = await rig.nodes.b.visit({ path });
  assert.equal([text, rig.origin.requests.length, rig.nodes.b.results], ['hello', 2, ['failed']]);
  rig.nodes.a.positions.complete(5);
  await rig.nodes.b.visit({ path: rig.pathOwnedBy('a') });
  assert.equal(rig.nodes.b.results, ['failed', 'miss']);
  await rig.close();
});

test('an owner that is down costs three attempts, and is tried again later', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const { a, b } = rig.nodes;
  a.isDown = true;
  for (let i = 0; i < 6; i++) assert.is((await b.visit({ path: rig.pathOwnedBy('a') })).text, 'hello');
  assert.is(a.reached, 3);
  assert.is(rig.origin.requests.length, 6);
  a.isDown = false;
  rig.now += 5000;
  await b.visit({ path: rig.pathOwnedBy('a') });
  assert.equal([a.reached, a.served], [4, 1]);
  await rig.close();
});

test('a silent owner runs into the timeout', async () => {
  const rig = await peerRig({ onRequest: cacheable, timeout: 5 });
  rig.nodes.a.isSilent = true;
  const { text } = await rig.nodes.b.visit({ path: rig.pathOwnedBy('a') });
  assert.equal([text, rig.nodes.b.results], ['hello', ['failed']]);
  await rig.close();
});

test('an owner that reports progress is waited for', async () => {
  const rig = await peerRig({ timeout: 5 });
  const visit = rig.nodes.b.begin({ path: rig.pathOwnedBy('a') });
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.is(rig.exchanges[0].informed[0].status, 102);
  cacheable(rig.origin.last);
  await visit.handled;
  assert.equal([visit.exchange.text, rig.nodes.b.results, rig.origin.requests.length], ['hello', ['miss'], 1]);
  assert.equal(visit.exchange.informed, []);
  await rig.close();
});

test('visitors of all nodes wait for one request to the origin', async () => {
  const rig = await peerRig({ names: ['a', 'b', 'c'] });
  const path = rig.pathOwnedBy('a');
  const visits = ['a', 'b', 'c', 'b', 'a'].map((name) => rig.nodes[name].begin({ path }));
  await settled();
  assert.is(rig.origin.requests.length, 1);
  cacheable(rig.origin.last);
  await Promise.all(visits.map(({ handled }) => handled));
  for (const { exchange } of visits) assert.is(exchange.text, 'hello');
  assert.is(rig.origin.requests.length, 1);
  await rig.close();
});

test('a response that cannot be stored passes, without the names of the origin', async () => {
  const rig = await peerRig({
    onRequest: (pending) =>
      pending.answer(
        200,
        ['cache-control', 'no-store', 'x-backend', '203.0.113.9', 'location', 'http://203.0.113.9:8080/x'],
        'once',
      ),
  });
  const path = rig.pathOwnedBy('a');
  const exchange = await rig.nodes.b.visit({ path });
  assert.is(exchange.text, 'once');
  assert.is(exchange.field('cache-status'), 'waypost; fwd=uri-miss; detail=peer-miss');
  for (const { fields } of [exchange, rig.exchanges[0]]) assert.not.match(fields.join('\n'), /203\.0\.113\.9/);
  // The next one goes to the origin at once.
  await rig.nodes.b.visit({ path });
  assert.equal([rig.origin.requests.length, rig.nodes.a.served], [2, 1]);
  await rig.close();
});

test('errors of the origin pass; where it has no response, the other node tries itself', async () => {
  let isDown = false;
  const rig = await peerRig({
    onRequest: (pending) => (isDown ? pending.fail('refused') : pending.answer(503, [], 'no')),
  });
  assert.equal((await rig.nodes.b.visit({ path: rig.pathOwnedBy('a') })).status, 503);
  assert.is(rig.origin.requests.length, 1);
  isDown = true;
  assert.equal((await rig.nodes.b.visit({ path: rig.pathOwnedBy('a') })).status, 502);
  assert.is(rig.origin.requests.length, 3);
  assert.equal(rig.nodes.b.results, ['miss', 'failed']);
  await rig.close();
});

test('only shareable misses are requested from the owner', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const visit = (method: string, headers: string[] = []) =>
    rig.nodes.b.visit({ path: rig.pathOwnedBy('a'), method, headers });
  await visit('HEAD');
  await visit('POST');
  await visit('GET', ['authorization', 'Basic YTpi']);
  await visit('GET', ['if-match', '"1"']);
  await visit('GET', ['x-original-url', '/other']);
  await visit('GET', ['range', 'bytes=900000000-']);
  assert.is(rig.nodes.a.reached, 0);
  await rig.close();
});

test('the lifetime that a rule gives holds on the owner', async () => {
  const rule = new Changes({
    ...{ requestHeaders: [], responseHeaders: [], rewrite: null, origin: null, uploads: NO_UPLOAD_TERMS },
    ...{ cache: new CacheRule({ type: 'cache', ttl: 300 }), bypassesCache: false, isUncompressed: false },
  });
  const rig = await peerRig({
    names: ['a', 'b', 'c'],
    site: { ...SITE, changes: rule },
    onRequest: (pending) => pending.answer(200, [], 'ruled'),
  });
  const path = rig.pathOwnedBy('a');
  const first = await rig.nodes.b.visit({ path });
  assert.is(first.field('cdn-cache-control'), undefined);
  rig.now += 200_000;
  const second = await rig.nodes.c.visit({ path });
  assert.equal([rig.origin.requests.length, second.field('age')], [1, '200']);
  rig.now += 90_000;
  assert.is((await rig.nodes.c.visit({ path })).field('cache-status'), 'waypost; hit; ttl=10');
  await rig.close();
});

test('after a POST the owner does not bring back what it changed', async () => {
  let text = 'before';
  const rig = await peerRig({
    names: ['a', 'b', 'c'],
    onRequest: (pending) => {
      if (pending.request.method === 'POST') text = 'after';
      pending.answer(200, ['cache-control', 'max-age=600'], text);
    },
  });
  const path = rig.pathOwnedBy('a');
  const { b, c } = rig.nodes;
  assert.is((await b.visit({ path })).text, 'before');
  rig.now += 10_000;
  await b.visit({ path, method: 'POST' });
  rig.now += 2000;
  const fresh = await b.visit({ path });
  assert.equal([fresh.text, fresh.field('cache-status')], ['after', 'waypost; fwd=uri-miss; stored; detail=peer-miss']);
  // The owner has the new one now.
  assert.is((await c.visit({ path })).text, 'after');
  assert.equal([b.results, c.results], [['miss', 'miss'], ['hit']]);
  await rig.close();
});

test('a visitor who leaves ends the request to the owner, and none follows', async () => {
  const rig = await peerRig();
  rig.nodes.a.isSilent = true;
  const { exchange, handled } = rig.nodes.b.begin({ path: rig.pathOwnedBy('a') });
  await settled();
  exchange.leave();
  await handled;
  assert.equal([rig.origin.requests.length, rig.nodes.b.results], [0, []]);
  assert.equal(
    rig.nodes.b.records.map(({ status }) => status),
    [499],
  );
  await rig.close();
});

test('a request without a valid signature gets nothing from the cache', async () => {
  const rig = await peerRig({ onRequest: cacheable });
  const path = rig.pathOwnedBy('a');
  await rig.nodes.b.visit({ path });
  const [{ headers }] = rig.exchanges;
  const at = headers.indexOf(PEER_FIELD);
  const signed = [...headers];
  const receive = async (request: ConstructorParameters<typeof FakeExchange>[0]): Promise<number> => {
    const exchange = new FakeExchange({ authority: 'www.example.com', path, headers: signed, ...request });
    await rig.nodes.a.receive(exchange);
    return exchange.status;
  };
  assert.is(await receive({}), 200);
  assert.is(await receive({ path: `${path}?other` }), 421);
  assert.is(await receive({ authority: 'example.com' }), 421);
  assert.is(await receive({ method: 'POST' }), 421);
  assert.is(await receive({ headers: headers.toSpliced(at, 2) }), 421);
  assert.is(await receive({ headers: headers.with(at + 1, `${headers[at + 1].slice(0, -2)}AA`) }), 421);
  rig.now = BEGIN + 400_000;
  assert.is(await receive({}), 421);
  assert.is(rig.origin.requests.length, 1);
  await rig.close();
});

test.run();

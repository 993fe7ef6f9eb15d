/**
 * Visitors of two threads for whom the same response is missing or stale: two proxies with one
 * node's cache.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { NodeFlights } from '../../../edge/cache/store/node-flights.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import type { FieldList } from '../../../edge/http/exchange/field-list.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { until, untilIs } from '../../support/until.ts';
import { SITE } from './cache-rig.ts';
import { FakeExchange } from './fake-exchange.ts';
import { FakeOrigin } from './fake-origin.ts';

const MB = 1024 * 1024;
const MINUTE = 60_000;
const FRESH = ['cache-control', 'max-age=60'];

interface Begun {
  readonly exchange: FakeExchange;
  readonly handled: Promise<void>;
}

interface Rig {
  readonly origin: FakeOrigin;
  now: number;
  begin(thread: number, headers?: FieldList): Begun;
  /** Stores a response in both threads. */
  store(headers: FieldList, body: string): Promise<void>;
  purge(): Promise<void>;
}

function it(name: string, timeout: number, use: (rig: Rig) => Promise<void>): void {
  test(name, async () => {
    const folder = temporaryFolder('threads-flow');
    const sizes = { memory: 16 * MB, disk: 64 * MB, memoryObject: MB, largestObject: MB };
    const node = await openCache({ ...sizes, folder, threads: 2 });
    const origin = new FakeOrigin(undefined, () => rig.now);
    const { flights, seeds } = node.handle;
    const threads = [1, 2].map(() => {
      const store = openCacheStore(node.handle);
      const nodeFlights = new NodeFlights({ memory: flights!, seeds, lease: timeout });
      const cache = { store, nodeFlights, maxBodyBytes: MB, collapseTimeout: timeout, clock: () => rig.now };
      return { store, ...createSiteProxy({ fetch: origin.fetch, cache }) };
    });
    const begin = (thread: number, headers: FieldList = []): Begun => {
      const exchange = new FakeExchange({ authority: 'www.example.com', path: '/a', headers });
      return { exchange, handled: Promise.resolve(threads[thread].serve(exchange, SITE)) };
    };
    const storeResponse = async (headers: FieldList, body: string): Promise<void> => {
      const visit = begin(0);
      origin.last.answer(200, headers, body);
      await visit.handled;
      await threads[0].store.flush();
      // From the disk into the memory.
      const other = begin(1);
      await other.handled;
      assert.is(other.exchange.text, body);
      origin.requests.length = 0;
    };
    const purge = (): Promise<void> => node.purge({ domainId: SITE.domainId, urls: [], prefixes: [], tags: [] });
    const rig: Rig = { now: Date.now(), origin, begin, store: storeResponse, purge };
    const keepsAlive = setInterval(() => {}, 1000);
    try {
      await use(rig);
    } finally {
      clearInterval(keepsAlive);
      for (const { store } of threads) await store.close();
    }
  });
}

/** Some turns of the event loop, in which the waits of both threads go on. */
async function later(): Promise<void> {
  await sleep(20);
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

const all = (visits: readonly Begun[]): Promise<unknown> => Promise.all(visits.map(({ handled }) => handled));
const textsOf = (visits: readonly Begun[]): string[] => visits.map(({ exchange }) => exchange.text);

it('one request serves all of both threads, also after purges', 600_000, async ({ origin, begin, purge }) => {
  for (let round = 1; round <= 4; round++) {
    const visits = [0, 1, 0, 1, 1].map((thread) => begin(thread));
    await until(() => origin.requests.length === round);
    await later();
    origin.last.answer(200, FRESH, `round ${round}`);
    await all(visits);
    assert.equal(new Set(textsOf(visits)), new Set([`round ${round}`]));
    assert.is(origin.requests.length, round);
    await purge();
  }
});

it('when its visitor leaves, the response is still fetched for the other thread', 600_000, async (rig) => {
  const { origin, begin } = rig;
  const [first, second] = [begin(0), begin(1)];
  await later();
  first.exchange.leave();
  assert.not(origin.requests[0].isCancelled);
  origin.requests[0].answer(200, FRESH, 'shared');
  await all([first, second]);
  assert.is(second.exchange.text, 'shared');
  assert.is(origin.requests.length, 1);
});

it('a private response is requested for each visitor, at once', 600_000, async ({ origin, begin }) => {
  const visits = [0, 1, 1, 0, 1].map((thread) => begin(thread));
  await later();
  assert.is(origin.requests.length, 1);
  origin.requests[0].answer(200, ['cache-control', 'private'], 'own 0');
  await until(() => origin.requests.length === 5);
  for (const [i, pending] of origin.requests.entries())
    if (i > 0) pending.answer(200, ['cache-control', 'private'], `own ${i}`);
  await all(visits);
  assert.is(new Set(textsOf(visits)).size, 5);
});

it('after a failure the other thread requests once for its visitors', 600_000, async ({ origin, begin }) => {
  const visits = [0, 1, 1, 1].map((thread) => begin(thread));
  await later();
  origin.requests[0].fail('reset');
  await until(() => origin.requests.length === 2);
  await later();
  origin.requests[1].answer(200, FRESH, 'ok');
  await all(visits);
  assert.is(origin.requests.length, 2);
  assert.equal(textsOf(visits.slice(1)), ['ok', 'ok', 'ok']);
  assert.is(visits[0].exchange.status, 502);
});

const STALE = ['cache-control', 'max-age=60', 'etag', '"1"'];

for (const [title, status, body] of [
  ['confirmed', 304, 'old'],
  ['replaced', 200, 'new'],
] as const)
  it(`a stale response is ${title} once for both threads, each time`, 600_000, async (rig) => {
    const { origin, begin } = rig;
    await rig.store(STALE, 'old');
    for (let round = 1; round <= 3; round++) {
      rig.now += 2 * MINUTE;
      const visits = [round, 0, 1, 0, 1].map((thread) => begin(thread % 2));
      await later();
      assert.is(origin.requests.length, round);
      origin.last.answer(status, STALE, status === 304 ? undefined : body);
      await all(visits);
      assert.equal(new Set(textsOf(visits)), new Set([body]));
      assert.is(origin.requests.length, round);
    }
  });

it('a stale response is validated by one of the threads, and both serve the result', 600_000, async (rig) => {
  const { origin, begin } = rig;
  await rig.store(['cache-control', 'max-age=60, stale-while-revalidate=600'], 'old');
  rig.now += 2 * MINUTE;
  const visits = [1, 0, 1].map((thread) => begin(thread));
  await all(visits);
  assert.equal(textsOf(visits), ['old', 'old', 'old']);
  assert.is(origin.requests.length, 1);
  origin.last.answer(200, FRESH, 'new');
  const seen = async (): Promise<string[]> => {
    const both = [0, 1].map((thread) => begin(thread));
    await all(both);
    return textsOf(both);
  };
  await untilIs(seen, ['new', 'new']);
  assert.is(origin.requests.length, 1);
});

it('a stale response that cannot be validated is requested by each thread', 600_000, async (rig) => {
  const { origin, begin } = rig;
  await rig.store(STALE, 'old');
  rig.now += 2 * MINUTE;
  const visits = [0, 1, 1, 1].map((thread) => begin(thread));
  await later();
  origin.requests[0].fail('reset');
  await until(() => origin.requests.length === 2);
  await later();
  assert.equal(origin.requests[1].request.headers.includes('if-none-match'), true);
  origin.requests[1].answer(304, STALE);
  await all(visits);
  assert.is(origin.requests.length, 2);
  assert.equal([visits[0].exchange.status, ...textsOf(visits.slice(1))], [502, 'old', 'old', 'old']);
});

it('a missing variant is requested once for both threads, and another one separately', 600_000, async (rig) => {
  const { origin, begin } = rig;
  const fields = [...FRESH, 'vary', 'x-kind'];
  await rig.store(fields, 'none');
  const visits = [0, 1, 1, 0].map((thread) => begin(thread, ['x-kind', 'a']));
  await later();
  assert.is(origin.requests.length, 1);
  origin.last.answer(200, fields, 'kind a');
  await all(visits);
  assert.equal([new Set(textsOf(visits)), origin.requests.length], [new Set(['kind a']), 1]);
  // The threads miss two variants.
  const [b, c] = [begin(0, ['x-kind', 'b']), begin(1, ['x-kind', 'c'])];
  await later();
  origin.last.answer(200, fields, 'kind b');
  await until(() => origin.requests.length === 3);
  origin.last.answer(200, fields, 'kind c');
  await all([b, c]);
  assert.equal(textsOf([b, c]), ['kind b', 'kind c']);
  for (const kind of ['a', 'b', 'c'])
    for (const thread of [0, 1]) {
      const visit = begin(thread, ['x-kind', kind]);
      await visit.handled;
      assert.is(visit.exchange.text, `kind ${kind}`);
    }
  assert.is(origin.requests.length, 3);
});

for (const control of ['no-cache', 'max-age=0'])
  it(`a response that each request validates (${control}) is not waited for`, 600_000, async ({ origin, begin }) => {
    const fields = ['cache-control', control, 'etag', '"1"'];
    const first = begin(0);
    origin.last.answer(200, fields, 'page');
    await first.handled;
    const visits = [begin(0), begin(1)];
    await until(() => origin.requests.length === 3);
    for (const pending of origin.requests.slice(1)) pending.answer(304, fields);
    await all(visits);
    assert.equal(textsOf(visits), ['page', 'page']);
  });

it('no visitor waits longer than the timeout', 30, async ({ origin, begin }) => {
  const first = begin(0);
  const second = begin(1);
  await until(() => origin.requests.length === 2);
  origin.requests[1].answer(200, FRESH, 'second');
  await second.handled;
  assert.is(second.exchange.text, 'second');
  origin.requests[0].answer(200, FRESH, 'first');
  await first.handled;
  assert.is(first.exchange.text, 'first');
});

test.run();

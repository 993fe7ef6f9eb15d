/** Visitors of two threads that miss the same response: two proxies with one node's cache. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { NodeFlights } from '../../../edge/cache/node-flights.ts';
import { openCache } from '../../../edge/cache/store/node-cache.ts';
import { openCacheStore } from '../../../edge/cache/store/store.ts';
import { createSiteProxy } from '../../../edge/proxy/proxy.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { until } from '../../support/until.ts';
import { SITE } from './cache-rig.ts';
import { FakeExchange } from './fake-exchange.ts';
import { FakeOrigin } from './fake-origin.ts';

const MB = 1024 * 1024;
const FRESH = ['cache-control', 'max-age=60'];

interface Begun {
  readonly exchange: FakeExchange;
  readonly handled: Promise<void>;
}

interface Rig {
  readonly origin: FakeOrigin;
  begin(thread: number, path?: string): Begun;
  purge(): Promise<void>;
}

function it(name: string, timeout: number, use: (rig: Rig) => Promise<void>): void {
  test(name, async () => {
    const folder = temporaryFolder('threads-flow');
    const sizes = { memory: 16 * MB, disk: 64 * MB, memoryObject: MB, largestObject: MB };
    const node = await openCache({ ...sizes, folder, threads: 2 });
    const origin = new FakeOrigin();
    const { flights, seeds } = node.handle;
    const threads = [1, 2].map(() => {
      const store = openCacheStore(node.handle);
      const nodeFlights = new NodeFlights({ memory: flights!, seeds, lease: timeout });
      const cache = { store, nodeFlights, maxBodyBytes: MB, collapseTimeout: timeout };
      return { store, ...createSiteProxy({ fetch: origin.fetch, cache }) };
    });
    const begin = (thread: number, path = '/a'): Begun => {
      const exchange = new FakeExchange({ authority: 'www.example.com', path });
      return { exchange, handled: Promise.resolve(threads[thread].serve(exchange, SITE)) };
    };
    const purge = (): Promise<void> => node.purge({ domainId: SITE.domainId, urls: [], prefixes: [], tags: [] });
    const keepsAlive = setInterval(() => {}, 1000);
    try {
      await use({ origin, begin, purge });
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

it('what is for one visitor only is requested by each, at once', 600_000, async ({ origin, begin }) => {
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

it('nobody waits for more than the timeout', 30, async ({ origin, begin }) => {
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

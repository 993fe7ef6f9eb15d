/**
 * Responses that are on disk only: until the disk has them, requests wait as they do during the
 * fetch. The order of events is the same on any machine, since no write to the disk ends within a
 * turn of the event loop.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { CacheStore, CacheWriter, OnStored } from '../../../edge/cache/store/cache-store.ts';
import { until } from '../../support/until.ts';
import { type CacheRig, type CacheRigOptions, cacheRig } from './cache-rig.ts';
import type { FakeExchange } from './fake-exchange.ts';
import { type PendingRequest, settled } from './fake-origin.ts';

const MB = 1024 * 1024;
const KEY = 'https://www.example.com/';
const FRESH = ['cache-control', 'max-age=60', 'etag', '"a"'];
const VISITORS = 20;
/** Bodies with more than 10,000 bytes are on disk only; with more than 64 KB in their own file. */
const DISK = { disk: 64 * MB, memoryObject: 10_000 } satisfies CacheRigOptions;
const SIZES = [20_000, 200_000];

const textOf = (size: number, begin = 'a'): string => begin.padEnd(size, 'x');

/** Runs for both sizes. `text`: a body of that size. */
function it(name: string, options: CacheRigOptions, use: (rig: CacheRig, text: string) => Promise<void>): void {
  for (const size of SIZES)
    test(`${name}: ${size} bytes`, async () => {
      const onRequest = answers(FRESH, textOf(size));
      const rig = await cacheRig({ ...DISK, onRequest, ...options });
      try {
        await use(rig, textOf(size));
      } finally {
        await rig.close();
      }
    });
}

const answers =
  (headers: readonly string[], text: string) =>
  (pending: PendingRequest): void =>
    pending.answer(200, headers, text);

/** Sends the requests of all visitors at once. Returns the texts that they received. */
async function visitTogether(rig: CacheRig): Promise<Set<string>> {
  const visits = Array.from({ length: VISITORS }, () => rig.begin());
  await Promise.all(visits.map(({ handled }) => handled));
  return new Set(visits.map(({ exchange }) => exchange.text));
}

/** The outcomes of all requests so far, sorted. */
const outcomes = (rig: CacheRig): string[] => rig.records.map(({ cache }) => cache).sort();
const hits = (count: number): string[] => Array.from({ length: count }, () => 'hit');

/** Calls `then` as soon as the exchange has its last byte. */
function atEnd(exchange: FakeExchange, then: () => void): void {
  const end = exchange.end.bind(exchange);
  exchange.end = (...last) => {
    end(...last);
    then();
  };
}

/** Holds back what the store reports, as a slow disk does. */
class HeldResults {
  readonly #held: (() => void)[] = [];

  /** `result`: reported instead of the store's own. */
  constructor(store: CacheStore, result?: boolean) {
    const write = store.write.bind(store);
    const freshen = store.freshen.bind(store);
    const hold =
      (onStored: OnStored | undefined): OnStored =>
      (isStored) =>
        this.#held.push(() => onStored?.(result ?? isStored));
    store.write = (head, length, mark) => {
      const writer = write(head, length, mark);
      if (writer === undefined) return undefined;
      const held: CacheWriter = {
        push: (part) => writer.push(part),
        end: (onStored) => writer.end(hold(onStored)),
        abort: () => writer.abort(),
      };
      return held;
    };
    store.freshen = (old, updated, mark, onStored, onShared) => freshen(old, updated, mark, hold(onStored), onShared);
  }

  get count(): number {
    return this.#held.length;
  }

  release(): void {
    for (const report of this.#held.splice(0)) report();
  }
}

it('concurrent requests share one request to the origin, and all others are hits', {}, async (rig, text) => {
  assert.equal(await visitTogether(rig), new Set([text]));
  assert.is(rig.origin.requests.length, 1);
  assert.equal(outcomes(rig), [...hits(VISITORS - 1), 'miss']);
});

it('a request at the last byte of the first response is a hit', {}, async (rig, text) => {
  const first = rig.begin();
  let second: ReturnType<CacheRig['begin']> | undefined;
  atEnd(first.exchange, () => {
    second = rig.begin();
  });
  await first.handled;
  await second?.handled;
  assert.equal([first.exchange.text, second?.exchange.text], [text, text]);
  assert.is(rig.origin.requests.length, 1);
  assert.match(second?.exchange.field('cache-status') ?? '', /hit/);
});

it('requests for a part, first or waiting, share the request to the origin', {}, async (rig, text) => {
  const first = rig.begin({ headers: ['range', 'bytes=0-9'] });
  const whole = rig.begin();
  const part = rig.begin({ headers: ['range', 'bytes=5-19'] });
  await Promise.all([first, whole, part].map(({ handled }) => handled));
  assert.equal(
    [first, whole, part].map(({ exchange }) => exchange.text),
    [text.slice(0, 10), text, text.slice(5, 20)],
  );
  assert.is(rig.origin.requests.length, 1);
});

it('the disk delays waiting visitors only', {}, async (rig, text) => {
  const held = new HeldResults(rig.store);
  const first = rig.begin();
  const early = rig.begin();
  await first.handled;
  assert.is(first.exchange.text, text);
  const late = rig.begin();
  await rig.store.flush();
  await settled();
  assert.equal([held.count, early.exchange.isEnded, late.exchange.isEnded], [1, false, false]);
  held.release();
  for (const { handled } of [early, late]) await handled;
  assert.equal([early.exchange.text, late.exchange.text], [text, text]);
  assert.is(rig.origin.requests.length, 1);
});

it('when the disk did not store the response, waiting visitors send their own requests', {}, async (rig, text) => {
  const held = new HeldResults(rig.store, false);
  const first = rig.begin();
  const waiting = [rig.begin(), rig.begin()];
  await first.handled;
  await rig.store.flush();
  assert.is(rig.origin.requests.length, 1);
  held.release();
  await Promise.all(waiting.map(({ handled }) => handled));
  for (const { exchange } of waiting) assert.is(exchange.text, text);
  assert.is(rig.origin.requests.length, 3);
});

it(
  'a visitor waits for a slow disk no longer than collapseTimeout',
  { cache: { collapseTimeout: 20 } },
  async (rig, text) => {
    const held = new HeldResults(rig.store);
    await rig.visit();
    const second = rig.begin();
    await until(() => rig.origin.requests.length === 2);
    await second.handled;
    assert.is(second.exchange.text, text);
    held.release();
  },
);

it('a response that is removed before the disk has it is fetched by waiting visitors', {}, async (rig, text) => {
  const first = rig.begin();
  atEnd(first.exchange, () => rig.store.remove('d1', KEY));
  const waiting = [rig.begin(), rig.begin()];
  await Promise.all([first, ...waiting].map(({ handled }) => handled));
  for (const { exchange } of waiting) assert.is(exchange.text, text);
  assert.is(rig.origin.requests.length, 3);
});

it('the first visitor reads nothing and leaves: the others still wait for the disk', {}, async (rig, text) => {
  const first = rig.begin();
  first.exchange.isFull = true;
  const waiting = rig.begin();
  await settled();
  first.exchange.leave();
  await waiting.handled;
  assert.is(waiting.exchange.text, text);
  assert.is(rig.origin.requests.length, 1);
});

const SHORT = ['cache-control', 'max-age=5', 'etag', '"a"'];

for (const [what, answer, outcome] of [
  ['a 304', (pending: PendingRequest) => pending.answer(304, SHORT), 'revalidated'],
  ['a new response', (pending: PendingRequest, size: number) => pending.answer(200, SHORT, textOf(size, 'b')), 'miss'],
] as const)
  for (const size of SIZES)
    test(`concurrent requests for a stale response share one request that gets ${what}: ${size} bytes`, async () => {
      const onRequest = (pending: PendingRequest): void => {
        if (pending.field('if-none-match') === undefined) pending.answer(200, SHORT, textOf(size));
        else answer(pending, size);
      };
      const rig = await cacheRig({ ...DISK, onRequest });
      await rig.visit();
      await rig.store.flush();
      rig.now += 10_000;
      const expected = textOf(size, outcome === 'miss' ? 'b' : 'a');
      assert.equal(await visitTogether(rig), new Set([expected]));
      assert.is(rig.origin.requests.length, 2);
      assert.equal(outcomes(rig), [...hits(VISITORS - 1), 'miss', outcome].sort());
      await rig.close();
    });

it(
  'stale-while-revalidate sends one request until the disk has the update',
  {
    onRequest: undefined,
  },
  async (rig, text) => {
    const stale = ['cache-control', 'max-age=10, stale-while-revalidate=60', 'etag', '"a"'];
    const first = rig.begin();
    await settled();
    rig.origin.last.answer(200, stale, text);
    await first.handled;
    await rig.store.flush();
    rig.now += 20_000;
    const held = new HeldResults(rig.store);
    await rig.visit();
    rig.origin.last.answer(304, stale);
    await settled();
    rig.now += 20_000;
    assert.is((await rig.visit()).text, text);
    await rig.store.flush();
    assert.equal([rig.origin.requests.length, held.count], [2, 1]);
    held.release();
    await rig.visit();
    assert.is(rig.origin.requests.length, 3, 'the update is stale, too');
    rig.origin.last.answer(304, stale);
  },
);

test.run();

/** Which responses a thread fetches after a purge, how many at a time, and when it waits. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CachePurge } from '../../../edge/cache/store/cache-store.ts';
import {
  PrefetchClaims,
  Prefetcher,
  type PrefetchTask,
  sharePrefetchClaims,
} from '../../../edge/gateway/prefetcher.ts';
import type { PrefetchResult } from '../../../edge/proxy/prefetch.ts';

const test = suite('prefetcher');

const purge = (urls: readonly string[], domainId = 'd1'): CachePurge => ({ domainId, urls, prefixes: [], tags: [] });
const hot = (key: string) => ({ key, selecting: [] });

interface Fetch {
  readonly task: PrefetchTask;
  readonly at: number;
  end(result: PrefetchResult): Promise<void>;
}

interface Options {
  readonly share?: number;
  readonly isOwned?: (key: string) => boolean;
  readonly claims?: SharedArrayBuffer;
}

function rig({ share = 100, isOwned = () => true, claims = sharePrefetchClaims() }: Options = {}) {
  let timers: { readonly at: number; run(): void }[] = [];
  const fetches: Fetch[] = [];
  const ends: Record<string, number> = {};
  const state = { now: 0, isBusy: false };
  const claimed = new PrefetchClaims(claims);
  const prefetcher = new Prefetcher({
    fetch: (task) =>
      new Promise((resolve, reject) =>
        fetches.push({
          ...{ task, at: state.now },
          async end(result) {
            if (result === 'failed') reject(new Error('a bug'));
            else resolve(result);
            for (let i = 0; i < 5; i++) await null;
          },
        }),
      ),
    isBusy: () => state.isBusy,
    owns: isOwned,
    claim: (response, sequence) => claimed.claim(response, sequence),
    share: () => share,
    onEnd: (result, count) => {
      ends[result] = (ends[result] ?? 0) + count;
    },
    clock: { now: () => state.now, later: (ms, run) => void timers.push({ at: state.now + ms, run }) },
  });
  return {
    ...{ prefetcher, fetches, ends, state },
    urls: () => fetches.map(({ task }) => task.response.key),
    advance(ms: number): void {
      for (const end = state.now + ms; ; ) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        state.now = next?.at ?? end;
        if (next === undefined) return;
        timers = timers.filter((timer) => timer !== next);
        next.run();
      }
    },
  };
}

test('two of a site at a time, at an interval, sites in turn', async () => {
  const { prefetcher, fetches, ends, urls, advance } = rig();
  prefetcher.add(purge(['a1', 'a2', 'a3', 'a4']), 1, []);
  prefetcher.add(purge(['b1'], 'd2'), 2, []);
  assert.equal(urls(), [], 'nothing begins within the purge');
  advance(1000);
  assert.equal(urls(), ['a1', 'b1', 'a2']);
  assert.equal(
    fetches.map(({ at }) => at),
    [40, 80, 120],
  );
  await fetches[0].end('stored');
  advance(1000);
  assert.equal(urls(), ['a1', 'b1', 'a2', 'a3']);
  await fetches[1].end('failed');
  await fetches[2].end('elsewhere');
  advance(1000);
  await fetches[3].end('not-stored');
  advance(1000);
  assert.equal([urls().length, ends], [5, { stored: 1, failed: 1, 'not-stored': 1 }]);
});

test('a site with a slow origin and many URLs leaves room for others', () => {
  const { prefetcher, ends, urls, advance } = rig();
  prefetcher.add(purge(Array.from({ length: 5000 }, (_, i) => `a${i}`)), 1, []);
  advance(200);
  assert.equal(urls(), ['a0', 'a1'], 'no fetch ends');
  const dropped = ends.dropped;
  prefetcher.add(purge(['b0', 'b1'], 'd2'), 2, []);
  prefetcher.add(purge(['c0'], 'd3'), 3, []);
  advance(1000);
  assert.equal(urls(), ['a0', 'a1', 'b0', 'c0']);
  assert.is(ends.dropped, dropped, 'those of others are not dropped');
});

test('none while visitors wait, and what waits for too long is dropped', async () => {
  const { prefetcher, fetches, ends, state, advance } = rig();
  state.isBusy = true;
  prefetcher.add(purge(['a1']), 1, []);
  advance(30_000);
  assert.is(fetches.length, 0);
  state.isBusy = false;
  advance(250);
  assert.is(fetches.length, 1);
  state.isBusy = true;
  prefetcher.add(purge(['a2', 'a3']), 2, []);
  advance(61_000);
  state.isBusy = false;
  advance(1000);
  assert.equal([fetches.length, ends], [1, { dropped: 2 }]);
});

test('one that yields to visitors is tried again, for a minute', async () => {
  const { prefetcher, fetches, ends, advance } = rig();
  prefetcher.add(purge(['a1']), 1, []);
  advance(40);
  for (let i = 0; i < 3; i++) {
    await fetches[i].end('yielded');
    advance(290);
    assert.is(fetches.length, i + 2);
    // It was claimed at the first time.
    assert.ok(fetches[i + 1].task.mayFetch('a1'));
  }
  advance(60_000);
  await fetches[3].end('yielded');
  advance(1000);
  assert.equal([fetches.length, ends], [4, { dropped: 1 }]);
});

test('a listed URL is fetched by the node that owns its key and one of its threads, for each purge', () => {
  const claims = sharePrefetchClaims();
  const isOwned = (key: string): boolean => key !== 'b';
  const threads = [rig({ claims, isOwned }), rig({ claims, isOwned })];
  const mayFetch = (sequence: number): boolean[][] =>
    threads.map(({ prefetcher, fetches, advance }) => {
      fetches.length = 0;
      prefetcher.add(purge(['u']), sequence, []);
      advance(40);
      const [{ task, end }] = fetches;
      void end('elsewhere');
      return ['a', 'b'].map((key) => task.mayFetch(key));
    });
  assert.equal(mayFetch(1), [
    [true, false],
    [false, false],
  ]);
});

test('of the most requested responses each thread takes its share of those owned here', async () => {
  const claims = sharePrefetchClaims();
  const isOwned = (key: string): boolean => key !== 'h1';
  const responses = ['h0', 'h1', 'h2', 'h3', 'h4', 'h5'].map(hot);
  const threads = [rig({ claims, isOwned, share: 2 }), rig({ claims, isOwned, share: 2 })];
  for (const { prefetcher, advance } of threads) {
    prefetcher.add(purge([]), 7, responses);
    advance(1000);
  }
  assert.equal(
    threads.map(({ urls }) => urls()),
    [
      ['h0', 'h2'],
      ['h3', 'h4'],
    ],
  );
  const [{ task }] = threads[0].fetches;
  assert.equal([task.mayFetch('h0'), task.mayFetch('h0\nother')], [true, false]);
});

test('waiting prefetches are bounded, and none begins after close', () => {
  const { prefetcher, fetches, ends, advance } = rig();
  prefetcher.add(purge(Array.from({ length: 2003 }, (_, i) => `u${i}`)), 1, []);
  assert.equal(ends, { dropped: 3 });
  prefetcher.close();
  advance(1000);
  assert.is(fetches.length, 0);
});

test.run();

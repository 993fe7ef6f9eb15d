/** Random gaps between samples. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Sampling } from '../../../core/base/sampling.ts';

/** The numbers of the sampled events. */
const sampled = (sampling: Sampling, events: number): number[] =>
  Array.from({ length: events }, (_, i) => i).filter(() => sampling.isDue());

test('1: each event is sampled', () => {
  assert.is(sampled(new Sampling(1), 100).length, 100);
});

test('one event in so many is sampled, at gaps that differ', () => {
  for (const every of [2, 7, 64]) {
    const events = sampled(new Sampling(every, 4711), 20_000 * every);
    const gaps = events.map((event, i) => event - (events[i - 1] ?? -1));
    assert.ok(Math.abs(events.length / 20_000 - 1) < 0.03, `${events.length} of 20,000`);
    assert.is(Math.min(...gaps), 1);
    assert.is(Math.max(...gaps), 2 * every - 1);
  }
});

test('a seed of 0 samples, too', () => {
  assert.ok(sampled(new Sampling(10, 0), 1000).length > 50);
});

test.run();

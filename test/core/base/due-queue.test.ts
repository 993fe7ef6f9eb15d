/** The queue by time, compared with a sorted list. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DueQueue } from '../../../core/base/due-queue.ts';
import fc from '../../support/fc.ts';

type Command = readonly ['set', id: number, at: number | null] | readonly ['take', now: number];

const command: fc.Arbitrary<Command> = fc.oneof(
  fc.tuple(fc.constant('set' as const), fc.nat(9), fc.option(fc.nat(20), { freq: 5 })),
  fc.tuple(fc.constant('take' as const), fc.nat(20)),
);

test('returns keys in the order of their latest times', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 200 }), (commands) => {
      const queue = new DueQueue<number>();
      const times = new Map<number, number>();
      const first = (): number | null => (times.size === 0 ? null : Math.min(...times.values()));
      for (const step of commands) {
        if (step[0] === 'set') {
          const [, id, at] = step;
          queue.set(id, at);
          if (at === null) times.delete(id);
          else times.set(id, at);
        } else {
          const at = first();
          const taken = queue.take(step[1]);
          if (at === null || at > step[1]) assert.is(taken, null);
          else {
            assert.is(times.get(taken!), at);
            times.delete(taken!);
          }
        }
        assert.is(queue.first, first());
        assert.is(queue.size, times.size);
        for (let id = 0; id < 10; id++) assert.is(queue.has(id), times.has(id));
      }
    }),
  );
});

test('setting a key 1,000 times leaves one entry', () => {
  const queue = new DueQueue<number>();
  for (let i = 0; i < 1000; i++) queue.set(1, i % 2);
  queue.set(1, null);
  assert.is(queue.take(10), null);
  assert.is(queue.first, null);
});

test.run();

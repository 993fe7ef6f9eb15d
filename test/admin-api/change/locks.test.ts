import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyedLocks } from '../../../admin-api/change/locks.ts';

test('exclusive work runs alone, shared work together, in order of arrival', async () => {
  const locks = new KeyedLocks();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`+${name}`);
    await wait(5);
    log.push(`-${name}`);
    return name;
  };
  const results = await Promise.all([
    locks.shared('k', work('a')),
    locks.shared('k', work('b')),
    locks.exclusive('k', work('C')),
    locks.shared('k', work('d')),
    locks.exclusive('k', work('E')),
    locks.exclusive('other', work('o')),
  ]);
  assert.equal(results, ['a', 'b', 'C', 'd', 'E', 'o']);
  const own = log.filter((entry) => entry[1] !== 'o');
  assert.equal(own, ['+a', '+b', '-a', '-b', '+C', '-C', '+d', '-d', '+E', '-E']);
  assert.ok(log.indexOf('+o') < log.indexOf('+C'));
  assert.is(locks.size, 0);
});

test('work that goes first waits for running work only, and for earlier such work', async () => {
  const locks = new KeyedLocks();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await wait(1);
  };
  await Promise.all([
    locks.exclusive('k', work('running')),
    locks.exclusive('k', work('a')),
    locks.shared('k', work('b')),
    locks.first('k', work('first')),
    locks.exclusive('k', work('c')),
    locks.first('k', work('second')),
  ]);
  assert.equal(order, ['running', 'first', 'second', 'a', 'b', 'c']);
  assert.is(locks.size, 0);
});

test('failed work releases the key', async () => {
  const locks = new KeyedLocks();
  const failing = locks.exclusive('k', async () => {
    await wait(1);
    throw new Error('no');
  });
  const next = locks.exclusive('k', async () => 'yes');
  assert.is(await failing.then(String, (error: Error) => error.message), 'no');
  assert.is(await next, 'yes');
  assert.is(locks.size, 0);
});

test('exclusive work never overlaps other work', async () => {
  const locks = new KeyedLocks();
  let inside = 0;
  let exclusive = false;
  await Promise.all(
    Array.from({ length: 500 }, async (_, i) => {
      await wait(i % 7);
      const alone = i % 5 === 0;
      await locks[alone ? 'exclusive' : 'shared']('k', async () => {
        assert.not.ok(exclusive || (alone && inside > 0));
        inside++;
        exclusive = alone;
        await wait(i % 3);
        inside--;
        exclusive = false;
      });
    }),
  );
  assert.is(locks.size, 0);
});

test.run();

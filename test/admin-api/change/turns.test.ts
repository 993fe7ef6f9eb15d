import { setTimeout as wait } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Turns } from '../../../admin-api/change/turns.ts';

test('exclusive work runs alone, shared work together, in order of arrival', async () => {
  const turns = new Turns();
  const log: string[] = [];
  const work = (name: string) => async () => {
    log.push(`+${name}`);
    await wait(5);
    log.push(`-${name}`);
    return name;
  };
  const results = await Promise.all([
    turns.shared('k', work('a')),
    turns.shared('k', work('b')),
    turns.exclusive('k', work('C')),
    turns.shared('k', work('d')),
    turns.exclusive('k', work('E')),
    turns.exclusive('other', work('o')),
  ]);
  assert.equal(results, ['a', 'b', 'C', 'd', 'E', 'o']);
  const own = log.filter((entry) => entry[1] !== 'o');
  assert.equal(own, ['+a', '+b', '-a', '-b', '+C', '-C', '+d', '-d', '+E', '-E']);
  assert.ok(log.indexOf('+o') < log.indexOf('+C'));
  assert.is(turns.size, 0);
});

test('work that goes first waits for running work only, and for earlier such work', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await wait(1);
  };
  await Promise.all([
    turns.exclusive('k', work('running')),
    turns.exclusive('k', work('a')),
    turns.shared('k', work('b')),
    turns.first('k', work('first')),
    turns.exclusive('k', work('c')),
    turns.first('k', work('second')),
  ]);
  assert.equal(order, ['running', 'first', 'second', 'a', 'b', 'c']);
  assert.is(turns.size, 0);
});

test('failed work releases the key', async () => {
  const turns = new Turns();
  const failing = turns.exclusive('k', async () => {
    await wait(1);
    throw new Error('no');
  });
  const next = turns.exclusive('k', async () => 'yes');
  assert.is(await failing.then(String, (error: Error) => error.message), 'no');
  assert.is(await next, 'yes');
  assert.is(turns.size, 0);
});

test('exclusive work never overlaps other work', async () => {
  const turns = new Turns();
  let inside = 0;
  let exclusive = false;
  await Promise.all(
    Array.from({ length: 500 }, async (_, i) => {
      await wait(i % 7);
      const alone = i % 5 === 0;
      await turns[alone ? 'exclusive' : 'shared']('k', async () => {
        assert.not.ok(exclusive || (alone && inside > 0));
        inside++;
        exclusive = alone;
        await wait(i % 3);
        inside--;
        exclusive = false;
      });
    }),
  );
  assert.is(turns.size, 0);
});

test.run();

/** The threads receive the watched domains: at once, when they change, and without watchers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { RequestTail } from '../../../core/observe/tail/request-tail.ts';
import { EXPIRY_MS, followWatched } from '../../../edge/gateway/tail-sampler.ts';
import { singleNodeTasks, VirtualClock } from '../../support/tasks.ts';

const log = createLogger({ level: 'error', format: 'text' });
const parts = (clock?: VirtualClock) => ({ tasks: singleNodeTasks(clock), log });

test('domains that are watched before the threads start, and changes since', () => {
  const tail = new RequestTail('n1');
  const early = tail.watch(1, () => {});
  const sent: (readonly string[])[] = [];
  const watched = followWatched(tail, ({ domainIds }) => sent.push(domainIds), parts());
  const later = tail.watch(2, () => {});
  early();
  later();
  watched.close();
  tail.watch(3, () => {});
  assert.equal(sent, [['1'], ['1', '2'], ['2'], []]);
});

test('the threads receive them again before they expire, once for all changes', async () => {
  const clock = new VirtualClock();
  const tail = new RequestTail('n1');
  const sent: (readonly string[])[] = [];
  const watched = followWatched(tail, ({ domainIds }) => sent.push(domainIds), parts(clock));
  const first = tail.watch(1, () => {});
  const second = tail.watch(2, () => {});
  sent.length = 0;
  for (const count of [1, 2]) {
    await clock.advance(EXPIRY_MS / 3);
    assert.equal(sent, Array(count).fill(['1', '2']));
  }
  first();
  second();
  sent.length = 0;
  await clock.advance(EXPIRY_MS);
  assert.equal(sent, []);
  watched.close();
});

test('nothing is sent without watchers', () => {
  const sent: unknown[] = [];
  followWatched(new RequestTail('n1'), (message) => sent.push(message), parts()).close();
  assert.equal(sent, []);
});

test.run();

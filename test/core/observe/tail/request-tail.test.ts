/** Who receives the requests of a domain, and which domains are watched. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RequestTail, type TailSample } from '../../../../core/observe/tail/request-tail.ts';

test('requests are sent to all watchers of the domain, and to no others', () => {
  const tail = new RequestTail('n1');
  const received: [string, TailSample][] = [];
  const receive = (who: string) => (request: TailSample) => void received.push([who, request]);
  const changes: (readonly number[])[] = [];
  tail.onWatched(() => changes.push(tail.watched));
  tail.publish(1, ['{}'], 0);
  const same = receive('a');
  const first = tail.watch(1, same);
  const second = tail.watch(1, same);
  const other = tail.watch(2, receive('b'));
  tail.publish(1, ['{"x":1}'], 3);
  const sample = { node: 'n1', requests: ['{"x":1}'], omitted: 3 };
  assert.equal(received, [
    ['a', sample],
    ['a', sample],
  ]);
  first();
  first();
  tail.publish(1, ['{}'], 0);
  assert.is(received.length, 3, 'the second still watches');
  second();
  other();
  tail.publish(1, ['{}'], 0);
  assert.is(received.length, 3);
  assert.equal(changes, [[1], [1, 2], [2], []]);
});

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpenStreams } from '../../../admin-api/events/open-streams.ts';
import { HttpError } from '../../../admin-api/http/errors.ts';

const stream = () => ({ wake() {}, end() {} });

test('accounts that open as many streams as they may leave some to others', () => {
  const streams = new OpenStreams();
  let open = 0;
  const fill = (account: number): number => {
    for (let count = 0; ; count++)
      try {
        streams.enter(account, stream());
        open++;
      } catch (error) {
        assert.ok(error instanceof HttpError && error.status === 429 && error.code === 'too_many_streams');
        return count;
      }
  };
  for (let account = 1; account <= 49; account++) assert.is(fill(account), 20);
  assert.is(open, 980);
  assert.equal([fill(50), fill(51), fill(52)], [10, 5, 3]);
});

test('a stream that has ended leaves room, once', () => {
  const streams = new OpenStreams();
  const leaves = Array.from({ length: 20 }, () => streams.enter(1, stream()));
  assert.throws(() => streams.enter(1, stream()));
  leaves[0]();
  leaves[0]();
  streams.enter(1, stream());
  assert.throws(() => streams.enter(1, stream()));
});

test.run();

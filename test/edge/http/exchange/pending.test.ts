import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Pending } from '../../../../edge/http/exchange/pending.ts';

class Work extends Pending {
  end(work?: Promise<void>): void {
    this.endWith(work);
  }
  break(error: unknown): void {
    this.onFailed(error);
  }
}

function observed(work: Work): unknown[] {
  const seen: unknown[] = [];
  work.observe({ onDone: () => seen.push('done'), onFailed: (error) => seen.push(error) });
  return seen;
}

test('an observer is called within the call that settles it', () => {
  const work = new Work();
  const seen = observed(work);
  assert.equal(seen, []);
  work.end();
  assert.equal(seen, ['done']);
});

test('an observer added after the end is called at once', () => {
  const done = new Work();
  done.end();
  assert.equal(observed(done), ['done']);
  const error = new Error('broken');
  const failed = new Work();
  failed.break(error);
  assert.equal(observed(failed), [error]);
});

test('it settles like the work that it follows', async () => {
  const error = new Error('broken');
  const [done, failed] = [new Work(), new Work()];
  const seen = [observed(done), observed(failed)];
  done.end(Promise.resolve());
  failed.end(Promise.reject(error));
  assert.equal(seen, [[], []]);
  await new Promise(setImmediate);
  assert.equal(seen, [['done'], [error]]);
});

test('it can be awaited, caught and combined like a promise', async () => {
  const error = new Error('broken');
  const [done, failed] = [new Work(), new Work()];
  let ends = 0;
  const all = Promise.allSettled([
    done,
    failed,
    done.finally(() => ends++),
    failed.catch((caught) => assert.is(caught, error)),
  ]);
  done.end();
  failed.break(error);
  assert.equal(
    (await all).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
  );
  assert.is(ends, 1);
  assert.is(await done, undefined);
});

test.run();

/** What is kept is bounded, what is used stays, and each that goes is reported once. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Recent } from '../../../../edge/http/tls/recent.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';

const test = suite('edge/http/tls/recent');

test('what is asked for stays, the others go in the order in which they came', () => {
  const gone: number[] = [];
  const recent = new Recent<number, number>(100, (value) => gone.push(value));
  const never = (): number => assert.unreachable() as never;
  for (let i = 0; i < 10_000; i++) {
    assert.is(
      recent.of(i, () => i),
      i,
    );
    if (i > 0) assert.is(recent.of(0, never), 0);
    assert.is(recent.size, Math.min(i + 1, 100));
  }
  assert.equal(
    gone,
    Array.from({ length: 9900 }, (_, i) => i + 1),
  );
  for (let i = 9901; i < 10_000; i++) assert.is(recent.of(i, never), i);
  recent.clear();
  assert.is(recent.size, 0);
  assert.is(new Set(gone).size, 10_000);
  assert.is(gone.length, 10_000);
  assert.is(
    recent.of(0, () => 7),
    7,
    'it goes on after that',
  );
  assert.is(recent.size, 1);
});

test('what has only just come is not what goes, however much the others are asked for', () => {
  const random = new Random(SEED);
  for (const capacity of [1, 2, 5]) {
    const live = new Set<number>();
    const recent = new Recent<number, number>(capacity, (value) => assert.ok(live.delete(value)));
    for (let i = 0; i < 2000; i++) {
      const value = recent.of(random.below(2 * capacity), () => {
        live.add(i);
        return i;
      });
      assert.ok(live.has(value), `${capacity}, turn ${i}, seed ${SEED}`);
      assert.ok(live.size <= capacity);
      assert.is(recent.size, live.size);
    }
    recent.clear();
    assert.is(live.size, 0);
  }
});

test('what cannot be made leaves all as it was', () => {
  const recent = new Recent<string, number>(2);
  recent.of('a', () => 1);
  assert.throws(
    () =>
      recent.of('b', () => {
        throw new Error('no');
      }),
    /no/,
  );
  assert.is(recent.size, 1);
  assert.is(
    recent.of('b', () => 2),
    2,
  );
});

test.run();

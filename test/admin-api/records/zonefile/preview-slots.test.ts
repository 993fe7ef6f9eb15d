/** Previews of imports run a few at a time, and an account cannot queue many. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HttpError } from '../../../../admin-api/http/errors.ts';
import { PreviewSlots } from '../../../../admin-api/records/zonefile/preview-slots.ts';

const test = suite('slots of previews');

test('runs two at a time, and refuses the ninth of an account', async () => {
  const slots = new PreviewSlots();
  const ends: (() => void)[] = [];
  let running = 0;
  let highest = 0;
  const work = async (): Promise<string> => {
    highest = Math.max(highest, ++running);
    await new Promise<void>((end) => ends.push(end));
    running--;
    return 'done';
  };
  const all = Array.from({ length: 8 }, () => slots.run(1, work));
  const refused = await slots.run(1, work).catch((error: unknown) => error);
  assert.ok(refused instanceof HttpError && refused.status === 503 && refused.code === 'busy');
  all.push(slots.run(2, work));
  for (let left = all.length; left > 0; left--) {
    while (ends.length === 0) await new Promise(setImmediate);
    ends.shift()?.();
  }
  assert.equal(await Promise.all(all), Array(9).fill('done'));
  assert.is(highest, 2);
});

test('a failure frees its slot', async () => {
  const slots = new PreviewSlots();
  for (let i = 0; i < 20; i++)
    assert.is(await slots.run(1, () => Promise.reject(new Error('x'))).catch((error: Error) => error.message), 'x');
  assert.is(await slots.run(1, async () => 'done'), 'done');
});

test.run();

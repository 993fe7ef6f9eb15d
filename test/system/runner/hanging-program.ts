/** For watch.test.ts: a file with a test that never ends, as one that waits for a lost response. */
import { test } from 'uvu';

test('ends', () => {});

test('waits for ever', async () => {
  // Keeps the process alive, as an open connection does.
  setInterval(() => {}, 1_000);
  await new Promise(() => {});
});

test('is not reached', () => {});

test.run();

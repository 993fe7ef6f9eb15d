/** For watch.test.ts: a test that needs longer than it may wait, because it works all the time. */
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'uvu';
import { WORK_MS } from './work.ts';

test('works for long', async () => {
  for (const end = performance.now() + WORK_MS; performance.now() < end; ) await turn();
});

test.run();

/** The compaction of the main thread's old generation, in a process of its own. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

/** A small young generation, so that objects are promoted soon; nothing else compacts. */
const OPTIONS = ['--max-semi-space-size=1', '--no-memory-reducer'];
const PROGRAM = fileURLToPath(new URL('../../../core/os/heap-compaction-program.js', import.meta.url));

test('pages of the old generation that nothing uses are given back', () => {
  const output = execFileSync(process.execPath, [...OPTIONS, PROGRAM], { encoding: 'utf8' });
  const { most, now, kept } = JSON.parse(output) as { most: number; now: number; kept: number };
  assert.is(kept, 30_000, 'what is in use stays');
  assert.ok(most >= 4, `${most} MB were unused`);
  assert.ok(now <= most / 2, `${now} of ${most} MB are unused`);
});

test.run();

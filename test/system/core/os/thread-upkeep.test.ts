/** A collection that a worker thread asks for, in a process of its own. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const PROGRAM = fileURLToPath(new URL('../../../core/os/collection-program.js', import.meta.url));

test('the old generation of a thread is collected long before its limit', () => {
  const output = execFileSync(process.execPath, [PROGRAM], { encoding: 'utf8' });
  const { before, after, kept } = JSON.parse(output) as { before: number; after: number; kept: number };
  assert.is(kept, 30_000, 'what is in use stays');
  assert.ok(before >= 8, `${before} MB before`);
  assert.ok(after <= before / 2, `${after} of ${before} MB are left`);
});

test.run();

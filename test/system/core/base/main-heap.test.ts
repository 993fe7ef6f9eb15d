import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAIN_HEAP } from '../../../../core/base/main-heap.ts';
import { ALLOCATED_MB } from '../../../core/base/main-heap-work.ts';

const PROGRAM = fileURLToPath(new URL('../../../core/base/main-heap-program.js', import.meta.url));
const MALLOC = 'MALLOC_ARENA_MAX=2';

/** How often the young generation of the thread is collected while it allocates ALLOCATED_MB. */
const collections = (...args: readonly string[]): number =>
  Number(execFileSync(process.execPath, [...MAIN_HEAP, PROGRAM, ...args], { encoding: 'utf8' }));

test('a thread has its own young generation size, whatever the main thread has', () => {
  // A collection follows when a semi-space is full: of 2 MB here, a third of the limit, and of 64
  // with the flags of the main thread. Half of that is far from either.
  const [own, asMain] = [collections(), collections('as-main')];
  assert.ok(own >= ALLOCATED_MB / 8, `${own} collections`);
  assert.ok(asMain <= ALLOCATED_MB / 16, `${asMain} collections`);
});

test('npm start and the unit start the daemon alike', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.is(scripts.start, `${MALLOC} node ${MAIN_HEAP.join(' ')} dist/main.js serve`);
  const unit = readFileSync('systemd/waypost.service', 'utf8');
  assert.match(unit, `\nEnvironment=${MALLOC}\n`);
  assert.match(unit, `\nExecStart=/usr/bin/node ${MAIN_HEAP.join(' ')} /usr/lib/waypost/dist/main.js serve\n`);
});

test.run();

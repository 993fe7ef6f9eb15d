import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MAIN_HEAP } from '../../../../core/base/main-heap.ts';

const PROGRAM = fileURLToPath(new URL('../../../core/base/main-heap-program.js', import.meta.url));
const MALLOC = 'MALLOC_ARENA_MAX=2';

test('a thread keeps the young generation that it is given, whatever the main thread has', () => {
  const megabytes = Number(execFileSync(process.execPath, [...MAIN_HEAP, PROGRAM], { encoding: 'utf8' }));
  // Of the 6 of its limit two thirds are the semi-spaces, that is 4; pages that V8 has yet to free
  // are counted too (Node 24: up to 6.25). With the flags of the main thread it would be 128.
  assert.ok(megabytes > 0 && megabytes <= 12, `${megabytes} MB`);
});

test('npm start and the unit start the daemon alike', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.is(scripts.start, `${MALLOC} node ${MAIN_HEAP.join(' ')} dist/main.js serve`);
  const unit = readFileSync('systemd/waypost.service', 'utf8');
  assert.match(unit, `\nEnvironment=${MALLOC}\n`);
  assert.match(unit, `\nExecStart=/usr/bin/node ${MAIN_HEAP.join(' ')} /usr/lib/waypost/dist/main.js serve\n`);
});

test.run();

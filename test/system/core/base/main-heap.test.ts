import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const PROGRAM = fileURLToPath(new URL('../../../core/base/main-heap-program.js', import.meta.url));
const FLAGS = ['--max-semi-space-size=64', '--initial-old-space-size=128'];

test('a thread keeps the young generation that it is given, whatever the main thread has', () => {
  const megabytes = Number(execFileSync(process.execPath, [...FLAGS, PROGRAM], { encoding: 'utf8' }));
  // Of three parts, two are the semi-spaces.
  assert.ok(megabytes > 0 && megabytes <= 4, `${megabytes} MB`);
});

test('npm start and the unit start the daemon alike', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  assert.is(scripts.start, `node ${FLAGS.join(' ')} dist/main.js serve`);
  assert.match(
    readFileSync('systemd/waypost.service', 'utf8'),
    `\nExecStart=/usr/bin/node ${FLAGS.join(' ')} /usr/lib/waypost/dist/main.js serve\n`,
  );
});

test.run();

/** One daemon for a folder: who lives keeps it, who was killed loses it. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../../core/base/errors.ts';
import { lockDirectory } from '../../../../core/store/lock.ts';
import { startChild } from '../../../support/child.ts';
import { temporaryFolder } from '../../../support/temp.ts';

const LOCK = pathToFileURL(fileURLToPath(new URL('../../../../core/store/lock.js', import.meta.url))).href;
const PROGRAM = `import { lockDirectory } from ${JSON.stringify(LOCK)};
try { lockDirectory(process.argv[1]); console.log('locked'); setInterval(() => {}, 1000); }
catch (error) { console.log('refused', error.code); }`;

const holder = (folder: string) => startChild(process.execPath, ['--input-type=module', '-e', PROGRAM, folder]);
const inUse = (error: unknown) => error instanceof ConfigError && error.code === 'data_dir_in_use';

test('a second daemon is refused while the first one lives, and takes over when it was killed', async () => {
  const folder = temporaryFolder('lock');
  const first = holder(folder);
  await first.waitFor(/locked/);
  assert.throws(() => lockDirectory(folder), inUse);
  const second = holder(folder);
  await second.waitFor(/refused data_dir_in_use/);
  await second.ended();
  await first.stop('SIGKILL');
  assert.ok(existsSync(join(folder, 'waypost.pid')), 'a killed process leaves its lock');
  const lock = lockDirectory(folder);
  assert.match(readFileSync(join(folder, 'waypost.pid'), 'utf8'), new RegExp(`^${process.pid} `));
  const third = holder(folder);
  await third.waitFor(/refused data_dir_in_use/);
  await third.ended();
  lock.release();
  assert.not(existsSync(join(folder, 'waypost.pid')));
});

test('a lock whose number belongs to another process by now is stale', () => {
  const folder = temporaryFolder('lock');
  // Process 1 lives, but did not start then.
  for (const text of ['1 99999999999999\n', '', 'garbage\n', '4194304999 1\n']) {
    writeFileSync(join(folder, 'waypost.pid'), text);
    lockDirectory(folder).release();
    assert.equal(readdirSync(folder), [], 'nothing is left beside it');
  }
});

test('of many that find a stale lock at once, one gets the folder', async () => {
  const folder = temporaryFolder('lock');
  for (let round = 0; round < 3; round++) {
    writeFileSync(join(folder, 'waypost.pid'), '4194304999 1\n');
    const all = Array.from({ length: 6 }, () => holder(folder));
    const outputs = await Promise.all(all.map((child) => child.waitFor(/locked|refused \w+/)));
    const won = outputs.filter(([text]) => text === 'locked').length;
    await Promise.all(all.map((child) => child.stop('SIGKILL')));
    assert.is(won, 1);
  }
});

test.run();

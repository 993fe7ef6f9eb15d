/** One daemon for a folder: a process that lives keeps it, one that was killed loses it. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../../core/base/errors.ts';
import { lockDirectory } from '../../../../core/store/lock.ts';
import { startChild } from '../../../support/child.ts';
import { fill, withSmallDisk } from '../../../support/small-disk.ts';
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

/** A process that has nothing to do with the folder. */
const bystander = () => startChild(process.execPath, ['-e', 'console.log("here"); setInterval(() => {}, 1000)']);

test('a killed holder is waited for, and one that its parent has not reaped holds nothing', async () => {
  const folder = temporaryFolder('lock');
  const first = holder(folder);
  await first.waitFor(/locked/);
  process.kill(first.pid, 'SIGKILL');
  // This process is its parent, and reaps nothing before this call returns.
  const lock = lockDirectory(folder);
  assert.match(readFileSync(`/proc/${first.pid}/stat`, 'utf8'), /\) Z /);
  lock.release();
  await first.ended();
});

test('an earlier version, which has the file alone, keeps the folder as long as it lives', async () => {
  const folder = temporaryFolder('lock');
  const earlier = bystander();
  await earlier.waitFor(/here/);
  const stat = readFileSync(`/proc/${earlier.pid}/stat`, 'utf8');
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  writeFileSync(join(folder, 'waypost.pid'), `${earlier.pid} ${started}\n`);
  assert.throws(() => lockDirectory(folder), inUse);
  process.kill(earlier.pid, 'SIGKILL');
  lockDirectory(folder).release();
  await earlier.ended();
});

test('a full disk neither prevents the lock nor allows it twice', () =>
  withSmallDisk(4 * 1024 ** 2, async (disk) => {
    const folder = join(disk, 'data');
    mkdirSync(folder);
    fill(disk, 0);
    const lock = lockDirectory(folder);
    const second = holder(folder);
    await second.waitFor(/refused data_dir_in_use/);
    await second.ended();
    assert.equal(readdirSync(folder), [], 'what cannot be written is not left half written');
    lock.release();
  }));

test('files of killed processes are removed, those of others stay', async () => {
  const folder = temporaryFolder('lock');
  const other = bystander();
  await other.waitFor(/here/);
  const names = (pid: number): string[] => [
    ...[`waypost.pid.${pid}`, `waypost.pid.${pid}.stale`, `node.id.${pid}.0123abcd`],
    ...[`backup.${pid}`, `drill-${pid}-aB3dEf`, `journal-${pid}-aB3dEf`, `doctor-${pid}.tmp`],
  ];
  for (const name of [...names(4_194_304_999), ...names(other.pid), 'secret.key', 'backup.toml'])
    writeFileSync(join(folder, name), 'x');
  lockDirectory(folder).release();
  assert.equal(readdirSync(folder).sort(), [...names(other.pid), 'secret.key', 'backup.toml'].sort());
  await other.stop('SIGKILL');
});

test('of many processes that find a stale lock at once, one gets the folder', async () => {
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

/** Errors of writes name the file, which those of Node do not once it is open. */
import { readdirSync, readFileSync, symlinkSync, writeFileSync as writePlain } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { diskFull, isDiskFull } from '../../../core/base/disk-full.ts';
import { writeAt } from '../../../core/base/file-pieces.ts';
import { appendFileSync, replaceFileSync, writeFile, writeFileSync } from '../../../core/base/write-file.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

/** Every write to it fails with ENOSPC. */
const FULL = '/dev/full';

const isNamed = (path: string) => (error: NodeJS.ErrnoException) => {
  assert.equal([error.code, error.path, isDiskFull(error)], ['ENOSPC', path, true]);
  assert.match(error.message, `'${path}'`);
  return true;
};

test('a full disk is known, and its file is named', async () => {
  const plain = (() => {
    try {
      writePlain(FULL, 'x');
    } catch (error) {
      return error as NodeJS.ErrnoException;
    }
  })();
  assert.equal([plain?.code, plain?.path], ['ENOSPC', undefined], 'Node names it; this module is not needed');
  assert.throws(() => writeFileSync(FULL, 'x'), isNamed(FULL));
  assert.throws(() => appendFileSync(FULL, 'x'), isNamed(FULL));
  const rejects = (work: Promise<unknown>): Promise<unknown> => work.then(() => assert.unreachable(), isNamed(FULL));
  await rejects(writeFile(FULL, 'x'));
  const file = await open(FULL, 'r+');
  await rejects(writeAt(file, Buffer.from('x'), 0));
  await file.close();
  // LMDB has numbers.
  assert.ok(isDiskFull(Object.assign(new Error('No space left on device'), { code: 28 })));
  assert.ok(isDiskFull(diskFull()));
  for (const other of [null, new Error('x'), { code: 'ENOENT' }, { code: 2 }]) assert.not(isDiskFull(other));
});

test('a file that cannot be replaced stays, and its draft is removed', () => {
  const folder = temporaryFolder('replace');
  const file = join(folder, 'state');
  replaceFileSync(file, 'one', { mode: 0o600 });
  symlinkSync(FULL, `${file}.new`);
  assert.throws(() => replaceFileSync(file, 'two', { mode: 0o600 }), isNamed(`${file}.new`));
  assert.equal([readFileSync(file, 'utf8'), readdirSync(folder)], ['one', ['state']]);
  removeFolder(folder);
});

test.run();

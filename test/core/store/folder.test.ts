/** Folders are made with those above them, or it is said why they cannot be. */
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { makeFolder } from '../../../core/store/folder.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const refusal = (folder: string): ConfigError => {
  try {
    makeFolder(folder);
  } catch (error) {
    return error as ConfigError;
  }
  return assert.unreachable(`${folder} was made`) as never;
};

test('a missing folder is created for its owner alone, and an existing one is not changed', () => {
  const root = temporaryFolder('folder');
  const deep = join(root, 'one', 'two', 'three');
  makeFolder(deep);
  for (const folder of [deep, join(root, 'one')]) assert.is(statSync(folder).mode & 0o777, 0o700);
  const open = join(root, 'open');
  mkdirSync(open, { mode: 0o755 });
  makeFolder(open);
  assert.is(statSync(open).mode & 0o077, 0o055);
  makeFolder('.');
  removeFolder(root);
});

test('an impossible folder is reported', () => {
  const root = temporaryFolder('folder');
  const file = join(root, 'file');
  writeFileSync(file, '');
  const cases: [string, RegExp][] = [
    [file, /Cannot create the folder .*: EEXIST/],
    [join(file, 'below'), /Cannot create the folder .*: ENOTDIR/],
  ];
  if (process.platform === 'linux') cases.push(['/proc/waypost', /ENOENT/], ['/proc/waypost/none', /ENOENT/]);
  for (const [folder, message] of cases) {
    const error = refusal(folder);
    assert.instance(error, ConfigError);
    assert.is(error.code, 'no_folder');
    assert.match(error.message, message);
  }
  removeFolder(root);
});

test.run();

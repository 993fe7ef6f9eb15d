/** Private files: created once, or replaced atomically. */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { createPrivateFile, replacePrivateFile } from '../../../core/base/private-file.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

test('creating does not change an existing file; replacing it does not change a file that is open', () => {
  const folder = temporaryFolder('private');
  const file = join(folder, 'environment');
  createPrivateFile(file, 'old');
  createPrivateFile(file, 'later');
  assert.is(readFileSync(file, 'utf8'), 'old');
  const old = openSync(file, 'r');
  replacePrivateFile(file, 'new');
  assert.is(readFileSync(old, 'utf8'), 'old');
  closeSync(old);
  assert.is(readFileSync(file, 'utf8'), 'new');
  assert.is(statSync(file).mode & 0o777, 0o600);
  assert.equal(readdirSync(folder), ['environment']);
  removeFolder(folder);
});

test('a failed replacement keeps the old file and leaves no draft', () => {
  const folder = temporaryFolder('private');
  mkdirSync(join(folder, 'taken'));
  try {
    replacePrivateFile(join(folder, 'taken'), 'text');
    assert.unreachable();
  } catch (error) {
    assert.instance(error, ConfigError);
  }
  assert.equal(readdirSync(folder), ['taken']);
  removeFolder(folder);
});

test.run();

/** Files of one owner: made once, or put whole in the place of another. */
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError } from '../../../core/base/errors.ts';
import { createPrivateFile, replacePrivateFile } from '../../../core/base/private-file.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

test('a file that is created stays as it is; one that is replaced is another, and who reads the old one has it whole', () => {
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

test('what cannot be replaced stays, and nothing is left beside it', () => {
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

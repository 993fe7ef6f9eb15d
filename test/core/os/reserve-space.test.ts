/** Files that are mapped into memory have all their blocks. */
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reserveSpace } from '../../../core/os/disk-space.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

test('a missing file and one with holes get their blocks, and keep their content', () => {
  const folder = temporaryFolder('reserve');
  const path = join(folder, 'lock');
  for (const prepare of [() => rmSync(path, { force: true }), () => truncateSync(path, 1 << 20)]) {
    writeFileSync(path, 'content');
    prepare();
    reserveSpace(path, 65_536);
    const { size, blocks } = statSync(path);
    assert.ok(size >= 65_536 && blocks * 512 >= size, `${size} bytes, ${blocks} blocks`);
  }
  assert.is(readFileSync(path, 'latin1').slice(0, 7), 'content');
  // It is whole now, so that nothing is opened or closed.
  const before = statSync(path);
  reserveSpace(path, 65_536);
  assert.is(statSync(path).ctimeMs, before.ctimeMs);
  removeFolder(folder);
});

test.run();

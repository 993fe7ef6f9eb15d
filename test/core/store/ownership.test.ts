import { chownSync, linkSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lockDirectory } from '../../../core/store/lock.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const SERVICE = 61_234;

test('what root creates in a folder of the service belongs to the service, and nothing outside', () => {
  if (process.getuid?.() !== 0) {
    console.log('skipped: the owner of files, it needs root');
    return;
  }
  const folder = temporaryFolder('owner');
  try {
    const [data, outside] = [join(folder, 'data'), join(folder, 'outside')];
    mkdirSync(data);
    mkdirSync(outside);
    for (const name of ['file', 'linked']) writeFileSync(join(outside, name), '');
    chownSync(data, SERVICE, SERVICE);
    const lock = lockDirectory(data);
    mkdirSync(join(data, 'cluster'));
    writeFileSync(join(data, 'cluster/node.key'), '');
    symlinkSync(outside, join(data, 'link'));
    linkSync(join(outside, 'linked'), join(data, 'linked'));
    lock.release();
    const ownerOf = (path: string): number => statSync(join(folder, path)).uid;
    assert.equal(['data/cluster', 'data/cluster/node.key'].map(ownerOf), [SERVICE, SERVICE]);
    assert.equal(['outside', 'outside/file', 'outside/linked'].map(ownerOf), [0, 0, 0]);
  } finally {
    removeFolder(folder);
  }
});

test.run();

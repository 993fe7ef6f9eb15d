/** What the simulator reads of a package, and how it finds changes. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readIssued } from '../../../../admin-api/miniapp/sdk/issued-files.ts';
import { trustedSdks } from '../../../../admin-api/miniapp/sdk/trust.ts';
import { readPackage } from '../../../../admin-api/miniapp/simulator/package-folder.ts';
import { FolderWatcher, isSameScan, scanFolder } from '../../../../admin-api/miniapp/simulator/watch-folder.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { until } from '../../../support/until.ts';

const test = suite('package of the simulator');

const MANIFEST = {
  id: 'com.example.test',
  name: 'Test',
  version: '1.0.0',
  versionCode: 1,
  entry: 'index.html',
  permissions: ['storage'],
  minHostVersion: '1.0.0',
};

function newFolder(): string {
  const folder = temporaryFolder('package');
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(MANIFEST));
  return folder;
}

const read = (folder: string) => readPackage(folder, scanFolder(folder), trustedSdks());

test('folders of tools, hidden files and links are left out', () => {
  const folder = newFolder();
  for (const path of ['node_modules/a/b.js', '.git/config', '.hidden', 'parts/a.js']) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  symlinkSync('/etc/passwd', join(folder, 'link'));
  const { files, folders } = scanFolder(folder);
  assert.equal([...files.keys()].sort(), ['index.html', 'manifest.json', 'parts/a.js']);
  assert.equal([...folders].sort(), ['', 'parts']);
});

test('a file that was replaced by one of the same size has changed', () => {
  const folder = newFolder();
  const before = scanFolder(folder);
  assert.ok(isSameScan(before, scanFolder(folder)));
  writeFileSync(join(folder, 'new'), '<!doctype HTML>');
  renameSync(join(folder, 'new'), join(folder, 'index.html'));
  assert.not.ok(isSameScan(before, scanFolder(folder)));
});

test('the manifest is read as the audit reads it', async () => {
  const folder = newFolder();
  const { app, faults } = await read(folder);
  assert.equal(faults, []);
  const { entry: _, ...rest } = MANIFEST;
  assert.equal(app, { ...rest, background: null });
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...MANIFEST, version: 'x' }, null, 1));
  const wrong = await read(folder);
  assert.is(wrong.app, undefined);
  assert.equal(
    wrong.faults.map(({ file, line }) => [file, line]),
    [['manifest.json', 4]],
  );
  rmSync(join(folder, 'manifest.json'));
  assert.match((await read(folder)).faults[0].message, /^manifest\.json is missing/);
});

test('a page that is missing does not stop the app', async () => {
  const folder = newFolder();
  rmSync(join(folder, 'index.html'));
  const { app, faults } = await read(folder);
  assert.is(app?.id, 'com.example.test');
  assert.equal(faults, []);
});

test('the SDK is one that was issued, or not', async () => {
  const folder = newFolder();
  assert.is((await read(folder)).sdk, 'missing');
  writeFileSync(join(folder, 'host-sdk.js'), readIssued().script);
  assert.is((await read(folder)).sdk, 'issued');
  writeFileSync(join(folder, 'host-sdk.js'), ' ', { flag: 'a' });
  assert.is((await read(folder)).sdk, 'not_issued');
});

test('changes are reported, also in new folders', async () => {
  const folder = newFolder();
  let paths: string[] = [];
  const watcher = new FolderWatcher(folder, ({ files }) => {
    paths = [...files.keys()];
  });
  try {
    mkdirSync(join(folder, 'new'));
    writeFileSync(join(folder, 'new/a.js'), '1');
    await until(() => paths.includes('new/a.js'));
    writeFileSync(join(folder, 'new/b.js'), '1');
    await until(() => paths.includes('new/b.js'));
    rmSync(join(folder, 'new'), { recursive: true });
    await until(() => paths.length === 2);
  } finally {
    watcher.close();
  }
});

test.run();

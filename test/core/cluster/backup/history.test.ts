/** Which history may write to a folder or a bucket of backups. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listBackups, makeBackup } from '../../../../core/cluster/backup/backups.ts';
import { FolderTarget } from '../../../../core/cluster/backup/folder-target.ts';
import { nameOwnHistory, readOwner, requireOwnHistory } from '../../../../core/cluster/backup/history.ts';
import { runJob } from '../../../../core/cluster/backup/job.ts';
import { chooseBackup, restoreBackup } from '../../../../core/cluster/backup/restore.ts';
import { S3Target } from '../../../../core/cluster/backup/s3-target.ts';
import type { Target } from '../../../../core/cluster/backup/target.ts';
import { markRestored } from '../../../../core/cluster/installation.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { S3_KEYS, startS3Server } from '../../../support/s3-server.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { codeOf, optionsOf, StoredNode } from './stored-node.ts';

let scratch: string;
let count = 0;
test.before(() => {
  scratch = temporaryFolder('histories');
});
test.after(() => removeFolder(scratch));

const newFolder = (): string => join(scratch, `folder-${count++}`);
const newNode = (name: string): StoredNode => new StoredNode(newFolder(), 1000, name);
const writerOf = (node: StoredNode, target: Target) => ({ config: node.config, target, version: '1.2.3' });
const historyOf = (node: StoredNode): Promise<string> =>
  node.with(async (environment) => String(new StoreReader(environment).installation()?.history));

/** As the daemon: checks, makes a backup and names the history. */
async function backUp(node: StoredNode, target: Target): Promise<void> {
  await requireOwnHistory(writerOf(node, target));
  await nameOwnHistory(writerOf(node, target), await makeBackup(optionsOf(node, target)));
}

/** A node with an id of its history and some changes. */
async function identified(name: string): Promise<StoredNode> {
  const node = newNode(name);
  await node.write('a', 'b');
  await node.identify();
  return node;
}

const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'no error',
    (error: Error) => error.message,
  );

async function isRefusedIn(target: Target): Promise<void> {
  const [first, second] = [await identified('first'), await identified('second')];
  await backUp(first, target);
  await first.write('c');
  await backUp(first, target);
  const before = await target.list('');
  const refused = await messageOf(backUp(second, target));
  assert.match(refused, new RegExp(`history ${await historyOf(first)} of node first \\(1\\.2\\.3\\)`));
  assert.match(refused, new RegExp(`This installation is history ${await historyOf(second)}`));
  assert.match(refused, /another backup\.folder, or backup\.s3_prefix.*waypost backup claim/);
  assert.equal(await target.list(''), before);
  // Without an id it cannot be the same one.
  const third = newNode('third');
  await third.write('a');
  assert.match(await messageOf(backUp(third, target)), /This installation is new/);
  // The operator decides.
  await nameOwnHistory(writerOf(second, target));
  await backUp(second, target);
  assert.is((await readOwner(target))?.node, 'second');
  assert.match(await messageOf(backUp(first, target)), /of node second/);
}

test('a second history is refused in a folder, until it claims the backups', () =>
  isRefusedIn(new FolderTarget(newFolder())));

test('a second history is refused in a bucket, until it claims the backups', async () => {
  const s3 = await startS3Server();
  try {
    const { endpoint, bucket } = s3;
    const settings = { endpoint, bucket, region: 'test-1', prefix: 'production/', isPathStyle: true, timeout: 10_000 };
    await isRefusedIn(await S3Target.open({ ...settings, ...S3_KEYS }));
  } finally {
    await s3.close();
  }
});

test('a restored copy is another history, and the original is not disturbed', async () => {
  const [node, target] = [await identified('original'), new FolderTarget(newFolder())];
  await backUp(node, target);
  const copy = newNode('copy');
  const [backup] = await listBackups(target);
  await restoreBackup({
    ...{ config: copy.config, target, backup: chooseBackup([backup], undefined, null), identities: [], until: null },
    ...{ isForward: true, journals: [], replaces: false },
  });
  await markRestored(copy.config, { from: backup.name, sequence: backup.sequence });
  const restored = await copy.with(async (environment) => new StoreReader(environment).installation());
  assert.equal(
    [restored?.isPaused, restored?.restored?.from, restored?.restored?.sequence],
    [true, backup.name, backup.sequence],
  );
  assert.is(await codeOf(backUp(copy, target)), 'other_history');
  await node.write('c');
  await backUp(node, target);
  // Also in a target in which a version without ids has written.
  const old = new FolderTarget(newFolder());
  await makeBackup(optionsOf(node, old));
  assert.match(await messageOf(backUp(copy, old)), /the latest is \S+ of node original/);
});

test('a copy of the data folder has the same id, and its other changes are noticed by both', async () => {
  const [node, target] = [await identified('one'), new FolderTarget(newFolder())];
  await backUp(node, target);
  const copy = newNode('two');
  cpSync(join(node.folder, 'waypost.mdb'), join(copy.folder, 'waypost.mdb'));
  await copy.write('x', 'y', 'z');
  await backUp(copy, target);
  await node.write('c');
  assert.match(await messageOf(backUp(node, target)), /another copy of this installation writes there.*node two/);
  await node.write('d', 'e', 'f');
  assert.is(await codeOf(backUp(node, target)), 'other_history');
  await nameOwnHistory(writerOf(node, target));
  await backUp(node, target);
  assert.is(await codeOf(backUp(copy, target)), 'other_history');
});

test('backups without a history are continued by the node whose changes they have', async () => {
  const [node, target] = [newNode('one'), new FolderTarget(newFolder())];
  await node.write('a');
  await makeBackup(optionsOf(node, target));
  const other = await identified('other');
  assert.is(await codeOf(backUp(other, target)), 'other_history');
  await node.identify();
  await backUp(node, target);
  assert.is((await readOwner(target))?.history, await historyOf(node));
});

test('a damaged name of the history is an error with the way out', async () => {
  const [node, folder] = [await identified('one'), newFolder()];
  const target = new FolderTarget(folder);
  await backUp(node, target);
  for (const text of ['', '{"format":1}', 'null', '[]', 'x'.repeat(5000)]) {
    writeFileSync(join(folder, 'history.json'), text);
    assert.is(await codeOf(backUp(node, target)), 'bad_history', text.slice(0, 20));
  }
  await nameOwnHistory(writerOf(node, target));
  await backUp(node, target);
});

test('the job of the thread names the refusal, whatever it was to do', async () => {
  const [node, other, folder] = [await identified('one'), await identified('other'), newFolder()];
  await backUp(node, new FolderTarget(folder));
  const { config } = other;
  for (const kind of ['look', 'backup', 'changes'] as const) {
    const outcome = await runJob({
      ...{ kind, config: { ...config, backup: { ...config.backup, folder } }, encryption: null },
      ...{ secretKeyId: 'aabbccdd', version: '1.2.3', stop: new SharedArrayBuffer(4) },
    });
    assert.match('refusal' in outcome ? outcome.refusal : '', /are of another installation/, kind);
  }
});

test.run();

/** Backups, the changes after them, restores to a moment, and what is refused. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { openSecrets, secretKeyId } from '../../../../core/base/secrets.ts';
import {
  copyChanges,
  deleteExpired,
  listBackups,
  listSegments,
  makeBackup,
  verifyBackup,
} from '../../../../core/cluster/backup/backups.ts';
import { checkStore } from '../../../../core/cluster/backup/drill.ts';
import { encryptionOf, identitiesOf } from '../../../../core/cluster/backup/encryption.ts';
import { FolderTarget } from '../../../../core/cluster/backup/folder-target.ts';
import { exportKey, importKey, keyExport, markKeyExported } from '../../../../core/cluster/backup/key-escrow.ts';
import { type Backup, secretKeysOf } from '../../../../core/cluster/backup/names.ts';
import { chooseBackup, restoreBackup } from '../../../../core/cluster/backup/restore.ts';
import { secretKeyFile } from '../../../../core/config/index.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { codeOf, optionsOf, StoredNode } from './stored-node.ts';

const RETENTION = { keepLast: 100, keepDaily: 0, keepWeekly: 0, keepDays: 0 };

let scratch: string;
let count = 0;
test.before(() => {
  scratch = temporaryFolder('backups');
});
test.after(() => removeFolder(scratch));

const newNode = (history?: number): StoredNode => new StoredNode(join(scratch, `node-${count++}`), history);
const newTarget = (): FolderTarget => new FolderTarget(join(scratch, `target-${count++}`));

interface Wish {
  readonly until?: number;
  readonly journals?: readonly string[];
  readonly replaces?: boolean;
  readonly name?: string;
  readonly identities?: Parameters<typeof verifyBackup>[2];
}

async function restore(node: StoredNode, target: FolderTarget, wish: Wish = {}) {
  const backup = chooseBackup(await listBackups(target), wish.name, wish.until ?? null);
  return restoreBackup({
    ...{ config: node.config, target, backup, identities: wish.identities ?? [], until: wish.until ?? null },
    ...{ isForward: true, journals: wish.journals ?? [], replaces: wish.replaces ?? false },
  });
}

test('a backup and the changes after it restore every row, answer and journal entry', async () => {
  const [node, target] = [newNode(), newTarget()];
  await node.write('a', 'b');
  assert.is(await copyChanges(optionsOf(node, target)), null, 'there is no backup');
  const made = await makeBackup(optionsOf(node, target));
  assert.equal([made.sequence, made.node, made.version, made.encrypted], [2, 'one', '1.2.3', null]);
  assert.equal(await listBackups(target), [made]);
  assert.is((await verifyBackup(target, made, [])).sequence, 2);
  await node.write('c');
  assert.is((await copyChanges(optionsOf(node, target)))?.segments, 1);
  await node.write('d', 'e');
  assert.is((await copyChanges(optionsOf(node, target)))?.position.sequence, 5);
  assert.is((await copyChanges(optionsOf(node, target)))?.segments, 0);
  assert.not(readdirSync(node.folder).some((name) => name.startsWith('backup')));

  const other = newNode();
  const restored = await restore(other, target);
  assert.equal([restored.sequence, restored.applied, restored.kept], [5, 3, null]);
  assert.equal(await other.dump(), await node.dump());
  const checked = await checkStore(other.config);
  assert.equal([checked.sequence, checked.rows.domains, checked.areAnswersCompared], [5, 5, true]);
  assert.is(await codeOf(restore(other, target)), 'has_data');
  const again = await restore(other, target, { replaces: true });
  assert.ok(existsSync(String(again.kept)));
});

test('a restore goes to any moment, and takes the journal of a store that survived', async () => {
  const [node, target] = [newNode(), newTarget()];
  await node.write('a');
  const made = await makeBackup(optionsOf(node, target));
  assert.is(Date.parse(String(made.lastChange)), await node.timeOf(1));
  await node.write('b', 'c', 'd');
  await copyChanges(optionsOf(node, target));
  await node.write('e', 'f');
  for (const last of [2, 3, 4]) {
    const other = newNode();
    assert.is((await restore(other, target, { until: await node.timeOf(last) })).sequence, last);
  }
  const survived = newNode();
  const { sequence } = await restore(survived, target, { journals: [node.folder] });
  assert.is(sequence, 6);
  assert.equal(await survived.dump(), await node.dump());
  const file = newNode();
  assert.is((await restore(file, target, { journals: [join(node.folder, 'waypost.mdb')] })).sequence, 6);
  assert.equal(
    readdirSync(file.folder).filter((name) => /journal|download/.test(name)),
    [],
  );
  assert.is(await codeOf(restore(newNode(), target, { until: (await node.timeOf(1)) - 1 })), 'no_backup');
  assert.is(await codeOf(restore(newNode(), target, { journals: [join(scratch, 'never')] })), 'no_journal');
});

test('a restore begins another history: both can be restored afterwards', async () => {
  const [node, target] = [newNode(), newTarget()];
  await node.write('a');
  await makeBackup(optionsOf(node, target));
  await node.write('b', 'c');
  await copyChanges(optionsOf(node, target));
  const old = await node.dump();
  const end = await node.timeOf(3);
  // Back to the backup, and other changes with the same sequences.
  const back = newNode();
  const backup = chooseBackup(await listBackups(target), undefined, null);
  await restoreBackup({
    ...{ config: back.config, target, backup, identities: [], until: null, isForward: false },
    ...{ journals: [], replaces: false },
  });
  await back.write('x', 'y', 'z');
  assert.is(await copyChanges(optionsOf(back, target)), null, 'a new backup is due');
  await makeBackup(optionsOf(back, target));
  await back.write('w');
  assert.is((await copyChanges(optionsOf(back, target)))?.position.sequence, 5);
  const [before, now] = [newNode(), newNode()];
  await restore(before, target, { until: end });
  assert.equal(await before.dump(), old);
  await restore(now, target);
  assert.equal(await now.dump(), await back.dump());
});

test('a backup serves for a moment before it was made if it holds no later change', () => {
  const at = (time: number): string => new Date(time).toISOString();
  const [first, second, third] = [
    { name: 'first', made: at(100), lastChange: at(80) },
    { name: 'second', made: at(200), lastChange: at(150) },
    // Of a version that does not note it.
    { name: 'third', made: at(300) },
  ] as Backup[];
  const all = [first, second, third];
  const nameFor = (until: number | null, of = all): string => chooseBackup(of, undefined, until).name;
  assert.is(nameFor(null), 'third');
  assert.equal(
    [300, 299, 200].map((until) => nameFor(until)),
    ['third', 'second', 'second'],
  );
  // The older one was made before: the changes that were copied after it lead to the moment.
  assert.is(nameFor(199), 'first');
  assert.equal(
    [99, 80].map((until) => nameFor(until)),
    ['first', 'first'],
  );
  assert.throws(
    () => nameFor(79),
    /no backup before that time: the oldest has changes up to 1970-01-01T00:00:00\.080Z/,
  );
  // Changes by a clock that is ahead of the one by which the backup was made.
  assert.throws(() => nameFor(120, [{ ...first, lastChange: at(150) }]), /no backup before/);
});

test('a journal that does not reach back requires a backup, and is refused for a restore', async () => {
  const [node, target] = [newNode(4), newTarget()];
  await node.write('a');
  await makeBackup(optionsOf(node, target));
  await node.write(...Array.from({ length: 12 }, (_, i) => `n${i}`));
  assert.is(await copyChanges(optionsOf(node, target)), null);
  assert.is(await codeOf(restore(newNode(), target, { journals: [node.folder] })), 'journal_too_short');
});

test('only the key or a recipient restores an encrypted backup', async () => {
  const { generateIdentity, identityToRecipient } = await import('age-encryption');
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const [node, target] = [newNode(), newTarget()];
  await node.write('a');
  const keyFile = secretKeyFile(node.config);
  const secrets = openSecrets(keyFile);
  const keyId = String(secretKeyId(keyFile));
  const encryption = await encryptionOf({ encryption: 'key', recipients: [recipient] }, secrets);
  const made = await makeBackup(optionsOf(node, target, encryption));
  assert.equal(made.encrypted, { with: 'key', keyId });
  assert.equal(secretKeysOf(made), [keyId, 'aabbccdd']);
  await node.write('b');
  await copyChanges(optionsOf(node, target, encryption));
  for (const name of readdirSync(target.path('')))
    if (name.endsWith('.age'))
      assert.match(readFileSync(target.path(name)).toString('latin1'), /^age-encryption\.org\/v1\n/);
  for (const identities of [await identitiesOf(secrets), [identity]]) {
    await verifyBackup(target, made, identities);
    const other = newNode();
    assert.is((await restore(other, target, { identities })).sequence, 2);
    assert.equal(await other.dump(), await node.dump());
  }
  const stranger = [await generateIdentity()];
  assert.is(await codeOf(verifyBackup(target, made, stranger)), 'cannot_decrypt');
  const refusal = await verifyBackup(target, made, stranger).catch((error: Error) => error.message);
  assert.match(String(refusal), new RegExp(`It needs the secret key ${keyId}: add it to secrets.key_file`));
  const empty = newNode();
  assert.is(await codeOf(restore(empty, target, { identities: stranger })), 'cannot_decrypt');
  assert.not(readdirSync(empty.folder).some((name) => /mdb|download/.test(name)));
  const rotated = openSecretsAfterRotation(keyFile, join(scratch, 'rotated.key'));
  await verifyBackup(target, made, await identitiesOf(rotated));
});

/** With another first key, and this one on the second line. */
function openSecretsAfterRotation(keyFile: string, path: string) {
  writeFileSync(path, `${'ab'.repeat(32)}\n${readFileSync(keyFile, 'utf8')}`, { mode: 0o600 });
  return openSecrets(path);
}

test('any changed byte is detected, and a backup without data or description is not listed', async () => {
  const [node, target] = [newNode(), newTarget()];
  await node.write('a');
  const made = await makeBackup(optionsOf(node, target));
  const path = target.path(made.file);
  const whole = readFileSync(path);
  for (const at of [0, 60, 3000, whole.length >> 1, whole.length - 1]) {
    const broken = Buffer.from(whole);
    broken[at] ^= 1;
    writeFileSync(path, broken);
    assert.is.not(await codeOf(verifyBackup(target, made, [])), 'no error', `byte ${at}`);
  }
  writeFileSync(path, whole.subarray(1));
  assert.equal(await listBackups(target), []);
  writeFileSync(path, whole);
  const description = target.path(`${made.name}.json`);
  const text = readFileSync(description, 'utf8');
  for (const wrong of [
    '',
    '{',
    '{"format":1}',
    text.replace(made.file, '../../secret'),
    text.replace('"format": 1', '"format": 2'),
  ]) {
    writeFileSync(description, wrong);
    assert.equal(await listBackups(target), [], wrong);
  }
  await node.write('b');
  await copyChanges(optionsOf(node, target));
  writeFileSync(description, text);
  await copyChanges(optionsOf(node, target));
  const [segment] = await listSegments(target);
  const bytes = readFileSync(target.path(segment.name));
  bytes[30] ^= 1;
  writeFileSync(target.path(segment.name), bytes);
  assert.is(await codeOf(restore(newNode(), target)), 'damaged_segment');
});

test('retention deletes backups and the changes that no backup needs, never the last backup', async () => {
  const [node, target] = [newNode(), newTarget()];
  const made: Backup[] = [];
  for (const name of ['a', 'b', 'c']) {
    await node.write(name);
    made.push(await makeBackup(optionsOf(node, target)));
    await node.write(`${name}2`);
    await copyChanges(optionsOf(node, target));
  }
  assert.equal(await deleteExpired(target, { ...RETENTION, keepLast: 2 }), { backups: 1, segments: 1 });
  assert.equal(await listBackups(target), made.slice(1));
  const future = Date.now() + 1000 * 86_400_000;
  await deleteExpired(target, { ...RETENTION, keepDays: 1 }, future);
  assert.equal(await listBackups(target), made.slice(2));
  assert.is((await listSegments(target)).length, 1);
  // A backup that was cut off before its description.
  writeFileSync(target.path('20200101T000000Z-000000000001-one.backup'), 'x');
  await deleteExpired(target, RETENTION);
  assert.not(existsSync(target.path('20200101T000000Z-000000000001-one.backup')));
});

test('a backup that would fill the disk fails before it writes', async () => {
  const [node, target] = [newNode(), newTarget()];
  await node.write('a');
  const protection = { ...node.config.protection, diskReserve: Number.MAX_SAFE_INTEGER };
  const options = { ...optionsOf(node, target), config: { ...node.config, protection } };
  assert.is(await codeOf(makeBackup(options)), 'disk_full');
  assert.equal([await target.list('2'), existsSync(target.path(''))], [[], false]);
  assert.is(await codeOf(makeBackup(optionsOf(newNode(), target))), 'no_data');
});

test('the secret key is exported for a recipient or with a passphrase, and the marker names the key', async () => {
  const { generateIdentity, identityToRecipient } = await import('age-encryption');
  const { config } = newNode();
  const keyFile = secretKeyFile(config);
  openSecrets(keyFile);
  const text = readFileSync(keyFile, 'utf8');
  const identity = await generateIdentity();
  const armored = await exportKey(text, { recipients: [await identityToRecipient(identity)] });
  assert.match(armored, /^-----BEGIN AGE ENCRYPTED FILE-----\n/);
  assert.is(await importKey(armored, { identities: [identity] }), text);
  assert.is(keyExport(config), 'never');
  markKeyExported(config);
  assert.type(keyExport(config), 'object');
  writeFileSync(keyFile, `${'cd'.repeat(32)}\n`, { mode: 0o600 });
  assert.is(keyExport(config), 'other-key');
});

test.run();

import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';
import { packageText } from '../../miniapp/packages/package.ts';
import { type Live, startLive } from '../live.ts';

const test = suite<Live & { folder: string }>('admin-api/cli/pkg, with the API');
test.before(async (context) => {
  Object.assign(context, await startLive(), { folder: temporaryFolder('pkg') });
});
test.after(async ({ daemon, folder }) => {
  await daemon.stop();
  removeFolder(folder);
});

test('upload, list, show, publish, withdraw', async ({ waypost, json, folder }) => {
  const file = join(folder, 'notes.pkg');
  writeFileSync(file, packageText('com.example.notes', 1));
  const sent = await waypost(['pkg', 'upload', file, '--notes', 'First.', '--publish']);
  assert.is(sent.code, 0, sent.stderr);
  assert.match(sent.stdout, /^com\.example\.notes 1\.0 \(1\): approved\nupload \d+, \d+ bytes/);
  assert.match(sent.stdout, /\nPublished: com\.example\.notes 1\.0 \(1\) \(change \d+\)\n$/);
  const [app] = await json(['pkg', 'list']);
  assert.equal([app.app_id, app.audit_status, app.published.version_code], ['com.example.notes', 'published', 1]);
  const listed = await waypost(['pkg', 'list', 'com.example.notes']);
  assert.match(listed.stdout, /^ *\d+ +1\.0 +1 +published +0 errors, 0 warnings/m);
  const id = String(app.latest.id);
  const [shown] = await json(['pkg', 'show', id]);
  assert.is(String(shown.upload.notes), 'First.');
  const kept = await waypost(['pkg', 'withdraw', id]);
  assert.match(kept.stderr, /not_confirmed/);
  assert.match((await waypost(['pkg', 'withdraw', id, '--yes'])).stdout, /^Withdrawn: com\.example\.notes/);
  const again = await waypost(['pkg', 'upload', file]);
  assert.equal([again.code, /\(version_exists\)/.test(again.stderr)], [1, true]);
});

test('keys of the store are listed, rotated and revoked', async ({ waypost, json }) => {
  const [first] = await json(['pkg', 'keys', 'list']);
  assert.equal([first.key_id, first.state], [1, 'current']);
  assert.match((await waypost(['pkg', 'keys', 'rotate'])).stderr, /not_confirmed/);
  const rotated = await waypost(['pkg', 'keys', 'rotate', '--overlap-days', '7', '--yes']);
  assert.match(rotated.stdout, /^Created: key 2, [A-Za-z0-9+/]{43}= \(change \d+\)\n$/);
  assert.match((await waypost(['pkg', 'keys', 'list'])).stdout, /^ *2 +current .*\n *1 +previous /m);
  const revoke = ['pkg', 'keys', 'revoke', '2', '--reason', 'It leaked.'];
  assert.match((await waypost(revoke)).stderr, /not_confirmed/);
  const revoked = await waypost([...revoke, '--yes']);
  assert.match(revoked.stdout, /^Revoked: key 2\. The current one is key 3, /);
  assert.match((await waypost([...revoke, '--yes'])).stderr, /store_key_revoked/);
  assert.match((await waypost(['pkg', 'keys', 'rotate', '--overlap-days', 'x'])).stderr, /whole number from 0 to 3650/);
});

test('a rejected package exits with 1; an unreadable file is reported with reason and location', async ({
  waypost,
  folder,
}) => {
  const file = join(folder, 'bad.pkg');
  writeFileSync(file, packageText('com.example.bad', 1, 'reject'));
  const rejected = await waypost(['pkg', 'upload', file]);
  assert.equal([rejected.code, /: rejected\n/.test(rejected.stdout)], [1, true]);
  writeFileSync(file, 'garbage');
  const unreadable = await waypost(['pkg', 'upload', file]);
  assert.is(unreadable.code, 1);
  assert.match(unreadable.stderr, /\(unreadable_package, \/package\)\n {2}manifest\.json: line 3: It is no package\./);
  const missing = await waypost(['pkg', 'upload', join(folder, 'none.pkg')]);
  assert.match(missing.stderr, /none\.pkg cannot be read: .*\(unreadable\)/);
  const whole = await waypost(['pkg', 'upload', folder]);
  assert.match(whole.stderr, /is a folder\. \(unreadable\)\n {2}next: Pack the folder with "waypost pkg pack /);
});

test('suggests the size limit if the daemon closes the connection during an upload', async ({ waypost, folder }) => {
  const server = createServer((socket) => socket.on('error', () => {}).once('data', () => socket.destroy()));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const file = join(folder, 'large.pkg');
  writeFileSync(file, Buffer.alloc(1 << 20));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { stderr } = await waypost(['pkg', 'upload', file, '--url', url]);
  server.close();
  assert.match(stderr, /\(broken_off\)\n {2}next: .*packages\.max_bytes/);
});

test('uploads are listed for review, approved and rejected', async ({ waypost, folder }) => {
  const file = join(folder, 'review.pkg');
  const ids: string[] = [];
  for (const code of [1, 2]) {
    writeFileSync(file, packageText(`com.example.review${code}`, 1, 'review'));
    const { stdout } = await waypost(['pkg', 'upload', file]);
    ids.push(/upload (\w+)/.exec(stdout)?.[1] ?? '');
  }
  assert.match((await waypost(['pkg', 'queue'])).stdout, new RegExp(`^${ids[0]} .*1 to review`, 'm'));
  assert.match((await waypost(['pkg', 'review', ids[0]])).stdout, /: in review\n/);
  assert.match((await waypost(['pkg', 'approve', ids[0]])).stdout, /^Approved: com\.example\.review1/);
  const reject = ['pkg', 'reject', ids[1], '--reason', 'It does harm.', '--code', 'eval'];
  assert.match((await waypost(reject)).stdout, /^Rejected: com\.example\.review2/);
  assert.match((await waypost(['pkg', 'show', ids[1]])).stdout, /rejected by admin: It does harm\. \(eval\)\n/);
  const reason = ['--reason', 'Complaints.'];
  assert.match((await waypost(['pkg', 'suspend', ids[0], ...reason])).stdout, /^Suspended: /);
  assert.match((await waypost(['pkg', 'suspend', 'com.example.review1', ...reason])).stdout, /^Suspended: com/);
  assert.match((await waypost(['pkg', 'reinstate', 'com.example.review1'])).stdout, /^Reinstated: com/);
  assert.is((await waypost(['pkg', 'reject', ids[1]])).code, 2);
});

test.run();

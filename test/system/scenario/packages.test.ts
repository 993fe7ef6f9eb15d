/**
 * Developer packages at a daemon as a person starts it: sent by curl, killed in the middle of
 * audits, started again.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ZipFile } from 'yazl';
import { readIssued } from '../../../admin-api/miniapp/sdk/issued-files.ts';
import { ADMIN_PASSWORD, type Daemon, startDaemon } from '../../support/daemon.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const run = promisify(execFile);
const test = suite<{ daemon: Daemon; folder: string }>('scenario/packages');

test.before(async (context) => {
  context.folder = temporaryFolder('packages');
  context.daemon = await startDaemon({ WAYPOST_PACKAGES_AUDIT_THREADS: '1' });
});
test.after(async ({ daemon, folder }) => {
  await daemon.close();
  removeFolder(folder);
});

/** Of some megabytes once unpacked, so that its audit takes a while. */
async function writePackage(folder: string, id: string, versionCode: number): Promise<string> {
  const manifest = {
    ...{ id, name: 'Notes', version: '1.0', versionCode, entry: 'index.html' },
    ...{ permissions: [], minHostVersion: '1.0' },
  };
  const zip = new ZipFile();
  const add = (location: string, content: string | Buffer) => zip.addBuffer(Buffer.from(content), location);
  add('manifest.json', JSON.stringify(manifest, null, 2));
  add('index.html', '<!doctype html>\n<title>Notes</title>\n<script src="app.js"></script>\n');
  add('host-sdk.js', readIssued().script);
  const line = (i: number) => `function note${i}(text) {\n  return text.trim().slice(0, ${i});\n}\n`;
  add('app.js', Array.from({ length: 8_000 }, (_, i) => line(i)).join(''));
  zip.end();
  const path = join(folder, `${id}-${versionCode}.pkg`);
  writeFileSync(path, await buffer(zip.outputStream));
  return path;
}

const OPEN = ['pending', 'scanning'];

test('upload by curl, from a fresh start to the report', async ({ daemon, folder }) => {
  // 1. A token that may do no more than this.
  const { api, adminPort } = daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const made = await api.request('POST', '/api/v1/tokens', { name: 'developer', scopes: ['packages'] });
  const token = String(made.body.token);
  // 2. A package, and what is said of it.
  const url = `http://127.0.0.1:${adminPort}`;
  const curl = async (...args: string[]) =>
    (await run('curl', ['-sS', '-H', `Authorization: Bearer ${token}`, ...args])).stdout;
  const file = await writePackage(folder, 'com.example.curl', 1);
  const form = ['-F', `package=@${file}`, '-F', 'notes=First.'];
  const answer = JSON.parse(await curl(...form, `${url}/api/dev/apps/upload`));
  assert.equal([answer.ok, answer.upload?.app_id, answer.upload?.version_code], [true, 'com.example.curl', 1]);
  // 3. The report, once there is one.
  const report = async () => curl('-H', 'Accept: text/plain', url + answer.upload.url);
  while (/^no verdict yet$/m.test(await report())) await sleep(100);
  assert.match(await report(), /^com\.example\.curl 1\.0 \(1\): (approved|in review)\nupload \d+, \d+ bytes/);
  assert.match(await report(), /^\d errors?, /m);
});

test('killed in the middle of audits, started again: every package has its verdict', async ({ daemon, folder }) => {
  const { api } = daemon;
  await api.logIn('admin', ADMIN_PASSWORD);
  const ids = Array.from({ length: 5 }, (_, i) => `com.example.killed${i}`);
  // 1. Some packages at once; whether the answers still come is left open.
  for (const id of ids) {
    const path = await writePackage(folder, id, 1);
    void run('curl', [
      '-sS',
      '-H',
      `Authorization: Bearer ${api.token}`,
      '-F',
      `package=@${path}`,
      `${urlOf(daemon)}/api/dev/apps/upload`,
    ]).catch(() => {});
  }
  const states = async () => {
    const { body } = await api.request('GET', '/api/dev/apps');
    const apps = body.apps as { app_id: string; audit_status: string }[];
    return apps.filter(({ app_id }) => ids.includes(app_id)).map(({ audit_status }) => audit_status);
  };
  // 2. Killed while some of those that were taken are open.
  let before: string[] = [];
  while (!before.some((state) => OPEN.includes(state))) before = await states();
  await daemon.kill();
  // 3. All that were taken come to a verdict,
  await daemon.start();
  let after = await states();
  assert.ok(after.length >= before.length);
  while (after.some((state) => OPEN.includes(state))) {
    await sleep(100);
    after = await states();
  }
});

const urlOf = ({ adminPort }: Daemon): string => `http://127.0.0.1:${adminPort}`;

test.run();

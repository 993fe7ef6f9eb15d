/** `waypost pkg dev` as a person starts it. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readIssued } from '../../../admin-api/miniapp/sdk/issued-files.ts';
import { type Child, startChild } from '../../support/child.ts';
import { MAIN } from '../../support/daemon.ts';
import { temporaryFolder } from '../../support/temp.ts';
import { manifest } from './world.ts';

const test = suite('waypost pkg dev');

interface Run {
  readonly folder: string;
  readonly state: string;
  readonly dev: (...args: readonly string[]) => Child;
}

function prepare(): Run {
  const root = temporaryFolder('pkg-dev');
  const folder = join(root, 'app');
  mkdirSync(folder);
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Test</title>');
  writeFileSync(join(folder, 'manifest.json'), manifest());
  writeFileSync(join(folder, 'host-sdk.js'), readIssued().script);
  const env = { ...process.env, XDG_STATE_HOME: join(root, 'state') };
  const dev: Run['dev'] = (...args) => startChild(process.execPath, [MAIN, 'pkg', 'dev', ...args], env);
  return { folder, state: join(root, 'state/waypost/simulator'), dev };
}

test('prints its URL, keeps its state outside of the package, and stops on SIGINT', async () => {
  const { folder, state, dev } = prepare();
  const child = dev(folder, '--port', '0');
  const [, url] = await child.waitFor(/^simulator: (http:\/\/127\.0\.0\.1:\d+)$/);
  assert.is((await fetch(url)).status, 200);
  assert.is(await child.stop('SIGINT'), 0);
  assert.equal(readdirSync(folder).sort(), ['host-sdk.js', 'index.html', 'manifest.json']);
  assert.ok(readdirSync(state).length > 0);
  assert.is(child.output().trim(), `simulator: ${url}`);
});

test('says what is missing, and starts all the same', async () => {
  const { folder, dev } = prepare();
  rmSync(join(folder, 'host-sdk.js'));
  writeFileSync(join(folder, 'manifest.json'), manifest({ versionCode: 'x' }));
  const child = dev(folder, '--port', '0', '--json');
  const [line] = await child.waitFor(/^\{.*\}$/);
  const { url, ...rest } = JSON.parse(line);
  assert.equal(rest, { ok: true, app: null, sdk: 'missing' });
  assert.is(await child.stop('SIGTERM'), 0);
});

test('refuses what it cannot serve, with the next step', async () => {
  const { folder, dev } = prepare();
  const missing = dev(join(folder, 'nothing'));
  const file = dev(join(folder, 'manifest.json'));
  const port = dev(folder, '--port', '70000');
  const fixture = dev(folder, '--fixture', 'nonsense');
  assert.is(await missing.ended(), 2);
  assert.match(missing.output(), /nothing does not exist\. Pass the folder with manifest\.json\./);
  assert.is(await file.ended(), 1);
  assert.match(
    file.output(),
    /manifest\.json is not a folder \(not_a_folder\)\n {2}next: Pass the folder with manifest\.json/,
  );
  assert.is(await port.ended(), 2);
  assert.match(port.output(), /Use 0 to 65535\./);
  assert.is(await fixture.ended(), 2);
  assert.match(fixture.output(), /Use a form like api\.example\.com=127\.0\.0\.1:3000\./);
});

test('a port that is in use is refused if the user chose it', async () => {
  const { folder, dev } = prepare();
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const child = dev(folder, '--port', String(port));
  assert.is(await child.ended(), 1);
  assert.match(child.output(), new RegExp(`port ${port} is in use \\(port_in_use\\)\\n {2}next: Choose another one`));
  server.close();
});

test.run();

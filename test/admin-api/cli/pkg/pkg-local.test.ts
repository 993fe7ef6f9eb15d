/** `pkg init`, `lint` and `pack`, which need no daemon. */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readIssued } from '../../../../admin-api/miniapp/sdk/issued-files.ts';
import { temporaryFolder } from '../../../support/temp.ts';
import { run } from '../harness.ts';

const root = temporaryFolder('pkg');
const app = join(root, 'notes');
const sdk = join(root, 'host-sdk.js');
writeFileSync(sdk, 'window.Host = window.__host;\n');

test('a new app passes the linter; with an SDK it has no findings', async () => {
  assert.is((await run(['pkg', 'init', app, '--name', 'A & <b>', '--sdk', sdk])).code, 0);
  const { code, stdout: out } = await run(['pkg', 'lint', app, '--sdk', sdk]);
  assert.is(code, 0);
  assert.is(out, '0 errors, 0 warnings, 0 notices. It would be approved.\n');
  assert.is((await run(['pkg', 'init', app])).code, 1);
});

test('a new app has the newest issued SDK, and pkg sdk writes it again', async () => {
  const folder = join(root, 'tried');
  const script = join(folder, 'app', 'host-sdk.js');
  assert.is((await run(['pkg', 'init', folder])).code, 0);
  const lint = async (): Promise<string> => (await run(['pkg', 'lint', folder])).stdout;
  assert.is(await lint(), '0 errors, 0 warnings, 0 notices. It would be approved.\n');
  writeFileSync(script, 'window.Host = window.__host;\n');
  assert.match(await lint(), /sdk_unknown/);
  const typings = join(root, 'host-sdk.d.ts');
  const background = join(root, 'types', 'background.d.ts');
  const { code, stdout } = await run([
    ...['pkg', 'sdk', folder, '--typings', typings, '--background-typings', background],
  ]);
  assert.is(code, 0);
  assert.match(stdout, /^wrote .*host-sdk\.js and .*host-sdk\.d\.ts and .*background\.d\.ts of SDK \d+\.\d+\.\d+\n$/);
  assert.ok(readFileSync(script).equals(readIssued().script));
  assert.ok(readFileSync(typings).equals(readIssued().typings));
  assert.ok(readFileSync(background).equals(readIssued().backgroundTypings));
  assert.is(await lint(), '0 errors, 0 warnings, 0 notices. It would be approved.\n');
  assert.match((await run(['pkg', 'sdk', folder, '--release', '0.0.1'])).stderr, /no_such_sdk/);
  assert.match((await run(['pkg', 'sdk', join(root, 'nowhere')])).stderr, /no_folder/);
});

test('pkg init writes a project of each form, and names the next commands', async () => {
  const folder = join(root, 'My Notes!');
  const { code, stdout } = await run(['pkg', 'init', folder, '--template', 'notes', '--typescript']);
  assert.is(code, 0);
  assert.match(stdout, /^Created com\.example\.my-notes in /);
  assert.match(stdout, /npm install && npm run watch.*\n {2}waypost pkg dev '.*My Notes!'.*\n {2}waypost pkg lint /);
  const content = (...path: string[]): string => readFileSync(join(folder, ...path), 'utf8');
  assert.is(JSON.parse(content('app', 'manifest.json')).name, 'My notes');
  assert.match(content('src', 'app.ts'), /interface Note /);
  assert.match(content('app', 'app.js'), /^"use strict";\n\(\(\) => \{\n {2}\/\/ src\/app\.ts\n/);
  assert.match(content('package.json'), /esbuild src\/app\.ts/);
  assert.is(content('host-sdk.d.ts'), String(readIssued().typings));
  assert.is((await run(['pkg', 'pack', folder, '--out', join(root, 'my-notes.pkg')])).code, 0);
});

test('pkg init rejects wrong ids and unknown templates, and suggests better ones', async () => {
  const folder = join(root, 'never');
  const cases: [args: string[], message: RegExp][] = [
    [['--template', 'note'], /no template "note"\. Did you mean "notes"\?.*no_such_template/s],
    [['--template', 'toString'], /Choose blank, notes, photo, weather, reminder/],
    [['--id', 'Notes'], /bad_id.*--id com\.example\.notes/s],
    [['--id', 'com.Example.my notes'], /--id com\.example\.my-notes/],
    [['--id', '…'], /--id com\.example\.app/],
  ];
  for (const [args, message] of cases) {
    const { code, stderr } = await run(['pkg', 'init', folder, ...args]);
    assert.is(code, 1);
    assert.match(stderr, message);
  }
  assert.not.ok(existsSync(folder));
});

test('pkg conformance writes an app that passes the linter, and a page of raw messages', async () => {
  const folder = join(root, 'conformance');
  const { code, stdout } = await run(['pkg', 'conformance', folder]);
  assert.is(code, 0);
  assert.is(stdout, `wrote ${join(folder, 'app')} and ${join(folder, 'protocol')}\n`);
  assert.is((await run(['pkg', 'lint', join(folder, 'app')])).code, 0);
  assert.ok(readFileSync(join(folder, 'app', 'host-sdk.js')).equals(readIssued().script));
  assert.is((await run(['pkg', 'lint', join(folder, 'protocol')])).code, 1);
  assert.match((await run(['pkg', 'conformance', folder])).stderr, /folder_not_empty/);
});

test('creates the folder of an app with its parents, or reports why it cannot', async () => {
  const folder = join(root, 'above', 'app');
  assert.is((await run(['pkg', 'init', folder])).code, 0);
  const umask = process.umask();
  assert.is(statSync(folder).mode & 0o777, 0o777 & ~umask);
  const file = join(root, 'in-the-way');
  writeFileSync(file, '');
  const impossible = [file, join(file, 'below')];
  // The folder cannot be created, although its parent exists.
  if (process.platform === 'linux') impossible.push('/proc/waypost', '/proc/waypost/below');
  for (const none of impossible) {
    const { code, stderr } = await run(['pkg', 'init', none]);
    assert.is(code, 1);
    assert.match(stderr, /no_folder/);
  }
});

test('packs the same folder to the same bytes, and the archive passes', async () => {
  const [first, second] = [join(root, 'a.pkg'), join(root, 'b.pkg')];
  for (const out of [first, second]) assert.is((await run(['pkg', 'pack', app, '--sdk', sdk, '--out', out])).code, 0);
  assert.ok(readFileSync(first).equals(readFileSync(second)));
  assert.is((await run(['pkg', 'lint', first, '--sdk', sdk])).code, 0);
  const other = join(root, 'other-sdk.js');
  writeFileSync(other, 'another');
  assert.is((await run(['pkg', 'lint', '--sdk', sdk, '--sdk', other, first])).code, 0);
  assert.is((await run(['pkg', 'lint', '--sdk', other, first])).code, 1);
  assert.match(
    (await run(['pkg', 'pack', app, '--sdk', sdk, '--out', join(app, 'app', 'x.pkg')])).stderr,
    /package_in_folder/,
  );
});

test('errors exit with 1, prevent packing without --force, and are available as SARIF', async () => {
  const folder = join(root, 'bad');
  await run(['pkg', 'init', folder]);
  mkdirSync(join(folder, 'app', 'lib'));
  writeFileSync(join(folder, 'app', 'lib', 'x.js'), 'eval("1");\n');
  const { code, stdout: out } = await run(['pkg', 'lint', folder]);
  assert.is(code, 1);
  assert.match(out, /lib\/x\.js\n.*1:1 {2}error/s);
  const sarif = await run(['pkg', 'lint', folder, '--sarif']);
  assert.ok(JSON.parse(sarif.stdout).runs[0].results.some(({ ruleId }: { ruleId: string }) => ruleId === 'eval'));
  const packed = join(root, 'bad.pkg');
  assert.match((await run(['pkg', 'pack', folder, '--out', packed])).stderr, /has 1 error \(package_has_errors\)/);
  assert.is((await run(['pkg', 'pack', folder, '--out', packed, '--force'])).code, 0);
});

test('the content of a package cannot control the terminal, as text, JSON or SARIF', async () => {
  const folder = join(root, 'hostile');
  assert.is((await run(['pkg', 'init', folder, '--sdk', sdk])).code, 0);
  const hostile = '\u001b[2J\u009b2J\u202e\u{e0041}\u2028\ud800';
  writeFileSync(join(folder, 'app', 'app.js'), `eval("${hostile}"); Host.${'x'.repeat(100_000)}();\n`);
  for (const format of [[], ['--json'], ['--sarif']]) {
    const { stdout } = await run(['pkg', 'lint', folder, ...format]);
    assert.match(stdout, /runs text as code/);
    assert.not.match(stdout, /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}]/u);
    assert.ok(Math.max(...stdout.split('\n').map((line) => line.length)) < 2000);
    if (format[0] === '--json')
      assert.ok(
        stdout
          .trim()
          .split('\n')
          .some((line) => JSON.parse(line).excerpt?.includes('\u{e0041}')),
      );
  }
});

test('misuse and missing or unreadable files exit with 2; 1 means errors in a package', async () => {
  assert.is((await run(['pkg', 'lint'])).code, 2);
  const file = join(root, 'file');
  writeFileSync(file, '');
  assert.is((await run(['pkg', 'lint', file])).code, 1);
  for (const args of [[join(root, 'nowhere')], [join(file, 'in-it')], [file, '--sdk', join(root, 'nowhere')]]) {
    const { code, stderr } = await run(['pkg', 'lint', ...args]);
    assert.is(code, 2);
    assert.match(stderr, /^error: .*(?:does not exist|cannot be read).*Pass /);
  }
});

test.run();

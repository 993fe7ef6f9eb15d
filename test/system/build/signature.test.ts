/** The signature over the sums of a release, verified with the commands of docs/install.md. */
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SUMS, writeSums } from '../../../config/build/release/sums.ts';
import { outputFault } from '../../check/docs/output.ts';
import { readPage } from '../../check/docs/pages.ts';
import { PATIENCE_MS } from '../../support/patience.ts';
import { whyNotPrograms } from '../../support/programs.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

const PACKAGE = 'waypost_0.3.0_amd64.deb';
const SIGNATURE = `${SUMS}.sig`;
const COMMANDS = readPage('docs/install.md').commands.filter(({ text }) => text.includes(SUMS));

let parent: string;
let key: string;
/** With a package, its sums and, in release-signers, the key that signed them. */
let folder: string;

const makeKey = (name: string): string => {
  const file = join(parent, name);
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'test', '-f', file]);
  return file;
};
/** Throws an Error that has all the output. */
function run(command: string): string {
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-euc', command], {
    ...{ cwd: folder, encoding: 'utf8', timeout: PATIENCE_MS },
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
  if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  return stdout;
}
const verify = (): void => {
  for (const { text, output } of COMMANDS) assert.is(outputFault(output, run(text).trimEnd()), null);
};
/** Signs the package again, as a release does. */
function sign(by?: string): void {
  removeFolder(folder);
  folder = temporaryFolder('release');
  writeFileSync(join(folder, PACKAGE), 'the package');
  writeFileSync(join(folder, 'waypost_0.3.0_arm64.deb'), 'another package');
  writeSums(folder, by);
  const line = execFileSync('ssh-keygen', ['-y', '-f', key], { encoding: 'utf8' });
  writeFileSync(join(folder, 'release-signers'), `waypost-release namespaces="waypost-release" ${line}`);
}

const why = whyNotPrograms('ssh-keygen');
if (why !== null) {
  console.log(`skipped: ${why}`);
  test.skip('the signature of a release', () => {});
} else {
  test.before(() => {
    parent = temporaryFolder('keys');
    folder = temporaryFolder('release');
    key = makeKey('release');
  });
  test.after(() => {
    removeFolder(parent);
    removeFolder(folder);
  });

  test('the commands of the page verify the sums and the packages', () => {
    assert.is(COMMANDS.length, 2);
    sign(key);
    verify();
  });

  test('changed sums, changed packages and the signature of another key are found', () => {
    sign(key);
    appendFileSync(join(folder, SUMS), `${'0'.repeat(64)}  other.deb\n`);
    assert.throws(verify, /Could not verify signature|incorrect signature/i);
    sign(key);
    appendFileSync(join(folder, PACKAGE), '!');
    assert.throws(verify, /FAILED|did NOT match/);
    sign(makeKey('stranger'));
    assert.throws(verify, /Could not verify signature/);
  });

  test('the same files and the same key give the same signature', () => {
    sign(key);
    const first = readFileSync(join(folder, SIGNATURE));
    sign(key);
    assert.ok(readFileSync(join(folder, SIGNATURE)).equals(first));
  });

  test('without a key there are sums alone, and a key that does not sign is an error', () => {
    sign();
    assert.equal(readdirSync(folder).includes(SIGNATURE), false);
    writeFileSync(join(parent, 'no-key'), 'no key\n');
    assert.throws(() => writeSums(folder, join(parent, 'no-key')), /ssh-keygen/);
  });
}

test.run();

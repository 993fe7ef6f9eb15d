/** The versions of builds, in repositories of git made for the test. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { debianVersion } from '../../../config/build/release/debian.ts';
import { packageVersion, releasedBefore, versionOf } from '../../../config/build/version.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

let folder: string;
let time: number;
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, GIT_COMMITTER_DATE: `${time} +0200` },
  }).trim();
const setVersion = (version: string): void => writeFileSync(join(folder, 'package.json'), JSON.stringify({ version }));
/** A commit of its own second; the version of its package. */
function commit(): string {
  time++;
  git('commit', '--quiet', '--allow-empty', '--all', '--message', 'Change something');
  return packageVersion(folder);
}
const compare = (a: string, relation: string, b: string): void =>
  void execFileSync('dpkg', ['--compare-versions', debianVersion(a), relation, debianVersion(b)]);

test.before.each(() => {
  folder = temporaryFolder('repository');
  time = Date.UTC(2026, 0, 2, 3, 4, 5) / 1000;
  setVersion('0.3.0');
  git('init', '--quiet');
  git('add', 'package.json');
});
test.after.each(() => removeFolder(folder));

test('a commit without the tag of its version is of development, and its package names it', () => {
  const version = commit();
  assert.is(versionOf(folder), '0.3.0-dev');
  assert.is(version, `0.3.0-dev.20260102030406.g${git('rev-parse', '--short=12', 'HEAD')}`);
  git('tag', 'v0.2.0');
  assert.is(packageVersion(folder), version, 'the tag of another version');
});

test('the tagged commit has the version of the release', () => {
  commit();
  git('tag', '--annotate', '--message', 'Waypost 0.3.0', 'v0.3.0');
  assert.equal([versionOf(folder), packageVersion(folder), releasedBefore(folder)], ['0.3.0', '0.3.0', null]);
});

test('no two commits have packages of one version, and dpkg knows which is later', () => {
  const [first, second] = [commit(), commit()];
  git('tag', 'v0.3.0');
  const release = packageVersion(folder);
  setVersion('0.4.0');
  const next = commit();
  assert.is(new Set([first, second, release, next]).size, 4);
  compare(first, 'lt', second);
  compare(second, 'lt', release);
  compare(release, 'lt', next);
});

test('a commit after the release must raise the version', () => {
  commit();
  git('tag', 'v0.3.0');
  commit();
  assert.match(releasedBefore(folder)!, 'v0.3.0 is the tag of another commit; raise the version');
  setVersion('0.4.0');
  commit();
  assert.is(releasedBefore(folder), null);
});

test('sources without git are of development, and have no packages', () => {
  removeFolder(join(folder, '.git'));
  assert.is(versionOf(folder), '0.3.0-dev');
  assert.throws(() => packageVersion(folder), /no checkout of git/);
});

test.run();

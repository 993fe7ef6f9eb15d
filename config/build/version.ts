/**
 * The version of a build: that of package.json, if its tag (such as v0.3.0) is the last commit, else
 * one of development. A package also names the commit, so that two packages never have one version.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Null: git is not installed, or this folder is no checkout. */
export function git(folder: string, ...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

export const isCheckout = (folder: string): boolean => git(folder, 'rev-parse', '--show-prefix') === '';

/** Such as "0.3.0" of a tagged commit, or "0.3.0-dev". */
export function versionOf(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const tags = isCheckout(folder) ? git(folder, 'tag', '--points-at', 'HEAD') : null;
  return tags?.split('\n').includes(`v${version}`) ? version : `${version}-dev`;
}

/**
 * The version of packages: "0.3.0", or "0.3.0-dev.20261130101205.g0123456789ab" with time and hash
 * of the commit. A later commit has a later version in the order of semver.org and of dpkg.
 */
export function packageVersion(folder: string): string {
  const version = versionOf(folder);
  if (!version.endsWith('-dev')) return version;
  const commit = git(folder, 'log', '-1', '--date=format-local:%Y%m%d%H%M%S', '--abbrev=12', '--format=%cd.g%h');
  if (commit === null) throw new Error(`${folder} is no checkout of git, which names the version of a package.`);
  return `${version}.${commit}`;
}

/**
 * Null: `version` of package.json is not released, or by this commit. Else the error: packages of
 * later commits would be older than the release.
 */
export function releasedBefore(folder: string): string | null {
  const version = versionOf(folder);
  if (!version.endsWith('-dev')) return null;
  const tag = `v${version.slice(0, -'-dev'.length)}`;
  // Also a tag of a commit that is not in this history.
  return git(folder, 'tag', '--list', tag) === tag
    ? `${tag} is the tag of another commit; raise the version in package.json.`
    : null;
}

/** Writes dist/build-info.json: the version, and the commit that the sources are of. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_INFO_FILE, type BuildInfo } from '../../core/base/build-info.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Null: git is not installed, or this folder is no checkout. */
function git(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
}

export function writeBuildInfo(): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const isCheckout = git('rev-parse', '--show-prefix') === '';
  const isChanged = isCheckout && git('status', '--porcelain', '--untracked-files=no') !== '';
  const commit = isCheckout ? git('rev-parse', '--short=12', 'HEAD') : null;
  const date = isCheckout ? git('log', '-1', '--date=format-local:%Y-%m-%d', '--format=%cd') : null;
  const info: BuildInfo = { version, commit: commit && `${commit}${isChanged ? '+' : ''}`, date };
  writeFileSync(join(ROOT, 'dist', BUILD_INFO_FILE), `${JSON.stringify(info)}\n`);
}

/** Writes dist/build-info.json: the version, and the commit that the sources are of. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILD_INFO_FILE, type BuildInfo } from '../../core/base/build-info.ts';
import { git, isCheckout, versionOf } from './version.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

export function writeBuildInfo(): void {
  const hasCommit = isCheckout(ROOT);
  const isChanged = hasCommit && git(ROOT, 'status', '--porcelain', '--untracked-files=no') !== '';
  const commit = hasCommit ? git(ROOT, 'rev-parse', '--short=12', 'HEAD') : null;
  const date = hasCommit ? git(ROOT, 'log', '-1', '--date=format-local:%Y-%m-%d', '--format=%cd') : null;
  const info: BuildInfo = { version: versionOf(ROOT), commit: commit && `${commit}${isChanged ? '+' : ''}`, date };
  writeFileSync(join(ROOT, 'dist', BUILD_INFO_FILE), `${JSON.stringify(info)}\n`);
}

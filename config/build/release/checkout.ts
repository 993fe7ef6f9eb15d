/** A build of the last commit in a folder of its own, so that nothing else of this one gets in. */
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildInfo, readBuildInfo } from '../../../core/base/build-info.ts';
import { run } from './run.ts';

export interface Checkout {
  readonly folder: string;
  readonly build: BuildInfo;
  /** Of the commit, in seconds since 1970: the time of every file of the release. */
  readonly time: number;
  remove(): void;
}

/** `root`: a checkout with its node_modules installed. */
export function buildLastCommit(root: string): Checkout {
  if (!existsSync(join(root, 'node_modules'))) throw new Error('Run "npm ci" first.');
  const parent = mkdtempSync(join(tmpdir(), 'waypost-release-'));
  const remove = (): void => rmSync(parent, { recursive: true, force: true });
  // npm names the bill of materials after it.
  const folder = join(parent, 'waypost');
  try {
    run('git', ['clone', '--quiet', root, folder], root);
    cpSync(join(root, 'node_modules'), join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.includes('/node_modules/.cache'),
    });
    run('npm', ['run', '--silent', 'build'], folder);
    const build = readBuildInfo(pathToFileURL(join(folder, 'dist/main.js')).href);
    return { folder, build, time: Number(run('git', ['log', '-1', '--format=%ct'], folder)), remove };
  } catch (error) {
    remove();
    throw error;
  }
}

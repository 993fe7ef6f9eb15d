/** Mozilla's addons-linter, in a folder of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = {
  private: true,
  dependencies: { 'addons-linter': '10.14.0' },
  // It asks for 16.0.0, which not every registry has. The same functions are in this one.
  overrides: { 'addons-scanner-utils': '15.5.0' },
};

export interface Linter {
  readonly program: string;
  /** For who loads it into a process that stays. */
  readonly module: string;
}

/** Null: it cannot be had; what to do was said on standard error. */
export function installLinter(folder: string): Linter | null {
  const root = join(folder, 'node_modules/addons-linter');
  const linter = { program: join(root, 'bin/addons-linter'), module: join(root, 'dist/addons-linter.js') };
  if (existsSync(linter.program)) return linter;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(PACKAGE));
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (existsSync(linter.program)) return linter;
  process.stderr.write(
    `addons-linter is not there, so its columns are left out. Where npm reaches a registry, run: cd ${folder} && npm install\n`,
  );
  return null;
}

/** Mozilla's addons-linter, in a folder of its own. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = 'addons-linter@10.14';

/** The path of its program; null: it can't be had. */
export function installLinter(folder: string): string | null {
  const program = join(folder, 'node_modules/addons-linter/bin/addons-linter');
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    spawnSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', PACKAGE], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  }
  return existsSync(program) ? program : null;
}

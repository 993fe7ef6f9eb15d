/** This program as if it were the next version: 0.3.0, with a feature level more. */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILD_INFO_FILE } from '../../../../core/base/build-info.ts';
import { FEATURE_LEVEL } from '../../../../core/journal/feature-level.ts';
import { MAIN } from '../../../support/daemon.ts';

export const NEXT = { version: '0.3.0', level: FEATURE_LEVEL + 1 };
/** Compiled modules, which the bundles do not need. */
const UNUSED = /^(?:admin-api|bench|config|core|edge|release|test)$|\.map$/;

/** Path of its main.js, in a folder of its own. */
export function makeNextVersion(folder: string): string {
  const dist = dirname(MAIN);
  const copy = join(folder, 'next/dist');
  mkdirSync(copy, { recursive: true });
  symlinkSync(join(dist, '../node_modules'), join(folder, 'next/node_modules'));
  cpSync(join(dist, '../package.json'), join(folder, 'next/package.json'));
  let replaced = 0;
  for (const name of readdirSync(dist)) {
    if (UNUSED.test(name)) continue;
    cpSync(join(dist, name), join(copy, name), { recursive: true });
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(join(copy, name), 'utf8');
    const changed = text.replace(`FEATURE_LEVEL = ${FEATURE_LEVEL};`, `FEATURE_LEVEL = ${NEXT.level};`);
    if (changed === text) continue;
    writeFileSync(join(copy, name), changed);
    replaced++;
  }
  if (replaced === 0) throw new Error('the feature level was not found in the bundles');
  writeFileSync(join(copy, BUILD_INFO_FILE), JSON.stringify({ version: NEXT.version, commit: null, date: null }));
  return join(copy, 'main.js');
}

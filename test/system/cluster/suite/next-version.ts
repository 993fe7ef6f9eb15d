/**
 * This program as if it were the next version: 0.4.0, with a feature level more and a table of its
 * own, into which it writes the comments of records as well.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BUILD_INFO_FILE } from '../../../../core/base/build-info.ts';
import { FEATURE_LEVEL } from '../../../../core/journal/feature-level.ts';
import { openReadOnly, STORE_FILE } from '../../../../core/store/environment.ts';
import { TABLES } from '../../../../core/store/rows.ts';
import { MAIN } from '../../../support/daemon.ts';

export const NEXT = { version: '0.4.0', level: FEATURE_LEVEL + 1 };
/** No version will have this table. */
const TABLE = { number: 200, name: 'comments_of_the_next_version' };
/** Compiled modules, which the bundles do not need. */
const UNUSED = /^(?:admin-api|bench|config|core|edge|release|test)$|\.map$/;

/** Of the bundles; each is there at least once. */
const CHANGES: readonly (readonly [what: string, from: RegExp, to: string])[] = [
  ['the feature level', new RegExp(`\\bFEATURE_LEVEL = ${FEATURE_LEVEL};`), `FEATURE_LEVEL = ${NEXT.level};`],
  [
    'the tables',
    /\]\.map\(\((table\w*)\) => \[\1\.number, \1\]\)\s*\);/,
    `$&\nTABLES.set(${TABLE.number}, { ...comments, number: ${TABLE.number}, name: "${TABLE.name}", level: ${NEXT.level} });`,
  ],
  [
    'the write of a comment',
    /else draft\.put\((comments\w*), row\);/,
    `else {\n draft.put($1, row);\n draft.put({ ...$1, number: ${TABLE.number} }, row);\n}`,
  ],
];

/** Path of its main.js, in a folder of its own. */
export function makeNextVersion(folder: string): string {
  if (TABLES.has(TABLE.number)) throw new Error(`this version has a table ${TABLE.number}`);
  const dist = dirname(MAIN);
  const copy = join(folder, 'next/dist');
  mkdirSync(copy, { recursive: true });
  symlinkSync(join(dist, '../node_modules'), join(folder, 'next/node_modules'));
  cpSync(join(dist, '../package.json'), join(folder, 'next/package.json'));
  const missing = new Set(CHANGES.map(([what]) => what));
  for (const name of readdirSync(dist)) {
    if (UNUSED.test(name)) continue;
    cpSync(join(dist, name), join(copy, name), { recursive: true });
    if (!name.endsWith('.js')) continue;
    const text = readFileSync(join(copy, name), 'utf8');
    let changed = text;
    for (const [what, from, to] of CHANGES) {
      if (!from.test(changed)) continue;
      changed = changed.replace(from, to);
      missing.delete(what);
    }
    if (changed !== text) writeFileSync(join(copy, name), changed);
  }
  if (missing.size > 0) throw new Error(`not found in the bundles: ${[...missing].join(', ')}`);
  writeFileSync(join(copy, BUILD_INFO_FILE), JSON.stringify({ version: NEXT.version, commit: null, date: null }));
  return join(copy, 'main.js');
}

/** Rows that only the next version has, in the store of a data folder. A daemon may use it. */
export async function countNextRows(folder: string): Promise<number> {
  const { root, table } = openReadOnly(join(folder, STORE_FILE));
  try {
    return table(TABLE.name)?.getCount() ?? 0;
  } finally {
    await root.close();
  }
}

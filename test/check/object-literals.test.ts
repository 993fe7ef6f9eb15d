/**
 * Node 20 gives an object that begins with a spread, and has more fields, a hidden class of its
 * own: it takes some 5 µs, and the garbage is collected with the old generation only. So literals
 * are written without spreads of literals, which have no other use than to save lines.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDERS = ['core', 'edge', 'admin-api'];

const sources = FOLDERS.flatMap((folder) =>
  (readdirSync(join(ROOT, folder), { recursive: true }) as string[])
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`),
);

test('no object literal contains the spread of another one', () => {
  assert.ok(sources.length > 500);
  const found = [...sources, 'main.ts'].filter((path) => /\.\.\.\{/.test(readFileSync(join(ROOT, path), 'utf8')));
  assert.equal(found, []);
});

test.run();

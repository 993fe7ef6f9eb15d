import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { changedSince, reachedBy, withRevision } from './since.ts';

const FILES: Readonly<Record<string, string>> = {
  'main.ts': `load('./core/daemon.ts');`,
  'core/daemon.ts': `start('./worker.js');`,
  'core/worker.ts': `load('./leaf.ts');`,
  'core/leaf.ts': `// '../test/corpus/query'\nexport const leaf = 1;`,
  'core/tables/first.ts': 'export const first = 1;',
  'core/plain.ts': 'export const plain = 1;',
  'core/typings.d.ts': `export const leaf: number;`,
  'core/pages.ts': `read('./dashboard');`,
  'admin-api/dashboard/app.tsx': `load('./colors.ts');`,
  'admin-api/dashboard/colors.ts': `export const red = 1;`,
  'core/shape.ts': `export interface Shape {}`,
  'core/user.ts': `import type {\n  Shape,\n} from './shape.ts';`,
  'test/support/daemon.ts': `start('../../main.js');`,
  'test/check/tree.test.ts': ``,
  'test/core/leaf.test.ts': `load('../../core/leaf.ts');`,
  'test/core/user.test.ts': `load('../../core/user.ts');`,
  'test/core/pages.test.ts': `load('../../core/pages.ts');`,
  'test/core/tables.test.ts': `for (const name of list('../../core/tables/')) load(name);`,
  'test/core/names.test.ts': `load(\`../../core/tables/\${name}.js\`);`,
  'test/core/text.test.ts': `readSource('core/plain.ts') + readSource('typings.d.ts');`,
  'test/core/daemon.test.ts': `load('../support/daemon.ts');`,
  'test/core/command.test.ts': `const command = 'node dist/main.js serve';`,
  'test/core/query.test.ts': `corpus('query');`,
  'test/core/manual.test.ts': `readFileSync('manual/first.md');`,
};
const TESTS = Object.keys(FILES)
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => path.slice('test/'.length).replace(/ts$/, 'js'));

let root: string;
test.before(() => {
  root = temporaryFolder('since');
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  execFileSync('git', ['init', '--quiet', root]);
});
test.after(() => removeFolder(root));

const reached = (...changes: string[]): string[] => TESTS.filter(reachedBy(changes, root).includes).sort();
const WHOLE = 'check/tree.test.js';
const DAEMON = ['core/command.test.js', 'core/daemon.test.js'];

test('a change reaches the tests that import it, and those that start a program or worker with it', () => {
  assert.equal(reached('core/leaf.ts'), [WHOLE, ...DAEMON, 'core/leaf.test.js']);
  assert.equal(reached('main.ts'), [WHOLE, ...DAEMON]);
  assert.equal(reached('test/core/user.test.ts'), [WHOLE, 'core/user.test.js']);
});

test('a deleted file reaches the files that name it', () => {
  assert.equal(reached('core/gone.ts'), [WHOLE]);
  assert.equal(reached('core/leaf.ts', 'core/gone.ts'), [WHOLE, ...DAEMON, 'core/leaf.test.js']);
});

test('what is imported only as a type reaches no importer', () => {
  assert.equal(reached('core/shape.ts'), [WHOLE]);
});

test('a source reaches those that read it as a text, or what the build makes of it', () => {
  for (const path of ['core/plain.ts', 'core/typings.d.ts'])
    assert.equal(reached(path), [WHOLE, 'core/text.test.js'], path);
  assert.equal(reached('admin-api/dashboard/colors.ts'), [WHOLE, 'core/pages.test.js']);
});

test('a source reaches those that list its folder, or put its name together', () => {
  assert.equal(reached('core/tables/first.ts'), [WHOLE, 'core/names.test.js', 'core/tables.test.js']);
});

test('another file reaches those that name it or its folder in a string, not in a comment', () => {
  assert.equal(reached('test/corpus/query/0a1b'), [WHOLE, 'core/query.test.js']);
  assert.equal(reached('manual/first.md'), [WHOLE, 'core/manual.test.js']);
});

test('files that may concern every test run all', () => {
  for (const path of [
    'package-lock.json',
    'tsconfig.json',
    'test/support/daemon.ts',
    'config/build/bundle.ts',
    'config/odd.bin',
  ])
    assert.equal(reached(path), [...TESTS].sort(), path);
});

test('files that no test reads run the tests of the whole tree', () => {
  assert.equal(reached('biome.json'), [WHOLE]);
  assert.equal(reached('CHANGELOG.md'), [WHOLE]);
  assert.equal(reached(), []);
});

test('a revision that git does not know is an error that says so', () => {
  assert.throws(() => changedSince('no-such-revision'), /git cannot tell .* since no-such-revision/);
});

test('without a revision, main is meant', () => {
  assert.equal(withRevision(['--tier', 'unit', '--since']), ['--tier', 'unit', '--since', 'main']);
  assert.equal(withRevision(['--since', '--verbose', 'core']), ['--since', 'main', '--verbose', 'core']);
  assert.equal(withRevision(['--since', 'HEAD~3', 'core']), ['--since', 'HEAD~3', 'core']);
});

test.run();

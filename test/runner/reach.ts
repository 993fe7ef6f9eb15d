/**
 * `npm run test:reach -- --out FILE [--tier unit|system] [PATTERN]`: does `--since` leave out a
 * test that a change can reach? Runs each test file of a tier alone under strace(1), which sees the
 * files that the process, its threads and its children open. Lists each file of the repository that
 * a test opens though `--since` would not run the test when that file changes.
 *
 * FILE has a line of JSON for each test file; an interrupted run goes on when it is started again.
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { allImports } from './imports.ts';
import { plan, type Tier } from './plan.ts';
import { reachedBy } from './since.ts';
import { removeTestFolder, testFolder } from './test-folder.ts';

const ROOT = join(import.meta.dirname, '../../..');
const DIST = join(ROOT, 'dist');
/** Milliseconds of one test file. */
const LIMIT_MS = 25 * 60_000;

/** What the build makes of other files than the module of the same name (bundle.ts). */
const BUILT: readonly (readonly [RegExp, string])[] = [
  [/^dist\/(?:core\/miniapp\/templates\/)?app-templates\//, 'core/miniapp/templates/'],
  [/^dist\/dashboard\//, 'admin-api/dashboard/'],
  [/^dist\/simulator\//, 'core/miniapp/simulator/page/'],
  [/^dist\/(?:core\/miniapp\/sdk\/)?issued-sdks\//, 'core/miniapp/sdk/'],
];
/** A module next to files that the build copies. */
const COMPILED = /^core\/miniapp\/sdk\/.*(?<!\.d)\.ts$/;
/** The scopes of modules, which Node reads with each module. */
const SCOPE = /(?:^|\/)package\.json$/;

const { values, positionals } = parseArgs({
  options: { out: { type: 'string' }, tier: { type: 'string', default: 'unit' } },
  allowPositionals: true,
});
if (values.out === undefined) {
  console.error('usage: npm run test:reach -- --out FILE [--tier unit|system] [PATTERN]');
  process.exit(2);
}
const out = resolve(values.out);
const tracked = new Set(execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' }).split('\0'));

/** The sources of a compiled module or bundle, and other files that one was built from. */
const sources = new Map<string, readonly string[]>();
function sourcesOf(path: string): readonly string[] {
  let found = sources.get(path);
  if (found === undefined) {
    found = findSources(path).filter((source) => tracked.has(source) && !SCOPE.test(source));
    sources.set(path, found);
  }
  return found;
}

function findSources(path: string): string[] {
  const folder = BUILT.find(([built]) => built.test(path))?.[1];
  if (folder !== undefined) return [...tracked].filter((file) => file.startsWith(folder) && !COMPILED.test(file));
  if (/^dist\/package-audit\b/.test(path))
    return [...allImports(join(DIST, 'core/miniapp/audit.js')).files].map((file) =>
      relative(DIST, file).replace(/\.js$/, '.ts'),
    );
  if (!path.startsWith('dist/')) return isFolder(path) ? [] : [path];
  const map = `${join(ROOT, path)}.map`;
  if (!path.endsWith('.js') || !existsSync(map)) return [];
  const named = (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources;
  return named.map((source) => relative(ROOT, resolve(dirname(map), source)));
}

const isFolder = (path: string): boolean => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory();

/** Paths below the root that a test file opens, but what is in node_modules. */
async function opensOf(file: string): Promise<{ readonly isGreen: boolean; readonly paths: string[] }> {
  const log = `${out}.strace`;
  const folder = testFolder([file]);
  const watched = ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=open,openat', '-e', 'signal=none', '-o', log];
  const child = spawn('strace', [...watched, process.execPath, join(import.meta.dirname, 'files.js'), file], {
    cwd: ROOT,
    env: { ...process.env, ...(folder === undefined ? {} : { TMPDIR: folder }) },
    stdio: 'ignore',
    timeout: LIMIT_MS,
  });
  const code = await new Promise<number | null>((done) => child.on('close', done));
  const paths = new Set<string>();
  for (const [, name] of readFileSync(log, 'utf8').matchAll(/open(?:at\(AT_FDCWD, |\()"([^"]+)"/g)) {
    const path = relative(ROOT, resolve(ROOT, name));
    if (!path.startsWith('..') && !/^(?:node_modules|\.git)(?:\/|$)/.test(path) && existsSync(join(ROOT, path)))
      paths.add(path);
  }
  rmSync(log);
  if (folder !== undefined) removeTestFolder(folder);
  return { isGreen: code === 0, paths: [...paths].sort() };
}

interface Line {
  readonly file: string;
  readonly isGreen: boolean;
  readonly paths: readonly string[];
}
const pattern = new RegExp(positionals[0] ?? '');
const files = plan(values.tier as Tier, (path) => pattern.test(path))
  .flat()
  .sort();
const lines = new Map<string, Line>();
if (existsSync(out))
  for (const text of readFileSync(out, 'utf8').split('\n').filter(Boolean)) {
    const line = JSON.parse(text) as Line;
    lines.set(line.file, line);
  }
for (const file of files) {
  if (lines.has(file)) continue;
  const line: Line = { file, ...(await opensOf(file)) };
  lines.set(file, line);
  appendFileSync(out, `${JSON.stringify(line)}\n`);
  console.log(`${lines.size} of ${files.length} ${file}${line.isGreen ? '' : ' FAILS'}: ${line.paths.length} files`);
}

const openedBy = new Map<string, Set<string>>();
for (const { file, paths } of lines.values())
  for (const source of paths.flatMap(sourcesOf)) openedBy.set(source, (openedBy.get(source) ?? new Set()).add(file));
let missed = 0;
const selected: number[] = [];
for (const [source, tests] of [...openedBy].sort()) {
  const { includes } = reachedBy([source]);
  selected.push(files.filter(includes).length);
  const wrong = [...tests].filter((file) => files.includes(file) && !includes(file));
  missed += wrong.length;
  if (wrong.length > 0) console.log(`MISSED ${source}: ${wrong.length} files, such as ${wrong[0]}`);
}
const pairs = [...openedBy.values()].reduce((sum, tests) => sum + tests.size, 0);
console.log(
  `${files.length} test files open ${openedBy.size} files of the repository, ${pairs} pairs; --since misses ${missed},`,
);
console.log(`and selects ${selected.reduce((sum, count) => sum + count, 0)}`);
process.exitCode = missed > 0 ? 1 : 0;

/**
 * `npm run test:reach -- --out FILE [--tier unit|system] [PATTERN]`: does `--since` leave out a
 * test that a change can reach? Runs each test file of a tier alone under strace(1), which sees the
 * files that the process, its threads and its children open. Lists each file of the repository that
 * a test opens though `--since` would not run the test when that file changes. Then it prints how
 * many files `--since` runs, and misses, for each of the last commits.
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
/** Of the table. */
const COMMITS = 100;

/**
 * What the build makes of other files than the module of the same name (config/build/bundle.ts).
 */
const BUILT: readonly (readonly [RegExp, string])[] = [
  [/^dist\/(?:admin-api\/miniapp\/templates\/)?app-templates\//, 'admin-api/miniapp/templates/'],
  [/^dist\/dashboard\//, 'admin-api/dashboard/'],
  [/^dist\/simulator\//, 'admin-api/miniapp/simulator/page/'],
  [/^dist\/(?:admin-api\/miniapp\/sdk\/)?issued-sdks\//, 'admin-api/miniapp/sdk/'],
];
/** A module next to files that the build copies. */
const COMPILED = /^admin-api\/miniapp\/sdk\/.*(?<!\.d)\.ts$/;
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
    return [...allImports(join(DIST, 'admin-api/miniapp/audit/audit.js')).files].map((file) =>
      relative(DIST, file).replace(/\.js$/, '.ts'),
    );
  if (!path.startsWith('dist/')) return isFolder(path) ? [] : [path];
  const map = `${join(ROOT, path)}.map`;
  if (!path.endsWith('.js') || !existsSync(map)) return [];
  const named = (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources;
  return named.map((source) => relative(ROOT, resolve(dirname(map), source)));
}

const isFolder = (path: string): boolean => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isDirectory();

/** Files of the repository that a test file opens, or that were built into those. */
async function opensOf(file: string): Promise<{ readonly isGreen: boolean; readonly opened: readonly string[] }> {
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
  // Now: names of bundles change with the next build.
  return { isGreen: code === 0, opened: [...new Set([...paths].flatMap(sourcesOf))].sort() };
}

interface Line {
  readonly file: string;
  readonly isGreen: boolean;
  readonly opened: readonly string[];
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
  let opens = await opensOf(file);
  // A busy machine may have made it fail before it came to all of them.
  if (!opens.isGreen) opens = await opensOf(file);
  const line: Line = { file, ...opens };
  lines.set(file, line);
  appendFileSync(out, `${JSON.stringify(line)}\n`);
  console.log(`${lines.size} of ${files.length} ${file}${line.isGreen ? '' : ' FAILS'}: ${line.opened.length} files`);
}

const openedBy = new Map<string, Set<string>>();
for (const { file, opened } of lines.values())
  for (const source of opened) openedBy.set(source, (openedBy.get(source) ?? new Set()).add(file));
let missed = 0;
for (const [source, tests] of [...openedBy].sort()) {
  const { includes } = reachedBy([source]);
  const wrong = [...tests].filter((file) => files.includes(file) && !includes(file));
  missed += wrong.length;
  if (wrong.length > 0) console.log(`MISSED ${source}: ${wrong.length} files, such as ${wrong[0]}`);
}
const pairs = [...openedBy.values()].reduce((sum, tests) => sum + tests.size, 0);
console.log(
  `${files.length} test files open ${openedBy.size} files of the repository: ${pairs} pairs, of which --since misses ${missed}.`,
);

/** Of the commits that this one contains, but merges. */
const git = (...args: string[]): string[] =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean);
const commits = git('log', '-z', '--format=%H', '--no-merges', `-${COMMITS}`).map((commit) => {
  const changes = git('diff-tree', '--no-commit-id', '--name-only', '--no-renames', '-r', '-z', commit);
  const { includes } = reachedBy(changes);
  const left = new Set(changes.flatMap((path) => [...(openedBy.get(path) ?? [])]).filter((file) => !includes(file)));
  return { selected: files.filter(includes).length, missed: left.size };
});
const counts = commits.map(({ selected }) => selected).sort((a, b) => a - b);
const at = (share: number): number => counts[Math.ceil(share * counts.length) - 1];
console.log(`The last ${counts.length} commits, each with --since of the one before:`);
console.log(
  `  files run, of ${files.length}: a quarter of the commits at most ${at(0.25)}, half ${at(0.5)}, three quarters ${at(0.75)},`,
);
console.log(`  nine of ten ${at(0.9)}; all files ${counts.filter((count) => count === files.length).length} commits`);
console.log(`  missed: ${commits.reduce((sum, commit) => sum + commit.missed, 0)}`);
process.exitCode = missed > 0 ? 1 : 0;

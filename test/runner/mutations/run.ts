/**
 * `npm run test:mutations -- --out FOLDER`: breaks production code at one place after another,
 * spread over all rooms, and counts the mutations that a tier detects.
 *
 *     --out FOLDER       results, a line of JSON each, and the mutated copy; an interrupted run
 *                        goes on when it is started again
 *     --checkout FOLDER  the repository whose HEAD is mutated, installed; by default this one
 *     --seed N           chooses the mutations
 *     --count N          how many, by default 60
 *     --also FOLDER      only mutations that exist in this repository, too
 *     --mutants FILE     the mutations of another run (its mutants.json), instead of a choice
 *     --tier TIER        unit (npm test), or system: for mutations that the unit tests did not
 *                        detect, at the depth of .ci/run
 *
 * First, every test file runs alone without a mutation, and reports whose code it runs. Then, for
 * each mutation, the files that run its code run again, the closest first, until one fails twice. A
 * file that fails without a mutation detects nothing.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../../support/random.ts';
import { ACTIVE, type Mutant, makeCopy, REACHED } from './instrument.ts';
import { choose, type Mutation, mutationsIn } from './mutators.ts';
import { runFile } from './run-file.ts';

const { values } = parseArgs({
  options: {
    out: { type: 'string' },
    checkout: { type: 'string', default: join(import.meta.dirname, '../../../..') },
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1e9)) },
    count: { type: 'string', default: '60' },
    also: { type: 'string' },
    mutants: { type: 'string' },
    tier: { type: 'string', default: 'unit' },
  },
});
if (values.out === undefined || !['unit', 'system'].includes(values.tier)) {
  console.error(
    'usage: npm run test:mutations -- --out FOLDER [--checkout FOLDER] [--seed N] [--count N] [--also FOLDER] [--mutants FILE] [--tier unit|system]',
  );
  process.exit(2);
}
const out = resolve(values.out);
const copy = join(out, 'copy');
/** Mutations in reserve, for those that another revision does not have. */
const RESERVE = 2;
/** Milliseconds that a file may take beyond several times its usual time. */
const PATIENCE_MS = 60_000;
const SLOWER = 5;
/** Milliseconds of a file without a mutation. */
const REACH_LIMIT_MS = 10 * 60_000;
/** Characters of a text that are printed. */
const SHOWN = 80;

// So that the running test file is ended.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function chosenKeys(): string[] {
  if (values.mutants !== undefined) return JSON.parse(readFileSync(values.mutants, 'utf8')) as string[];
  const also = values.also === undefined ? null : new Set(mutationsIn(values.also).map(({ key }) => key));
  console.log(`seed ${values.seed}`);
  const usable = mutations.filter(({ key }) => also?.has(key) ?? true);
  return choose(usable, RESERVE * Number(values.count), new Random(Number(values.seed))).map(({ key }) => key);
}

interface Reach {
  readonly file: string;
  readonly isGreen: boolean;
  readonly ms: number;
  readonly ids: readonly number[];
}
interface Result {
  readonly id: number;
  readonly key: string;
  /** The file that failed; null: none of those that come to it. */
  readonly by: string | null;
  readonly files: number;
}
const linesOf = <T>(path: string): T[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as T)
    : [];

mkdirSync(out, { recursive: true });
const chosen = join(out, 'mutants.json');
const mutations = mutationsIn(values.checkout);
if (!existsSync(chosen)) {
  writeFileSync(chosen, JSON.stringify(chosenKeys(), null, 1));
  rmSync(copy, { recursive: true, force: true });
}
const byKey = new Map(mutations.map((mutation) => [mutation.key, mutation]));
const mutants: Mutant[] = (JSON.parse(readFileSync(chosen, 'utf8')) as string[])
  .map((key, id) => ({ id, mutation: byKey.get(key) as Mutation }))
  .filter(({ mutation }) => mutation !== undefined)
  .slice(0, Number(values.count));
if (!existsSync(join(copy, 'dist/main.js'))) makeCopy(resolve(values.checkout), copy, mutants);

const tier = values.tier as 'unit' | 'system';
const depth = tier === 'unit' ? 'quick' : 'moderate';
const { plan } = (await import(join(copy, 'dist/test/runner/plan.js'))) as typeof import('../plan.ts');
const { allImports } = (await import(join(copy, 'dist/test/runner/imports.js'))) as typeof import('../imports.ts');
const tests = join(copy, 'dist/test');
/** .ci/run runs unit tests with generated cases at more depth than `npm test`. */
const isGenerated = (file: string): boolean => allImports(join(tests, file)).files.has(join(tests, 'support/depth.js'));
const files = [...(tier === 'system' ? plan('unit', isGenerated).flat() : []), ...plan(tier, () => true).flat()].sort();

const reachFile = join(out, `${tier}-reach.jsonl`);
const reach = new Map(linesOf<Reach>(reachFile).map((line) => [line.file, line]));
for (const file of files) {
  if (reach.has(file)) continue;
  const list = join(out, 'reached');
  rmSync(list, { force: true });
  const run = () => runFile(copy, file, depth, { [REACHED]: list }, REACH_LIMIT_MS);
  let { isGreen, ms } = await run();
  // Of a busy machine, perhaps.
  if (!isGreen) ({ isGreen, ms } = await run());
  const ids = existsSync(list) ? [...new Set(readFileSync(list, 'utf8').split('\n').filter(Boolean).map(Number))] : [];
  const line: Reach = { file, isGreen, ms, ids };
  reach.set(file, line);
  appendFileSync(reachFile, `${JSON.stringify(line)}\n`);
  console.log(`${reach.size} of ${files.length} ${file} ${isGreen ? '' : 'FAILS '}${ms} ms, ${ids.length} mutations`);
}

/** Folders and name that two paths share, from the left. */
function closeness(file: string, { file: source }: Mutation): number {
  const [a, b] = [file.replace('.test.js', ''), source.replace('.ts', '')].map((path) => path.split('/'));
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  return shared;
}

async function detect({ id, mutation }: Mutant): Promise<Result> {
  const reaching = [...reach.values()]
    .filter((line) => files.includes(line.file) && line.isGreen && line.ids.includes(id))
    .sort((a, b) => closeness(b.file, mutation) - closeness(a.file, mutation) || a.ms - b.ms);
  for (const { file, ms } of reaching) {
    const fails = async (): Promise<boolean> =>
      !(await runFile(copy, file, depth, { [ACTIVE]: String(id) }, PATIENCE_MS + SLOWER * ms)).isGreen;
    if ((await fails()) && (await fails())) return { id, key: mutation.key, by: file, files: reaching.length };
  }
  return { id, key: mutation.key, by: null, files: reaching.length };
}

/** In one line. */
function describe({ id, mutation }: Mutant): string {
  const short = (text: string): string => text.replace(/\s+/g, ' ').slice(0, SHOWN);
  return `${id} ${mutation.file}:${mutation.line} ${mutation.kind}: ${short(mutation.from)} → ${short(mutation.to)}`;
}

const resultFile = join(out, `${tier}.jsonl`);
const unit = new Map(linesOf<Result>(join(out, 'unit.jsonl')).map((line) => [line.id, line]));
const results = new Map(linesOf<Result>(resultFile).map((line) => [line.id, line]));
for (const mutant of mutants) {
  if (results.has(mutant.id) || (tier === 'system' && unit.get(mutant.id)?.by)) continue;
  const line = await detect(mutant);
  results.set(mutant.id, line);
  appendFileSync(resultFile, `${JSON.stringify(line)}\n`);
  console.log(`${line.by ?? `SURVIVES ${line.files} files`}: ${describe(mutant)}`);
}

const survivors = mutants.filter(({ id }) => !(unit.get(id)?.by || results.get(id)?.by));
const red = files.filter((file) => reach.get(file)?.isGreen === false);
const runs = tier === 'unit' ? 'npm test' : 'npm test and npm run test:system';
console.log(`\n${mutants.length - survivors.length} of ${mutants.length} are detected by ${runs}`);
for (const mutant of survivors) console.log(`  not: ${describe(mutant)}`);
if (red.length > 0) console.log(`Not used, since they fail without a mutation: ${red.join(', ')}`);

/**
 * `node dist/test/runner/run.js [--tier TIER] [--since [REV]] [--stress] [--verbose] [PATTERN]`:
 * runs the test files of a tier whose path matches PATTERN; with --since only those that what has
 * changed since the revision, by default the last commit on main, can reach (./since.ts); with
 * --stress one at a time on a slow machine (./stress.ts).
 *
 * WAYPOST_TEST_JOBS: concurrent processes, by default more than there are cores.
 * WAYPOST_SEED: the seed of all generated cases.
 * WAYPOST_DEPTH: how many cases are generated (../support/level.ts).
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { SEED } from '../support/seed.ts';
import { runFiles, slowSteps } from './lane.ts';
import { browserFiles, plan, TIERS, type Tier } from './plan.ts';
import { type Outcome, shortened } from './report.ts';
import { changedSince, reachedBy, type Selection, withRevision } from './since.ts';
import { beginStress } from './stress.ts';

/** Seconds between lines of progress. */
const PROGRESS_SECONDS = 20;
/** Milliseconds after which the lines of progress name a test. */
const SLOW_MS = 60_000;
/** Characters of a failed file's output that are printed. */
const MAX_OUTPUT = 6000;
/** Files that the summary names as the slowest, and as those that take the most CPU. */
const LONGEST_FILES = 10;
/** Scripts take four times as long, and each request of a page to the API waits up to 300 ms. */
const SLOW_BROWSER = { WAYPOST_BROWSER_SLOWDOWN: '4', WAYPOST_BROWSER_API_DELAY: '300' };
const USAGE = `usage: node dist/test/runner/run.js [--tier ${TIERS.join('|')}] [--since [REV]] [--stress] [--verbose] [PATTERN]`;

function endWith(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function readArguments() {
  try {
    return parseArgs({
      args: withRevision(process.argv.slice(2)),
      options: {
        tier: { type: 'string', default: 'all' },
        since: { type: 'string' },
        stress: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
  } catch (error) {
    return endWith(`${(error as Error).message}\n${USAGE}`);
  }
}

function selectSince(revision: string): Selection {
  try {
    return reachedBy(changedSince(revision));
  } catch (error) {
    return endWith((error as Error).message);
  }
}

function startStress(): void {
  try {
    beginStress();
  } catch (error) {
    endWith((error as Error).message);
  }
}

const { values, positionals } = readArguments();
if (!TIERS.includes(values.tier as Tier) || positionals.length > 1) endWith(USAGE);
const tier = values.tier as Tier;
if (tier === 'deep') process.env.WAYPOST_DEPTH ??= 'full';
// Many tests wait for a timeout or for a daemon: those of the system most of their time.
const waiting = tier === 'system' ? 4 : 2;
// Files of a release load the whole machine; in stress the lanes would slow down each other.
const usual = tier === 'release' || values.stress ? 1 : availableParallelism() + waiting;
const lanes = Math.max(1, Number(process.env.WAYPOST_TEST_JOBS ?? usual));
const pattern = new RegExp(positionals[0] ?? '');
const selection = values.since === undefined ? null : selectSince(values.since);
const isIncluded = (path: string): boolean => pattern.test(path) && (selection?.includes(path) ?? true);
const slow = tier === 'deep' ? browserFiles(isIncluded) : [];
const queue = [
  ...slow.map((path) => ({ files: [path], env: SLOW_BROWSER })),
  ...plan(tier, isIncluded).map((files) => ({ files, env: {} })),
];
const count = queue.flatMap(({ files }) => files).length;
const outcomes: (Outcome & { readonly env: Readonly<Record<string, string>> })[] = [];
const started = performance.now();
const isTerminal = process.stdout.isTTY === true;
const sum = (amount: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + amount(outcome), 0);
const seconds = (): string => ((performance.now() - started) / 1000).toFixed(0);
const print = (text: string): void => void process.stdout.write(`${isTerminal ? '\r\u001b[K' : ''}${text}\n`);

const repeat = (file: string): string =>
  `node dist/test/runner/${values.stress ? `run.js --stress ^${file}` : `files.js ${file}`}`;

const progress = (): string => {
  const failed = outcomes.filter(({ isGreen }) => !isGreen).length;
  const problems = failed === 0 ? '' : `, ${failed} files failed`;
  return `${outcomes.length} of ${count} files, ${sum(({ passed }) => passed)} tests passed${problems}, ${seconds()} s`;
};

function onOutcome(outcome: Outcome, env: Readonly<Record<string, string>>): void {
  outcomes.push({ ...outcome, env });
  const { file, passed, total, isGreen, output, ms, cpuMs } = outcome;
  if (!isGreen) print(`FAILED ${file} (${passed} of ${total} passed)\n${shortened(output, MAX_OUTPUT)}`);
  else if (values.verbose)
    print(`ok ${file}: ${total} tests, ${(ms / 1000).toFixed(1)} s, ${(cpuMs / 1000).toFixed(1)} s of CPU\n${output}`);
  if (isTerminal) process.stdout.write(`\r\u001b[K${progress()}`);
}

if (values.stress) startStress();
if (selection !== null) print(selection.reason);
print(
  `${count} files, ${lanes} processes at a time, seed ${SEED}, depth ${process.env.WAYPOST_DEPTH ?? 'quick'}${values.stress ? ', under stress' : ''}`,
);
const ticker = setInterval(() => {
  if (!isTerminal) print(progress());
  for (const line of slowSteps(SLOW_MS)) print(`still running: ${line}`);
}, PROGRESS_SECONDS * 1000);
await Promise.all(
  Array.from({ length: lanes }, async (_, lane) => {
    for (let group = queue.shift(); group !== undefined; group = queue.shift())
      await runFiles(group.files, { lane, lanes, env: group.env }, (outcome) => onOutcome(outcome, group.env));
  }),
);
clearInterval(ticker);

const failed = outcomes.filter(({ isGreen }) => !isGreen);
const skipped = outcomes.filter((outcome) => outcome.skipped > 0);
const depth = process.env.WAYPOST_DEPTH === undefined ? {} : { WAYPOST_DEPTH: process.env.WAYPOST_DEPTH };
const variables = (env: Readonly<Record<string, string>>): string =>
  Object.entries({ ...depth, ...env, WAYPOST_SEED: SEED })
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
print('');
for (const { file, output, env } of failed)
  print(`FAILED ${file}; repeat it with: ${variables(env)} ${repeat(file)}\n${shortened(output, MAX_OUTPUT)}\n`);
for (const { file, output } of skipped) {
  const reasons = [...output.matchAll(/^skipped: (.*)/gim)].map(([, reason]) => reason);
  print(`  Skipped in ${file}: ${reasons.join('; ') || 'the file gives no reason'}`);
}
const longest = (key: 'ms' | 'cpuMs'): string =>
  outcomes
    .toSorted((a, b) => b[key] - a[key])
    .slice(0, LONGEST_FILES)
    .map((outcome) => `${outcome.file} ${(outcome[key] / 1000).toFixed(0)} s`)
    .join(', ');
print(`  Slowest:   ${longest('ms')}`);
print(`  Most CPU:  ${longest('cpuMs')}, of ${(sum(({ cpuMs }) => cpuMs) / 1000).toFixed(0)} s`);
print(`  Total:     ${sum(({ total }) => total)}`);
print(`  Passed:    ${sum(({ passed }) => passed)}`);
print(`  Skipped:   ${sum((outcome) => outcome.skipped)}`);
print(`  Duration:  ${seconds()} s, ${count} files`);
if (failed.length > 0) print(`  Failed:    ${failed.map(({ file }) => file).join(', ')} (seed ${SEED})`);
process.exitCode = failed.length > 0 || (count === 0 && selection === null) ? 1 : 0;

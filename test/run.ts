/**
 * Runs every test file under uvu in a process of its own, as many at a time as there are cores, and adds up what they say.
 * `node dist/test/run.js [pattern]`: only files whose path the pattern matches. WAYPOST_TEST_JOBS: how many at a time. WAYPOST_SEED:
 * of all that is generated; a failed run says which it was.
 */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { shareOf } from './support/ports.ts';
import { SEED } from './support/seed.ts';

const root = import.meta.dirname;
const pattern = new RegExp(process.argv[2] ?? '');
const jobs = Math.max(1, Number(process.env.WAYPOST_TEST_JOBS ?? availableParallelism()));
/** Milliseconds after which a file that has not ended is ended, and counts as failed. */
const LIMIT = 25 * 60_000;
/** Milliseconds for a file to end after its last line; one that failed midway may have left a server running. */
const GRACE = 30_000;
/** The last line that uvu prints. */
const LAST_LINE = /^ *Duration:/m;
/** What uvu prints for each test that passed. */
const DOT = '• ';
/** Characters of a failed file's output that the end repeats. */
const MOST = 6000;
/** The longest tests begin first, not when all others are done: those whose cases a variable counts, then those of these folders. */
const COUNTED = /Number\(process\.env\.WAYPOST_/;
const FIRST = [/^scenario\//, /^core\/journal\//, /^cluster\//, /^edge\/attacks\//, /^reference\//, /^peers\//];

const rank = (file: string): number => {
  const at = FIRST.findIndex((one) => one.test(file));
  const isCounted = COUNTED.test(readFileSync(join(root, file), 'utf8'));
  return (at < 0 ? FIRST.length : at) - (isCounted ? FIRST.length + 1 : 0);
};
const files = (readdirSync(root, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.test.js') && pattern.test(file))
  .map((file) => ({ file, at: rank(file) }))
  .sort((a, b) => a.at - b.at || a.file.localeCompare(b.file))
  .map(({ file }) => file);

interface Result {
  /** Of those that ran. */
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

/** Seconds that each file took. */
const times: { readonly file: string; readonly seconds: number }[] = [];
/** Files whose times the end tells. */
const SHOWN = 12;
const sums = { total: 0, passed: 0, skipped: 0 };
/** File and output of those that failed: shown once more at the end, where a log that was cut still has it. */
const failed: { readonly file: string; readonly text: string }[] = [];
const started = performance.now();

/** Process groups of the files that run: a file and all that it started. */
const running = new Set<number>();

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // None of it is left.
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    for (const pid of running) endGroup(pid);
    process.kill(process.pid, signal);
  });

/**
 * `lane`: which of those that run at a time it is, from 0. Resolves with what the file's last lines say; a file that breaks off
 * counts as one failed test more.
 */
function run(file: string, lane: number): Promise<Result> {
  const child = spawn(process.execPath, [join(root, 'one.js'), file], {
    env: { ...process.env, FORCE_COLOR: '0', WAYPOST_SEED: String(SEED), WAYPOST_TEST_PORTS: shareOf(lane, jobs) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const pid = child.pid as number;
  running.add(pid);
  const output: Buffer[] = [];
  const timers = [setTimeout(() => endGroup(pid), LIMIT)];
  child.stdout.on('data', (chunk: Buffer) => {
    output.push(chunk);
    if (LAST_LINE.test(chunk.toString())) timers.push(setTimeout(() => endGroup(pid), GRACE));
  });
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  child.on('exit', () => endGroup(pid));
  return new Promise((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(pid);
      timers.forEach(clearTimeout);
      // A dot for each test that passed would be most of it.
      const text = Buffer.concat(output).toString().replaceAll(DOT, '');
      const count = (label: string): number => Number(new RegExp(`^ *${label}: *(\\d+)`, 'm').exec(text)?.[1] ?? 0);
      const counted = { total: count('Total'), passed: count('Passed'), skipped: count('Skipped') };
      // A file that lacks its peer may say so and run nothing.
      const isLeftOut = counted.total === 0 && counted.skipped === 0 && /^skipped: /im.test(text);
      const result = isLeftOut ? { ...counted, skipped: 1 } : counted;
      const isWhole = code === 0 && result.passed === result.total && result.total + result.skipped > 0;
      process.stdout.write(`\n${text.trim()}\n`);
      if (signal !== null) process.stdout.write(`${file} did not end by itself: ${signal}\n`);
      if (!isWhole) failed.push({ file, text });
      // Every test may have passed before something broke the process.
      const broken = !isWhole && result.passed === result.total;
      resolve(broken ? { ...result, total: result.total + 1 } : result);
    });
  });
}

const queue = [...files];
await Promise.all(
  Array.from({ length: jobs }, async (_, lane) => {
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const begun = performance.now();
      const { total, passed, skipped } = await run(file, lane);
      times.push({ file, seconds: Math.round((performance.now() - begun) / 1000) });
      sums.total += total;
      sums.passed += passed;
      sums.skipped += skipped;
    }
  }),
);
for (const { file, text } of failed) {
  const cut = text.length > MOST ? `[…]\n${text.slice(-MOST)}` : text;
  const again = `WAYPOST_SEED=${SEED} node dist/test/one.js ${file}`;
  process.stdout.write(`\nFAILED ${file}; once more: ${again}\n${cut.trim()}\n`);
}
const took = ((performance.now() - started) / 1000).toFixed(0);
process.stdout.write(
  `\n  Total:     ${sums.total}\n  Passed:    ${sums.passed}\n  Skipped:   ${sums.skipped}\n  Duration:  ${took} s, ${files.length} files\n`,
);
times.sort((a, b) => b.seconds - a.seconds);
const longest = times.slice(0, SHOWN).map(({ file, seconds }) => `${file} ${seconds} s`);
if (times.length > 1) process.stdout.write(`  Longest:   ${longest.join(', ')}\n`);
if (failed.length > 0) {
  const names = failed.map(({ file }) => file).join(', ');
  process.stdout.write(`  Failed:    ${names}\n  Seed:      WAYPOST_SEED=${SEED} repeats what was generated\n`);
}
process.exitCode = failed.length > 0 || files.length === 0 ? 1 : 0;

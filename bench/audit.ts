/**
 * `npm run bench:audit -- [--quick] [--rounds N]`: the audit of packages of three sizes beside Mozilla's addons-linter on the same sources, in turns; the API's latency while ten audits run; memory
 * on a bomb. What each figure means stands in README.md beside this file.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Measured, measureCommand } from './audit/command.ts';
import { measureBomb, measureLatency } from './audit/daemon.ts';
import { installLinter } from './audit/linter.ts';
import { SIZES, writePackages } from './audit/sources.ts';
import { table } from './dns/report.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions } from './options.ts';
import { percentile } from './writes/statistics.ts';

const options = readOptions({
  command: 'npm run bench:audit --',
  about: "The audit of packages beside Mozilla's addons-linter, the API's latency beside audits, and memory on a bomb.",
  options: { quick: COMMON.quick, rounds: COMMON.rounds },
});
const rounds = options.rounds ?? (options.quick ? 1 : 5);
const sizes = options.quick ? SIZES.slice(0, 2) : SIZES;
/** What has to be reached. */
const GOAL = { ratio: 5, latencyP99: 20 } as const;

const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);
const folder = join(work, 'audit');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const main = join(import.meta.dirname, '../main.js');
const linter = installLinter(join(work, 'addons-linter'));
if (linter === null) say('addons-linter could not be installed: its column is left out');

const median = (found: readonly Measured[], of: keyof Measured) =>
  percentile(
    found.map((one) => one[of]),
    50,
  );
const rows: string[][] = [];
let missed = 0;
for (const { name, bytes } of sizes) {
  const { own, extension } = await writePackages(folder, name, bytes);
  const [ours, theirs]: Measured[][] = [[], []];
  for (let round = 0; round < rounds; round++) {
    ours.push(measureCommand([process.execPath, main, 'pkg', 'lint', own]));
    if (linter !== null) theirs.push(measureCommand([process.execPath, linter, extension, '--output', 'json']));
  }
  const figures = (found: readonly Measured[]) =>
    found.length === 0 ? ['', ''] : [median(found, 'seconds').toFixed(2), median(found, 'cpu').toFixed(2)];
  const ratio = theirs.length === 0 ? 0 : median(theirs, 'cpu') / median(ours, 'cpu');
  if (theirs.length > 0 && ratio < GOAL.ratio) missed++;
  rows.push([name, ...figures(ours), ...figures(theirs), ratio === 0 ? '' : `${ratio.toFixed(1)} ×`]);
  say(rows[rows.length - 1].join('  '));
}

const latency = await measureLatency(folder, options.quick ? 200_000 : 5_000_000);
const bomb = await measureBomb(folder);
if (latency.p99 > GOAL.latencyP99) missed++;
process.stdout.write(
  [
    describeMachine(),
    '',
    table(['package', 'Waypost s', 'CPU s', 'addons-linter s', 'CPU s', 'CPU ratio'], rows),
    '',
    `The API while ten audits run (${latency.requests} requests): p50 ${latency.p50.toFixed(1)} ms, p99 ${latency.p99.toFixed(1)} ms; at rest p99 ${latency.restP99.toFixed(1)} ms.`,
    `A bomb of ${bomb.packed} bytes packed: ${bomb.status}; the daemon's memory rose by ${bomb.grownMb} MB at most.`,
    '',
  ].join('\n'),
);
process.exitCode = missed > 0 && !options.quick ? 1 : 0;

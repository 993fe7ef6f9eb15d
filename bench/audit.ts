/**
 * `npm run bench:audit`: the audit of packages of three sizes and Mozilla's addons-linter on the
 * same sources, in turns; apps with widely used libraries; the API's latency while ten audits run;
 * memory on a bomb. docs/internals/benchmarks.md says what each figure means.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { COLUMNS, cells, compare, ratios } from './audit/beside.ts';
import { measureBomb } from './audit/daemon.ts';
import { LOADS, latencyTable, latencyText, measureLatency } from './audit/latency.ts';
import { installLibraries } from './audit/libraries/apps.ts';
import {
  type AuditedLibrary,
  auditLibraries,
  LIBRARY_COLUMNS,
  librariesText,
  libraryCells,
} from './audit/libraries/measure.ts';
import { installLinter } from './audit/linter.ts';
import { SIZES } from './audit/sources.ts';
import { table } from './dns/report.ts';
import { describeMachine } from './machine.ts';
import { COMMON, readOptions } from './options.ts';

const PARTS = ['linter', 'libraries', 'latency', 'bomb'] as const;
const options = readOptions({
  command: 'npm run bench:audit --',
  about:
    "The audit of packages next to Mozilla's addons-linter, apps with libraries, the API's latency next to audits, and memory on a bomb.",
  options: { ...COMMON, only: { kind: 'choices', value: 'PART', of: PARTS, help: 'this part only' } },
});
const rounds = options.rounds ?? (options.quick ? 1 : 5);
const does = (part: (typeof PARTS)[number]) => options.only === undefined || options.only.includes(part);
const sizes = !does('linter') ? 0 : options.quick ? 2 : SIZES.length;
const loads = !does('latency') ? [] : options.quick ? LOADS.slice(0, 2) : LOADS;
/** What has to be reached. */
const GOAL = { ratio: 5, latencyP99: 20, accepted: 0.9, findings: 5 } as const;

const work = process.env.BENCH_DIR ?? join(tmpdir(), 'waypost-bench');
const say = (line: string) => process.stderr.write(`${line}\n`);
const folder = join(work, 'audit');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const linter = does('linter') ? installLinter(join(work, 'addons-linter')) : null;
const rows: string[][] = [];
let missed = 0;
for await (const compared of compare(folder, linter, sizes, rounds)) {
  const ratio = ratios(compared);
  if (ratio !== undefined && Math.min(ratio.time, ratio.cpu) < GOAL.ratio) missed++;
  rows.push(cells(compared));
  say(rows[rows.length - 1].join('  '));
}

const libraries: AuditedLibrary[] = [];
if (does('libraries') && installLibraries(join(work, 'libraries'))) {
  for await (const library of auditLibraries(join(work, 'libraries'), rounds)) {
    libraries.push(library);
    say(libraryCells(library).join('  '));
  }
  const accepted = libraries.filter(({ verdict }) => verdict !== 'rejected');
  if (accepted.length < GOAL.accepted * libraries.length) missed++;
  if (accepted.some(({ findings }) => findings.length > GOAL.findings)) missed++;
}

const latencies = [];
for (const load of loads) {
  const latency = await measureLatency(folder, load, options.seconds ?? (options.quick ? 1 : 5));
  latencies.push(latency);
  if (
    latency.calls.some(
      ({ p99, wrong }) => wrong > 0 || (load.sources > 0 && load.assets === 0 && p99 > GOAL.latencyP99),
    )
  )
    missed++;
  say(latencyText(latency));
}
const bomb = does('bomb') ? await measureBomb(folder) : null;
const sections = [
  describeMachine(),
  sizes > 0 && table(COLUMNS, rows, 2),
  libraries.length > 0 && `${table(LIBRARY_COLUMNS, libraries.map(libraryCells), 2)}\n\n${librariesText(libraries)}`,
  loads.length > 0 && `${latencyTable(latencies)}\n\n${latencies.map(latencyText).join('\n')}`,
  bomb &&
    `A bomb of ${bomb.packed} bytes packed: ${bomb.status}; the daemon's memory rose by ${bomb.grownMb} MB at most.`,
];
process.stdout.write(`${sections.filter(Boolean).join('\n\n')}\n`);
process.exitCode = missed > 0 && !options.quick ? 1 : 0;

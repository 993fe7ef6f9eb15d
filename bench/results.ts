/**
 * Results of benchmarks: bench/results/NAME.json has the runs of the benchmark NAME, oldest first.
 * `npm run results` writes bench/RESULTS.md from them.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { revision } from './machine.ts';
import { readOptions } from './options.ts';

export interface Run {
  readonly command: string;
  /** What the rows have in common, where the command does not say it. */
  readonly title?: string;
  /** Missing where it was not recorded. */
  readonly revision?: string;
  /** YYYY-MM-DD */
  readonly date: string;
  /** A letter of MACHINES, or a description. */
  readonly machine: string;
  /** Conditions of the run, and explanations of its figures. */
  readonly notes?: readonly string[];
  readonly rows: readonly Row[];
}

/** A measurement. A later one with the same name and peer replaces it on the page. */
export interface Row {
  readonly name: string;
  /** Waypost's figure and the peer's. */
  readonly ours?: number;
  readonly peer?: string;
  readonly theirs?: number;
  readonly unit?: string;
  /** CPU time a query or request, µs. */
  readonly cpu?: number;
  readonly peerCpu?: number;
  /** Median, lowest and highest of the rounds; above 1 where Waypost is better. */
  readonly ratio?: readonly number[];
  /** `cpu` where the ratio is that of CPU time instead of the rate. */
  readonly by?: 'cpu';
  readonly goal?: string;
  readonly reached?: boolean;
  readonly note?: string;
  /** Other figures, by what they are. */
  readonly figures?: Readonly<Record<string, number | string>>;
}

const MACHINES: Readonly<Record<string, string>> = {
  A: '2 × Intel Xeon, 24 GB, Linux 6.18, Node 20.20.2',
  B: '2 × AMD EPYC, 24 GB, Linux 6.18, Node 20.20.2; its speed varies by a third',
};

/** The rows of the page, `name` or `name / peer`. A row that misses its goal is on it as well. */
const PAGE: Readonly<Record<string, readonly string[]>> = {
  dns: [
    ...['mix / Knot', 'mix-nxdomain / Knot', 'big / Knot', 'tcp-once / Knot'],
    ...['tcp-pipelined / Knot', 'dot / NSD', 'dnssec-nxdomain / Knot', 'signing 100,000 names'],
  ],
  start: ['first answer, 200,000 zones'],
  memory: ['at rest below 1 GB: DNS and API', 'at rest below 1 GB: with the edge'],
  writes: [
    'import of 1,003,000 records in 1,000 zones',
    'API answer to UDP answer, 1,000 creations',
    '32 writers, 32 zones, 10 s',
  ],
  api: ['list / PowerDNS', 'create / PowerDNS', 'PATCH of one RRset, synced / PowerDNS'],
  cluster: ['write: request to answer, served by all four', 'join: 1,003,000 records'],
  h2: ['ready / nginx', 'ready-64 / nginx', 'large / nginx', 'handshake / nginx', 'resumed / nginx'],
  edge: [
    ...['hit / nginx', 'hit / HAProxy', 'hit / Varnish + hitch', 'hit-h1 / nginx', 'proxied / nginx'],
    ...['proxied / HAProxy', 'download / nginx', 'upload / nginx', 'grpc-unary / nginx', 'grpc-unary / HAProxy'],
  ],
  audit: ['1 MB, command / addons-linter'],
  background: ['event from the queue to the result, median'],
  simulator: ['save to reloaded, app of 1 MB, median'],
  dashboard: ['largest contentful paint of 100 records at 1.6 Mbit/s'],
  secondary: ['NOTIFY until all four nodes serve the change, median of 29'],
  restore: ['restore to first answer, encrypted'],
  rolling: ['queries', 'writes'],
  soak: ['node a: own memory'],
};

const FOLDER = fileURLToPath(new URL('../../bench/results', import.meta.url));
const PAGE_FILE = join(FOLDER, '../RESULTS.md');

const keyOf = ({ name, peer }: Row): string => (peer === undefined ? name : `${name} / ${peer}`);

export const benchmarks = (): string[] => readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));

export const readRuns = (benchmark: string): Run[] =>
  JSON.parse(readFileSync(join(FOLDER, `${benchmark}.json`), 'utf8')) as Run[];

/** The page. Throws where a listed row does not exist. */
export function resultsMarkdown(): string {
  const lines = Object.entries(PAGE).flatMap(([benchmark, listed]) => {
    const latest = new Map<string, { run: Run; row: Row }>();
    for (const run of readRuns(benchmark)) for (const row of run.rows) latest.set(keyOf(row), { run, row });
    const missed = [...latest].filter(([key, { row }]) => row.reached === false && !listed.includes(key));
    return [...listed, ...missed.map(([key]) => key)].map((key) => {
      const found = latest.get(key);
      if (found === undefined) throw new Error(`bench/results/${benchmark}.json has no row "${key}".`);
      return rowMarkdown(benchmark, found.run, found.row);
    });
  });
  const others = benchmarks().filter((benchmark) => PAGE[benchmark] === undefined);
  return `# Results

The latest figures of the rows that matter most, and of all that miss their goal. \`npm run results\`
writes this page from [bench/results](results), where all figures are, with command, conditions and
explanations. [docs/internals/benchmarks](../docs/internals/benchmarks.md) explains the rows.

${Object.entries(MACHINES)
  .map(([letter, text]) => `- Machine **${letter}**: ${text}`)
  .join('\n')}
- Peers: Knot 3.2.6, NSD 4.6.1, PowerDNS 4.7.3, nginx 1.22.1, HAProxy 2.6.12, Varnish 7.1.1 with
  hitch, etcd 3.4.23, addons-linter 10.14.0; each server has one core.
- Ratio: Waypost over the peer, median of the rounds (lowest–highest). Above 1 Waypost is better.

| bench | row | Waypost | peer | ratio | goal | reached | measured |
|---|---|---|---|---|---|---|---|
${lines.join('\n')}

Only in bench/results:
${others.map((benchmark) => `[${benchmark}](results/${benchmark}.json)`).join(',\n')}.
`;
}

function rowMarkdown(benchmark: string, run: Run, row: Row): string {
  const { ours, peer, theirs, unit, cpu, peerCpu, ratio, by, goal, reached, note, figures } = row;
  const numbers = figures === undefined ? [] : Object.entries(figures).map(([name, value]) => `${name} ${value}`);
  const own = [figure(ours, unit), figure(cpu, 'µs of CPU')].filter((text) => text !== '');
  const theirOwn = [figure(theirs), figure(peerCpu, 'µs')].filter((text) => text !== '');
  const cells = [
    `[${benchmark}](results/${benchmark}.json)`,
    row.name,
    own.length > 0 ? own.join(', ') : (note ?? (peer === undefined ? numbers.join(', ') : '')),
    peer === undefined ? '' : `${peer} ${theirOwn.join(', ')}`.trim(),
    ratio === undefined ? '' : `${range(ratio)}${by === 'cpu' ? ' of CPU' : ''}`,
    goal ?? '',
    reached === undefined ? '' : reached ? 'yes' : 'no',
    [run.date, run.machine, run.revision ?? ''].filter((text) => text !== '').join(', '),
  ];
  return `| ${cells.join(' | ')} |`;
}

const figure = (value: number | undefined, unit = ''): string =>
  value === undefined ? '' : `${value.toLocaleString('en')} ${unit}`.trim();

const range = ([median, low, high]: readonly number[]): string =>
  low === undefined ? median.toFixed(2) : `${median.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;

/** Appends a run of today at this revision, and rewrites the page. */
export function saveRun(benchmark: string, command: string, rows: readonly Row[]): void {
  const machine = `${cpus().length} × ${cpus()[0]?.model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, Node ${process.versions.node}`;
  const run: Run = { command, revision: revision(), date: new Date().toISOString().slice(0, 10), machine, rows };
  const file = join(FOLDER, `${benchmark}.json`);
  writeFileSync(file, runsText([...(existsSync(file) ? readRuns(benchmark) : []), run]));
  writeFileSync(PAGE_FILE, resultsMarkdown());
}

/** JSON with a line for each row. */
export function runsText(runs: readonly Run[]): string {
  const texts = runs.map(({ rows, ...head }) => {
    const fields = Object.entries(head).map(([name, value]) => `    "${name}": ${JSON.stringify(value)},\n`);
    const lines = rows.map((row) => `      ${JSON.stringify(row)}`);
    return `  {\n${fields.join('')}    "rows": [\n${lines.join(',\n')}\n    ]\n  }`;
  });
  return `[\n${texts.join(',\n')}\n]\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  readOptions({ command: 'npm run results --', about: 'Writes bench/RESULTS.md from bench/results.', options: {} });
  for (const benchmark of benchmarks()) writeFileSync(join(FOLDER, `${benchmark}.json`), runsText(readRuns(benchmark)));
  writeFileSync(PAGE_FILE, resultsMarkdown());
}

/** bench/results and the page that is made from it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { benchmarks, readRuns, resultsMarkdown, runsText } from '../../bench/results.ts';
import { ROOT } from './docs/pages.ts';

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

const RUN_FIELDS = ['command', 'title', 'revision', 'date', 'machine', 'notes', 'rows'];
const ROW_FIELDS = [
  ...['name', 'ours', 'peer', 'theirs', 'unit', 'cpu', 'peerCpu', 'ratio', 'by', 'goal', 'reached', 'note', 'figures'],
];
const NUMBERS = ['ours', 'theirs', 'cpu', 'peerCpu'];

test('bench/RESULTS.md is what npm run results makes', () => {
  assert.is(read('bench/RESULTS.md'), resultsMarkdown(), 'run "npm run results"');
});

test('the page of results has at most 80 lines', () => {
  assert.ok(read('bench/RESULTS.md').split('\n').length <= 80);
});

for (const benchmark of benchmarks())
  test(`bench/results/${benchmark}.json has runs in order, in the form that is documented`, () => {
    const runs = readRuns(benchmark);
    assert.is(read(`bench/results/${benchmark}.json`), runsText(runs), 'run "npm run results"');
    assert.equal(
      runs.map(({ date }) => date),
      runs.map(({ date }) => date).sort(),
    );
    for (const run of runs) {
      assert.equal(
        Object.keys(run).filter((key) => !RUN_FIELDS.includes(key)),
        [],
      );
      assert.match(run.date, /^\d{4}-\d\d-\d\d$/);
      assert.ok(run.command.length > 0 && run.machine.length > 0 && run.rows.length > 0);
      for (const row of run.rows) {
        assert.equal(
          Object.keys(row).filter((key) => !ROW_FIELDS.includes(key)),
          [],
          row.name,
        );
        for (const [field, value] of Object.entries(row))
          if (NUMBERS.includes(field)) assert.type(value, 'number', `${row.name}: ${field}`);
        const { ratio } = row;
        assert.ok(ratio === undefined || ((ratio.length === 1 || ratio.length === 3) && ratio.every(Number.isFinite)));
        assert.ok(row.reached === undefined || row.goal !== undefined, `${row.name}: reached without a goal`);
      }
    }
  });

test('each row of figures in README.md is from one run of its date', () => {
  const [, section] = read('README.md').split('## How fast');
  const rows = section
    .split('\n## ')[0]
    .split('\n')
    .filter((line) => /^\| .*\d{4}-\d\d-\d\d \|$/.test(line));
  assert.is(rows.length, 5);
  for (const row of rows) {
    const [, , ours, peer, , date] = row.split('|').map((cell) => cell.trim());
    const figures = `${ours} ${peer}`.match(/(?<![\w.])\d[\d,.]*/g)?.map((text) => text.replaceAll(',', '')) ?? [];
    assert.ok(figures.length > 0, row);
    const runs = benchmarks()
      .flatMap(readRuns)
      .filter((run) => run.date === date)
      .map((run) => JSON.stringify(run));
    assert.ok(
      runs.some((run) => figures.every((figure) => run.includes(figure))),
      `no run of ${date} has ${figures.join(', ')}`,
    );
  }
});

test.run();

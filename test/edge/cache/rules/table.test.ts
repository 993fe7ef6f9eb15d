/** Runs the table of caching on the model, which consists of the rules only. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type AskOrigin, createModel, SITE } from './model.ts';
import {
  answerFields,
  answersOf,
  bodyOf,
  checkStep,
  fieldList,
  type Observed,
  type Placeholders,
} from './table/check.ts';
import type { Row } from './table/row.ts';
import { TABLE } from './table/table.ts';

const BEGIN = Date.UTC(2026, 2, 1, 12, 0, 0);
const BASE = '/row';
const PLACE: Placeholders = { begin: BEGIN, base: BASE, site: SITE };

function run(row: Row): void {
  let index = 0;
  let originRequests: { headers: readonly string[]; status: number | 'down' }[] = [];
  const askOrigin: AskOrigin = (method, _path, headers) => {
    const step = row.steps[index];
    const answers = answersOf(step);
    const answer = answers === 'down' ? undefined : answers[Math.min(originRequests.length, answers.length - 1)];
    originRequests.push({ headers, status: answer === undefined ? 'down' : (answer.status ?? 200) });
    if (answer === undefined) return undefined;
    return {
      status: answer.status ?? 200,
      headers: answerFields(answer, step, PLACE),
      body: method === 'HEAD' ? '' : bodyOf(answer, index),
    };
  };
  const model = createModel(askOrigin);
  for (; index < row.steps.length; index++) {
    const step = row.steps[index];
    originRequests = [];
    const { method = 'GET', path = '/', at = 0 } = step;
    const reply = model({ method, path: BASE + path, headers: fieldList(step.headers, PLACE), now: BEGIN + at * 1000 });
    const observed: Observed = { ...reply, originRequests };
    checkStep(row, index, observed, PLACE, true);
  }
}

test('the table has its size, and no duplicate rows', () => {
  assert.ok(TABLE.length >= 250, `${TABLE.length} rows`);
  const names = TABLE.map(({ section, name }) => `${section} ${name}`);
  assert.equal(
    names.filter((name, i) => names.indexOf(name) !== i),
    [],
  );
});

/** The project's folder; compiled tests are in dist/test/edge/cache/rules. */
const readSource = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../../../${path}`, import.meta.url)), 'utf8');

/** Cases of the public suite, in the parentheses that end a title. */
const casesOf = (titles: readonly string[]): string[] =>
  titles.flatMap((title) => / \(([^()]+)\)$/.exec(title)?.[1].split(', ') ?? []);

test('the cases of the public suite in the docs and the rows correspond', () => {
  const section = readSource('docs/internals/cache.md').split('\n## Cases of the public suite\n')[1].split('\n## ')[0];
  const documented = [...section.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name),
  );
  assert.ok(documented.length >= 30, `${documented.length} cases`);
  // A response whose end is unknown never gets to the cache.
  const malformed = readSource('test/edge/origin/malformed.test.ts');
  const refused = [...malformed.matchAll(/^ {2}\['([^']+)', /gm)].map(([, title]) => title);
  const tested = casesOf([...TABLE.map(({ name }) => name), ...refused]);
  const isNamedBy = (name: string, pattern: string): boolean =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
  assert.equal(
    documented.filter((pattern) => !tested.some((name) => isNamedBy(name, pattern))),
    [],
    'no row has these cases in its title',
  );
  assert.equal(
    tested.filter((name) => !documented.some((pattern) => isNamedBy(name, pattern))),
    [],
    'docs/internals/cache.md does not name these cases',
  );
});

for (const row of TABLE) test(`${row.section}: ${row.name}`, () => run(row));

test.run();

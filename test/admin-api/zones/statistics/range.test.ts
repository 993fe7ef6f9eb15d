/** The range and the step of a request for statistics. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { queryReader } from '../../../../admin-api/http/query.ts';
import { formatTime } from '../../../../admin-api/http/time.ts';
import { readRange, statisticsQuery } from '../../../../admin-api/zones/statistics/range.ts';
import type { InvalidError } from '../../../../core/base/errors.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const NOW = 1_790_000_000;

const readQuery = queryReader(statisticsQuery);
const read = (parameters: Record<string, string>) => readRange(readQuery(new URLSearchParams(parameters)), NOW);
const from = (age: number): string => formatTime(NOW - age);

const test = suite('statistics range');

test('the default is the last 24 hours in steps of 5 minutes', () => {
  const { from: start, to, step } = read({});
  assert.is(step, 300);
  assert.is(start % 300, 0);
  assert.is(to % 300, 0);
  assert.ok(start <= NOW - DAY && start > NOW - DAY - 300);
  assert.ok(to >= NOW && to < NOW + 300);
});

test('the default step depends on the range', () => {
  for (const [age, step] of [
    [HOUR, 60],
    [6 * HOUR, 300],
    [DAY, 300],
    [7 * DAY, 3600],
    [30 * DAY, 21_600],
  ])
    assert.is(read({ from: from(age) }).step, step, String(age));
  assert.is(read({ from: from(30 * DAY), step: '3600' }).step, 3600);
});

test('what is invalid is reported with its parameter', () => {
  const cases: [Record<string, string>, string, string][] = [
    [{ from: 'yesterday' }, 'invalid_time', '/from'],
    [{ to: '2026-02-30 00:00:00' }, 'invalid_time', '/to'],
    [{ from: from(HOUR), to: from(HOUR) }, 'invalid_range', '/from'],
    [{ from: from(0), to: from(HOUR) }, 'invalid_range', '/from'],
    [{ from: from(32 * DAY) }, 'invalid_range', '/from'],
    [{ to: from(-2 * DAY) }, 'invalid_range', '/to'],
    [{ step: '61' }, 'invalid_step', '/step'],
    [{ step: '' }, 'invalid_step', '/step'],
    [{ from: from(6 * HOUR), step: '60' }, 'invalid_step', '/step'],
    [{ from: from(7 * DAY), step: '300' }, 'invalid_step', '/step'],
  ];
  for (const [parameters, code, pointer] of cases)
    try {
      read(parameters);
      assert.unreachable(JSON.stringify(parameters));
    } catch (error) {
      assert.equal([(error as InvalidError).code, (error as InvalidError).pointer], [code, pointer]);
    }
});

test.run();

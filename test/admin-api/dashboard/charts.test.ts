/** Charts: colours and sums of series, round axes, gaps, and time ranges. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toCsv } from '../../../admin-api/dashboard/charts/csv.ts';
import { timeTicks, valueTicks } from '../../../admin-api/dashboard/charts/scale.ts';
import {
  colourSeries,
  groupStatuses,
  knownCounts,
  ratesOf,
  type Series,
  sumSeries,
  totalOf,
} from '../../../admin-api/dashboard/charts/series.ts';
import { relativeTime } from '../../../admin-api/dashboard/relative-time.ts';
import {
  changeOf,
  formatTime,
  parseTime,
  rangeBefore,
  readRange,
} from '../../../admin-api/dashboard/statistics/range.ts';

const test = suite('charts');

const NOW = Date.parse('2026-05-03T10:07:30Z') / 1000;

test('a name has the same colour in every chart, whatever is next to it', () => {
  const series = (...names: string[]): Series[] => names.map((name) => ({ name, values: [1] }));
  const hueIn = (name: string, all: Series[]) => colourSeries(all, 'Others').find((one) => one.name === name)?.hue;
  assert.is(hueIn('AAAA', series('AAAA')), hueIn('AAAA', series('A', 'MX', 'AAAA')));
  assert.is(hueIn('5xx', series('5xx', '2xx')), 'red');
  assert.is.not(hueIn('SRV', series('SRV', 'A')), hueIn('A', series('SRV', 'A')));
});

test('series for which no colour is left are one series with their sums', () => {
  const names = ['A', 'AAAA', 'HTTPS', 'MX', 'TXT', 'NS', 'SRV', 'CAA', 'PTR'];
  const coloured = colourSeries(
    names.map((name) => ({ name, values: [1, null] })),
    'Others',
  );
  assert.equal(
    coloured.map(({ name }) => name),
    [...names.slice(0, 7), 'Others'],
  );
  assert.is(new Set(coloured.map(({ hue }) => hue)).size, coloured.length);
  assert.equal(coloured.at(-1)?.values, [2, null]);
});

test('statuses are summed by their class', () => {
  const statuses = [
    { name: '404', values: [1, 2] },
    { name: '200', values: [5, null] },
    { name: '403', values: [1, null] },
  ];
  assert.equal(groupStatuses(statuses), [
    { name: '2xx', values: [5, null] },
    { name: '4xx', values: [2, 2] },
  ]);
  assert.equal(sumSeries([]), []);
  assert.is(totalOf({ values: [1, null, 2] }), 3);
});

test('steps in the future and before the domain are gaps, and a rate needs a whole step', () => {
  const steps = { from: NOW - (NOW % 60) - 120, step: 60 };
  const known = knownCounts([0, 60, 120, 0], steps, NOW, steps.from + 90);
  assert.equal(known, [null, 60, 120, null]);
  assert.equal(ratesOf(known, steps, NOW), [null, 1, null, null]);
});

test('axes begin at zero and end at a round value', () => {
  assert.equal(valueTicks(0, 'count'), [0, 1]);
  assert.equal(valueTicks(3, 'count'), [0, 1, 2, 3]);
  assert.equal(valueTicks(1873, 'count'), [0, 500, 1000, 1500, 2000]);
  assert.equal(valueTicks(0.7, 'rate'), [0, 0.2, 0.4, 0.6000000000000001, 0.8]);
  assert.equal(valueTicks(1500, 'bytes'), [0, 512, 1024, 1536]);
  assert.equal(valueTicks(0.3, 'share'), [0, 0.25, 0.5, 0.75, 1]);
  for (const greatest of [1, 7, 10, 99, 1001, 123_456]) {
    const ticks = valueTicks(greatest, 'count');
    assert.ok((ticks.at(-1) ?? 0) >= greatest && ticks.length <= 6, `${greatest}: ${ticks}`);
  }
});

test('ticks of times are at most so many', () => {
  const { interval, times } = timeTicks(NOW - 86_400, NOW, 8);
  assert.is(interval, 3 * 3600);
  assert.ok(times.length <= 9);
  assert.is(timeTicks(NOW - 400 * 86_400, NOW, 5).times.length <= 6, true);
});

test('an address names a range, and one that is not kept is the default', () => {
  const read = (query: string) => readRange(new URLSearchParams(query), NOW);
  assert.equal(read('range=1h'), { name: '1h', from: NOW - 30 - 3540, to: NOW + 30, step: 60 });
  assert.is(read('range=forever').name, '24h');
  assert.equal(read(`from=${NOW - 1200}&to=${NOW - 600}`), {
    ...{ name: null, from: NOW - 1200, to: NOW - 600, step: 60 },
  });
  assert.is(read(`from=${NOW - 5 * 86_400}&to=${NOW - 4 * 86_400}`).step, 3600);
  assert.is(read(`from=${NOW - 50 * 86_400}&to=${NOW}`).name, '24h');
  assert.is(read(`from=${NOW}&to=${NOW}`).name, '24h');
});

test('a range is compared with the one before as long as that is kept', () => {
  const day = readRange(new URLSearchParams(), NOW);
  assert.equal(rangeBefore(day, NOW), { from: day.from - 86_400, to: day.from, step: 900 });
  assert.is(rangeBefore(readRange(new URLSearchParams('range=30d'), NOW), NOW), null);
  assert.is(changeOf(200, 250), 25);
  assert.is(changeOf(0, 5), null);
  assert.is(parseTime(formatTime(NOW)), NOW);
});

test('figures are CSV, and no cell is a formula', () => {
  const series = [
    { name: '=SUM(A1)', hue: 'blue', values: [1, null, 3] },
    { name: 'a "b", c', hue: 'green', values: [0.5, null, null] },
  ] as const;
  assert.is(
    toCsv(series, { from: NOW - 30, step: 60 }, (name) => name),
    `time,'=SUM(A1),"a ""b"", c"\r\n2026-05-03T10:07:00Z,1,0.5\r\n2026-05-03T10:09:00Z,3,\r\n`,
  );
});

test('a time is said as people say it', () => {
  assert.is(relativeTime(-5), 'just now');
  assert.is(relativeTime(-90), '1 minute ago');
  assert.is(relativeTime(-7300), '2 hours ago');
  assert.is(relativeTime(-86_400), 'yesterday');
  assert.is(relativeTime(3 * 86_400), 'in 3 days');
});

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Measured } from '../../../bench/dns/drivers.ts';
import { FLOOR } from '../../../bench/dns/floor.ts';
import { ownVerdicts, verdicts } from '../../../bench/dns/report.ts';
import { median, ratios } from '../../../bench/dns/rounds.ts';
import { allRows } from '../../../bench/dns/rows.ts';
import { percentile } from '../../../bench/writes/statistics.ts';

const at = (qps: number, wrong = 0): Measured => ({
  qps,
  cpuMicros: 2,
  lost: 0,
  wrong,
  wrongAnswer: null,
  serverBusy: 1,
  loadBusy: 1,
  either: false,
});
const figures = (ours: Measured[], knot: Measured[]) => ({
  batching: new Map([
    ['Waypost', ours],
    ['Knot', knot],
  ]),
  dnsperf: new Map(),
});
const nxdomain = allRows(true).find(({ id }) => id === 'mix-nxdomain')!;
const met = (ours: Measured[], knot: Measured[]) =>
  verdicts({ row: nxdomain, subject: 'Waypost', figures: figures(ours, knot) })[0].met;

test('own CPU time is taken beyond the floor of the same round, and compared with its goal', () => {
  const mix = allRows(true).find(({ id }) => id === 'mix')!;
  const micros = (...values: number[]) => values.map((cpuMicros) => ({ ...at(100), cpuMicros }));
  const own = (ours: Measured[], knot: Measured[], floor: Measured[]) => {
    const batching = new Map([
      ['Knot', knot],
      [FLOOR, floor],
      ['Waypost', ours],
    ]);
    return ownVerdicts({ row: mix, subject: 'Waypost', figures: { batching, dnsperf: new Map() } });
  };
  assert.equal(own(micros(3.5, 4.5), micros(4.2, 5.2), micros(3, 4)), [
    { text: '| mix | 3.50 | Knot | 1.20 | 0.42 | 0.5 | yes |', met: true },
    { text: '| mix | 3.50 | Waypost | 0.50 |  |  |  |', met: null },
  ]);
  assert.is(own(micros(3.7), micros(4.2), micros(3))[0].met, false);
  const disturbed = [{ ...at(100), serverBusy: 0.5 }];
  assert.is(own(disturbed, micros(4.2), micros(3))[0].met, false);
  assert.equal(own(micros(3.7), micros(4.2), []), []);
});

test('median of odd and even counts', () => {
  assert.is(median([3, 1, 2]), 2);
  assert.is(median([4, 1, 2, 3]), 2.5);
});

test('percentiles by nearest rank', () => {
  const values = Array.from({ length: 100 }, (_, i) => 100 - i);
  assert.is(percentile(values, 50), 50);
  assert.is(percentile(values, 99), 99);
  assert.is(percentile(values, 100), 100);
  assert.is(percentile([5], 99), 5);
  assert.ok(Number.isNaN(percentile([], 50)));
});

test('ratios are taken round by round', () => {
  assert.equal(ratios(figures([at(300), at(100)], [at(200), at(50)]), 'Waypost', 'Knot'), [1.5, 2]);
  assert.equal(ratios(figures([at(300)], []), 'Waypost', 'Knot'), []);
});

test('a goal is met by the median, never with a wrong answer, and is open without a peer', () => {
  assert.is(met([at(130), at(126), at(90)], [at(100), at(100), at(100)]), true);
  assert.is(met([at(130), at(120), at(90)], [at(100), at(100), at(100)]), false);
  assert.is(met([at(130, 1)], [at(100)]), false);
  assert.is(
    verdicts({
      row: nxdomain,
      subject: 'Waypost',
      figures: { batching: new Map([['Waypost', [at(130)]]]), dnsperf: new Map() },
    })[0].met,
    null,
  );
});

test('a disturbed round counts for nothing, and a goal is not met by disturbed rounds alone', () => {
  const alone = { ...at(500), serverBusy: 0.5 };
  const spun = { ...at(20), loadBusy: 0.8, either: false };
  assert.equal(ratios(figures([alone, at(300), at(400)], [at(100), at(200), spun]), 'Waypost', 'Knot'), [1.5]);
  assert.is(met([alone], [at(100)]), false);
});

test.run();

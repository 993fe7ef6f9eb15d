import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Measured } from '../../../bench/edge/measured.ts';
import { ratioTable } from '../../../bench/edge/report.ts';
import { cpuRatios, isReached, type RowResult, ratios } from '../../../bench/edge/rounds.ts';

/** `busy`: of a core, the server's share. */
const at = (perSecond: number, cpuMicros: number, busy: number, wrong = 0): Measured => ({
  ...{ perSecond, cpuMicros, wrong },
  serverBusy: busy,
  loadBusy: 0.5,
});

function result(by: 'cpu' | undefined, ours: Measured[], theirs: Measured[]): RowResult {
  const row = {
    ...{ id: 'upload', text: 'an upload', goals: [{ peer: 'nginx', atLeast: 0.8, aim: 1 }] },
    ...(by === undefined ? {} : { by }),
    drive: () => Promise.reject(new Error('not driven')),
  };
  return {
    row,
    figures: new Map([
      ['Waypost', ours],
      ['nginx', theirs],
    ]),
  };
}

test('by speed, rounds in which a core was shared are left out', () => {
  const rowResult = result(undefined, [at(50, 10, 0.5), at(90, 10, 1)], [at(100, 9, 1), at(100, 9, 1)]);
  assert.equal(ratios(rowResult, 'nginx'), [0.9]);
  assert.is(isReached(rowResult), true);
  assert.is(isReached(result(undefined, [at(90, 10, 0.5)], [at(100, 9, 1)])), false, 'none is left');
});

test('by CPU all rounds count, however busy the cores were, and the slower one may have reached its goal', () => {
  const rowResult = result('cpu', [at(20, 10, 0.5), at(20, 10, 0.4)], [at(100, 9, 0.6), at(100, 8.5, 1)]);
  assert.equal(cpuRatios(rowResult, 'nginx'), [0.9, 0.85]);
  assert.is(isReached(rowResult), true);
  assert.match(ratioTable([rowResult]), /0\.88 \(0\.85–0\.90, 2\).*0\.8, 1 of CPU.*yes/);
  assert.is(isReached(result('cpu', [at(200, 10, 1)], [at(100, 7, 1)])), false, 'it takes too much');
  assert.is(isReached(result('cpu', [at(20, 10, 1, 1)], [at(20, 10, 1)])), false, 'a wrong answer');
});

test.run();

/** The runner ends a test that takes too long, names it, and goes on with the rest. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runFiles, slowSteps } from '../../runner/lane.ts';
import type { Outcome } from '../../runner/report.ts';
import { limitsOf } from '../../runner/watch.ts';
import { until } from '../../support/until.ts';
import { IDLE_MS } from './work.ts';

async function outcomesOf(names: readonly string[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const files = names.map((name) => `system/runner/${name}-program.js`);
  const limits = { idle: IDLE_MS, busy: 600_000 };
  await runFiles(files, { lane: 0, lanes: 8, limits: () => limits }, (outcome) => outcomes.push(outcome));
  assert.equal(
    outcomes.map(({ file }) => file),
    files,
  );
  return outcomes;
}

test('a test that waits for ever is named and counts as failed, and the next file runs', async () => {
  const outcomes = outcomesOf(['passing', 'hanging', 'passing']);
  await until(() => slowSteps(0).some((line) => line.includes('hanging-program.js: the test "waits for ever", ')));
  const [before, hanging, after] = await outcomes;
  assert.equal(slowSteps(0), []);
  for (const { isGreen, total, passed } of [before, after]) assert.equal([isGreen, total, passed], [true, 1, 1]);
  assert.equal([hanging.isGreen, hanging.total, hanging.passed], [false, 2, 1]);
  assert.match(hanging.output, `the test "waits for ever" did not end within ${IDLE_MS / 1000} s`);
});

test('a test that works, or waits for the processor, may take longer', async () => {
  const [{ isGreen, output }] = await outcomesOf(['working']);
  assert.ok(isGreen, output);
});

test('a unit test has a minute, one of the system ten; releases and full depth have no limit', () => {
  const full = process.env.WAYPOST_DEPTH === 'full';
  assert.is(limitsOf('core/dns/wire/name.test.js').idle, full ? Number.POSITIVE_INFINITY : 60_000);
  assert.is(limitsOf('system/cluster/ids.test.js').idle, full ? Number.POSITIVE_INFINITY : 600_000);
  assert.is(limitsOf('release/debian.test.js').idle, Number.POSITIVE_INFINITY);
});

test.run();

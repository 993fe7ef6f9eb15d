/** What a delegation is called, and when it is looked at again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DelegationRow } from '../../../../core/store/rows.ts';
import { delegationDueAt, delegations } from '../../../../core/store/rows.ts';
import { isSameDelegation, judgeDelegation, noteDelegation } from '../../../../core/upkeep/delegation/state.ts';

const test = suite('core/upkeep/delegation/state');

const NOW = 1_800_000_000;
const HOUR = 3600;
const EXPECTED = ['ns1.waypost.test', 'ns2.waypost.test'];
const [ONE, TWO] = EXPECTED;
const row = (...sets: string[][]): DelegationRow => ({
  ...{ domainId: 7, dueAt: NOW, zone: 'example', checkedAt: NOW, trouble: null },
  sets,
});

test('the state, with what is missing and what is too much', () => {
  for (const [sets, state, missing, extra] of [
    [[], 'unknown', [], []],
    [[[]], 'none', EXPECTED, []],
    [[[ONE, TWO]], 'live', [], []],
    [[[ONE]], 'partial', [TWO], []],
    [[[ONE, TWO, 'ns.other.test']], 'partial', [], ['ns.other.test']],
    [[['ns.other.test']], 'elsewhere', EXPECTED, ['ns.other.test']],
    // Servers of the parent that have not all followed a change.
    [[[ONE, TWO], []], 'partial', EXPECTED, []],
    [[[ONE, TWO], ['ns.other.test']], 'partial', EXPECTED, ['ns.other.test']],
  ] as const) {
    const judged = judgeDelegation(EXPECTED, row(...sets.map((set) => [...set])));
    assert.equal([judged.state, judged.missing, judged.extra], [state, missing, extra], JSON.stringify(sets));
    assert.equal(judged.seen, [...new Set(sets.flat())].sort());
  }
  assert.is(judgeDelegation(EXPECTED, undefined).state, 'unknown');
  assert.is(judgeDelegation(['NS1.Waypost.test', TWO], row([ONE, TWO])).state, 'live');
});

test('the next look: a day later when live, soon for new domains, and after a failure', () => {
  const of = (createdAt: number) => ({ domainId: 7, createdAt, expected: EXPECTED });
  const due = (createdAt: number, sets: string[][]) =>
    noteDelegation(of(createdAt), undefined, { zone: 'example', sets }, NOW).dueAt - NOW;
  assert.is(due(NOW, [[ONE, TWO]]), 24 * HOUR);
  assert.is(due(NOW - HOUR, [[]]), HOUR);
  assert.is(due(NOW - 100 * HOUR, [[]]), 12 * HOUR);
  assert.is(noteDelegation(of(0), undefined, { trouble: 'silence' }, NOW).dueAt - NOW, HOUR);
});

test('a failed look keeps what was seen before', () => {
  const before = noteDelegation(
    { domainId: 7, createdAt: 0, expected: EXPECTED },
    undefined,
    { zone: 'example', sets: [[ONE, TWO]] },
    NOW,
  );
  const after = noteDelegation({ domainId: 7, createdAt: 0, expected: EXPECTED }, before, { trouble: 'x' }, NOW + 50);
  assert.equal([after.sets, after.checkedAt, after.trouble, after.zone], [before.sets, NOW, 'x', 'example']);
  assert.is(judgeDelegation(EXPECTED, after).state, 'live');
  assert.is(isSameDelegation(before, after), false);
  assert.is(isSameDelegation(after, { ...after, dueAt: 1, checkedAt: 2 }), true);
  assert.is(isSameDelegation(undefined, after), false);
});

test('a row keeps its values, and a scan reads when it is due', () => {
  const stored = row([ONE], [ONE, TWO]);
  const value = delegations.encode(stored);
  assert.equal(delegations.decode(delegations.key(stored), value), stored);
  assert.is(delegationDueAt(value), NOW);
});

test.run();

/** Counters of rules on one node: revisions, and the number of domains that are kept. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_DOMAINS, RuleCounters } from '../../../../core/site/rules/counters.ts';

const test = suite('counters of rules');

test('counts of threads are added up from the first one of a revision', () => {
  let now = 100;
  const counters = new RuleCounters(() => now++);
  assert.is(counters.of(7, 1), undefined);
  counters.add({ domainId: '7', revision: 1, matched: [1, 2], stopped: [0, 1] });
  counters.add({ domainId: '7', revision: 1, matched: [10, 20], stopped: [0, 10] });
  counters.add({ domainId: '8', revision: 1, matched: [5], stopped: [5] });
  assert.equal(counters.of(7, 1), { revision: 1, since: 100, matched: [11, 22], stopped: [0, 11] });
  assert.equal(counters.of(8, 1), { revision: 1, since: 101, matched: [5], stopped: [5] });
});

test('a later revision begins with zero, and late counts of an earlier one are dropped', () => {
  const counters = new RuleCounters(() => 100);
  counters.add({ domainId: '7', revision: 1, matched: [9], stopped: [9] });
  assert.is(counters.of(7, 2), undefined);
  counters.add({ domainId: '7', revision: 2, matched: [1, 2], stopped: [0, 0] });
  counters.add({ domainId: '7', revision: 1, matched: [9], stopped: [9] });
  assert.is(counters.of(7, 1), undefined);
  assert.equal(counters.of(7, 2)?.matched, [1, 2]);
});

test('of too many domains, the one that was counted first is forgotten', () => {
  const counters = new RuleCounters();
  for (let id = 1; id <= MAX_DOMAINS + 1; id++)
    counters.add({ domainId: String(id), revision: 1, matched: [1], stopped: [0] });
  assert.is(counters.of(1, 1), undefined);
  assert.equal(counters.of(2, 1)?.matched, [1]);
  assert.equal(counters.of(MAX_DOMAINS + 1, 1)?.matched, [1]);
});

test.run();

/** The choice of origins and their ejection, against a slow reference. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { LONGEST, Pool, WINDOW } from '../../../../core/site/pools/pool.ts';
import { RetryBudget } from '../../../../core/site/pools/retry-budget.ts';
import { hashText } from '../../../../core/site/pools/sticky.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { ReferencePool } from './reference-pool.ts';

const RULE = { failures: 3, error_rate: 50, min_requests: 10, duration: 30 };
const targets = (...weights: number[]) => weights.map((weight, i) => ({ key: `https://o${i}.test:443`, weight }));
const counts = (pool: Pool, requests: number, now = 0): number[] => {
  const found = pool.targets.map(() => 0);
  for (let i = 0; i < requests; i++) found[pool.choose(0, -1, -1, now)]++;
  return found;
};
const fail = (pool: Pool, target: number, times: number, now: number): void => {
  for (let i = 0; i < times; i++) pool.record(target, true, now);
};

test('turns follow the weights exactly, without runs of one origin', () => {
  const pool = new Pool(targets(5, 1, 1), RULE);
  const order = Array.from({ length: 7 }, () => pool.choose(0, -1, -1, 0));
  assert.equal(order, [0, 0, 1, 0, 2, 0, 0]);
  assert.equal(counts(pool, 700), [500, 100, 100]);
});

test('an origin that is down, ejected or tried is not chosen', () => {
  const pool = new Pool(targets(1, 1, 1), RULE);
  pool.setDown(new Set(['https://o0.test:443']));
  fail(pool, 1, 3, 1000);
  assert.equal(counts(pool, 10, 1000), [0, 0, 10]);
  assert.is(pool.choose(1 << 2, -1, -1, 1000), 1, 'one that is only ejected is better than none');
  assert.is(pool.choose((1 << 2) | (1 << 1), -1, -1, 1000), -1);
  pool.setDown(new Set(pool.targets.map(({ key }) => key)));
  assert.is(pool.choose(0, -1, -1, 1000), -1, 'all are down');
});

test('an ejection ends, and lasts twice as long after the next failure', () => {
  const lengths: number[] = [];
  const pool = new Pool(targets(1, 1), RULE, { onEjected: (_, milliseconds) => lengths.push(milliseconds) });
  fail(pool, 0, 2, 0);
  pool.record(0, false, 0);
  fail(pool, 0, 2, 0);
  assert.not(pool.isEjected(0, 0), 'a success between them');
  let now = 0;
  for (let i = 0; i < 6; i++) {
    fail(pool, 0, 1, now);
    assert.ok(pool.isEjected(0, now));
    now += lengths.at(-1) as number;
    assert.not(pool.isEjected(0, now));
  }
  assert.equal(lengths, [30_000, 60_000, 120_000, 240_000, 30_000 * LONGEST, 30_000 * LONGEST]);
  pool.record(0, false, now);
  pool.record(0, false, now + 30_000);
  fail(pool, 0, 3, now + 30_000);
  assert.is(lengths.at(-1), 30_000, 'it has served well for a while');
});

test('a rate of errors ejects, once there are enough requests in a window', () => {
  const pool = new Pool(targets(1, 1), { ...RULE, failures: 1000 });
  for (let i = 0; i < 9; i++) pool.record(0, i % 2 === 0, i);
  assert.not(pool.isEjected(0, 9));
  pool.record(0, false, WINDOW + 1);
  for (let i = 0; i < 9; i++) pool.record(0, i % 2 === 0, WINDOW + 1);
  assert.ok(pool.isEjected(0, WINDOW + 1));
});

test('the only origin of a pool is never ejected', () => {
  const pool = new Pool(targets(1), RULE);
  fail(pool, 0, 100, 0);
  assert.not(pool.isEjected(0, 0));
  assert.is(pool.choose(0, -1, -1, 0), 0);
});

test('a cookie is followed also to an origin with the weight 0, which gets no new visitors', () => {
  const pool = new Pool(targets(0, 1), RULE);
  assert.equal(counts(pool, 10), [0, 10]);
  assert.is(pool.choose(0, -1, 0, 0), 0);
  pool.setDown(new Set(['https://o0.test:443']));
  assert.is(pool.choose(0, -1, 0, 0), 1);
});

test('by client: spread by weight, and only the clients of a lost origin move', () => {
  const pool = new Pool(targets(1, 2, 1), RULE);
  const clients = Array.from({ length: 4000 }, (_, i) => hashText(`192.0.2.${i}`));
  const before = clients.map((client) => pool.choose(0, client, -1, 0));
  const share = [0, 1, 2].map((target) => before.filter((chosen) => chosen === target).length / clients.length);
  for (const [i, expected] of [0.25, 0.5, 0.25].entries()) assert.ok(Math.abs(share[i] - expected) < 0.04, `${share}`);
  pool.setDown(new Set(['https://o1.test:443']));
  const after = clients.map((client) => pool.choose(0, client, -1, 0));
  for (const [i, target] of before.entries()) if (target !== 1) assert.is(after[i], target);
  assert.not(after.includes(1));
  pool.setDown(new Set());
  assert.equal(
    clients.map((client) => pool.choose(0, client, -1, 0)),
    before,
  );
});

test('agrees with the reference', () => {
  const step = fc.record({
    kind: fc.constantFrom('choose', 'choose', 'client', 'failure', 'failure', 'success', 'down'),
    target: fc.nat(3),
    number: fc.nat(15),
    pass: fc.constantFrom(0, 0, 1, 500, 9_999, 10_000, 29_999, 30_000, 120_000),
  });
  fc.assert(
    fc.property(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
      fc.record({ failures: fc.integer({ min: 1, max: 4 }), min_requests: fc.integer({ min: 1, max: 6 }) }),
      fc.array(step, { maxLength: 60 }),
      (weights, partial, steps) => {
        const rule = { ...RULE, ...partial };
        const pool = new Pool(targets(...weights), rule);
        const reference = new ReferencePool(targets(...weights), rule);
        let now = 0;
        for (const { kind, target, number, pass } of steps) {
          now += pass;
          const at = target % weights.length;
          if (kind === 'choose' || kind === 'client') {
            const client = kind === 'client' ? hashText(String(number)) : -1;
            const preferred = number % 3 === 0 ? at : -1;
            const tried = number & 7;
            assert.is(pool.choose(tried, client, preferred, now), reference.choose(tried, client, preferred, now));
          } else if (kind === 'down') {
            const keys = new Set(pool.targets.filter((_, i) => (number >> i) & 1).map(({ key }) => key));
            pool.setDown(keys);
            reference.down = keys;
          } else {
            pool.record(at, kind === 'failure', now);
            reference.record(at, kind === 'failure', now);
          }
        }
      },
    ),
    { numRuns: depth({ quick: 200, moderate: 2000, full: 50_000 }) },
  );
});

test('retries never exceed the reserve and their part of the requests', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.array(fc.record({ requests: fc.nat(200), retries: fc.nat(200), pass: fc.nat(3000) }), { maxLength: 30 }),
      (percent, steps) => {
        const budget = new RetryBudget(percent, 0);
        let [now, requests, retries] = [0, 0, 0];
        for (const step of steps) {
          now += step.pass;
          for (let i = 0; i < step.requests; i++) budget.countRequest();
          requests += step.requests;
          for (let i = 0; i < step.retries; i++) if (budget.takeRetry(now)) retries++;
          assert.ok(retries <= 10 + now / 1000 + (requests * percent) / 100 + 1e-6);
        }
      },
    ),
    { numRuns: depth({ quick: 100, moderate: 500, full: 10_000 }) },
  );
  const none = new RetryBudget(0, 0);
  none.countRequest();
  assert.not(none.takeRetry(0));
});

test.run();

/** The choice of origins and their ejection, against a slow reference. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FIRST_SHARE, LONGEST, Pool, type PoolSettings, WINDOW } from '../../../../core/site/pools/pool.ts';
import { RetryBudget } from '../../../../core/site/pools/retry-budget.ts';
import { hashText } from '../../../../core/site/pools/sticky.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { ReferencePool } from './reference-pool.ts';

const RULE = { failures: 3, error_rate: 50, min_requests: 10, duration: 30 };
const targets = (...weights: number[]) =>
  weights.map((weight, i) => ({ key: `https://o${i}.test:443`, weight, load: { inFlight: 0 } }));
const SETTINGS: PoolSettings = { ejection: RULE, balance: 'round_robin', slow_start: null };
const BY_LOAD: PoolSettings = { ...SETTINGS, balance: 'least_connections' };
const counts = (pool: Pool, requests: number, now = 0): number[] => {
  const found = pool.targets.map(() => 0);
  for (let i = 0; i < requests; i++) found[pool.choose(0, -1, -1, now)]++;
  return found;
};
const fail = (pool: Pool, target: number, times: number, now: number): void => {
  for (let i = 0; i < times; i++) pool.record(target, true, now);
};

test('turns follow the weights exactly, without runs of one origin', () => {
  const pool = new Pool(targets(5, 1, 1), SETTINGS);
  const order = Array.from({ length: 7 }, () => pool.choose(0, -1, -1, 0));
  assert.equal(order, [0, 0, 1, 0, 2, 0, 0]);
  assert.equal(counts(pool, 700), [500, 100, 100]);
});

test('an origin that is down, ejected or tried is not chosen', () => {
  const pool = new Pool(targets(1, 1, 1), SETTINGS);
  pool.setDown(new Set(['https://o0.test:443']), 0);
  fail(pool, 1, 3, 1000);
  assert.equal(counts(pool, 10, 1000), [0, 0, 10]);
  assert.is(pool.choose(1 << 2, -1, -1, 1000), 1, 'one that is only ejected is better than none');
  assert.is(pool.choose((1 << 2) | (1 << 1), -1, -1, 1000), -1);
  pool.setDown(new Set(pool.targets.map(({ key }) => key)), 0);
  assert.is(pool.choose(0, -1, -1, 1000), -1, 'all are down');
});

test('an ejection ends, and lasts twice as long after the next failure', () => {
  const lengths: number[] = [];
  const pool = new Pool(targets(1, 1), SETTINGS, { onEjected: (_, milliseconds) => lengths.push(milliseconds) });
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
  const pool = new Pool(targets(1, 1), { ...SETTINGS, ejection: { ...RULE, failures: 1000 } });
  for (let i = 0; i < 9; i++) pool.record(0, i % 2 === 0, i);
  assert.not(pool.isEjected(0, 9));
  pool.record(0, false, WINDOW + 1);
  for (let i = 0; i < 9; i++) pool.record(0, i % 2 === 0, WINDOW + 1);
  assert.ok(pool.isEjected(0, WINDOW + 1));
});

test('the only origin of a pool is never ejected', () => {
  const pool = new Pool(targets(1), SETTINGS);
  fail(pool, 0, 100, 0);
  assert.not(pool.isEjected(0, 0));
  assert.is(pool.choose(0, -1, -1, 0), 0);
});

test('a cookie is followed also to an origin with the weight 0, which gets no new visitors', () => {
  const pool = new Pool(targets(0, 1), SETTINGS);
  assert.equal(counts(pool, 10), [0, 10]);
  assert.is(pool.choose(0, -1, 0, 0), 0);
  pool.setDown(new Set(['https://o0.test:443']), 0);
  assert.is(pool.choose(0, -1, 0, 0), 1);
});

test('by client: spread by weight, and only the clients of a lost origin move', () => {
  const pool = new Pool(targets(1, 2, 1), SETTINGS);
  const clients = Array.from({ length: 4000 }, (_, i) => hashText(`192.0.2.${i}`));
  const before = clients.map((client) => pool.choose(0, client, -1, 0));
  const share = [0, 1, 2].map((target) => before.filter((chosen) => chosen === target).length / clients.length);
  for (const [i, expected] of [0.25, 0.5, 0.25].entries()) assert.ok(Math.abs(share[i] - expected) < 0.04, `${share}`);
  pool.setDown(new Set(['https://o1.test:443']), 0);
  const after = clients.map((client) => pool.choose(0, client, -1, 0));
  for (const [i, target] of before.entries()) if (target !== 1) assert.is(after[i], target);
  assert.not(after.includes(1));
  pool.setDown(new Set(), 0);
  assert.equal(
    clients.map((client) => pool.choose(0, client, -1, 0)),
    before,
  );
});

test('least connections: the fewest requests in flight for the weight, and turns among equals', () => {
  const pool = new Pool(targets(1, 2, 1), BY_LOAD);
  assert.equal(counts(pool, 8), [2, 4, 2], 'idle origins take turns');
  const order = Array.from({ length: 8 }, () => {
    const target = pool.choose(0, -1, -1, 0);
    pool.targets[target].load.inFlight++;
    return target;
  });
  assert.equal(
    [0, 1, 2].map((target) => order.filter((chosen) => chosen === target).length),
    [2, 4, 2],
  );
  pool.targets[2].load.inFlight = 0;
  assert.is(pool.choose(0, -1, -1, 0), 2, 'its requests have ended');
  assert.is.not(pool.choose(1 << 2, -1, -1, 0), 2, 'unless the request has tried it');
});

test('a recovered origin starts with a tenth of its share, which grows to the whole', () => {
  const pool = new Pool(targets(1, 1), { ...SETTINGS, slow_start: 100 });
  assert.equal(counts(pool, 100), [50, 50], 'both were there at the start');
  pool.setDown(new Set(['https://o0.test:443']), 0);
  pool.setDown(new Set(), 1000);
  for (const [seconds, share] of [
    [0, FIRST_SHARE],
    [5, FIRST_SHARE],
    [50, 0.5],
    [100, 1],
  ]) {
    const [found] = counts(pool, 1100, 1000 + seconds * 1000);
    assert.ok(Math.abs(found - (1100 * share) / (1 + share)) <= 1, `${found} after ${seconds} seconds`);
  }
});

test('an origin that was ejected starts slowly, by hash and by load too', () => {
  const settings = { ...SETTINGS, slow_start: 100 };
  const hashed = new Pool(targets(1, 1), settings);
  const clients = Array.from({ length: 2000 }, (_, i) => hashText(`192.0.2.${i}`));
  const before = clients.map((client) => hashed.choose(0, client, -1, 0));
  fail(hashed, 0, 3, 0);
  const back = RULE.duration * 1000;
  const after = clients.map((client) => hashed.choose(0, client, -1, back));
  const share = after.filter((target) => target === 0).length / clients.length;
  assert.ok(Math.abs(share - FIRST_SHARE / (1 + FIRST_SHARE)) < 0.03, String(share));
  for (const [i, target] of after.entries()) if (target === 0) assert.is(before[i], 0, 'only its own clients return');
  assert.equal(
    clients.map((client) => hashed.choose(0, client, -1, back + 100_000)),
    before,
  );
  const loaded = new Pool(targets(1, 1), { ...settings, balance: 'least_connections' });
  fail(loaded, 0, 3, 0);
  for (let i = 0; i < 55; i++) loaded.targets[loaded.choose(0, -1, -1, back)].load.inFlight++;
  assert.equal(
    loaded.targets.map(({ load }) => load.inFlight),
    [5, 50],
  );
});

test('a new version of a pool: its new origins start slowly, the others keep their state', () => {
  const settings = { ...SETTINGS, slow_start: 100 };
  const before = new Pool(targets(1, 1), settings);
  fail(before, 0, 3, 0);
  const pool = new Pool(targets(1, 1, 1), settings);
  pool.continueFrom(before, 1000);
  assert.ok(pool.isEjected(0, 1000));
  assert.equal(counts(pool, 110, 1000), [0, 100, 10]);
});

test('agrees with the reference', () => {
  const step = fc.record({
    kind: fc.constantFrom('choose', 'choose', 'client', 'failure', 'failure', 'success', 'down', 'load', 'version'),
    target: fc.nat(3),
    number: fc.nat(15),
    pass: fc.constantFrom(0, 0, 1, 500, 9_999, 10_000, 29_999, 30_000, 120_000),
  });
  fc.assert(
    fc.property(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 4 }),
      fc.record({ failures: fc.integer({ min: 1, max: 4 }), min_requests: fc.integer({ min: 1, max: 6 }) }),
      fc.constantFrom('round_robin' as const, 'least_connections' as const),
      fc.constantFrom(null, 1, 20, 60),
      fc.array(step, { maxLength: 60 }),
      (weights, partial, balance, slow_start, steps) => {
        const settings = { ejection: { ...RULE, ...partial }, balance, slow_start };
        const all = targets(...weights);
        let pool = new Pool(all, settings);
        const reference = new ReferencePool(all, settings);
        let now = 0;
        for (const { kind, target, number, pass } of steps) {
          now += pass;
          const at = target % reference.targets.length;
          if (kind === 'choose' || kind === 'client') {
            const client = kind === 'client' ? hashText(String(number)) : -1;
            const preferred = number % 3 === 0 ? at : -1;
            const tried = number & 7;
            assert.is(pool.choose(tried, client, preferred, now), reference.choose(tried, client, preferred, now));
          } else if (kind === 'down') {
            const keys = new Set(pool.targets.filter((_, i) => (number >> i) & 1).map(({ key }) => key));
            pool.setDown(keys, now);
            reference.setDown(keys, now);
          } else if (kind === 'load') {
            all[at].load.inFlight = number;
          } else if (kind === 'version') {
            const kept = all.filter((_, i) => (number >> i) & 1 || i === at);
            const next = new Pool(kept, settings);
            next.continueFrom(pool, now);
            pool = next;
            reference.replaceTargets(kept, now);
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

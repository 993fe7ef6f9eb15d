/**
 * Threads claim what they fetch: each step against a slow model, then real threads, some of which
 * die.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { KeyHash } from '../../../../edge/cache/store/key-hash.ts';
import { type Claim, NodeFlights, shareNodeFlights } from '../../../../edge/cache/store/node-flights.ts';
import { until } from '../../../support/until.ts';

const test = suite('edge/cache: flights of the node');
const SEEDS = [11, 22] as const;
const LEASE = 1000;
const ENDS = ['failed', 'passed', 'shared'] as const;

/** Two URLs of one slot. */
function collidingKeys(): [string, string] {
  const hash = new KeyHash(...SEEDS);
  const slotOf = (key: string): number => hash.of('d', key).a & 65_535;
  const wanted = slotOf('same');
  for (let i = 0; ; i++) if (slotOf(`same${i}`) === wanted) return ['same', `same${i}`];
}

test('each step of four threads is that of the model', () => {
  const memory = shareNodeFlights();
  let now = 2 ** 29 - 5000; // The time in the slots starts again.
  const threads = Array.from({ length: 4 }, () => {
    return new NodeFlights({ memory, seeds: SEEDS, lease: LEASE, clock: () => now });
  });
  const [same, other] = collidingKeys();
  const keys = ['a', 'b', same, other];
  const slotOf = (key: string): string => (key === other ? same : key);
  /** By slot: who has claimed it or how that ended. */
  const model = new Map<string, { key: string; owner: Claim | null; at: number; end: string }>();
  const own: { key: string; claim: Claim }[] = [];
  let x = 1;
  const random = (n: number): number => {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0;
    return (x >>> 8) % n;
  };
  const outcomes = new Set<string>();
  for (let i = 0; i < 20_000; i++) {
    if (random(3) === 0) now += random(LEASE / 2);
    const at = random(own.length + 4);
    if (at < own.length) {
      const [{ key, claim }] = own.splice(at, 1);
      const end = ENDS[random(3)];
      claim.release(end);
      const slot = model.get(slotOf(key))!;
      if (slot.owner === claim) model.set(slotOf(key), { key, owner: null, at: now, end });
      else outcomes.add('too late');
      continue;
    }
    const key = keys[random(keys.length)];
    const claim = threads[random(threads.length)].claim('d', key);
    const slot = model.get(slotOf(key));
    const isRecent = slot !== undefined && now - slot.at < LEASE;
    const isHeld = isRecent && slot.owner !== null;
    const isShared = isRecent && slot.owner === null && slot.end === 'shared' && slot.key === key;
    const expected = !isHeld && !isShared ? 'own' : slot.key === key ? 'waits' : 'none';
    outcomes.add(expected);
    assert.is(claim === undefined ? 'none' : claim.isOwn ? 'own' : 'waits', expected, `step ${i}`);
    if (claim?.isOwn === false && isShared && random(2) === 0) assert.ok(claim.take());
    if (!claim?.isOwn) continue;
    own.push({ key, claim });
    model.set(slotOf(key), { key, owner: claim, at: now, end: '' });
  }
  assert.equal([...outcomes].sort(), ['none', 'own', 'too late', 'waits']);
});

for (const end of ENDS)
  test(`waiters are notified of the end of the fetch: ${end}`, async () => {
    const memory = shareNodeFlights();
    const options = { memory, seeds: SEEDS, lease: 600_000 };
    const claim = new NodeFlights(options).claim('d', 'a')!;
    let awaited = 0;
    claim.watch(() => awaited++);
    const waits = Array.from({ length: 3 }, () => new NodeFlights(options).claim('d', 'a')!.wait(600_000));
    const keepsAlive = setInterval(() => {}, 1000);
    await until(() => awaited > 0);
    assert.is(awaited, 1);
    claim.release(end);
    claim.release('failed');
    assert.equal(await Promise.all(waits), [end, end, end]);
    clearInterval(keepsAlive);
  });

test('no waiter exceeds the timeout, or waits for a lapsed claim', async () => {
  const memory = shareNodeFlights();
  const keepsAlive = setInterval(() => {}, 1000);
  const patient = { memory, seeds: SEEDS, lease: 600_000 };
  assert.ok(new NodeFlights(patient).claim('d', 'a')!.isOwn);
  const late = new NodeFlights(patient).claim('d', 'a')!;
  assert.is(await late.wait(20), 'timeout');
  assert.not(late.take());
  const hasty = { ...patient, lease: 30 };
  assert.ok(new NodeFlights(hasty).claim('d', 'b')!.isOwn);
  const next = new NodeFlights(hasty).claim('d', 'b')!;
  if (!next.isOwn) {
    assert.is(await next.wait(600_000), 'timeout');
    assert.ok(next.take());
  }
  clearInterval(keepsAlive);
});

test('one thread at a time holds the claim of a URL, also when others die with theirs', async () => {
  const flights = shareNodeFlights();
  const shared = new SharedArrayBuffer(64 * 4);
  const start = (dies: boolean): Worker => {
    const workerData = { flights, shared, seeds: SEEDS, dies };
    return new Worker(new URL('./node-flights-worker.js', import.meta.url), { workerData });
  };
  const dead = start(true);
  await once(dead, 'message');
  await dead.terminate();
  const heirs = new NodeFlights({ memory: flights, seeds: SEEDS, lease: 50 });
  const keepsAlive = setInterval(() => {}, 1000);
  for (let url = 0; url < 8; url++) {
    const claim = heirs.claim('d', String(url))!;
    if (claim.isOwn) continue;
    assert.is(await claim.wait(600_000), 'timeout');
    assert.ok(claim.take());
  }
  clearInterval(keepsAlive);
  // All have lapsed by the clock of the heirs. The others have patience, and find free slots.
  new BigInt64Array(flights).fill(0n);
  const reports = await Promise.all(
    [start(false), start(false), start(false)].map((worker) => once(worker, 'message')),
  );
  for (const [{ faults, owned, waited }] of reports) {
    assert.is(faults, 0);
    assert.ok(owned + waited === 300);
  }
  assert.ok(reports.reduce((sum, [{ owned }]) => sum + owned, 0) >= 300 / 3);
});

test.run();

import { setImmediate } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FairSlots, type NoSlot, Slot, type SlotOwner, SlotsFullError } from '../../../core/base/fair-slots.ts';
import { depth } from '../../support/depth.ts';
import fc from '../../support/fc.ts';
import { SEED } from '../../support/seed.ts';

const owner = (account: string, network = ''): SlotOwner => ({ account, network });

interface Step {
  readonly kind: 'acquire' | 'release' | 'abort';
  readonly account: string;
  readonly network: string;
  readonly at: number;
}

/** Requests slots and lists who got one, in order. */
class Requests {
  readonly slots: FairSlots;
  readonly granted: string[] = [];
  readonly refused: string[] = [];
  readonly held: Slot[] = [];

  constructor(slots: FairSlots) {
    this.slots = slots;
  }

  add(name: string, of: SlotOwner, signal?: AbortSignal): void {
    void this.slots.acquire(of, signal).then((result: Slot | NoSlot) => {
      if (!(result instanceof Slot)) this.refused.push(`${name} ${result}`);
      else {
        this.granted.push(name);
        this.held.push(result);
      }
    });
  }

  async release(): Promise<void> {
    this.held.shift()?.release();
    await setImmediate();
  }
}

test('one account holds half of the slots at most, the next one half of the others', async () => {
  const requests = new Requests(new FairSlots({ slots: 8, queue: 100 }));
  for (const account of ['a', 'b', 'c', 'd']) for (let i = 0; i < 8; i++) requests.add(account, owner(account));
  await setImmediate();
  const count = (account: string): number => requests.granted.filter((name) => name === account).length;
  assert.equal(['a', 'b', 'c', 'd'].map(count), [4, 2, 1, 1]);
  assert.equal([requests.slots.inUse, requests.slots.waiting], [8, 24]);
});

test('a network holds its share over all accounts, and without an account', async () => {
  const slots = new FairSlots({ slots: 4, queue: 100 });
  assert.ok(slots.tryAcquire(owner('a', '192.0.2.1')));
  assert.ok(slots.tryAcquire(owner('b', '192.0.2.1')));
  assert.is(slots.tryAcquire(owner('c', '192.0.2.1')), null, 'a third account of one network');
  assert.ok(slots.tryAcquire(owner('c', '192.0.2.2')));
  const strangers = new FairSlots({ slots: 4, queue: 100 });
  for (const network of ['1', '1', '2', '3']) assert.ok(strangers.tryAcquire(owner('', network)));
});

test('a newcomer gets the next slot, whatever others have queued', async () => {
  const requests = new Requests(new FairSlots({ slots: 2, queue: 100 }));
  for (let i = 0; i < 40; i++) requests.add('flood', owner('', 'n1'));
  for (let i = 0; i < 40; i++) requests.add('second', owner('', 'n2'));
  await setImmediate();
  requests.add('newcomer', owner('', 'n3'));
  await requests.release();
  assert.equal(requests.granted, ['flood', 'second', 'newcomer']);
});

test('accounts take turns, and within one its networks', async () => {
  const requests = new Requests(new FairSlots({ slots: 1, queue: 100 }));
  for (let i = 0; i < 3; i++) requests.add('a1', owner('a', '1'));
  for (let i = 0; i < 2; i++) requests.add('a2', owner('a', '2'));
  for (let i = 0; i < 2; i++) requests.add('b', owner('b', '3'));
  for (let i = 0; i < 7; i++) {
    await setImmediate();
    await requests.release();
  }
  assert.equal(requests.granted, ['a1', 'b', 'a2', 'b', 'a1', 'a2', 'a1']);
  assert.equal([requests.slots.inUse, requests.slots.waiting], [0, 0]);
});

test('a newcomer replaces the newest waiter of the longest queue', async () => {
  const requests = new Requests(new FairSlots({ slots: 1, queue: 3 }));
  for (let i = 0; i < 5; i++) requests.add(`a${i}`, owner('a'));
  await setImmediate();
  assert.equal(requests.refused, ['a4 full'], 'the account itself has no more room');
  requests.add('b', owner('b'));
  await setImmediate();
  assert.equal(requests.refused, ['a4 full', 'a3 full']);
  requests.add('c', owner('c'));
  await setImmediate();
  assert.equal(requests.refused, ['a4 full', 'a3 full', 'a2 full']);
  requests.add('d', owner('d'));
  await setImmediate();
  assert.equal(requests.refused.at(-1), 'd full', 'no account has more than one');
});

test('an aborted caller leaves the queue', async () => {
  const requests = new Requests(new FairSlots({ slots: 1, queue: 10 }));
  const leaving = new AbortController();
  requests.add('first', owner('a'));
  requests.add('leaving', owner('b'), leaving.signal);
  requests.add('next', owner('c'));
  await setImmediate();
  leaving.abort();
  await requests.release();
  assert.equal(requests.granted, ['first', 'next']);
  assert.equal(requests.refused, ['leaving aborted']);
  assert.is(await requests.slots.acquire(owner('d'), AbortSignal.abort()), 'aborted');
});

test('work is run with a slot, which it returns when it fails', async () => {
  const slots = new FairSlots({ slots: 1, queue: 0 });
  const inner = await slots.run(owner('a'), () => slots.run(owner('b'), async () => {}).catch((error) => error));
  assert.instance(inner, SlotsFullError);
  const failed = await slots.run(owner('a'), () => Promise.reject(new Error('broken'))).catch((error) => error.message);
  assert.is(failed, 'broken');
  assert.is(slots.inUse, 0);
});

test('a slot is returned once', () => {
  const slots = new FairSlots({ slots: 2, queue: 0 });
  const first = slots.tryAcquire(owner('a'))!;
  assert.ok(slots.tryAcquire(owner('b')));
  first.release();
  first.release();
  assert.is(slots.inUse, 1);
});

test('holders below the minimum rate lose their slots, one for each waiter of others', async () => {
  let now = 0;
  const slots = new FairSlots({
    slots: 4,
    queue: 10,
    minimumRate: { perSecond: 100, windowMs: 5000 },
    now: () => now,
  });
  const requests = new Requests(slots);
  for (const account of ['slow', 'slow', 'fast', 'dripping']) requests.add(account, owner(account));
  await setImmediate();
  requests.add('more', owner('slow'));
  const revoked = (): string[] =>
    requests.held.filter(({ signal }) => signal.aborted).map((slot) => slot.owner.account);
  const pass = (): void => {
    now += 5000;
    requests.held[2].addProgress(500);
    requests.held[3].addProgress(499);
    slots.enforceMinimumRate();
  };
  pass();
  assert.equal(revoked(), ['dripping'], 'an account takes no slot from itself');
  requests.add('newcomer', owner('newcomer'));
  pass();
  assert.equal(revoked(), ['dripping'], 'that slot is enough for one newcomer');
  requests.add('another', owner('another'));
  pass();
  assert.equal(revoked(), ['slow', 'dripping'], 'of the account that has most');
  assert.is(slots.inUse, 4, 'a slot counts until it is released');
  requests.held[0].release();
  await setImmediate();
  assert.is(requests.granted.at(-1), 'newcomer');
});

test('time in which the holder waits for the service does not count', async () => {
  let now = 0;
  const slots = new FairSlots({ slots: 1, queue: 9, minimumRate: { perSecond: 100, windowMs: 1000 }, now: () => now });
  const slot = slots.tryAcquire(owner('a'))!;
  void slots.acquire(owner('b'));
  const pass = (ms: number, progress: number): boolean => {
    now += ms;
    slot.addProgress(progress);
    slots.enforceMinimumRate();
    return slot.signal.aborted;
  };
  slot.pause();
  slot.pause();
  assert.not(pass(60_000, 0), 'paused');
  slot.resume();
  slot.resume();
  assert.not(pass(999, 0), 'the window is not over');
  slot.pause();
  assert.not(pass(5000, 0), 'paused again');
  slot.resume();
  assert.not(pass(1, 100), 'fast enough in the time that counts');
  assert.ok(pass(1000, 99), 'too slow in the next window');
});

test('without waiters of others every rate is allowed', async () => {
  let now = 0;
  const slots = new FairSlots({ slots: 1, queue: 1, minimumRate: { perSecond: 1, windowMs: 1000 }, now: () => now });
  const slot = slots.tryAcquire(owner('a'))!;
  now = 60_000;
  slots.enforceMinimumRate();
  assert.not(slot.signal.aborted);
  slot.release();
});

test('generated: limits hold, no free slot is kept from a newcomer, nothing is left behind', async () => {
  const step = fc.record<Step>({
    kind: fc.constantFrom<Step['kind'][]>('acquire', 'acquire', 'release', 'abort'),
    account: fc.constantFrom('', 'a', 'b', 'c'),
    network: fc.constantFrom('', '1', '2', '3'),
    at: fc.nat(50),
  });
  const run = async (limit: number, queue: number, steps: readonly Step[]): Promise<void> => {
    const slots = new FairSlots({ slots: limit, queue });
    const held: Slot[] = [];
    const waiting = new Map<AbortController, SlotOwner>();
    for (const { kind, account, network, at } of steps) {
      if (kind === 'release') held.splice(at % Math.max(1, held.length), 1)[0]?.release();
      else if (kind === 'abort') [...waiting.keys()][at % Math.max(1, waiting.size)]?.abort();
      else {
        const controller = new AbortController();
        waiting.set(controller, { account, network });
        void slots.acquire({ account, network }, controller.signal).then((result) => {
          waiting.delete(controller);
          if (result instanceof Slot) held.push(result);
        });
      }
      await setImmediate();
      assert.equal([slots.inUse, slots.waiting], [held.length, waiting.size]);
      assert.ok(held.length <= limit && waiting.size <= queue);
      const holdsNone = ({ account: customer, network: prefix }: SlotOwner): boolean =>
        !held.some((slot) => slot.owner.account === customer && customer !== '') &&
        !held.some((slot) => slot.owner.network === prefix && prefix !== '');
      if (held.length < limit) assert.not([...waiting.values()].some(holdsNone), 'a free slot is not given');
    }
    for (const controller of waiting.keys()) controller.abort();
    for (const slot of held) slot.release();
    await setImmediate();
    assert.equal([slots.inUse, slots.waiting], [0, 0]);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 0, max: 6 }),
      fc.array(step, { maxLength: 60 }),
      run,
    ),
    { numRuns: depth({ quick: 50, moderate: 200, full: 5000 }), seed: SEED },
  );
});

test.run();

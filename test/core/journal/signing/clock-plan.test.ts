/** The signing clocks of a set of zones, by a moved clock. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type HashRange, validityOf } from '../../../../core/dns/dnssec/lifetime.ts';
import {
  type ClockStep,
  type CountNames,
  ENTRY_SIZE,
  planEntries,
} from '../../../../core/journal/signing/clock-plan.ts';
import { depth } from '../../../support/depth.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const START = 1_800_000_000;
const PASS = HOUR / 4;

/** Passes. */
const CHECK_EVERY = depth({ quick: 24, moderate: 24, full: 4 });

interface Zone {
  readonly id: number;
  clock: number;
  /** Sorted. */
  readonly hashes: Uint32Array;
}

/** The first index of a hash from `prefix` on. */
function lowerBound(hashes: Uint32Array, prefix: number): number {
  let low = 0;
  for (let high = hashes.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if (hashes[middle] < prefix) low = middle + 1;
    else high = middle;
  }
  return low;
}

class World {
  readonly zones: Zone[];
  readonly #random: Random;
  entries = 0;
  names = 0;
  steps = 0;
  largest = 0;

  constructor(sizes: readonly number[], random: Random) {
    this.#random = random;
    this.zones = sizes.map((size, i) => ({
      id: i + 1,
      clock: START - HOUR - random.below(2 * HOUR),
      hashes: Uint32Array.from({ length: size }, () => random.below(2 ** 32)).sort(),
    }));
  }

  readonly count: CountNames = (id: number, ranges: readonly HashRange[], limit: number) => {
    const { hashes } = this.zones[id - 1];
    let count = 0;
    for (const { first, last } of ranges) {
      const from = lowerBound(hashes, first);
      const size = lowerBound(hashes, last + 1) - from;
      if (count + size > limit) return { count: limit, next: hashes[from + limit - count] };
      count += size;
    }
    return { count, next: null };
  };

  /** All passes of one moment. */
  advance(now: number, onStep: (zone: Zone, step: ClockStep) => void = () => {}): void {
    for (let isCut = true; isCut; ) {
      isCut = false;
      for (const entry of planEntries(this.zones, now, this.count)) {
        const names = entry.reduce((sum, step) => sum + step.names, 0);
        assert.ok(names <= ENTRY_SIZE && entry.length <= ENTRY_SIZE + 1, `${names} names of ${entry.length} zones`);
        this.entries++;
        this.names += names;
        this.steps += entry.length;
        this.largest = Math.max(this.largest, names);
        for (const step of entry) {
          const zone = this.zones[step.id - 1];
          assert.ok(step.to > zone.clock && step.to <= now - HOUR, 'the clock is behind the time');
          onStep(zone, step);
          zone.clock = step.to;
          isCut ||= step.kind === 'cut';
        }
      }
    }
  }

  check(now: number, left: number): void {
    let [latest, soonest] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { clock, hashes } of this.zones)
      for (const hash of hashes) {
        const { inception, expiration } = validityOf(clock, hash);
        latest = Math.max(latest, inception);
        soonest = Math.min(soonest, expiration);
      }
    assert.ok(latest <= now - HOUR, 'valid already');
    assert.ok(soonest - now >= left, `expires in ${(soonest - now) / DAY} days`);
  }

  newName(): void {
    const zone = this.#random.pick(this.zones);
    zone.hashes[this.#random.below(zone.hashes.length)] = this.#random.below(2 ** 32);
    zone.hashes.sort();
  }
}

test(`no signature expires in 60 days, 20 of them without a majority, seed ${SEED}`, () => {
  const random = new Random(SEED);
  const world = new World([1, 1, 2, 3, 7, 10, 40, 100, 300, 1000, 3000, 10_000], random);
  for (let now = START; now < START + 60 * DAY; now += PASS) {
    const day = (now - START) / DAY;
    const isDown = day >= 25 && day < 45;
    if (!isDown) world.advance(now);
    if (random.below(10) === 0) world.newName();
    if (Math.round((now - START) / PASS) % CHECK_EVERY === 0) world.check(now, isDown ? 0.4 * DAY : 20.4 * DAY);
  }
});

test('of a large zone, at most 5 % is signed in any six hours', () => {
  const random = new Random(SEED);
  const world = new World([100_000], random);
  const signed: { at: number; names: number }[] = [];
  for (let now = START; now < START + 21 * DAY; now += PASS)
    world.advance(now, (_, { names }) => signed.push({ at: now, names }));
  for (const [i, { at }] of signed.entries()) {
    let names = 0;
    for (let k = i; k < signed.length && signed[k].at < at + 6 * HOUR; k++) names += signed[k].names;
    assert.ok(names <= 5000, `${names} names`);
  }
});

test('after 20 days, all names of a large zone are signed once, those of small ones in order', () => {
  const world = new World([5000, 100, 150, 30], new Random(SEED));
  const now = START + 20 * DAY;
  const clocks = world.zones.map(({ clock }) => clock);
  const order: number[] = [];
  const kinds = new Map<number, string>();
  world.advance(now, (zone, step) => {
    order.push(clocks[zone.id - 1]);
    kinds.set(zone.id, step.kind);
    assert.not(step.kind === 'cut');
  });
  assert.equal(
    order,
    clocks.sort((a, b) => a - b),
  );
  assert.equal(
    [1, 2, 3, 4].map((id) => kinds.get(id)),
    ['pieces', 'whole', 'whole', 'whole'],
  );
  world.check(now, 20.85 * DAY);
});

const ZONES = depth({ quick: 500, moderate: 2000, full: 5000 });

test(`${ZONES} zones of 1,000 names: entries a day`, () => {
  const world = new World(
    Array.from({ length: ZONES }, () => 1000),
    new Random(SEED),
  );
  const days = 7;
  for (let now = START; now < START + days * DAY; now += PASS) world.advance(now);
  const { entries, names, steps } = world;
  process.stdout.write(
    `${Math.round(entries / days)} entries a day, ${(names / entries).toFixed(0)} names and ` +
      `${(steps / entries).toFixed(1)} zones an entry, ${Math.round(names / days)} names a day\n`,
  );
  assert.ok(names / (ZONES * 1000) > 0.97 && names / (ZONES * 1000) < 1.03, 'each name about once in seven days');
  assert.ok(entries / days < ((ZONES * 1000) / 7 / ENTRY_SIZE) * 2 + 100);
});

test.run();

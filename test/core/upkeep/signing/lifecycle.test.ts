/**
 * The states of signed zones against a slow model of caches: whatever happens, no resolver fails to
 * validate; every state ends; nothing is a dead end.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DNSSEC_PHASES } from '../../../../core/store/rows.ts';
import { algorithmOfKey } from '../../../../core/upkeep/signing/zone-lifecycle.ts';
import { depth } from '../../../support/depth.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { DAY, DNSKEY_TTL, HOUR, STEP, World, type WorldOptions } from './world.ts';

const RUNS = depth({ quick: 20, moderate: 60, full: 4000 });

const test = suite('states of signed zones');

function newWorld(seed: number, options: Partial<WorldOptions> = {}): { world: World; random: Random } {
  const random = new Random(seed);
  for (let i = 0; i < 8; i++) random.below(2);
  const world = new World({
    random,
    algorithm: random.pick([13, 15]),
    dsTtl: random.pick([HOUR, DAY, 2 * DAY]),
    dataTtl: random.pick([HOUR, DAY]),
    leavesOld: random.below(3) === 0,
    isHalfSilent: random.below(4) === 0,
    followsCds: random.below(2) === 0,
    ...options,
  });
  return { world, random };
}

/** Phases that any world was in. */
const phases = new Set<string>();

function step(world: World, seed: number): void {
  world.tick();
  phases.add(world.phase);
  const failure = world.failure();
  if (failure !== null) assert.unreachable(`seed ${seed}: ${failure}\n${world.log.join('\n')}`);
}

/** Returns after how many seconds the zone is in the phase. */
function until(world: World, phase: string, seed: number, limit = 60 * DAY): number {
  const start = world.now;
  while (world.phase !== phase) {
    if (world.now - start > limit)
      assert.unreachable(`seed ${seed}: not "${phase}" after ${limit / DAY} days\n${world.log.join('\n')}`);
    step(world, seed);
  }
  return world.now - start;
}

test(`validation never breaks, and no state is a dead end (${RUNS} runs, WAYPOST_SEED=${SEED})`, () => {
  const seeds = Array.from({ length: RUNS }, (_, run) => (SEED + run * 7919) | 0);
  for (const seed of seeds) {
    const { world, random } = newWorld(seed);
    for (let i = 0; i < 6; i++) {
      const commands = world.commands();
      if (i === 0 || random.below(3) > 0) world.run(random.pick(commands));
      if (random.below(8) === 0) world.addForeignDs();
      const pause = random.pick([1, 5, 30, 100, 300, 1000]);
      for (let n = random.below(pause); n >= 0; n--) step(world, seed);
    }
    // However it came there, the zone can become secure, and then be unsigned.
    if (world.commands().includes('enable')) world.run('enable');
    until(world, 'secure', seed);
    world.run('disable');
    until(world, 'off', seed);
    for (let n = 0; n < (3 * DAY) / STEP; n++) step(world, seed);
  }
});

test('a rollover passes through its states in order, by itself once the DS is replaced', () => {
  const { world } = newWorld(SEED, { leavesOld: false, isHalfSilent: false, dsTtl: DAY, dataTtl: HOUR });
  world.run('enable');
  until(world, 'secure', SEED);
  const [before] = world.zone!.row.keys;
  world.run('rollover');
  for (const phase of ['rolling_publish', 'rolling_ds', 'rolling_resign', 'retire', 'secure'])
    until(world, phase, SEED);
  assert.equal(
    world.zone!.row.keys.map(({ id, use, isTrusted }) => [id, use, isTrusted]),
    [[before.id + 1, 'sign', true]],
  );
  assert.equal(world.zone!.state.retired, [before.dnskey]);
});

test('the algorithm is replaced in both directions, and back again', () => {
  const { world } = newWorld(SEED, { leavesOld: false, isHalfSilent: false, algorithm: 13 });
  world.run('enable');
  until(world, 'secure', SEED);
  for (const algorithm of [15, 13, 15]) {
    world.run('algorithm');
    const seen: string[] = [];
    for (const phase of ['rolling_publish', 'rolling_ds', 'rolling_withdraw', 'rolling_resign', 'secure']) {
      seen.push(usesOf(world));
      until(world, phase, SEED);
    }
    assert.equal(seen, ['sign,sign_unpublished', 'sign,sign', 'sign,sign', 'sign_unpublished,sign', 'none,sign']);
    assert.equal([usesOf(world), world.zone!.row.algorithm], ['sign', algorithm]);
    assert.is(world.zone!.row.keys.length, 1);
  }
});

const usesOf = ({ zone }: World): string => zone!.row.keys.map(({ use }) => use).join();

test('a replacement of the algorithm is cancelled in each state in which it may be', () => {
  for (const phase of ['rolling_sign', 'rolling_publish', 'rolling_ds']) {
    const { world } = newWorld(SEED, { isHalfSilent: false });
    world.run('enable');
    until(world, 'secure', SEED);
    const [before] = world.zone!.row.keys;
    world.run('algorithm');
    until(world, phase, SEED);
    world.run('cancel');
    until(world, 'rolling_withdraw', SEED);
    assert.not(world.commands().includes('cancel'), 'it is cancelled already');
    until(world, 'secure', SEED);
    assert.equal(world.zone!.row.keys, [before]);
    assert.is(algorithmOfKey(before), world.zone!.row.algorithm);
  }
});

test('a DS of the former algorithm holds up its removal', () => {
  const { world } = newWorld(SEED, { leavesOld: false, isHalfSilent: false, followsCds: false, algorithm: 13 });
  world.run('enable');
  until(world, 'secure', SEED);
  world.run('algorithm');
  until(world, 'rolling_ds', SEED);
  world.holdOwner();
  for (const isLeft of [true, false]) {
    const { row } = world.zone!;
    world.publish([...(isLeft ? [row.keys[0]] : []), row.keys[1]]);
    for (let n = 0; n < (30 * DAY) / STEP && world.phase === 'rolling_ds'; n++) step(world, SEED);
    assert.is(world.phase, isLeft ? 'rolling_ds' : 'rolling_withdraw');
  }
});

test('a DS that is left at the parent does not stop a rollover', () => {
  const { world } = newWorld(SEED, { leavesOld: true, isHalfSilent: false, followsCds: false });
  world.run('enable');
  until(world, 'secure', SEED);
  world.run('rollover');
  step(world, SEED);
  until(world, 'secure', SEED);
});

test('a rollover can be cancelled in both states before the new key signs', () => {
  for (const phase of ['rolling_publish', 'rolling_ds'])
    for (const command of ['rollover', 'emergency']) {
      const { world } = newWorld(SEED, { isHalfSilent: false });
      world.run('enable');
      until(world, 'secure', SEED);
      const [before] = world.zone!.row.keys;
      world.run(command);
      until(world, phase, SEED);
      world.run('cancel');
      until(world, 'secure', SEED);
      assert.equal(
        world.zone!.row.keys.map(({ dnskey }) => dnskey),
        [before.dnskey],
      );
    }
});

test('no node has CDS records before the zone awaits its DS', () => {
  const { world } = newWorld(SEED, { dataTtl: DAY, followsCds: true });
  world.run('enable');
  assert.is(world.zone!.row.parent, 'none');
  const seconds = until(world, 'awaiting_ds', SEED);
  assert.ok(seconds >= DAY, `${seconds}`);
  assert.is(world.zone!.row.parent, 'publish');
  world.run('disable');
  world.run('enable');
  assert.is(world.phase, 'awaiting_ds');
  assert.is(world.zone!.row.parent, 'publish');
});

test('signing that was given up and continued asks for no DS too early', () => {
  const { world } = newWorld(SEED, { dataTtl: DAY, followsCds: true });
  world.run('enable');
  step(world, SEED);
  world.run('disable');
  world.run('enable');
  assert.is(world.phase, 'signing');
  assert.is(world.zone!.row.parent, 'none');
  until(world, 'secure', SEED);
});

test('signing that was given up outlasts a DS that a registry publishes between two queries', () => {
  // The registry has read the CDS records of before at a node or in a cache, at any moment.
  const withDsAfter = (steps: number, seed: number): boolean => {
    const { world } = newWorld(seed, { followsCds: false, isHalfSilent: false, dsTtl: DAY });
    world.run('enable');
    world.holdOwner();
    until(world, 'awaiting_ds', seed);
    const { keys } = world.zone!.row;
    world.run('disable');
    for (let n = 0; n < steps; n++) step(world, seed);
    const { servedSince } = world.zone!.state;
    if (servedSince !== null && world.now > servedSince + DNSKEY_TTL) return false;
    world.publish(keys);
    world.now += STEP / 2;
    world.publish([]);
    until(world, 'off', seed);
    for (let n = 0; n < (2 * DAY) / STEP; n++) step(world, seed);
    return true;
  };
  // Nodes and queries have other times in each world.
  for (let seed = SEED; seed < SEED + 5; seed++) {
    let moments = 0;
    while (withDsAfter(moments, seed)) moments++;
    assert.ok(moments > DNSKEY_TTL / STEP, `${moments}`);
  }
});

test('an emergency rollover is sooner done than a planned one', () => {
  const seconds = ['rollover', 'emergency'].map((command) => {
    const { world } = newWorld(SEED, { leavesOld: false, isHalfSilent: false, dsTtl: HOUR, dataTtl: HOUR });
    world.run('enable');
    until(world, 'secure', SEED);
    world.run(command);
    return until(world, 'rolling_ds', SEED);
  });
  assert.ok(seconds[1] < seconds[0], seconds.join());
});

test('the worlds were in every phase', () => {
  for (const phase of DNSSEC_PHASES) assert.ok(phases.has(phase), phase);
});

test.run();

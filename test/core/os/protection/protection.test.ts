import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { diskSpace } from '../../../../core/os/disk-space.ts';
import { HOLD, SharedLoad } from '../../../../core/os/protection/levels.ts';
import { descriptorLimit, openDescriptors, ownMemory } from '../../../../core/os/protection/open.ts';
import { type CacheBounds, Protection } from '../../../../core/os/protection/protection.ts';
import { singleNodeTasks } from '../../../support/tasks.ts';

const MB = 1024 ** 2;

function rig({ diskReserve }: { diskReserve?: number } = { diskReserve: 100 * MB }) {
  const usage = {
    memory: (100 * MB) as number | null,
    garbage: 0,
    descriptors: 10 as number | null,
    free: 900 * MB,
    total: 1000 * MB,
  };
  const bounds: CacheBounds[] = [];
  const lines: string[] = [];
  let reclaims = 0;
  const protection = new Protection({
    budgets: { memory: 1000 * MB, descriptors: 1000, diskReserve },
    usage: {
      memory: () => usage.memory,
      descriptors: () => usage.descriptors,
      disk: () => ({ free: usage.free, total: usage.total }),
    },
    tasks: singleNodeTasks(),
    log: createLogger({ level: 'info', format: 'text', write: (line) => void lines.push(line) }),
    release: () => {
      usage.memory = usage.memory === null ? null : usage.memory - usage.garbage;
      usage.garbage = 0;
    },
    reclaim: () => void reclaims++,
  });
  protection.followCache((bound) => bounds.push(bound));
  return { usage, bounds, lines, protection, load: new SharedLoad(protection.shared), reclaims: () => reclaims };
}

test('memory: first the cache, then connections, then requests and large bodies', () => {
  const { usage, bounds, protection, load } = rig();
  const state = (memory: number, now: number): unknown[] => {
    usage.memory = memory * MB;
    protection.look(now);
    return [load.refusesConnections, load.refusesRequests, protection.refusesLargeBodies, bounds.at(-1)?.memoryShare];
  };
  assert.equal(state(790, 0), [false, false, false, undefined]);
  assert.equal(state(800, 1), [false, false, false, 0.25]);
  assert.equal(state(900, 2), [true, false, false, 0.25]);
  assert.equal(state(950, 3), [true, true, true, 0.25]);
  assert.match(protection.warnings().join(), /overloaded \(refuse_requests\): 950MB/);
  assert.equal(state(300, 4), [true, true, true, 0.25]);
  assert.equal(state(300, 4 + HOLD), [false, false, false, 1]);
  assert.equal(protection.warnings(), []);
  assert.is(protection.storage.refusalOf('7'), null);
});

test('while memory is short, the garbage of all threads is collected every ten seconds', () => {
  const { usage, protection, reclaims } = rig();
  const at = (memory: number, now: number): number => {
    usage.memory = memory * MB;
    protection.look(now);
    return reclaims();
  };
  assert.equal([at(799, 0), at(800, 1000), at(960, 2000), at(960, 10_999)], [0, 1, 1, 1]);
  assert.equal([at(960, 11_000), at(960, 20_000), at(960, 21_000)], [2, 2, 3]);
  // Of descriptors alone, no garbage is to blame.
  usage.descriptors = 990;
  assert.equal([at(100, 40_000), at(100, 60_000)], [3, 3]);
});

test('the room for more memory ends where connections are refused; garbage is collected first', () => {
  const { usage, protection } = rig();
  assert.is(protection.wholeRoom, 830 * MB, 'less what a node at rest uses');
  usage.memory = 300 * MB;
  assert.is(protection.room(600 * MB), 600 * MB);
  usage.garbage = 100 * MB;
  usage.memory = 500 * MB;
  assert.is(protection.room(400 * MB), 400 * MB);
  assert.is(usage.garbage, 100 * MB, 'nothing was collected');
  assert.is(protection.room(450 * MB), 500 * MB);
  usage.memory = 950 * MB;
  assert.is(protection.room(1), 0);
  usage.memory = null;
  assert.is(protection.room(1), 900 * MB);
});

test('descriptors have the same levels; what is not known or has no budget is not watched', () => {
  const { usage, protection, load } = rig();
  usage.descriptors = 901;
  protection.look(0);
  assert.ok(load.refusesConnections);
  const unknown = rig();
  unknown.usage.memory = null;
  unknown.usage.descriptors = null;
  unknown.protection.look(0);
  assert.is(unknown.protection.load, 0);
  const off = rig({ diskReserve: 0 });
  off.usage.free = 0;
  off.protection.look(0);
  assert.is(off.protection.storage.refusalOf('7'), null);
});

test('disk: first the cache shrinks, then patient writes are refused, then all; and back', () => {
  const { usage, bounds, lines, protection } = rig();
  const { storage } = protection;
  const state = (room: number, now: number): unknown[] => {
    usage.free = room * MB;
    protection.look(now);
    const refused = ['7', 'secondary', 'dnssec', 'sign-in'].filter((author) => storage.refusalOf(author) !== null);
    return [refused, storage.isFull, bounds.at(-1)];
  };
  const shrink = (excess: number) => ({ memoryShare: 1, diskExcess: excess * MB, isDiskPaused: true });
  assert.equal(state(201, 0), [[], false, undefined]);
  assert.equal(state(150, 1), [[], false, shrink(50)]);
  assert.equal(state(99, 2), [['7', 'secondary'], false, shrink(101)]);
  assert.is(storage.refusalOf('7')?.code, 'disk_full');
  assert.is(new Int32Array(protection.readOnly)[0], 1);
  assert.equal(state(25, 3), [['7', 'secondary', 'dnssec', 'sign-in'], true, shrink(175)]);
  assert.match(protection.warnings().join(), /disk is almost full, so nothing is written: 25MB are free/);
  assert.equal(state(115, 4), [['7', 'secondary', 'dnssec', 'sign-in'], true, shrink(85)]);
  assert.equal(state(115, 4 + HOLD), [['7', 'secondary'], false, shrink(85)]);
  assert.equal(state(500, 5 + HOLD), [['7', 'secondary'], false, shrink(0)]);
  const free = { memoryShare: 1, diskExcess: 0, isDiskPaused: false };
  assert.equal(state(500, 6 + 2 * HOLD), [[], false, free]);
  assert.is(new Int32Array(protection.readOnly)[0], 0);
  const calls = bounds.length;
  assert.equal(state(500, 7 + 2 * HOLD), [[], false, free]);
  assert.is(bounds.length, calls);
  assert.is(lines.filter((line) => line.includes('disk almost full')).length, 3);
  assert.is(lines.filter((line) => line.includes('disk has more free space')).length, 2);
});

test('the default reserve is a part of the file system', () => {
  const { protection } = rig({});
  protection.look(0);
  assert.is(protection.reading.diskReserve, 50 * MB);
});

test('the kernel reports the usage of this process', () => {
  assert.ok((ownMemory() ?? 0) > MB);
  assert.ok((openDescriptors() ?? 0) > 2);
  assert.ok((descriptorLimit() ?? 0) > (openDescriptors() ?? 0));
  assert.ok((diskSpace('/')?.total ?? 0) > 0);
  assert.is(diskSpace('/does-not-exist'), null);
});

test.run();

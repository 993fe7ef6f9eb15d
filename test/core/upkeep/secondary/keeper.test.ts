/** The timers of secondary zones, with a clock that the test moves: no sockets, and no store. */
import { mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UnavailableError } from '../../../../core/base/errors.ts';
import type { TaskClock } from '../../../../core/base/tasks.ts';
import { parseName } from '../../../../core/dns/wire/name.ts';
import { type Domain, newSecondary, PRIMARY, type SecondaryRow } from '../../../../core/store/rows.ts';
import { SupersededError } from '../../../../core/upkeep/secondary/commit.ts';
import { SecondaryKeeper } from '../../../../core/upkeep/secondary/keeper.ts';
import type { Outcome, RefreshOptions } from '../../../../core/upkeep/secondary/refresh.ts';
import fc from '../../../support/fc.ts';
import { clusterTasks } from '../../../support/tasks.ts';

const START = 1_000_000;
const SOA = { refresh: 1000, retry: 100, expire: 10_000 };

const seconds = (): number => Date.now() / 1000;
/** The timers and the date of node:test. */
const MOCKED: TaskClock = {
  date: () => Date.now(),
  steady: () => Date.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Ids from 1000 on are of other accounts. */
function domainOf(id: number): Domain {
  const apex = parseName(`zone${id}.test.`);
  return { ...PRIMARY, id, accountId: 1 + Math.floor(id / 1000), apex, kind: 'secondary' } as unknown as Domain;
}

const apexes = (id: number): string => Buffer.from(domainOf(id).apex).toString('latin1');

function transferred(domainId: number, serial: number, at: number, soa = SOA): SecondaryRow {
  const times = { transferredAt: at, refreshedAt: at, expiresAt: at + soa.expire };
  return { domainId, serial, ...times, ...soa, error: null };
}

/** What nodes share: the rows that are written. */
class Shared {
  readonly rows = new Map<number, SecondaryRow>();
  readonly nodes: Node[] = [];
  names: string[] = [];

  write(row: SecondaryRow): void {
    this.rows.set(row.domainId, row);
    for (const node of this.nodes) node.keeper.onRows([row.domainId]);
  }

  delete(domainId: number): void {
    this.rows.delete(domainId);
    for (const node of this.nodes) node.keeper.onRows([domainId]);
  }
}

interface Call extends RefreshOptions {
  readonly id: number;
  readonly at: number;
}

type Reply = (row: SecondaryRow, call: Call) => Outcome | Promise<Outcome>;

/** The primary confirms the serial. */
const confirms: Reply = (row) => {
  const at = Math.floor(seconds());
  return { kind: 'current', row: { ...row, refreshedAt: at, expiresAt: at + row.expire, error: null } };
};
const fails: Reply = () => ({ kind: 'failed', error: 'it refused the connection' });

class Node {
  readonly calls: Call[] = [];
  readonly written: SecondaryRow[] = [];
  readonly failing = new Set<string>();
  readonly logged: string[] = [];
  reply: Reply = confirms;
  /** Whether writes reach the others. */
  hasQuorum = true;
  readonly keeper: SecondaryKeeper;

  constructor(world: Shared, name = 'a', { maxConcurrent = 10, minRefresh = 10, maxRefresh = 5000 } = {}) {
    const log = (_message: string): void => void this.logged.push(_message);
    this.keeper = new SecondaryKeeper({
      ...{ maxConcurrent, minRefresh, maxRefresh, acceptsOlder: false, now: seconds },
      tasks: clusterTasks(name, () => world.names, MOCKED),
      log: { debug: log, info: log, warn: log, error: log } as never,
      rows: () => world.rows.values(),
      storedRow: (id) => world.rows.get(id),
      domain: (id) => (world.rows.has(id) ? domainOf(id) : undefined),
      onCount: () => {},
      unavailable: {
        set: (apex, isUnavailable) => {
          const id = Buffer.from(apex).toString('latin1');
          if (isUnavailable) this.failing.add(id);
          else this.failing.delete(id);
        },
      },
      refresh: async ({ id }, row, options) => {
        const call = { ...options, id, at: seconds() };
        this.calls.push(call);
        return this.reply(row, call);
      },
      batch: {
        add: (row) => {
          this.written.push(row);
          if (this.hasQuorum) world.write(row);
        },
        stop: async () => {},
      },
    });
    world.nodes.push(this);
    world.names.push(name);
  }

  isServed(id: number): boolean {
    return !this.failing.has(apexes(id));
  }
}

/** Lets everything run that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) await turn();
}

/** In steps, since timers set others. */
async function pass(total: number, step = total): Promise<void> {
  for (let passed = 0; passed < total; passed += step) {
    mock.timers.tick(Math.min(step, total - passed) * 1000);
    await settle();
  }
}

const test = suite('keeper of secondary zones');
let shared: Shared;
test.before.each(() => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START * 1000 });
  shared = new Shared();
});
test.after.each(async () => {
  for (const { keeper } of shared.nodes) await keeper.stop();
  mock.timers.reset();
});

/** One node with one zone that was transferred now. */
function started(soa = SOA, bounds = {}): Node {
  shared.rows.set(1, transferred(1, 7, START, soa));
  const node = new Node(shared, 'a', bounds);
  node.keeper.load();
  node.keeper.start();
  return node;
}

test('a zone is refreshed after the time of its SOA, up to a tenth earlier, within the bounds', async () => {
  for (const [refresh, expected] of [
    [1000, 1000],
    [1, 10],
    [100_000, 5000],
  ]) {
    const node = started({ ...SOA, refresh, expire: 1_000_000 });
    await pass(expected + 1, expected / 50);
    node.calls.length = 0;
    const begin = seconds();
    await pass(expected * 10, expected / 40);
    const gaps = node.calls.map(({ at }, i) => at - (i === 0 ? begin : node.calls[i - 1].at)).slice(1);
    assert.ok(gaps.length >= 8, String(gaps));
    for (const gap of gaps) assert.ok(gap >= expected * 0.9 - 0.01 && gap <= expected * 1.026, `${gap}`);
    // Not all the same.
    if (expected !== 10) assert.ok(new Set(gaps).size > 1, String(gaps));
    await node.keeper.stop();
    shared = new Shared();
  }
});

test('a zone without a serial is requested again soon, then more and more rarely', async () => {
  shared.rows.set(1, newSecondary(1));
  const node = new Node(shared);
  node.reply = fails;
  node.keeper.load();
  assert.not(node.isServed(1));
  node.keeper.start();
  await pass(1300, 0.5);
  const gaps = node.calls.slice(1).map(({ at }, i) => at - node.calls[i].at);
  [5, 10, 20, 40, 80, 160, 300, 300].forEach((expected, i) => {
    assert.ok(gaps[i] >= expected * 0.9 - 0.5 && gaps[i] <= expected + 0.5, `${i}: ${gaps[i]}`);
  });
  // Its error is written once.
  assert.is(node.written.length, 1);
  node.reply = () => {
    shared.write(transferred(1, 1, seconds()));
    return { kind: 'axfr', row: shared.rows.get(1)! };
  };
  await pass(301, 10);
  assert.ok(node.isServed(1));
});

test('after a failure the time of retries counts, until a primary answers', async () => {
  const node = started();
  node.reply = fails;
  await pass(1000, 10);
  assert.is(node.calls.length, 1);
  await pass(500, 2);
  assert.ok(node.calls.length >= 5 && node.calls.length <= 7, String(node.calls.length));
  assert.equal(node.keeper.counts(), { pending: 0, current: 0, retrying: 1, expired: 0 });
  assert.is(node.written.length, 1);
  node.reply = confirms;
  await pass(110, 2);
  assert.equal(node.keeper.counts(), { pending: 0, current: 1, retrying: 0, expired: 0 });
  // That the error is gone is written at once.
  assert.is(node.written.length, 2);
  const count = node.calls.length;
  await pass(850, 10);
  assert.is(node.calls.length, count);
});

test('an error of the commit counts as a failure, a faster node does not', async () => {
  const node = started();
  node.reply = () => Promise.reject(new UnavailableError('no_quorum', 'Writes are unavailable.'));
  await pass(1000, 10);
  await pass(210, 2);
  assert.is(node.calls.length, 3);
  node.reply = () => Promise.reject(new SupersededError('faster'));
  await pass(110, 2);
  assert.is(node.calls.length, 4);
  assert.is(node.logged.filter((line) => line.includes('not committed')).length, 3);
});

test('a zone expires at its time while nothing is written, and recovers', async () => {
  const node = started();
  node.hasQuorum = false;
  node.reply = fails;
  await pass(9_999, 50);
  assert.ok(node.isServed(1));
  await pass(2, 1);
  assert.not(node.isServed(1));
  assert.equal(node.keeper.counts(), { pending: 0, current: 0, retrying: 0, expired: 1 });
  node.reply = confirms;
  await pass(110, 5);
  assert.ok(node.isServed(1));
  assert.is(node.logged.filter((line) => line.includes('expired')).length, 1);
  assert.is(node.logged.filter((line) => line.includes('served again')).length, 1);
});

test('a zone expires also while all slots wait for slow primaries', async () => {
  for (const id of [1, 2, 3]) shared.rows.set(id, transferred(id, 7, START, { refresh: 100, retry: 50, expire: 1000 }));
  const node = new Node(shared, 'a', { maxConcurrent: 1 });
  node.reply = (_row, { signal }) =>
    new Promise((_done, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  node.keeper.load();
  node.keeper.start();
  await pass(101, 5);
  assert.is(node.keeper.inFlight, 1);
  await pass(900, 50);
  for (const id of [1, 2, 3]) assert.not(node.isServed(id), String(id));
});

test('zones whose primaries never end delay only their own account', async () => {
  for (let id = 1; id <= 70; id++) shared.rows.set(id, newSecondary(id));
  for (const id of [1000, 2000])
    shared.rows.set(id, transferred(id, 7, START, { refresh: 100, retry: 50, expire: 1000 }));
  const node = new Node(shared, 'a', { maxConcurrent: 8 });
  node.reply = (row, call) => (row.domainId < 1000 ? hangs(row, call) : confirms(row, call));
  node.keeper.load();
  node.keeper.start();
  await pass(350, 5);
  assert.is(node.keeper.inFlight, 4);
  assert.is(node.keeper.waiting, 66);
  for (const id of [1000, 2000]) {
    assert.ok(node.calls.filter((call) => call.id === id).length >= 3, String(id));
    assert.ok(node.isServed(id));
  }
});

test('a zone that lost its slot is retried later and later, from its next primary on', async () => {
  shared.rows.set(1, newSecondary(1));
  const node = new Node(shared);
  node.reply = (_row, { first }) => ({ kind: 'failed', error: 'it is slow', slow: first % 3 });
  node.keeper.load();
  node.keeper.start();
  await pass(60, 1);
  assert.equal(
    node.calls.map(({ first }) => first),
    [0, 1, 2, 3],
  );
  const waits = node.calls.slice(1).map(({ at }, i) => at - node.calls[i].at);
  assert.ok(waits[0] < waits[1] && waits[1] < waits[2], String(waits));
  assert.match(node.written.at(-1)!.error!, /slow/);
  node.reply = confirms;
  node.keeper.notify(1, null);
  await settle();
  node.keeper.notify(1, null);
  await settle();
  assert.equal(
    node.calls.slice(-2).map(({ first }) => first),
    [1, 1],
    'it stays while it answers',
  );
});

test('an expired zone fails from the start, and after a restart what is due is spread', async () => {
  for (let id = 1; id <= 30; id++) shared.rows.set(id, transferred(id, 7, START - 20_000));
  const node = new Node(shared);
  node.keeper.load();
  assert.not(node.isServed(1));
  node.keeper.start();
  await settle();
  assert.ok(node.calls.length < 10, String(node.calls.length));
  await pass(31, 1);
  assert.is(node.calls.length, 30);
  assert.ok(new Set(node.calls.map(({ at }) => at)).size > 5);
  assert.ok(node.isServed(30));
});

test('NOTIFY: newer serials are transferred at once, known ones are ignored', async () => {
  const node = started();
  for (const serial of [7, 6, 7 - 2 ** 30 + 2 ** 32]) node.keeper.notify(1, serial);
  node.keeper.notify(2, null);
  await settle();
  assert.is(node.calls.length, 0);
  for (const serial of [8, null]) {
    node.keeper.notify(1, serial);
    await settle();
    assert.ok(node.calls.pop()?.isNotified);
  }
});

test('NOTIFY for a zone with the serial 0, which is a serial as others', async () => {
  shared.rows.set(1, transferred(1, 0, START));
  const node = new Node(shared);
  node.keeper.load();
  node.keeper.start();
  node.keeper.notify(1, 0);
  node.keeper.notify(1, 0xffffffff);
  await settle();
  assert.is(node.calls.length, 0);
  node.keeper.notify(1, 1);
  await settle();
  assert.is(node.calls.length, 1);
});

test('NOTIFY while a transfer runs: one more follows', async () => {
  const node = started();
  const replies: (() => void)[] = [];
  node.reply = (row, call) => new Promise((done) => replies.push(() => done(confirms(row, call))));
  for (let i = 0; i < 4; i++) node.keeper.notify(1, 8);
  await settle();
  assert.is(replies.length, 1);
  replies[0]();
  await settle();
  assert.is(replies.length, 2);
  replies[1]();
  await settle();
  assert.is(replies.length, 2);
  assert.is(node.keeper.inFlight, 0);
});

test('transfers that are requested at the same time run one after another', async () => {
  const node = started();
  let [running, most] = [0, 0];
  node.reply = async (row, call) => {
    most = Math.max(most, ++running);
    await turn();
    running--;
    return confirms(row, call);
  };
  const rows = await Promise.all([1, 2, 3].map(() => node.keeper.transfer(1, true)));
  assert.equal([node.calls.length, most, rows[2]?.serial], [3, 1, 7]);
  assert.is(await node.keeper.transfer(2, true), undefined);
});

test('refreshes that find nothing new are written once an hour, or a few times in a short expiry', async () => {
  for (const [expire, most] of [
    [1_000_000, 3600 + 1000],
    [4000, 1000 + 1000],
  ]) {
    const node = started({ ...SOA, expire });
    await pass(20_000, 50);
    assert.ok(node.calls.length >= 19);
    assert.ok(node.written.length >= Math.floor(20_000 / most), `${node.written.length}`);
    assert.ok(expire === 4000 || node.written.length <= 6, `${node.written.length}`);
    await node.keeper.stop();
    shared = new Shared();
  }
});

/** Nodes that know the zones. */
function cluster(names: readonly string[], ids: readonly number[], soa = SOA): Node[] {
  for (const id of ids) shared.rows.set(id, transferred(id, 7, seconds(), soa));
  const nodes = names.map((name) => new Node(shared, name));
  for (const { keeper } of nodes) {
    keeper.load();
    keeper.start();
  }
  return nodes;
}

test('one node asks for each zone; those of a node that leaves have others', async () => {
  const ids = Array.from({ length: 30 }, (_, i) => i + 1);
  const nodes = cluster(['a', 'b', 'c'], ids);
  const holders = async (): Promise<Map<number, number>> => {
    for (const { calls } of nodes) calls.length = 0;
    await pass(1050, 25);
    const holder = new Map<number, number>();
    nodes.forEach(({ calls }, i) => {
      for (const { id } of calls) {
        assert.ok((holder.get(id) ?? i) === i, `zone ${id} was requested by two nodes`);
        holder.set(id, i);
      }
    });
    assert.is(holder.size, ids.length);
    return holder;
  };
  const before = await holders();
  assert.is(new Set(before.values()).size, 3);
  await nodes[1].keeper.stop();
  shared.names = ['a', 'c'];
  await pass(1050, 25);
  const after = await holders();
  for (const [id, holder] of before)
    if (holder === 1) assert.is.not(after.get(id), 1);
    else assert.is(after.get(id), holder);
});

test('a NOTIFY that reaches all nodes is followed by the holder first', async () => {
  const nodes = cluster(['a', 'b', 'c'], [1]);
  for (const node of nodes) {
    node.reply = (row) => {
      if (shared.rows.get(1)!.serial === row.serial) shared.write(transferred(1, 8, seconds()));
      return { kind: 'ixfr', row: shared.rows.get(1)! };
    };
    node.keeper.notify(1, 8);
  }
  await settle();
  await pass(0.2, 0.025);
  assert.is(nodes.flatMap(({ calls }) => calls).length, 1);
  for (const { keeper } of nodes) assert.is(keeper.row(1)?.serial, 8);
});

test('no node lets a zone expire that the holder confirms', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 20, max: 20_000 }), fc.integer({ min: 10, max: 60 }), async (expire, share) => {
      shared = new Shared();
      const refresh = Math.max(10, Math.floor((expire * share) / 100));
      const nodes = cluster(['a', 'b'], [1, 2, 3], { refresh, retry: 10, expire });
      let isLost = false;
      for (let i = 0; i < 60; i++) {
        await pass(expire / 15);
        for (const id of [1, 2, 3]) isLost ||= nodes.some((node) => !node.isServed(id));
      }
      for (const { keeper } of nodes) await keeper.stop();
      return !isLost;
    }),
    { numRuns: 5 },
  );
});

test('a node that hears of no confirmation asks the primary itself before the zone expires', async () => {
  const nodes = cluster(['a', 'b'], [1]);
  for (const node of nodes) node.hasQuorum = false;
  await pass(30_000, 100);
  for (const node of nodes) {
    assert.ok(node.calls.length > 0);
    assert.ok(node.isServed(1));
  }
  // The other asks only when it must.
  const [fewer, more] = nodes.map(({ calls }) => calls.length).sort((a, b) => a - b);
  assert.ok(fewer * 3 < more, `${fewer} ${more}`);
});

test('the errors of several nodes are written by the holder alone', async () => {
  const nodes = cluster(['a', 'b'], [1]);
  nodes.forEach((node, i) => {
    node.reply = () => ({ kind: 'failed', error: `seen by ${i}` });
  });
  await pass(12_000, 25);
  assert.is(
    nodes.reduce((sum, { written }) => sum + written.length, 0),
    1,
  );
  for (const node of nodes) assert.not(node.isServed(1));
});

test('a restart with another node: an older row does not replace what is known', async () => {
  const node = started();
  await pass(1000, 10);
  const latest = node.keeper.row(1)!;
  assert.ok(latest.refreshedAt! > START);
  shared.write({ ...transferred(1, 7, START), error: 'older' });
  assert.is(node.keeper.row(1), latest);
  shared.write(transferred(1, 9, START + 1));
  assert.is(node.keeper.row(1)?.serial, 9);
});

test('new primaries are asked at once, by the holder', async () => {
  const nodes = cluster(['a', 'b', 'c'], [1]);
  for (const { keeper } of nodes) keeper.onDomain(1);
  await pass(0.01);
  assert.is(nodes.flatMap(({ calls }) => calls).length, 1);
});

/** Waits until it is aborted. */
const hangs: Reply = (_row, { signal }) =>
  new Promise((_done, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('a zone that is deleted ends its transfer, and is not written again', async () => {
  const node = started();
  node.reply = hangs;
  node.keeper.notify(1, 8);
  await settle();
  shared.delete(1);
  await settle();
  assert.ok(node.calls[0].signal.aborted);
  assert.equal([node.keeper.inFlight, node.keeper.row(1), node.written.length], [0, undefined, 0]);
  await pass(20_000, 500);
  assert.is(node.calls.length, 1);
});

test('a transfer of more than an hour is given up', async () => {
  const node = started({ refresh: 5000, retry: 5000, expire: 100_000 });
  node.reply = hangs;
  node.keeper.notify(1, 8);
  await settle();
  await pass(3601, 1200);
  assert.ok(node.calls[0].signal.aborted);
  assert.is(node.keeper.inFlight, 0);
});

test('stop ends what runs and what waits, and begins nothing', async () => {
  for (const id of [1, 2, 3, 4]) shared.rows.set(id, transferred(id, 7, START));
  // An account gets half of the slots.
  const node = new Node(shared, 'a', { maxConcurrent: 4 });
  node.reply = hangs;
  node.keeper.load();
  node.keeper.start();
  for (const id of [1, 2, 3, 4]) node.keeper.notify(id, null);
  node.keeper.notify(1, null);
  await settle();
  assert.is(node.calls.length, 2);
  await node.keeper.stop();
  assert.is(node.keeper.inFlight, 0);
  node.keeper.notify(1, null);
  await pass(20_000, 500);
  assert.is(node.calls.length, 2);
});

test.run();

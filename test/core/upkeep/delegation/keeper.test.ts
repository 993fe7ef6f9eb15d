/** The background looks at delegations: which domains are asked for, and what is written. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../../core/base/log/index.ts';
import { formatHost } from '../../../../core/dns/wire/name.ts';
import { StoreReader } from '../../../../core/store/store-reader.ts';
import { DelegationKeeper } from '../../../../core/upkeep/delegation/keeper.ts';
import { APEX, type Daemon, startDaemon } from '../../../admin-api/daemon.ts';
import { clusterTasks, singleNodeTasks } from '../../../support/tasks.ts';

const test = suite<{ daemon: Daemon }>('core/upkeep/delegation/keeper');
test.before(async (context) => {
  context.daemon = await startDaemon();
});
test.after(({ daemon }) => daemon.stop());

test('asks for each domain when it is due, and stores what the parent has', async ({ daemon }) => {
  const { environment, journal } = daemon;
  const reader = new StoreReader(environment);
  const ids: number[] = [];
  for (const name of ['a', 'b', 'c']) {
    const { body } = await daemon.call('POST', '/api/v1/domains', { json: { domain: `${name}.example.net` } });
    ids.push(Number(body.domain.id));
  }
  let now = Math.floor(Date.now() / 1000);
  const queried: string[] = [];
  const keeper = new DelegationKeeper({
    ...{ environment, journal, nameservers: APEX.nameservers, tasks: singleNodeTasks() },
    log: createLogger({ level: 'error', format: 'text', write() {} }),
    look: {
      async look({ apex }, extent) {
        queried.push(`${formatHost(apex)} ${extent}`);
        if (formatHost(apex).startsWith('c')) return { trouble: 'silence' };
        return { zone: 'net', sets: [formatHost(apex).startsWith('a') ? [...APEX.nameservers] : ['ns.other.test']] };
      },
    },
    now: () => now,
  });
  await keeper.pass();
  assert.equal(queried, [], 'new domains have time to be delegated');
  now += 700;
  const before = daemon.writes();
  await keeper.pass();
  assert.equal(queried.sort(), ['a.example.net sample', 'b.example.net sample', 'c.example.net sample']);
  assert.is(daemon.writes(), before + 1, 'one commit');
  await keeper.pass();
  assert.is(queried.length, 3);
  assert.equal(
    ids.map((id) => reader.delegation(id)?.sets),
    [[[...APEX.nameservers]], [['ns.other.test']], []],
  );
  // An hour later those that are not live are due.
  now += 3700;
  await daemon.call('DELETE', `/api/v1/domains/${ids[2]}`);
  assert.is(reader.delegation(ids[2]), undefined);
  await keeper.pass();
  assert.equal(queried.slice(3), ['b.example.net sample']);
});

test('accounts take turns in a pass', async ({ daemon }) => {
  const { environment, journal } = daemon;
  for (const [username, count] of [
    ['many', 10],
    ['few', 1],
  ] as const) {
    const { token } = await daemon.account(username);
    for (let i = 0; i < count; i++)
      await daemon.call('POST', '/api/v1/domains', { token, json: { domain: `${username}${i}.example.org` } });
  }
  const queried: string[] = [];
  const keeper = new DelegationKeeper({
    ...{ environment, journal, nameservers: APEX.nameservers, tasks: singleNodeTasks() },
    log: createLogger({ level: 'error', format: 'text', write() {} }),
    look: {
      async look({ apex }) {
        queried.push(formatHost(apex));
        return { zone: 'org', sets: [] };
      },
    },
    now: () => Math.floor(Date.now() / 1000) + 50_000,
  });
  await keeper.pass();
  assert.ok(queried.length >= 11);
  const order = queried.filter((name) => name.endsWith('example.org'));
  assert.equal(order.slice(0, 3), ['many0.example.org', 'few0.example.org', 'many1.example.org']);
});

test('nodes of a cluster wait differently', async ({ daemon }) => {
  const { environment, journal } = daemon;
  const queried: string[] = [];
  const start = Math.floor(Date.now() / 1000) + 100_000;
  let now = start;
  const keeper = (nodeName: string) =>
    new DelegationKeeper({
      ...{ environment, journal, nameservers: APEX.nameservers, now: () => now },
      tasks: clusterTasks(nodeName, () => ['n1', 'n2', 'n3']),
      log: createLogger({ level: 'error', format: 'text', write() {} }),
      look: {
        async look({ apex }) {
          queried.push(`${nodeName} ${formatHost(apex)}`);
          return { zone: 'net', sets: [[...APEX.nameservers]] };
        },
      },
    });
  const nodes = ['n1', 'n2', 'n3'].map(keeper);
  for (; now < start + 400; now += 20) for (const node of nodes) await node.pass();
  const names = queried.map((line) => line.split(' ')[1]);
  assert.is(new Set(names).size, names.length, 'each domain was asked for once');
});

test.run();

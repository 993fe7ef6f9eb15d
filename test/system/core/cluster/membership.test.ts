/** Who is there: told at once; a name belongs to one node at a time; who was removed is refused. */

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StateError } from '../../../../core/base/errors.ts';
import { type Members, readMembers } from '../../../../core/cluster/members.ts';
import { Membership } from '../../../../core/cluster/membership.ts';
import { removeMember } from '../../../../core/cluster/removal.ts';
import { loadConfig } from '../../../../core/config/index.ts';
import { EtcdGateway } from '../../../../core/journal/etcd-client/gateway.ts';
import { put } from '../../../../core/journal/etcd-client/messages.ts';
import { startFaultyGateway } from '../../../core/journal/faulty-gateway.ts';
import { whyNotPrograms } from '../../../support/programs.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { until } from '../../../support/until.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';

let etcd: EtcdMember;
let gateway: EtcdGateway;
test.before(async () => {
  etcd = await startEtcd();
  gateway = etcd.gateway;
});
test.after(async () => {
  await etcd.stop();
});

/** A fingerprint. */
const keyFor = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Each name is for the key of the same text. */
async function invite(prefix: string, ...names: string[]): Promise<void> {
  for (const name of names)
    await gateway.transaction(
      [],
      [put(`${prefix}node/invited/${keyFor(name)}`, Buffer.from(JSON.stringify({ node: name })))],
    );
}

class Node {
  members: Members | null = null;
  readonly refused: (StateError | null)[] = [];
  readonly membership: Membership;

  constructor(prefix: string, name: string, id = name, interval = 200, through = gateway, level?: number, key = name) {
    this.membership = new Membership({
      ...{ gateway: through, prefix, id, interval },
      self: { name, address: '127.0.0.1:1', version: '1', level, key: keyFor(key) },
      onChange: (members) => {
        this.members = members;
      },
      onRefused: (error) => this.refused.push(error),
      onTrouble: () => {},
    });
  }

  knows(name: string): boolean {
    return this.members?.nodes.has(name) === true;
  }

  hasLive(name: string): boolean {
    return this.members?.live.has(name) === true;
  }
}

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => null,
    (error: unknown) => (error instanceof StateError ? error.code : error),
  );

const remove = (prefix: string, name: string, isForced = false): Promise<unknown> => {
  const env = { WAYPOST_ETCD_ENDPOINTS: etcd.endpoint, WAYPOST_ETCD_PREFIX: prefix };
  return codeOf(removeMember(loadConfig({ env }), name, isForced));
};

test('joining, serving and leaving nodes are seen by the watch, or by a poll where it fails', async () => {
  // No look comes by itself for as long as this takes.
  const node = new Node('/told/', 'one', 'one', 60_000);
  const faulty = await startFaultyGateway(etcd.endpoint, new Random(SEED));
  const through = new EtcdGateway({ endpoints: [faulty.endpoint], timeout: 2000 });
  const deaf = new Node('/told/', 'deaf', 'deaf', 50, through);
  await invite('/told/', 'one', 'deaf', 'other');
  await node.membership.start();
  await deaf.membership.start();
  const other = new Node('/told/', 'other');
  await other.membership.start();
  await until(() => node.knows('other') && deaf.knows('other'), 'it has come');
  faulty.count.clear();
  await other.membership.serving(true);
  await until(() => node.hasLive('other') && deaf.hasLive('other'), 'it serves');
  // From now on the watch of one is cut repeatedly.
  const cut = setInterval(() => {
    faulty.isCut = !faulty.isCut;
  }, 300);
  await other.membership.stop();
  await until(() => !node.hasLive('other') && !deaf.hasLive('other'), 'it has gone');
  clearInterval(cut);
  faulty.isCut = false;
  assert.ok(node.knows('other'), 'it stays a member');
  await Promise.all([node.membership.stop(), deaf.membership.stop()]);
  await through.close();
  await faulty.stop();
});

test('one poll at a time; the latest state counts', async () => {
  let [under, most] = [0, 0];
  const slow = new (class extends EtcdGateway {
    override async transaction(
      ...args: Parameters<EtcdGateway['transaction']>
    ): ReturnType<EtcdGateway['transaction']> {
      most = Math.max(most, ++under);
      await sleep(20);
      return super.transaction(...args).finally(() => under--);
    }
  })({ endpoints: [etcd.endpoint], timeout: 2000 });
  const node = new Node('/at-once/', 'one', 'one', 10, slow);
  await node.membership.start();
  for (let round = 0; round < 5; round++)
    await Promise.all([true, false, round % 2 === 0].map((isServing) => node.membership.serving(isServing)));
  assert.is(most, 1);
  assert.ok((await readMembers(gateway, '/at-once/')).live.has('one'));
  const last = node.membership.serving(false);
  await node.membership.stop();
  await last;
  assert.equal([...(await readMembers(gateway, '/at-once/')).there], []);
  await slow.close();
});

test('a second node with the name of a present one is refused, its restart is not', async () => {
  const item = new Node('/names/', 'a', 'id-1');
  await item.membership.start();
  await item.membership.serving(true);
  const second = new Node('/names/', 'a', 'id-2');
  const error = await second.membership.start().then(
    () => null,
    (cause: unknown) => cause as StateError,
  );
  assert.is(error?.code, 'name_taken');
  assert.match(String(error?.message), /also called a \(127\.0\.0\.1:1\).*WAYPOST_NODE_NAME/);
  await second.membership.stop();
  assert.equal(item.refused, []);
  assert.ok((await readMembers(gateway, '/names/')).live.has('a'), 'the first is there as before');
  // As after a crash: what the first has said of itself is still there.
  const again = new Node('/names/', 'a', 'id-1');
  await again.membership.start();
  await until(() => item.refused.length === 1, 'a process that was replaced hears of it');
  assert.is(item.refused[0]?.code, 'name_taken');
  await item.membership.stop();
  await again.membership.serving(true);
  assert.ok((await readMembers(gateway, '/names/')).live.has('a'), 'the end of the first takes nothing from it');
  await again.membership.stop();
  // Once it is gone, another may have its name.
  const heir = new Node('/names/', 'a', 'id-2');
  await heir.membership.start();
  await heir.membership.stop();
});

test('a removed node is forgotten, and refused when it returns; another may have its name', async () => {
  const [node, other] = [new Node('/removed/', 'one'), new Node('/removed/', 'other', 'id-1')];
  await invite('/removed/', 'one', 'other');
  await node.membership.start();
  await other.membership.start();
  await other.membership.serving(true);
  await until(() => node.hasLive('other'), 'both are there');
  assert.is(await remove('/removed/', 'stranger'), 'no_member');
  assert.is(await remove('/removed/', 'other'), 'is_there');
  assert.ok(node.knows('other'));
  await other.membership.stop();
  assert.is(await remove('/removed/', 'other'), null);
  await until(() => !node.knows('other'), 'it is no member');
  const back = new Node('/removed/', 'other', 'id-1');
  const error = await back.membership.start().then(
    () => null,
    (cause: unknown) => cause as StateError,
  );
  assert.is(error?.code, 'removed');
  assert.match(String(error?.message), /move its data folder away.*cluster invite other.*cluster join/);
  assert.not((await readMembers(gateway, '/removed/')).nodes.has('other'));
  // A new folder is of no use without a new key.
  assert.is(await codeOf(new Node('/removed/', 'other', 'id-2').membership.start()), 'removed');
  assert.is(
    await codeOf(new Node('/removed/', 'other', 'id-2', 200, gateway, undefined, 'k2').membership.start()),
    'no_member',
  );
  await gateway.transaction(
    [],
    [put(`/removed/node/invited/${keyFor('k2')}`, Buffer.from(JSON.stringify({ node: 'other' })))],
  );
  const anew = new Node('/removed/', 'other', 'id-2', 200, gateway, undefined, 'k2');
  await anew.membership.start();
  await until(() => node.knows('other'), 'it has joined anew');
  assert.is(await remove('/removed/', 'other', true), null);
  await until(() => anew.refused.length === 1, 'one that runs hears of it');
  assert.is(anew.refused[0]?.code, 'removed');
  await until(() => !node.knows('other'), 'and is no member');
  await sleep(500);
  assert.not((await readMembers(gateway, '/removed/')).nodes.has('other'), 'it does not come back by itself');
  for (const { membership } of [back, anew, node]) await membership.stop();
});

test('the feature level rises when every member has it, and never falls', async () => {
  const prefix = '/levels/';
  const start = async (name: string, level?: number): Promise<Node> => {
    const node = new Node(prefix, name, name, 200, gateway, level);
    await node.membership.start();
    return node;
  };
  const agreed = ({ members }: Node): number | null | undefined => members?.agreedLevel;
  const unreachable = new EtcdGateway({ endpoints: ['http://127.0.0.1:9'], timeout: 200 });
  const lonely = new Node(prefix, 'z', 'z', 200, unreachable, 3);
  await lonely.membership.start();
  assert.is(lonely.membership.members.agreedLevel, null, 'etcd has not been read');
  await lonely.membership.stop();
  await unreachable.close();
  await invite(prefix, 'a', 'b', 'c');
  const [old, first] = [await start('a'), await start('b', 3)];
  await until(() => first.knows('a') && old.knows('b'), 'they know each other');
  assert.equal([agreed(old), agreed(first)], [1, 1], 'a version without a level has the first');
  // The old one is updated, in two steps.
  await old.membership.stop();
  const second = await start('a', 2);
  await until(() => agreed(first) === 2 && agreed(second) === 2, 'both have 2');
  // A node that is stopped still belongs to the cluster.
  await second.membership.stop();
  await sleep(300);
  assert.is(agreed(first), 2);
  assert.is(await codeOf(start('a', 1)), 'feature_level', 'an older version is refused');
  assert.is(await codeOf(start('c')), 'feature_level', 'a new node of an older version, too');
  const third = await start('a', 4);
  await until(() => agreed(first) === 3, 'the least of 3 and 4');
  for (const { membership } of [first, third]) await membership.stop();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: members of a cluster, ${why}`);

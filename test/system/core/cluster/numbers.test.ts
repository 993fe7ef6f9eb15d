/** The numbers of nodes, which go into the ids that they make. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Membership } from '../../../../core/cluster/membership.ts';
import type { EtcdGateway } from '../../../../core/etcd/gateway.ts';
import { put, remove } from '../../../../core/etcd/messages.ts';
import { type EtcdMember, startEtcd } from '../../peers/etcd.ts';
import { whyNotPrograms } from '../../peers/transcript.ts';

let member: EtcdMember;
let gateway: EtcdGateway;
test.before(async () => {
  member = await startEtcd();
  gateway = member.gateway;
});
test.after(async () => {
  await member.stop();
});

/** Joins, and resolves with the number that it got; null: it got none, but trouble. */
async function join(
  prefix: string,
  name: string,
): Promise<{ number: number | null; why: string; end(): Promise<void> }> {
  let number: number | null = null;
  let why = '';
  const membership = new Membership({
    ...{ gateway, prefix, interval: 60_000 },
    self: { name, address: '127.0.0.1:1', version: '1' },
    id: name,
    onRefused: () => {},
    onChange: () => {},
    onNumber: (given) => {
      number = given;
    },
    onTrouble: (error) => {
      why = error === null ? '' : (error as Error).message;
    },
  });
  await membership.start();
  return { number, why, end: () => membership.stop() };
}

test('nodes that join at once get different numbers, and each has its own again', async () => {
  const names = Array.from({ length: 12 }, (_, i) => `n${i}`);
  const joined = await Promise.all(names.map((name) => join('/once/', name)));
  const numbers = joined.map(({ number }) => number);
  assert.equal(
    [...numbers].sort((a, b) => Number(a) - Number(b)),
    names.map((_, i) => i),
  );
  await Promise.all(joined.map(({ end }) => end()));
  const again = await Promise.all(names.map((name) => join('/once/', name)));
  assert.equal(
    again.map(({ number }) => number),
    numbers,
  );
  await Promise.all(again.map(({ end }) => end()));
});

test('the number of one that is no member any more is given again; what stands there damaged is passed over', async () => {
  const entry = (name: string, number: unknown) =>
    put(
      `/again/node/member/${name}`,
      Buffer.from(JSON.stringify({ name, address: '127.0.0.1:1', version: '1', number })),
    );
  await gateway.transaction([], [entry('a', 0), entry('b', 1), entry('c', -1), entry('d', 'x')]);
  const first = await join('/again/', 'e');
  assert.is(first.number, 2);
  await gateway.transaction([], [remove('/again/node/member/a')]);
  const [second, third] = [await join('/again/', 'f'), await join('/again/', 'c')];
  assert.equal([second.number, third.number], [0, 3]);
  for (const { end } of [first, second, third]) await end();
});

test('more nodes than numbers: the one too many is told so', async () => {
  const entries = Array.from({ length: 1024 }, (_, i) =>
    put(
      `/full/node/member/n${i}`,
      Buffer.from(JSON.stringify({ name: `n${i}`, address: '127.0.0.1:1', version: '1', number: i })),
    ),
  );
  for (let from = 0; from < entries.length; from += 100) await gateway.transaction([], entries.slice(from, from + 100));
  const { number, why, end } = await join('/full/', 'late');
  assert.is(number, null);
  assert.match(why, /maximum of 1024 members/);
  await end();
});

const why = whyNotPrograms('etcd');
if (why === null) test.run();
else console.log(`skipped: numbers of nodes, ${why}`);

/** The ranks of the nodes of a cluster for the items of background tasks. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { clusterTasks } from '../../support/tasks.ts';

const ITEMS = Array.from({ length: 300 }, (_, i) => `${i + 1}`);

/** The node of each rank, for an item. */
function order(live: readonly string[], item: string): string[] {
  const byRank: string[] = [];
  for (const name of live) byRank[clusterTasks(name, () => live).rank(item)] = name;
  return byRank;
}

test('each node has another rank for an item, and each node is first for some', () => {
  const live = ['a', 'b', 'c', 'd'];
  const firsts = new Map<string, number>();
  for (const item of ITEMS) {
    const nodes = order(live, item);
    assert.equal([...nodes].sort(), live);
    firsts.set(nodes[0], (firsts.get(nodes[0]) ?? 0) + 1);
  }
  for (const name of live) assert.ok(firsts.get(name)! > ITEMS.length / 8, `${name} ${firsts.get(name)}`);
});

test('when a node fails, the next by rank replaces it, and other items stay', () => {
  for (const item of ITEMS) {
    const before = order(['a', 'b', 'c'], item);
    assert.equal(
      order(['a', 'c'], item),
      before.filter((name) => name !== 'b'),
    );
  }
});

test('a node that is not known as live yet has a rank, and is alone without members', () => {
  assert.is(clusterTasks('a', () => []).rank('1'), 0);
  const joining = ITEMS.map((item) => clusterTasks('d', () => ['a', 'b', 'c']).rank(item));
  assert.equal([...new Set(joining)].sort(), [0, 1, 2, 3]);
});

test('the ranks are those of other versions', () => {
  const ranks = ['a', 'b', 'c'].map((name) => clusterTasks(name, () => ['a', 'b', 'c']));
  assert.equal(
    ['1', '2', '3', '4'].map((item) => ranks.map((tasks) => tasks.rank(item)).join('')),
    ['012', '120', '021', '210'],
  );
});

test.run();

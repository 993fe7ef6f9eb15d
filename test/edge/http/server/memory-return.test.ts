import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryBudget } from '../../../../edge/http/exchange/client-memory.ts';
import { MemoryReturn } from '../../../../edge/http/server/server.ts';

const MB = 1024 ** 2;

const CASES: readonly (readonly [name: string, held: readonly number[], releases: number])[] = [
  ['what little was held is no reason', [20, 0, 0, 0, 0, 0], 0],
  ['much that is held still', [100, 100, 100, 100, 100, 100], 0],
  ['much that is gone, once it stays so', [100, 0, 0, 0, 0, 0], 1],
  ['not before it stays so', [100, 0, 0, 100, 0, 0, 100, 0, 0], 0],
  ['a third of it', [100, 66, 66, 66, 66, 66], 0],
  ['each time', [100, 0, 0, 0, 100, 0, 0, 0, 0, 0], 2],
];

for (const [name, held, releases] of CASES)
  test(name, () => {
    const budget = new MemoryBudget(1024 * MB);
    const memory = budget.enter('192.0.2.1');
    let count = 0;
    const watch = new MemoryReturn(budget, () => count++);
    for (const megabytes of held) {
      memory.hold(megabytes * MB - memory.held);
      watch.look();
    }
    assert.is(count, releases);
  });

test.run();

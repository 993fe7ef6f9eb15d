import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DescriptorLoop, type LoopTask, OWN_PLACES } from '../../../core/os/descriptor-loop.ts';

test('work that is deferred repeatedly runs once in each turn', async () => {
  const loop = new DescriptorLoop(new SharedArrayBuffer(4 * OWN_PLACES));
  let turns = 0;
  let runs = 0;
  loop.onTurn = () => turns++;
  await new Promise<void>((resolve) => {
    const task: LoopTask = {
      runDue() {
        runs++;
        if (turns < 100) loop.later(task);
        else resolve();
      },
    };
    loop.later(task);
  });
  loop.close();
  assert.ok(runs >= turns && runs <= turns + 1, `${runs} runs in ${turns} turns`);
});

test.run();

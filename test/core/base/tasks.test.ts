/** Background tasks on a virtual clock. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { OPENMETRICS, Registry } from '../../../core/base/metrics/index.ts';
import { type Ownership, SINGLE_NODE, type Task, Tasks } from '../../../core/base/tasks.ts';
import { VirtualClock } from '../../support/tasks.ts';

type Options = Parameters<Tasks['add']>[0];

/** Tasks on a virtual clock; `times` are the times of runs. */
function world(ownership?: Ownership) {
  const clock = new VirtualClock();
  const metrics = new Registry();
  const tasks = new Tasks({ metrics, clock, ownership });
  const lines: Record<string, unknown>[] = [];
  const log = createLogger({ level: 'debug', format: 'json', write: (line) => void lines.push(JSON.parse(line)) });
  const times: number[] = [];
  const add = (options: Partial<Options> = {}): Task => {
    const { run } = options;
    return tasks.add({
      name: 'example',
      owner: 'node',
      due: 10_000,
      log,
      ...options,
      run(task) {
        times.push(clock.steady());
        return run?.(task);
      },
    });
  };
  const logged = (): unknown[] => lines.map(({ level, message, task, reason }) => [level, message, task, reason]);
  return { clock, metrics, tasks, times, add, logged };
}

/** A run that lasts until `end`. */
function controlledRun() {
  let end: (error?: Error) => void = () => {};
  const run = () =>
    new Promise<void>((resolve, reject) => {
      end = (error) => (error === undefined ? resolve() : reject(error));
    });
  return { run, end: (error?: Error) => end(error) };
}

test('a run follows when the interval after the previous run has passed', async () => {
  const { clock, times, add } = world();
  const work = controlledRun();
  const task = add({ run: work.run });
  task.start();
  await clock.advance(35_000);
  assert.equal(times, [10_000], 'runs do not overlap');
  work.end();
  await clock.advance(10_000);
  assert.equal(times, [10_000, 45_000]);
  work.end();
  await task.stop();
});

test('the first run may be immediate', async () => {
  const { clock, times, add } = world();
  add({ first: 0 }).start();
  await clock.advance(20_000);
  assert.equal(times, [0, 10_000, 20_000]);
});

test('tasks run in the order of their times', async () => {
  const { clock, add } = world();
  const order: string[] = [];
  for (const [name, due] of [
    ['c', 500],
    ['a', 110],
    ['b', 300],
  ] as const)
    add({ name, due, run: () => order.push(name) }).start();
  await clock.advance(500);
  assert.is(order.join(''), 'aabaac');
});

test('a due function is called after each run, on reschedule, and every second', async () => {
  const { clock, times, add } = world();
  let dueAt = 500;
  const task = add({
    due: () => dueAt - clock.steady(),
    run() {
      dueAt = Number.POSITIVE_INFINITY;
    },
  });
  task.start();
  await clock.advance(5500);
  assert.equal(times, [500], 'no run is due');
  dueAt = 5600;
  task.reschedule();
  await clock.advance(1400);
  assert.equal(times, [500, 5600]);
  dueAt = 0;
  await clock.advance(1000);
  assert.equal(times.length, 3, 'without reschedule');
});

test('a requested run is not postponed by further requests', async () => {
  const { clock, times, add } = world();
  const task = add();
  task.start();
  task.wake(50);
  await clock.advance(40);
  task.wake(50);
  await clock.advance(100);
  assert.equal(times, [50]);
  await clock.advance(10_000);
  assert.equal(times, [50, 10_050]);
});

test('requests do not postpone a run whose due function counts from now', async () => {
  const { clock, times, add } = world();
  const task = add({ due: () => 250 });
  task.start();
  for (let i = 0; i < 20; i++) {
    await clock.advance(100);
    task.wake(250);
  }
  assert.equal(times.slice(0, 3), [250, 500, 750]);
});

test('a run that is requested during a run follows it', async () => {
  const { clock, times, add } = world();
  const work = controlledRun();
  const task = add({
    run(running) {
      running.wake();
      return work.run();
    },
  });
  task.start();
  await clock.advance(12_000);
  assert.equal(times, [10_000]);
  work.end();
  await clock.advance(0);
  assert.equal(times, [10_000, 12_000]);
  work.end();
  await task.stop();
});

test('all tasks run soon after the date is set forward', async () => {
  const { clock, times, add } = world();
  add({ due: 300_000 }).start();
  await clock.advance(1500);
  clock.jump(900);
  await clock.advance(1000);
  assert.equal(times, [], 'a correction');
  clock.jump(86_400_000);
  await clock.advance(1000);
  assert.equal(times, [3000]);
  await clock.advance(299_000);
  assert.equal(times, [3000], 'once');
  await clock.advance(500);
  assert.equal(times, [3000, 303_000]);
});

test('all tasks run soon after the date is set back by more than a minute', async () => {
  const { clock, times, add } = world();
  add({ due: 300_000 }).start();
  await clock.advance(1500);
  clock.jump(-59_000);
  await clock.advance(5000);
  assert.equal(times, []);
  clock.jump(-61_000);
  await clock.advance(1000);
  assert.equal(times, [7000]);
});

test('a run follows one during which the date has jumped', async () => {
  const { clock, times, add } = world();
  const work = controlledRun();
  const task = add({ run: work.run });
  task.start();
  await clock.advance(10_000);
  clock.jump(3_600_000);
  await clock.advance(1000);
  work.end();
  await clock.advance(0);
  assert.equal(times, [10_000, 11_000]);
  work.end();
  await task.stop();
});

test('the delay of retries doubles up to its maximum, and ends with a success', async () => {
  const { clock, times, add, logged } = world();
  let isBroken = true;
  add({
    retry: { first: 1000, longest: 4000 },
    run() {
      if (isBroken) throw new Error('broken');
    },
  }).start();
  await clock.advance(22_000);
  assert.equal(times, [10_000, 11_000, 13_000, 17_000, 21_000]);
  isBroken = false;
  await clock.advance(13_000);
  assert.equal(times.slice(5), [25_000, 35_000]);
  assert.equal(logged(), [
    ['warn', 'background task failed; retrying', 'example', 'broken'],
    ['info', 'background task works again', 'example', undefined],
  ]);
});

test('neither requests nor jumps of the date shorten the delay of a retry', async () => {
  const { clock, times, add } = world();
  const task = add({ retry: { first: 8000, longest: 8000 }, run: () => Promise.reject(new Error('broken')) });
  task.start();
  await clock.advance(10_500);
  task.wake();
  clock.jump(86_400_000);
  await clock.advance(7000);
  assert.equal(times, [10_000]);
  await clock.advance(500);
  assert.equal(times, [10_000, 18_000]);
});

test('errors are logged with the messages and the name of the task, also those that are no Error', async () => {
  const { clock, add, logged } = world();
  let thrown: unknown = null;
  add({
    messages: ['cannot work', 'working again'],
    run() {
      throw thrown;
    },
  }).start();
  await clock.advance(10_000);
  thrown = undefined;
  await clock.advance(10_000);
  assert.equal(logged(), [['warn', 'cannot work', 'example', 'unknown']]);
});

test('a report replaces the log messages', async () => {
  const { clock, add, logged } = world();
  const reports: unknown[] = [];
  let isBroken = true;
  add({
    report: (error, delay) => reports.push([(error as Error | null)?.message, delay]),
    run: async () => {
      if (isBroken) throw new Error('broken');
    },
  }).start();
  await clock.advance(15_000);
  isBroken = false;
  await clock.advance(10_000);
  assert.equal(reports, [
    ['broken', 5000],
    ['broken', 10_000],
    [undefined, 0],
  ]);
  assert.equal(logged(), []);
});

test('a failed task does not delay others', async () => {
  const { clock, times, add, tasks } = world();
  tasks
    .add({
      name: 'broken',
      owner: 'node',
      due: 10_000,
      log: createLogger({ level: 'error', format: 'text', write: () => {} }),
      run() {
        throw new Error('broken');
      },
    })
    .start();
  add({ due: 10_000 }).start();
  await clock.advance(20_000);
  assert.equal(times, [10_000, 20_000]);
});

test('a stop waits for the current run, whose failure is not reported', async () => {
  const { clock, times, add, logged } = world();
  const work = controlledRun();
  const task = add({ run: work.run });
  task.start();
  await clock.advance(10_000);
  let isStopped = false;
  const stopped = task.stop().then(() => {
    isStopped = true;
  });
  assert.equal([task.isStopped, task.signal.aborted], [true, true]);
  await clock.advance(5000);
  assert.is(isStopped, false);
  work.end(new Error('aborted'));
  await stopped;
  task.wake();
  await clock.advance(60_000);
  assert.equal(times, [10_000]);
  assert.equal(logged(), []);
});

test('a task that was never started can be stopped', async () => {
  const { clock, times, add } = world();
  const task = add();
  await task.stop();
  await clock.advance(60_000);
  assert.equal(times, []);
});

for (const [owner, method] of [
  ['first', 'isFirst'],
  ['region', 'isFirstOfRegion'],
] as const)
  test(`a task of "${owner}" runs where the node owns it, and elsewhere its standby`, async () => {
    let isOwner = false;
    const node = { isFirst: () => false, isFirstOfRegion: () => false, rank: () => 1, [method]: () => isOwner };
    const { clock, add } = world(node);
    const runs: string[] = [];
    const work = controlledRun();
    let running: Task | undefined;
    add({
      owner,
      run(task) {
        runs.push(`${clock.steady()} run`);
        running = task;
        return work.run();
      },
      standby: () => runs.push(`${clock.steady()} standby`),
    }).start();
    await clock.advance(10_000);
    isOwner = true;
    await clock.advance(11_000);
    assert.is(running?.isOwner, true);
    isOwner = false;
    assert.is(running?.isOwner, false, 'the node has lost it during the run');
    work.end();
    await clock.advance(10_000);
    assert.equal(runs, ['10000 standby', '20000 run', '31000 standby']);
  });

test('without standby, a due task waits on other nodes until the node owns it', async () => {
  let isOwner = false;
  const { clock, times, add } = world({ isFirst: () => isOwner, isFirstOfRegion: () => false, rank: () => 1 });
  add({ owner: 'first', due: () => 0, run: () => new Promise(() => {}) }).start();
  await clock.advance(5500);
  assert.equal(times, []);
  isOwner = true;
  await clock.advance(1000);
  assert.is(times.length, 1);
});

test('before the node has opened its journal, it owns no shared task', async () => {
  const { clock, tasks, times, add } = world();
  const task = add({ owner: 'first' });
  task.start();
  assert.equal([task.isOwner, tasks.rank('1')], [false, Number.POSITIVE_INFINITY]);
  await clock.advance(30_000);
  assert.equal(times, []);
  tasks.ownership = SINGLE_NODE;
  await clock.advance(12_000);
  assert.is(times.length, 1);
});

test('two tasks cannot have the same name', () => {
  const { add } = world();
  add();
  assert.throws(() => add(), /two tasks with the name example/);
});

test('the metrics count runs, time, failures and ownership', async () => {
  const { clock, metrics, add } = world();
  let isBroken = true;
  const work = controlledRun();
  add({
    run() {
      if (isBroken) throw new Error('broken');
      return work.run();
    },
  }).start();
  add({ name: 'shared', owner: 'first' }).start();
  await clock.advance(17_000);
  const values = (): string[] =>
    metrics
      .expose(OPENMETRICS)
      .split('\n')
      .filter((line) => line.includes('task="example"') || line.includes('owned{task="shared"'));
  assert.equal(values(), [
    'waypost_task_runs_total{task="example",result="success"} 0',
    'waypost_task_runs_total{task="example",result="failure"} 2',
    'waypost_task_seconds_total{task="example"} 0',
    'waypost_task_failures{task="example"} 2',
    'waypost_task_owned{task="example"} 1',
    'waypost_task_owned{task="shared"} 0',
  ]);
  isBroken = false;
  await clock.advance(10_000);
  work.end();
  await clock.advance(0);
  assert.equal(values().slice(0, 4), [
    'waypost_task_runs_total{task="example",result="success"} 1',
    'waypost_task_runs_total{task="example",result="failure"} 2',
    'waypost_task_seconds_total{task="example"} 2',
    'waypost_task_failures{task="example"} 0',
  ]);
});

test.run();

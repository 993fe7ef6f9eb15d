import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createLogger } from '../../../core/base/log/index.ts';
import { type BackOff, SupervisedThread } from '../../../core/os/supervised-thread.ts';
import { until } from '../../support/until.ts';

/** Does what the main thread sends, or what it was started with. */
const PROGRAM = `
import { parentPort, workerData } from 'node:worker_threads';
const run = (order) => {
  if (order === 'listen') parentPort.postMessage({ kind: 'listening' });
  else if (order === 'fail') parentPort.postMessage({ kind: 'failed', message: 'no port' });
  else if (order === 'throw') throw new Error('broken');
  else if (order === 'exit') process.exit(3);
  else parentPort.postMessage({ kind: 'echo', order });
};
parentPort.on('message', run);
run(workerData.order);
`;
const FILE = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
const BACK_OFF: BackOff = { first: 5, factor: 2, maximum: 20, settledAfter: 60_000 };

function supervise(orders: string[]) {
  const lines: string[] = [];
  const seen = { prepared: 0, released: 0, restarts: 0, messages: [] as unknown[] };
  const thread = new SupervisedThread<string, { readonly kind: 'echo'; readonly order: string }>({
    log: createLogger({ level: 'debug', format: 'text', write: (line) => lines.push(line) }),
    role: 'Test',
    name: '1',
    file: FILE,
    backOff: BACK_OFF,
    prepare: () => ({
      data: { order: orders[seen.prepared++] ?? 'listen' },
      release: () => {
        seen.released++;
      },
    }),
    failure: (message) => new RangeError(message),
    onMessage: (message) => seen.messages.push(message),
    onRestart: () => {
      seen.restarts++;
    },
  });
  return { thread, lines, seen };
}

test('a thread listens, receives what it is sent, and is stopped', async () => {
  const { thread, lines, seen } = supervise([]);
  assert.is(thread.name, 'test 1');
  assert.not(thread.isListening);
  await thread.start();
  assert.ok(thread.isListening);
  thread.send('hello');
  await until(() => seen.messages.length > 0);
  assert.equal(seen.messages, [{ kind: 'echo', order: 'hello' }]);
  thread.send('exit');
  await thread.stop(60_000);
  assert.not(thread.isListening);
  assert.equal([seen.released, seen.restarts, lines], [1, 0, []]);
});

test('a thread that does not end is ended', async () => {
  const { thread, seen } = supervise([]);
  await thread.start();
  await thread.stop(1);
  assert.equal([seen.released, seen.restarts], [1, 0]);
});

test('a thread that cannot start is not restarted', async () => {
  for (const [order, expected] of [
    ['fail', /no port/],
    ['throw', /Test thread 1 exited with code 1/],
    ['exit', /Test thread 1 exited with code 3/],
  ] as const) {
    const { thread, seen } = supervise([order]);
    await thread.start().then(
      () => assert.unreachable(),
      (error: Error) => {
        assert.match(error.message, expected);
        assert.is(error instanceof RangeError, order === 'fail');
      },
    );
    assert.equal([seen.prepared, seen.released, seen.restarts], [1, 1, 0]);
    await thread.terminate();
  }
});

test('a thread that dies is restarted until it listens', async () => {
  const { thread, lines, seen } = supervise(['listen', 'exit', 'fail', 'listen']);
  await thread.start();
  thread.send('throw');
  await until(() => seen.prepared === 4 && thread.isListening);
  assert.equal([seen.released, seen.restarts], [3, 1]);
  const events = [
    'Test thread failed',
    'Test thread exited; restarting',
    'cannot restart Test thread',
    'cannot restart Test thread',
  ];
  assert.is(lines.length, events.length);
  for (const [i, event] of events.entries()) assert.ok(lines[i].includes(event), lines[i]);
  await thread.terminate();
  assert.is(seen.released, 4);
});

test('a thread that is stopped is not restarted', async () => {
  const { thread, seen } = supervise([]);
  await thread.start();
  thread.send('exit');
  await until(() => seen.restarts === 1);
  await thread.terminate();
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.is(seen.prepared, 1);
});

test.run();

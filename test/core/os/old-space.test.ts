import { EventEmitter, once } from 'node:events';
import v8 from 'node:v8';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withOldSpace } from '../../../core/os/supervised-thread.ts';

interface Context {
  /** What the flag was set to. */
  sizes: number[];
  start(): EventEmitter;
}

/** What V8 makes of the flag depends on the machine, and is measured: bench/edge/flood.ts. */
const test = suite<Context>('old space');
const { setFlagsFromString } = v8;

test.before.each((context) => {
  const sizes: number[] = [];
  context.sizes = sizes;
  context.start = () =>
    withOldSpace(128, () => {
      assert.is(sizes.at(-1), 128, 'set before the thread is made');
      return new EventEmitter() as Worker;
    });
  Object.assign(v8, {
    setFlagsFromString(flag: string) {
      sizes.push(Number(flag.replace('--initial-old-space-size=', '')));
      setFlagsFromString(flag);
    },
  });
});
test.after.each(() => {
  Object.assign(v8, { setFlagsFromString });
});

test('the flag is set until the last of the threads that start has its heap', ({ sizes, start }) => {
  const [first, second] = [start(), start()];
  first.emit('online');
  assert.equal(sizes, [128, 128]);
  first.emit('exit', 0);
  assert.equal(sizes, [128, 128], 'it counts once');
  second.emit('online');
  assert.equal(sizes, [128, 128, 0]);
  second.emit('exit', 0);
  start().emit('online');
  assert.equal(sizes, [128, 128, 0, 128, 0]);
});

test('a thread that ends before it is online, or cannot be made, leaves nothing behind', ({ sizes, start }) => {
  start().emit('exit', 1);
  assert.equal(sizes, [128, 0]);
  const fail = (): Worker => {
    throw new RangeError('no thread');
  };
  assert.throws(() => withOldSpace(128, fail), 'no thread');
  assert.equal(sizes, [128, 0, 128, 0]);
});

test('V8 has the flag, and a thread starts with it', async ({ sizes }) => {
  const worker = withOldSpace(128, () => new Worker('', { eval: true }));
  assert.equal(await once(worker, 'exit'), [0]);
  assert.equal(sizes, [128, 0]);
});

test.run();

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { MemoryBudget } from '../../../../edge/http/exchange/client-memory.ts';
import { SendQueue } from '../../../../edge/http/http2/send-queue.ts';
import { BUFFER } from '../../../../edge/http/transport/buffers.ts';
import fc from '../../../support/fc.ts';

const MEMORY = new MemoryBudget(1024 ** 3).enter('192.0.2.1');

test('data is sent in order, borrowed memory may change afterwards, and memory is charged while held', () => {
  const step = fc.record({
    bytes: fc.oneof(fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 3 * BUFFER })),
    isLent: fc.boolean(),
    moved: fc.oneof(fc.nat(600), fc.nat(2 * BUFFER)),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const queue = new SendQueue(MEMORY);
      const given: Buffer[] = [];
      const left: Buffer[] = [];
      let waiting = 0;
      const move = (bytes: number): void => {
        const target = Buffer.alloc(bytes + 2);
        assert.ok(queue.move(target, 1, bytes));
        left.push(target.subarray(1, 1 + bytes));
        waiting -= bytes;
      };
      steps.forEach(({ bytes, isLent, moved }, i) => {
        const part = Buffer.alloc(bytes, i + 1);
        given.push(Buffer.from(part));
        waiting += bytes;
        if (isLent) {
          queue.pushCopy(part);
          part.fill(0);
        } else queue.push(part);
        assert.ok(MEMORY.held >= waiting);
        move(Math.min(waiting, moved));
      });
      move(waiting);
      assert.ok(Buffer.concat(given).equals(Buffer.concat(left)));
      assert.not(queue.move(Buffer.alloc(1), 0, 1), 'nothing is left');
      assert.is(MEMORY.held, 0);
    }),
    { numRuns: 200 },
  );
});

test('two queues never share memory, also after one was cleared', () => {
  const [queue, other] = [new SendQueue(MEMORY), new SendQueue(MEMORY)];
  const target = Buffer.alloc(BUFFER);
  queue.pushCopy(Buffer.alloc(BUFFER, 1));
  queue.clear();
  queue.pushCopy(Buffer.alloc(BUFFER, 2));
  other.pushCopy(Buffer.alloc(BUFFER, 3));
  assert.ok(queue.move(target, 0, BUFFER));
  assert.ok(target.equals(Buffer.alloc(BUFFER, 2)));
  queue.pushCopy(Buffer.alloc(BUFFER, 4));
  assert.ok(other.move(target, 0, BUFFER));
  assert.ok(target.equals(Buffer.alloc(BUFFER, 3)));
});

test.run();

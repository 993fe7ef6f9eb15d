import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BodyQueue, NO_BODY } from '../../../../edge/http/exchange/body-queue.ts';
import { AbortError, type BodySink } from '../../../../edge/http/exchange/exchange.ts';
import { stillHeld } from '../../../support/garbage.ts';

function queueOf(length?: number) {
  const events: (number | string)[] = [];
  const queue = new BodyQueue({ onFirstRead: () => events.push('read'), onTaken: (data) => events.push(data) }, length);
  return { queue, told: events };
}
const part = (value: string): Uint8Array => Buffer.from(value);
const text = (bytes: Uint8Array | null): string => (bytes === null ? 'end' : Buffer.from(bytes).toString());

test('parts are delivered in order, before or after the read, and released once read', async () => {
  const { queue, told: events } = queueOf(6);
  queue.push(part('ab'));
  queue.push(part('c'));
  assert.is(queue.buffered, 3);
  assert.is(queue.parts, 2);
  assert.equal(events, []);
  assert.is(text(await queue.read()), 'ab');
  assert.is(text(await queue.read()), 'c');
  const waiting = queue.read();
  assert.ok(queue.isWaiting);
  queue.push(part('def'));
  assert.is(text(await waiting), 'def');
  assert.equal(events, ['read', 2, 1, 3]);
  const end = queue.read();
  queue.finish(['x-a', '1']);
  assert.is(text(await end), 'end');
  assert.is(text(await queue.read()), 'end');
  assert.equal([...queue.trailers], ['x-a', '1']);
  assert.is(queue.received, 6);
  assert.is(queue.buffered, 0);
});

test('waiting small parts are joined in order, large ones stay separate', async () => {
  const { queue } = queueOf();
  let sent = '';
  for (let i = 0; i < 10_000; i++) {
    const piece = i % 1000 === 999 ? 'x'.repeat(600) : String.fromCharCode(97 + (i % 26));
    sent += piece;
    queue.push(part(piece));
    if (i % 1700 === 0) sent = sent.slice(text(await queue.read()).length);
  }
  assert.ok(queue.parts < 60, `${queue.parts}`);
  assert.is(queue.buffered, sent.length);
  queue.finish();
  let got = '';
  for (let bytes = await queue.read(); bytes !== null; bytes = await queue.read()) got += text(bytes);
  assert.is(got, sent);
  assert.is(queue.buffered, 0);
});

test('received data is read before the end', async () => {
  const { queue } = queueOf();
  queue.push(part('a'));
  queue.finish();
  assert.is(text(await queue.read()), 'a');
  assert.is(text(await queue.read()), 'end');
});

test('discarded data is released, and reads return the end', async () => {
  const { queue, told: events } = queueOf();
  const waiting = queue.read();
  queue.discard();
  assert.is(text(await waiting), 'end');
  queue.push(part('abc'));
  assert.equal(events, ['read', 3]);
  assert.is(queue.received - queue.receivedBefore, 3);
  const other = queueOf();
  other.queue.push(part('abcd'));
  other.queue.discard();
  other.queue.discard();
  assert.equal(other.told, [4]);
  assert.is(text(await other.queue.read()), 'end');
});

test('a failed body rejects the pending and all later reads, and keeps no data', async () => {
  for (const waits of [true, false]) {
    const { queue } = queueOf();
    const reads = waits ? [queue.read()] : [];
    if (!waits) queue.push(part('a'));
    queue.fail('limit');
    reads.push(queue.read());
    for (const read of reads) {
      const error = await read.then(
        () => assert.unreachable(),
        (reason: unknown) => reason,
      );
      assert.instance(error, AbortError);
      assert.is((error as AbortError).reason, 'limit');
    }
    assert.is(queue.buffered, 0);
  }
});

test('an ended body does not fail, and concurrent reads throw', async () => {
  const { queue } = queueOf();
  const first = queue.read();
  assert.throws(() => queue.read());
  queue.finish();
  queue.fail('client');
  assert.is(text(await first), 'end');
  assert.is(text(await queue.read()), 'end');
});

test('a complete unread body is discarded when it fails, and then has no end', async () => {
  const { queue, told: events } = queueOf(3);
  queue.push(part('abc'));
  queue.finish();
  queue.fail('client');
  queue.fail('limit');
  assert.is(queue.buffered, 0);
  const error = await queue.read().catch((reason: unknown) => reason);
  assert.is((error as AbortError).reason, 'client');
  assert.equal(events, ['read']);
});

test('a discarded body reports no failure', async () => {
  const { queue } = queueOf();
  queue.discard();
  queue.fail('client');
  assert.is(await queue.read(), null);
});

test('read data is released although more always waits', async () => {
  const { queue } = queueOf();
  const taken: WeakRef<Uint8Array>[] = [];
  queue.push(Buffer.alloc(600, 0));
  for (let i = 1; i < 200; i++) {
    queue.push(Buffer.alloc(600, i));
    const bytes = await queue.read();
    assert.is(bytes?.[0], i - 1);
    taken.push(new WeakRef(bytes as Uint8Array));
  }
  assert.is(queue.parts, 1);
  const held = await stillHeld(taken);
  assert.ok(held < 20, `${held} of ${taken.length} are held`);
});

class Sink implements BodySink {
  seen = '';
  takesMore = true;

  onPart(bytes: Uint8Array): boolean {
    this.seen += `${text(bytes)} `;
    return this.takesMore;
  }

  onOver(error: Error | null): void {
    this.seen += error === null ? 'end' : error.name;
  }
}

test('a flowing body delivers buffered data, then new data, and keeps what the sink refuses', () => {
  const { queue, told: events } = queueOf();
  queue.push(Buffer.alloc(600, 'a'));
  const sink = new Sink();
  const flow = queue.flow(sink);
  assert.is(sink.seen.length, 601);
  sink.seen = '';
  assert.ok(queue.isWaiting);
  sink.takesMore = false;
  const memory = Buffer.from('bc');
  queue.lend(memory);
  assert.not(queue.isWaiting);
  memory.write('de');
  queue.lend(memory);
  memory.fill(0);
  queue.finish(['x-a', '1']);
  assert.is(sink.seen, 'bc ');
  assert.is(queue.buffered, 2);
  assert.equal(events, ['read', 600, 2]);
  sink.takesMore = true;
  flow.resume();
  flow.resume();
  assert.is(sink.seen, 'bc de end');
  assert.equal(events, ['read', 600, 2, 2]);
});

test('data that arrives during the release callback is queued behind buffered data', () => {
  const more = ['e', 'f', 'g'];
  const lent = Buffer.alloc(1);
  const queue: BodyQueue = new BodyQueue(
    {
      onFirstRead: () => {},
      onTaken() {
        const next = more.shift();
        if (next === undefined) return;
        lent.write(next);
        queue.lend(lent);
        lent.fill('?');
        if (more.length === 0) queue.finish();
      },
    },
    undefined,
  );
  for (const line of ['a', 'b', 'c', 'd']) queue.push(part(line));
  let received = '';
  const sink: BodySink = {
    onPart(bytes) {
      received += text(bytes);
      return true;
    },
    onOver: () => {
      received += '.';
    },
  };
  queue.flow(sink);
  assert.is(received, 'abcdefg.');
});

test("a flow ends once, with the body's end or error, and there is only one flow", () => {
  const failing = queueOf().queue;
  const sink = new Sink();
  const flow = failing.flow(sink);
  assert.throws(() => failing.flow(new Sink()));
  sink.takesMore = false;
  failing.push(part('a'));
  failing.push(part('b'));
  failing.fail('client');
  flow.resume();
  failing.finish();
  assert.is(sink.seen, 'a AbortError', 'what lay there is dropped');
  const discarded = queueOf().queue;
  const other = new Sink();
  discarded.flow(other);
  discarded.discard();
  discarded.push(part('a'));
  assert.is(other.seen, 'end');
  const over = queueOf().queue;
  const late = new Sink();
  over.finish();
  over.flow(late);
  assert.is(late.seen, 'end');
});

test('an absent body is ended from the start', async () => {
  assert.is(NO_BODY.length, 0);
  assert.is(await NO_BODY.read(), null);
  NO_BODY.discard();
  assert.equal([...NO_BODY.trailers], []);
});

test.run();

/** A body that flows: what comes goes to who takes it, within the call that brings it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { BodySink } from '../../../edge/http/exchange/exchange.ts';
import { OriginError } from '../../../edge/origin/origin.ts';
import { ReceivedBody, type ReceivedBodySource } from '../../../edge/origin/received-body.ts';

class Source implements ReceivedBodySource {
  rooms = 0;
  cancels = 0;

  onRoom(): void {
    this.rooms++;
  }

  onCancelled(): void {
    this.cancels++;
  }
}

class Sink implements BodySink {
  readonly seen: string[] = [];
  takesMore = true;

  onPart(part: Uint8Array): boolean {
    this.seen.push(Buffer.from(part).toString());
    return this.takesMore;
  }

  onOver(error: Error | null): void {
    this.seen.push(error instanceof OriginError ? `over: ${error.fault}` : 'over');
  }
}

const bytes = (text: string): Buffer => Buffer.from(text);

test('parts are passed to the sink as they arrive, then the end, once', () => {
  const body = new ReceivedBody(new Source(), undefined);
  const sink = new Sink();
  body.flow(sink);
  body.push(bytes('one'));
  body.push(bytes('two'));
  assert.equal(sink.seen, ['one', 'two']);
  body.finish(['x-sum', '1']);
  body.cancel();
  body.fail(new OriginError('reset', ''));
  assert.equal(sink.seen, ['one', 'two', 'over']);
  assert.equal(body.trailers, ['x-sum', '1']);
});

test('a sink that takes no more stops the origin until it resumes', () => {
  const source = new Source();
  const body = new ReceivedBody(source, undefined);
  const sink = new Sink();
  const flow = body.flow(sink);
  flow.resume();
  assert.is(source.rooms, 0, 'nothing was held up');
  sink.takesMore = false;
  body.push(bytes('a'));
  assert.ok(body.isFull);
  flow.resume();
  flow.resume();
  assert.not(body.isFull);
  assert.is(source.rooms, 1);
});

test('a fault, or a cancel, ends the flow', () => {
  const failing = new ReceivedBody(new Source(), 10);
  const sink = new Sink();
  const flow = failing.flow(sink);
  failing.fail(new OriginError('reset', ''));
  assert.equal(sink.seen, ['over: reset']);
  const source = new Source();
  const cancelled = new ReceivedBody(source, 10);
  const other = new Sink();
  cancelled.flow(other);
  cancelled.cancel();
  cancelled.cancel();
  flow.resume();
  assert.equal(other.seen, ['over']);
  assert.is(source.cancels, 1);
});

test('buffered data is delivered first, as far as the sink accepts it, then the outcome', () => {
  const source = new Source();
  const body = new ReceivedBody(source, undefined);
  const sink = new Sink();
  body.push(bytes('a'));
  body.push(bytes('b'));
  sink.takesMore = false;
  const flow = body.flow(sink);
  assert.equal(sink.seen, ['a']);
  assert.ok(body.isFull);
  body.push(bytes('c'));
  assert.equal(sink.seen, ['a'], 'it takes no more');
  body.fail(new OriginError('reset', ''));
  sink.takesMore = true;
  flow.resume();
  assert.is(sink.seen.join(''), 'abcover: reset');
  assert.is(source.rooms, 0, 'nothing more is to be brought');
});

test('an ended body reports its end at once, and a body that is read does not flow', () => {
  const over = new ReceivedBody(new Source(), undefined);
  over.push(bytes('a'));
  over.finish([]);
  const sink = new Sink();
  over.flow(sink);
  assert.equal(sink.seen, ['a', 'over']);
  const waiting = new ReceivedBody(new Source(), undefined);
  void waiting.read();
  assert.throws(() => waiting.flow(new Sink()));
  const flowing = new ReceivedBody(new Source(), undefined);
  flowing.flow(new Sink());
  assert.throws(() => flowing.flow(new Sink()));
});

test('reads return copies: the receive memory is reused', async () => {
  const body = new ReceivedBody(new Source(), undefined);
  const memory = bytes('first');
  body.push(memory);
  memory.write('again');
  const read = body.read();
  assert.is(Buffer.from((await read) as Uint8Array).toString(), 'first');
  const next = body.read();
  body.push(memory);
  memory.fill(0);
  assert.is(Buffer.from((await next) as Uint8Array).toString(), 'again');
});

test.run();

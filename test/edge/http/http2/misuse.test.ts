/**
 * Handlers that do anything in any order, with fields of any characters: what reaches the client is
 * a response of that stream, or a reset, and the exchanges next to it are none the worse.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Exchange } from '../../../../edge/http/exchange/exchange.ts';
import { ReadyAnswer } from '../../../../edge/http/exchange/ready-answer.ts';
import { ERROR_CODE, FLAG, FRAME } from '../../../../edge/http/http2/protocol.ts';
import { depth } from '../../../support/depth.ts';
import fc, { ANY_CHARACTER } from '../../../support/fc.ts';
import { type Frame, GET, headers, ofType, Rig, reset, settings, windowUpdate } from './rig.ts';

const CASES = depth({ quick: 250, moderate: 750, full: 12_500 });

const REQUESTS: readonly (readonly [fields: readonly string[], isEnd: boolean])[] = [
  [GET, true],
  [[':method', 'HEAD', ...GET.slice(2)], true],
  [[':method', 'POST', ...GET.slice(2)], false],
  [[':method', 'CONNECT', ...GET.slice(2), ':protocol', 'websocket'], false],
];

const text = fc.oneof(
  fc.constantFrom('x-a', 'date', 'set-cookie', 'transfer-encoding', 'a\r\nx-b: c', 'X-A', ':status', ' a', 'ĊĀ', ''),
  fc.string({ unit: ANY_CHARACTER, maxLength: 6 }),
);
const length = fc.nat(30).map((data) => ['content-length', `${data}`]);
const plain = fc.constantFrom([], ['x-a', '1'], ['x-a', '1', 'set-cookie', 'b']);
const fields = fc.oneof(
  plain,
  plain,
  length,
  fc.array(text, { maxLength: 4 }),
  fc.array(fc.constantFrom('content-length', '5', 'x-a'), { maxLength: 6 }),
);
const status = fc.oneof(
  fc.constantFrom(200, 200, 204, 304, 404),
  fc.constantFrom(-1, 0, 99, 100, 101, 103, 1000, Number.NaN),
);

const step = fc.record({
  place: fc.nat(REQUESTS.length - 1),
  kind: fc.constantFrom(
    ...([
      'inform',
      'answer',
      'respond',
      'respond',
      'write',
      'write',
      'lend',
      'lend',
      'end',
      'end',
      'upgrade',
      'abort',
    ] as const),
    ...(['read', 'discard', 'onDrain', 'onAbort', 'reset', 'room'] as const),
  ),
  status,
  fields,
  bytes: fc.oneof(fc.nat(30), fc.nat(30_000)),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What is lent becomes this; no stream has the number. */
const OVERWRITTEN = 254;

/** Each byte of a body is the number of its stream. */
const body = (id: number, data: number): Buffer => Buffer.alloc(data, id);

function act(exchange: Exchange, id: number, action: Step): void {
  const fail = (): never => {
    throw new Error('A listener.');
  };
  if (action.kind === 'inform') exchange.inform(action.status, action.fields);
  else if (action.kind === 'answer')
    exchange.answer(new ReadyAnswer(action.status, action.fields, body(id, action.bytes)));
  else if (action.kind === 'respond') exchange.respond(action.status, action.fields);
  else if (action.kind === 'write') exchange.write(body(id, action.bytes));
  else if (action.kind === 'lend') {
    const lent = body(id, action.bytes);
    exchange.lend(lent);
    lent.fill(OVERWRITTEN);
  } else if (action.kind === 'end') exchange.end(body(id, action.bytes), action.fields);
  else if (action.kind === 'upgrade') exchange.upgrade(action.fields);
  else if (action.kind === 'abort') exchange.abort();
  else if (action.kind === 'read') void exchange.body.read().catch(() => {});
  else if (action.kind === 'discard') exchange.body.discard();
  else if (action.kind === 'onDrain')
    exchange.onDrain(action.bytes > 15 ? fail : () => exchange.write(body(id, 40_000)));
  else if (action.kind === 'onAbort') exchange.onAbort(action.bytes > 15 ? fail : () => exchange.end());
}

/** What a client has seen of a stream. */
class Seen {
  status = 0;
  received = 0;
  expected = -1;
  isEnded = false;
  isReset = false;
  bytes: Buffer[] = [];

  constructor(
    readonly id: number,
    readonly isHead: boolean,
  ) {}

  take(frame: Frame, fieldsOf: (from: Frame) => readonly string[]): void {
    if (frame.type === FRAME.WINDOW_UPDATE) return;
    assert.is(this.isReset, false, 'nothing comes after a reset');
    if (frame.type === FRAME.RST_STREAM) {
      this.isReset = true;
      return;
    }
    assert.is(this.isEnded, false, 'nothing comes after the end');
    this.isEnded = (frame.flags & FLAG.END_STREAM) !== 0;
    if (frame.type === FRAME.HEADERS) this.#head(fieldsOf(frame));
    else this.#data(frame.payload);
    if (this.isEnded && this.expected >= 0 && !this.isHead && this.status !== 304)
      assert.is(this.received, this.expected);
  }

  #head(list: readonly string[]): void {
    const isTrailers = this.status >= 200;
    if (isTrailers) assert.ok(this.isEnded, 'trailers are the end');
    list.forEach((value, i) => {
      if (i % 2 === 1)
        assert.match(value, /^(?:[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?)?$/);
      else if (i > 0 || isTrailers) assert.match(value, /^[!#$%&'*+\-.^_`|~0-9a-z]+$/);
      if (i % 2 === 0)
        assert.not.match(value, /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/);
    });
    const at = list.findIndex((value, i) => i % 2 === 0 && value === 'content-length');
    if (isTrailers || Number(list[1]) < 200 || Number(list[1]) === 204) assert.is(at, -1);
    if (isTrailers) return;
    assert.is(list[0], ':status');
    this.status = Number(list[1]);
    if (this.status < 200) assert.ok(this.status >= 100 && this.status !== 101 && !this.isEnded);
    if (at > 0) this.expected = Number(list[at + 1]);
  }

  #data(payload: Buffer): void {
    assert.ok(this.status >= 200, 'no body before its head');
    this.received += payload.length;
    this.bytes.push(payload);
    if (this.isHead || this.status === 204 || this.status === 304) assert.is(payload.length, 0);
  }
}

test('handlers that do anything', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, isSmall) => {
      const rig = new Rig();
      if (isSmall) rig.send(settings([4, 1000]));
      const honest = 2 * REQUESTS.length + 1;
      const seen = new Map(REQUESTS.map(([list], i) => [2 * i + 1, new Seen(2 * i + 1, list[1] === 'HEAD')]));
      seen.set(honest, new Seen(honest, false));
      REQUESTS.forEach(([list, isEnd], i) => {
        rig.send(headers(2 * i + 1, list, isEnd));
      });
      rig.send(headers(honest));
      const look = async (): Promise<void> => {
        for (const frame of await rig.frames())
          if (frame.streamId > 0) seen.get(frame.streamId)?.take(frame, (from) => rig.fields(from));
      };
      const exchange = rig.exchanges[REQUESTS.length];
      exchange.respond(200, ['content-length', `${5 * steps.length}`]);
      for (const action of steps) {
        const id = 2 * action.place + 1;
        exchange.write(body(honest, 5));
        if (action.kind === 'reset') rig.send(reset(id));
        else if (action.kind === 'room') rig.send(windowUpdate(id, 20_000), windowUpdate(0, 20_000));
        else
          try {
            act(rig.exchanges[action.place], id, action);
          } catch (error) {
            assert.ok(error instanceof Error); // the caller's to know
          }
        if (action.bytes % 2 === 0) await look();
      }
      exchange.end();
      rig.send(windowUpdate(0, 10_000_000), windowUpdate(honest, 10_000));
      await look();
      assert.is(rig.session.isOpen, true);
      for (const { id, bytes } of seen.values())
        assert.ok(
          Buffer.concat(bytes).every((byte) => byte === id),
          `stream ${id}`,
        );
      const { isEnded, isReset, received } = seen.get(honest) as Seen;
      assert.equal([isEnded, isReset, received], [true, false, 5 * steps.length]);
    }),
    { numRuns: CASES },
  );
});

test('equal lengths are sent as one, different ones are refused', async () => {
  const rig = new Rig();
  rig.send(headers(1), headers(3));
  rig.exchanges[0].respond(200, ['content-length', '2', 'x-a', '1', 'content-length', '2']);
  const fieldsSent = rig.fields(ofType(await rig.frames(), FRAME.HEADERS)[0]);
  assert.equal(fieldsSent.filter((value) => value === 'content-length').length, 1);
  assert.throws(() => rig.exchanges[1].respond(200, ['content-length', '2', 'content-length', '3']));
});

test('fields are sent as checked, even if the list changes afterwards', async () => {
  const rig = new Rig();
  rig.send(settings([4, 0]), headers(1));
  const trailers = ['x-a', '1'];
  rig.exchanges[0].respond(200, []);
  rig.exchanges[0].end(Buffer.from('waits'), trailers);
  trailers[1] = '1\r\nx-b: 2';
  rig.send(windowUpdate(1, 100));
  const heads = ofType(await rig.frames(), FRAME.HEADERS);
  rig.fields(heads[0]);
  assert.equal(rig.fields(heads[1]), ['x-a', '1']);
});

function giveAway({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer) structuredClone(buffer, { transfer: [buffer] });
}

test('a body whose memory was transferred ends its exchange only', async () => {
  const rig = new Rig();
  rig.send(settings([4, 10]), headers(1), headers(3), headers(5), headers(7));
  const [first, second, third, neighbour] = rig.exchanges;
  const taken = new Uint8Array(100);
  const parts = [new Uint8Array(50), new Uint8Array(600), new Uint8Array(600)];
  first.respond(200, []);
  first.write(taken);
  second.respond(200, []);
  for (const part of parts) second.write(part);
  const ready = new ReadyAnswer(200, [], new Uint8Array(5000));
  third.answer(ready);
  neighbour.respond(200, []);
  neighbour.end(new Uint8Array(3000));
  await rig.frames();
  for (const part of [taken, parts[1], ready.body]) giveAway(part);
  for (const id of [1, 3, 5, 7]) rig.send(windowUpdate(id, 10_000));
  const frames = await rig.frames();
  assert.equal(
    ofType(frames, FRAME.RST_STREAM).map((frame) => [frame.streamId, frame.payload.readUInt32BE()]),
    [1, 3, 5].map((id) => [id, ERROR_CODE.INTERNAL_ERROR]),
  );
  const data = ofType(frames, FRAME.DATA).filter((frame) => frame.streamId === 7);
  assert.is(
    data.reduce((sum, frame) => sum + frame.payload.length, 0),
    2990,
  );
  assert.is(rig.session.streams.count, 0);
  assert.is(rig.session.sender.queued, 0);
  assert.is(rig.counters.get('stream_failed'), 3);
  assert.is(rig.errors.length, 3);
  rig.send(headers(9));
  rig.exchanges[4].answer(new ReadyAnswer(200, [], Buffer.from('fine')));
  assert.is(ofType(await rig.frames(), FRAME.DATA).length, 1);
});

test('a response whose body was transferred cannot be sent again', async () => {
  const ready = new ReadyAnswer(200, [], new Uint8Array(5000));
  const rig = new Rig({ handler: (exchange) => exchange.answer(ready) });
  rig.send(headers(1));
  giveAway(ready.body);
  await rig.frames();
  rig.send(headers(3));
  const [head] = ofType(await rig.frames(), FRAME.HEADERS);
  assert.equal([head.streamId, rig.field(head, ':status')], [3, '500']);
  assert.is(rig.errors.length, 1);
});

test.run();

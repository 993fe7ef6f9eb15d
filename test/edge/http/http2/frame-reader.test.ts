/** Frames come out as they went in, wherever their bytes are cut. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FrameReader, type FrameSink } from '../../../../edge/http/http2/frame-reader.ts';
import { FLAG, FRAME, PREFACE } from '../../../../edge/http/http2/protocol.ts';
import fc from '../../../support/fc.ts';
import { frame } from './rig.ts';

class Collector implements FrameSink {
  readonly seen: string[] = [];
  badPrefaces = 0;
  readonly oversizes: number[] = [];
  onFrame: (() => void) | undefined;
  /** Whose frames are put together again where they are cut. */
  reader: FrameReader | undefined;
  #cut = '';

  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const data = this.#cut + bytes.toString('hex', start, end);
    const isCut = this.reader?.isCut === true;
    if (isCut || this.#cut !== '') assert.ok(type === FRAME.DATA && (flags & FLAG.PADDED) === 0 && end > start);
    if (isCut) assert.is(flags & FLAG.END_STREAM, 0);
    this.#cut = isCut ? data : '';
    if (!isCut) this.seen.push(`${type} ${flags} ${streamId} ${data}`);
    this.onFrame?.();
  }

  badPreface(): void {
    this.badPrefaces++;
  }

  oversized(type: number): void {
    this.oversizes.push(type);
  }
}

test('frames are the same however they are split', () => {
  const type = fc.oneof(fc.constant(FRAME.DATA), fc.nat(255));
  const frames = fc.array(fc.tuple(type, fc.nat(255), fc.nat(0x7fffffff), fc.uint8Array({ maxLength: 300 })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (list, cuts) => {
      const bytes = Buffer.concat([
        PREFACE,
        ...list.map(([kind, flags, id, payload]) => frame(kind, flags, id, payload)),
      ]);
      const sink = new Collector();
      const reader = new FrameReader(sink, 300);
      sink.reader = reader;
      let at = 0;
      for (let i = 0; at < bytes.length; i++) {
        const end = Math.min(bytes.length, at + cuts[i % cuts.length]);
        reader.push(Buffer.from(bytes.subarray(at, end)));
        at = end;
      }
      const expected = list.map(
        ([kind, flags, id, payload]) => `${kind} ${flags} ${id} ${Buffer.from(payload).toString('hex')}`,
      );
      assert.equal(sink.seen, expected);
      assert.is(reader.isWithin, false);
      assert.is(reader.isCut, false);
      assert.is(reader.held, 0);
    }),
    { numRuns: 500 },
  );
});

test('the reserved bit of an identifier is ignored (section 4.1)', () => {
  const sink = new Collector();
  const bytes = frame(6, 0, 1);
  bytes[5] |= 0x80;
  new FrameReader(sink, 10).push(Buffer.concat([PREFACE, bytes]));
  assert.equal(sink.seen, ['6 0 1 ']);
});

test('an invalid preface is reported once, at its first wrong byte', () => {
  const sink = new Collector();
  const reader = new FrameReader(sink, 10);
  reader.push(Buffer.from('PRI * HTTP/2.0\r\n'));
  assert.is(sink.badPrefaces, 0);
  assert.is(reader.isWithin, true);
  reader.push(Buffer.from('GET'));
  reader.push(PREFACE);
  assert.is(sink.badPrefaces, 1);
});

test('a payload beyond the limit is rejected by its header, and uses no memory', () => {
  for (const cut of [0, 3, 8, 9]) {
    const sink = new Collector();
    const reader = new FrameReader(sink, 100);
    const head = frame(0, 0, 1, new Uint8Array(101)).subarray(0, 9);
    reader.push(Buffer.concat([PREFACE, head.subarray(0, cut)]));
    reader.push(Buffer.concat([head.subarray(cut), Buffer.alloc(50)]));
    assert.equal(sink.oversizes, [0], `cut at ${cut}`);
    assert.equal(sink.seen, []);
    assert.is(reader.held, 0);
  }
});

test('a partial frame uses memory for its received bytes only', () => {
  const reader = new FrameReader(new Collector(), 16_384);
  reader.push(Buffer.concat([PREFACE, frame(FRAME.HEADERS, 0, 1, new Uint8Array(16_384)).subarray(0, 40)]));
  assert.ok(reader.held <= 64);
});

test('DATA is passed on unbuffered, wherever it is split; with padding it is buffered', () => {
  const bytes = frame(FRAME.DATA, FLAG.END_STREAM, 5, Buffer.from('abcdef'));
  for (let cut = 0; cut <= bytes.length; cut++) {
    const sink = new Collector();
    const reader = new FrameReader(sink, 16_384);
    reader.push(Buffer.concat([PREFACE, bytes.subarray(0, cut)]));
    assert.is(reader.held > 0, cut > 0 && cut < 9);
    assert.is(reader.isCut, cut >= 9 && cut < bytes.length);
    reader.push(bytes.subarray(cut));
    const [first, last] = [bytes.toString('hex', 9, cut), bytes.toString('hex', Math.max(9, cut))];
    const isOne = cut <= 9 || cut === bytes.length;
    assert.equal(sink.seen, isOne ? ['0 1 5 616263646566'] : [`0 0 5 ${first}`, `0 1 5 ${last}`], `cut at ${cut}`);
    assert.is(reader.held, 0);
  }
  const sink = new Collector();
  const reader = new FrameReader(sink, 16_384);
  const padded = frame(FRAME.DATA, FLAG.PADDED, 5, [1, 0x61, 0]);
  reader.push(Buffer.concat([PREFACE, padded.subarray(0, 10)]));
  assert.ok(reader.held > 0);
  assert.is(reader.isWithinData, true);
  reader.push(padded.subarray(10));
  assert.equal(sink.seen, ['0 8 5 016100']);
});

test('nothing is delivered after stop, not even from the current part', () => {
  const sink = new Collector();
  const reader = new FrameReader(sink, 10);
  sink.onFrame = () => reader.stop();
  reader.push(Buffer.concat([PREFACE, frame(6, 0, 0), frame(6, 0, 0), Buffer.from([0, 0])]));
  assert.is(sink.seen.length, 1);
  assert.is(reader.held, 0);
  const cut = new Collector();
  const other = new FrameReader(cut, 10);
  cut.onFrame = () => other.stop();
  const bytes = frame(FRAME.DATA, 0, 1, Buffer.from('abcd'));
  other.push(Buffer.concat([PREFACE, bytes.subarray(0, 11)]));
  other.push(Buffer.concat([bytes.subarray(11), frame(6, 0, 0)]));
  assert.equal(cut.seen, ['0 0 1 6162']);
});

test.run();

/** Frames come out as they went in, wherever their octets are cut. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FrameReader, type FrameSink } from '../../../edge/http2/frame-reader.ts';
import { PREFACE } from '../../../edge/http2/protocol.ts';
import fc from '../../support/fc.ts';
import { frame } from './rig.ts';

class Collector implements FrameSink {
  readonly seen: string[] = [];
  badPrefaces = 0;
  readonly oversizes: number[] = [];
  onFrame: (() => void) | undefined;

  frame(type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    this.seen.push(`${type} ${flags} ${streamId} ${bytes.toString('hex', start, end)}`);
    this.onFrame?.();
  }

  badPreface(): void {
    this.badPrefaces++;
  }

  oversized(type: number): void {
    this.oversizes.push(type);
  }
}

test('frames are the same however they are cut', () => {
  const frames = fc.array(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(0x7fffffff), fc.uint8Array({ maxLength: 300 })), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(frames, fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1 }), (list, cuts) => {
      const bytes = Buffer.concat([
        PREFACE,
        ...list.map(([type, flags, id, payload]) => frame(type, flags, id, payload)),
      ]);
      const sink = new Collector();
      const reader = new FrameReader(sink, 300);
      let at = 0;
      for (let i = 0; at < bytes.length; i++) {
        const end = Math.min(bytes.length, at + cuts[i % cuts.length]);
        reader.push(Buffer.from(bytes.subarray(at, end)));
        at = end;
      }
      const expected = list.map(
        ([type, flags, id, payload]) => `${type} ${flags} ${id} ${Buffer.from(payload).toString('hex')}`,
      );
      assert.equal(sink.seen, expected);
      assert.is(reader.isWithin, false);
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

test('a preface that is none is told once, at the first octet that is wrong', () => {
  const sink = new Collector();
  const reader = new FrameReader(sink, 10);
  reader.push(Buffer.from('PRI * HTTP/2.0\r\n'));
  assert.is(sink.badPrefaces, 0);
  assert.is(reader.isWithin, true);
  reader.push(Buffer.from('GET'));
  reader.push(PREFACE);
  assert.is(sink.badPrefaces, 1);
});

test('a payload beyond the limit is told by its header, and holds no memory', () => {
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

test('a frame that only announces its size holds what has come, not what may come', () => {
  const reader = new FrameReader(new Collector(), 16_384);
  reader.push(Buffer.concat([PREFACE, frame(0, 0, 1, new Uint8Array(16_384)).subarray(0, 40)]));
  assert.ok(reader.held <= 64);
});

test('nothing is given out after stop, not even from the part that is being read', () => {
  const sink = new Collector();
  const reader = new FrameReader(sink, 10);
  sink.onFrame = () => reader.stop();
  reader.push(Buffer.concat([PREFACE, frame(6, 0, 0), frame(6, 0, 0), Buffer.from([0, 0])]));
  assert.is(sink.seen.length, 1);
  assert.is(reader.held, 0);
});

test.run();

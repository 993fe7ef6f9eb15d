/** Blocks that need not be decoded again: only those that would decode to the same fields. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HpackDecoder } from '../../../../../edge/http/http2/hpack/decoder.ts';
import { HpackEncoder } from '../../../../../edge/http/http2/hpack/encoder.ts';
import { RepeatedBlock } from '../../../../../edge/http/http2/hpack/repeated-block.ts';
import { hex, WIDE } from './fixture.ts';

const NOWHERE = { field() {} };

class Rig {
  readonly decoder = new HpackDecoder(WIDE);
  readonly repeated = new RepeatedBlock();

  /** Whether the block is the one before. */
  take(bytes: Uint8Array): boolean {
    const { decoder, repeated } = this;
    if (repeated.isRepeated(decoder, bytes, 0, bytes.length)) return true;
    const { revision } = decoder;
    repeated.forget();
    decoder.decode(bytes, 0, bytes.length, NOWHERE);
    repeated.keep(decoder, revision, bytes, 0, bytes.length);
    return false;
  }
}

function block(encoder: HpackEncoder, ...fields: string[]): Uint8Array {
  const target = new Uint8Array(4096);
  return target.slice(0, encoder.fields(target, 0, fields));
}

test('a block that changed the table is decoded again, those after it are not', () => {
  const rig = new Rig();
  const encoder = new HpackEncoder();
  const [first, second] = [block(encoder, 'a', 'b'), block(encoder, 'a', 'b')];
  assert.equal(
    [first, second, second, second].map((bytes) => rig.take(bytes)),
    [false, false, true, true],
  );
});

test('the same bytes after an insertion are other fields', () => {
  const rig = new Rig();
  const encoder = new HpackEncoder();
  block(encoder, 'a', 'b');
  rig.take(block(new HpackEncoder(), 'a', 'b'));
  const indexed = block(encoder, 'a', 'b');
  rig.take(indexed);
  assert.ok(rig.take(indexed));
  rig.take(block(encoder, 'c', 'd'));
  assert.not(rig.take(indexed));
});

for (const [what, change] of [
  ['a size of the table that the peer announces', ({ decoder }) => decoder.decode(hex('20'), 0, 1, NOWHERE)],
  ['a size of the table that this side has set', ({ decoder }) => decoder.acknowledgeTableSize(0)],
  ['a compression error', ({ decoder }) => decoder.decode(hex('80'), 0, 1, NOWHERE)],
] as const satisfies readonly (readonly [string, (rig: Rig) => unknown])[])
  test(`nothing repeats after ${what}`, () => {
    const rig = new Rig();
    const bytes = hex('82');
    rig.take(bytes);
    assert.ok(rig.take(bytes));
    change(rig);
    assert.not(rig.take(bytes));
  });

test('a block that is longer, shorter, or differs in one byte', () => {
  const rig = new Rig();
  rig.take(hex('8286'));
  for (const other of ['82', '828684', '8287', '8386']) {
    assert.not(rig.take(hex(other)), other);
    assert.not(rig.take(hex('8286')));
  }
  assert.ok(rig.take(hex('8286')));
});

test('a long block is not cached', () => {
  const rig = new Rig();
  const bytes = block(new HpackEncoder(), 'age', 'z'.repeat(1200));
  rig.take(bytes);
  assert.not(rig.take(bytes));
});

test.run();

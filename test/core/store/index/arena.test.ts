/**
 * The arena against a list of the blocks that are out: none overlap, none are lost, none leave the
 * bounds.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Arena } from '../../../../core/store/index/arena.ts';
import { FIRST_NODE } from '../../../../core/store/index/layout.ts';
import fc from '../../../support/fc.ts';

const CAPACITY = 64 * 1024;
const newArena = (capacity = CAPACITY) => new Arena(FIRST_NODE + capacity);
const rounded = (bytes: number): number => Math.ceil(bytes / 8) * 8;

const size = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 20, max: 400 }) },
  { weight: 3, arbitrary: fc.integer({ min: 4000, max: 5000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 8000, max: 40_000 }) },
);
const step = fc.oneof(
  { weight: 5, arbitrary: size.map((bytes) => ({ kind: 'allocate' as const, bytes })) },
  { weight: 3, arbitrary: fc.nat(1000).map((which) => ({ kind: 'retire' as const, which })) },
  { weight: 2, arbitrary: fc.nat(3).map((behind) => ({ kind: 'reclaim' as const, behind })) },
);

test('blocks do not overlap, are counted as used, and are all freed', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 400 }), (steps) => {
      const arena = newArena();
      const out: { offset: number; size: number }[] = [];
      let waiting: { size: number; epoch: number }[] = [];
      let epoch = 1;
      const sum = (blocks: readonly { size: number }[]) => blocks.reduce((n, block) => n + block.size, 0);
      for (const item of steps) {
        if (item.kind === 'allocate') {
          const offset = arena.allocate(item.bytes);
          if (offset !== 0) {
            const block = { offset, size: rounded(item.bytes) };
            assert.is(offset % 8, 0);
            assert.ok(offset >= FIRST_NODE && offset + block.size <= FIRST_NODE + CAPACITY, 'inside the bound');
            for (const other of out)
              assert.ok(offset >= other.offset + other.size || offset + block.size <= other.offset, 'overlap');
            out.push(block);
          }
        } else if (item.kind === 'retire' && out.length > 0) {
          const [block] = out.splice(item.which % out.length, 1);
          arena.retire(block.offset, block.size, epoch);
          waiting.push({ size: block.size, epoch });
        } else if (item.kind === 'reclaim') {
          const oldest = ++epoch - item.behind;
          arena.reclaim(oldest);
          waiting = waiting.filter((block) => block.epoch >= oldest);
        }
        assert.is(arena.used, sum(out) + sum(waiting));
      }
      for (const block of out) arena.retire(block.offset, block.size, epoch);
      arena.reclaim(epoch + 1);
      assert.is(arena.used, 0);
    }),
    { numRuns: 300 },
  );
});

test('a retired block is not reused before its last reader has left', () => {
  const arena = newArena();
  const first = arena.allocate(100);
  arena.retire(first, 100, 5);
  arena.reclaim(5);
  assert.is.not(arena.allocate(100), first);
  arena.reclaim(6);
  assert.is(arena.allocate(100), first);
});

test('epochs wrap around', () => {
  const arena = newArena();
  const first = arena.allocate(100);
  arena.retire(first, 100, 0x7fffffff);
  arena.reclaim(0x7fffffff);
  assert.is.not(arena.allocate(100), first);
  arena.reclaim(-0x80000000);
  assert.is(arena.allocate(100), first);
});

test('a full arena cuts small blocks from large ones that are free', () => {
  const arena = newArena();
  const blocks: number[] = [];
  for (let offset = arena.allocate(8192); offset !== 0; offset = arena.allocate(8192)) blocks.push(offset);
  assert.is(blocks.length, CAPACITY / 8192);
  arena.free(blocks[3], 8192);
  let cut = 0;
  while (arena.allocate(64) !== 0) cut++;
  assert.is(cut, 8192 / 64);
  assert.is(arena.used, arena.capacity);
});

test.run();

/** Prefetching does not change the results of lookups, even for invalid names. */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { HEADER_LENGTH } from '../../../../core/dns/wire/header.ts';
import { IndexWriter } from '../../../../core/store/index/writer.ts';
import { IndexReader } from '../../../../core/zone/answer/index-reader.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { ask, putZone, ZONE } from '../../nameserver/fixture.ts';

const STRIDE = 1600;
const BATCH = 64;

function readerOf(names: number): IndexReader {
  const index = new IndexWriter(16 << 20, names);
  putZone(index, ZONE);
  const unused = { refresh: () => {}, fetch: () => 0, fetchEntry: () => 0 };
  return new IndexReader(index.share({ postMessage: () => {} } as never), 1, null, unused);
}

test('names and invalid bytes, in an index with few slots and in one with many', () => {
  const random = new Random(SEED);
  for (const names of [100, 200_000]) {
    const reader = readerOf(names);
    const packets = new Uint8Array(BATCH * STRIDE);
    for (let round = 0; round < 50; round++) {
      for (let i = 0; i < BATCH; i++) {
        if (random.below(2) === 0) packets.set(random.bytes(512), i * STRIDE);
        else packets.set(ask(`host${random.below(200)}`), i * STRIDE);
      }
      // Labels up to the end of the slot: the name has no end.
      packets.fill(63, 5 * STRIDE, 6 * STRIDE);
      packets.fill(255, 6 * STRIDE, 7 * STRIDE);
      packets.fill(1, 7 * STRIDE, 8 * STRIDE);
      const before = packets.slice();
      reader.enter();
      reader.prefetch(packets, HEADER_LENGTH, STRIDE, BATCH);
      assert.equal(packets, before, `nothing is written, seed ${SEED}`);
      assert.ok(Number.isFinite(reader.loadedSum));
      assert.is(reader.hits, 0);
      reader.leave();
    }
  }
});

test('in an index with many slots, the nodes of existing names are prefetched', () => {
  const reader = readerOf(200_000);
  const packets = new Uint8Array(4 * STRIDE);
  for (let i = 0; i < 4; i++) packets.set(ask(`host${i}`), i * STRIDE);
  reader.enter();
  reader.prefetch(packets, HEADER_LENGTH, STRIDE, 4);
  assert.is.not(reader.loadedSum, 0);
  reader.leave();
});

test.run();

/** The hash table of the index against a list of its entries, also while it grows in steps. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { IN_STORE } from '../../../../core/store/index/layout.ts';
import { SlotTable } from '../../../../core/store/index/slot-table.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';

test('entries are found before, while and after the table grows', () => {
  for (let seed = SEED; seed < SEED + 20; seed++) {
    const random = new Random(seed);
    let grown = 0;
    const table = new SlotTable(new SharedArrayBuffer(1024 * 8), () => grown++);
    /** References by hash; few hashes, so that many entries share one. */
    const entries = new Map<number, number[]>();
    const hashes: number[] = [];
    const slotOf = (hash: number, reference: number): number => {
      let slot = table.find(hash);
      while (slot >= 0 && table.reference(slot) !== reference) slot = table.find(hash, slot + 1);
      return slot;
    };
    const check = (hash: number): void => {
      const found: number[] = [];
      for (let slot = table.find(hash); slot >= 0; slot = table.find(hash, slot + 1))
        if (table.reference(slot) !== 0) found.push(table.reference(slot));
      assert.equal(found.sort(), [...(entries.get(hash) ?? [])].sort(), `seed ${seed}`);
    };
    const isGrowing = random.below(2) === 0;
    for (let step = 1; step <= 6000; step++) {
      const isInsert = hashes.length === 0 || random.below(10) < (isGrowing ? 7 : 5);
      const reference = random.below(5) === 0 ? IN_STORE : step;
      if (isInsert) {
        const hash = 1 + random.below(3000);
        table.insert(hash, reference);
        entries.set(hash, [...(entries.get(hash) ?? []), reference]);
        hashes.push(hash);
        check(hash);
        continue;
      }
      const [hash] = hashes.splice(random.below(hashes.length), 1);
      const references = entries.get(hash)!;
      const old = references.splice(random.below(references.length), 1)[0];
      const isRemoved = random.below(2) === 0;
      table.set(slotOf(hash, old), isRemoved ? 0 : reference);
      if (!isRemoved) {
        references.push(reference);
        hashes.push(hash);
      }
      check(hash);
    }
    for (const hash of entries.keys()) check(hash);
    assert.ok(grown > 0, `seed ${seed}`);
  }
});

test('no insertion moves the whole table', () => {
  const table = new SlotTable(new SharedArrayBuffer(1024 * 8), () => {});
  const sizes: number[] = [];
  for (let i = 1; i <= 800; i++) {
    table.insert(i * 7, i);
    sizes.push(table.size);
  }
  // It begins to grow at 0.66 and ends 64 insertions later, which move 16 slots each.
  assert.is(sizes.indexOf(2048), Math.floor(1024 * 0.66) + 63);
});

test.run();

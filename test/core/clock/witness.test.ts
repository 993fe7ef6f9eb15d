/** What the data folder knows of the clock. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lastEntries } from '../../../core/clock/journal-time.ts';
import { ClockFile } from '../../../core/clock/witness.ts';
import { encodeEntry, NO_HASH } from '../../../core/journal/entry-codec.ts';
import type { Environment } from '../../../core/store/environment.ts';
import { removeFolder, temporaryFolder } from '../../support/temp.ts';

test('the file is written in place, and a damaged one is ignored', () => {
  const folder = temporaryFolder('clock');
  try {
    const file = new ClockFile(folder);
    assert.is(file.read(), null);
    file.write({ from: 1_795_000_000_000.5, to: 1_795_000_000_001 });
    assert.equal(file.read(), { from: 1_795_000_000_000, to: 1_795_000_000_001 });
    file.write({ from: 5, to: 7 });
    const path = join(folder, 'clock');
    assert.is(readFileSync(path, 'latin1'), '000000000000005 000000000000007\n');
    file.close();
    const next = new ClockFile(folder);
    assert.equal(next.read(), { from: 5, to: 7 });
    next.write({ from: 8, to: 9 });
    assert.equal(next.read(), { from: 8, to: 9 });
    next.close();
    next.remove();
    assert.is(next.read(), null);
    for (const text of ['', '1 2\n', 'x'.repeat(32)]) {
      writeFileSync(path, text);
      assert.is(new ClockFile(folder).read(), null);
    }
  } finally {
    removeFolder(folder);
  }
});

test('the entries at the end that are after now are those of a clock that was ahead', () => {
  const of = (...times: number[]) => {
    const entries = times.map((time, i) => ({
      value: encodeEntry({ sequence: i + 1, time, by: 'test', previousHash: NO_HASH, changes: Buffer.alloc(0) }),
    }));
    return { journal: { getRange: () => entries.reverse() } } as unknown as Environment;
  };
  assert.is(lastEntries(of(), 100), null);
  assert.equal(lastEntries(of(10, 20, 30), 100), { from: 30, to: 30 });
  assert.equal(lastEntries(of(10, 20, 500, 530, 525), 100), { from: 500, to: 525 });
  assert.equal(lastEntries(of(500, 530), 100), { from: 500, to: 530 });
});

test.run();

/** What the data folder knows of the clock. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { lastEntries } from '../../../../core/journal/clock/open.ts';
import { ClockFile } from '../../../../core/journal/clock/witness.ts';
import { encodeEntry, NO_HASH } from '../../../../core/journal/entry-codec.ts';
import type { Environment } from '../../../../core/store/environment.ts';
import { removeFolder, temporaryFolder } from '../../../support/temp.ts';

test('the file is written in place, and a damaged one is ignored', () => {
  const folder = temporaryFolder('clock');
  try {
    const [boot, next] = ['a'.repeat(36), 'b'.repeat(36)];
    const file = new ClockFile(folder, boot);
    assert.is(file.read(), null);
    file.write({ from: 1_795_000_000_000.5, to: 1_795_000_000_001, steady: 60.7 });
    assert.equal(file.read(), { from: 1_795_000_000_000, to: 1_795_000_000_001, steady: 60 });
    file.write({ from: 5, to: 7, steady: 9 });
    const path = join(folder, 'clock');
    assert.is(readFileSync(path, 'latin1'), `000000000000005 000000000000007 000000000000009 ${boot}\n`);
    file.close();
    const again = new ClockFile(folder, next);
    assert.equal(again.read(), { from: 5, to: 7 }, 'the machine was started since');
    again.write({ from: 8, to: 9, steady: 1 });
    assert.equal(again.read(), { from: 8, to: 9, steady: 1 });
    again.close();
    const unknown = new ClockFile(folder, '-'.repeat(36));
    unknown.write({ from: 8, to: 9, steady: 1 });
    assert.equal(unknown.read(), { from: 8, to: 9 }, 'the system does not say whether it was');
    unknown.close();
    again.remove();
    assert.is(again.read(), null);
    for (const text of ['', '1 2\n', 'x'.repeat(85)]) {
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

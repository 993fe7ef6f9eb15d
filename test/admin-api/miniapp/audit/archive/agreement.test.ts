/**
 * What this reader makes of an archive is held against yauzl: a difference in any field is
 * reported.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type Entry, readCentralDirectory } from '../../../../../admin-api/miniapp/audit/archive/central-directory.ts';
import { findDirectory } from '../../../../../admin-api/miniapp/audit/archive/end-record.ts';
import { DEFAULT_LIMITS } from '../../../../../admin-api/miniapp/audit/archive/limits.ts';
import { readLocalHeader } from '../../../../../admin-api/miniapp/audit/archive/local-header.ts';
import { checkAgreement } from '../../../../../admin-api/miniapp/audit/archive/open-archive.ts';
import { Findings } from '../../../../../admin-api/miniapp/audit/findings.ts';
import { SOUND } from './archives.ts';

const [bytes] = SOUND;
const directory = findDirectory(bytes, new Findings())!;
const entries = readCentralDirectory(bytes, directory, DEFAULT_LIMITS, new Findings())!;

async function agrees(ours: readonly Entry[], shift = 0): Promise<boolean> {
  const findings = new Findings();
  const placed = ours.map((entry) => {
    const extent = readLocalHeader(bytes, entry, directory.start, 'a', new Findings());
    return { entry, shown: 'a', dataStart: (extent?.dataStart ?? 0) + shift, dataEnd: extent?.dataEnd ?? 0 };
  });
  const same = await checkAgreement(bytes, ours, placed, findings);
  assert.is(same, findings.summary().errors === 0);
  return same;
}

test('two readers of the same entries agree', async () => assert.ok(await agrees(entries)));

test('readers disagree about any other entry', async () => {
  const [first, ...rest] = entries;
  const others: Partial<Entry>[] = [
    { name: Buffer.from('other') },
    { method: 0 },
    { crc: first.crc ^ 1 },
    { size: first.size + 1 },
    { compressedSize: first.compressedSize - 1 },
    { offset: entries[1].offset },
  ];
  for (const other of others) assert.not.ok(await agrees([{ ...first, ...other }, ...rest]), JSON.stringify(other));
  assert.not.ok(await agrees(rest));
  assert.not.ok(await agrees([...entries, first]));
  assert.not.ok(await agrees(entries, 1));
});

test.run();

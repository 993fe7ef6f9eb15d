/**
 * Damaged archives: nothing throws, and what is accepted is read whole, as yauzl reads it by itself. WAYPOST_TEST_MUTATIONS: how many, of which half are
 * archives.
 */
import { buffer } from 'node:stream/consumers';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fromBufferPromise } from 'yauzl';
import { DEFAULT_LIMITS } from '../../../../core/packages/archive/limits.ts';
import { openArchiveBytes } from '../../../../core/packages/archive/open-archive.ts';
import { Findings } from '../../../../core/packages/findings.ts';
import { mutateArchive } from '../../../support/mutate-archive.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { SOUND } from './archives.ts';

const CASES = Number(process.env.WAYPOST_TEST_MUTATIONS ?? 2000) / 2;

async function byYauzl(bytes: Buffer): Promise<Map<string, string>> {
  const zip = await fromBufferPromise(bytes, { strictFileNames: true });
  const files = new Map<string, string>();
  for await (const entry of zip.eachEntry()) {
    const content = await buffer(await zip.openReadStreamPromise(entry));
    if (!entry.fileName.endsWith('/')) files.set(entry.fileName, content.toString('hex'));
  }
  return files;
}

test('the sound ones are taken', async () => {
  for (const bytes of SOUND) {
    const findings = new Findings();
    const content = await openArchiveBytes(bytes, DEFAULT_LIMITS, findings);
    assert.equal(
      findings.list().filter(({ type }) => type === 'error'),
      [],
    );
    assert.ok(content !== undefined && content.files.size >= 2);
  }
});

test(`${CASES} damaged ones`, async () => {
  const random = new Random(SEED);
  let accepted = 0;
  for (let n = 0; n < CASES; n++) {
    const bytes = mutateArchive(random.pick(SOUND), random, random.pick(SOUND));
    const told = `seed ${SEED}, case ${n}`;
    const findings = new Findings();
    const content = await openArchiveBytes(bytes, DEFAULT_LIMITS, findings).catch((error: Error) =>
      assert.unreachable(`${told}: ${error.stack}`),
    );
    if (content === undefined) assert.ok(findings.summary().errors > 0, told);
    if (content === undefined || findings.summary().errors > 0) continue;
    accepted++;
    const files = new Map<string, string>();
    for (const { path, read, size } of content.files.values()) {
      const octets = await read();
      assert.equal(octets?.length, size, told);
      files.set(path, octets!.toString('hex'));
    }
    assert.equal([...files], [...(await byYauzl(bytes))], told);
  }
  // Otherwise nothing of the above was tried: times, attributes and the like may be anything.
  assert.ok(accepted > CASES / 100, `${accepted} accepted`);
});

test.run();

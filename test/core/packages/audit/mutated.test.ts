/**
 * Damaged manifests, pages and archives in the whole audit: no crash, no hang, and nothing is approved that can't be read. WAYPOST_TEST_MUTATIONS: of so
 * many an eighth are manifests, an eighth pages, both in one package, and a hundredth archives; of archives the reader by itself has half.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../../support/random.ts';
import { rawZip } from '../../../support/raw-zip.ts';
import { SEED } from '../../../support/seed.ts';
import { audited } from '../corpus/audited.ts';
import { backgroundApp } from '../corpus/small-app.ts';
import { failAs, mutateText } from './mutate-text.ts';

const MUTATIONS = Math.max(2000, Number(process.env.WAYPOST_TEST_MUTATIONS ?? 2000));
const PACKAGES = MUTATIONS / 8;
const ARCHIVES = MUTATIONS / 100;

const GOOD = backgroundApp("function onBackgroundEvent() { Host.call('storage.get', { key: 'a' }); }\n");

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

test(`${PACKAGES} packages with a damaged manifest and a damaged page`, async () => {
  const random = new Random(SEED);
  for (let n = 0; n < PACKAGES; n++) {
    const manifest = mutateText(String(GOOD['manifest.json']), random);
    const page = mutateText(String(GOOD['index.html']), random);
    const told = `seed ${SEED}, case ${n}: ${JSON.stringify({ manifest, page })}`;
    const { verdict } = await audited({ ...GOOD, 'manifest.json': manifest, 'index.html': page }).catch(failAs(told));
    // As it is read: what can't be written in UTF-8 is something else by then.
    if (!parses(Buffer.from(manifest).toString())) assert.is(verdict, 'rejected', told);
  }
});

test(`${ARCHIVES} damaged archives`, async () => {
  const random = new Random(SEED);
  const archive = rawZip(Object.entries(GOOD).map(([name, content]) => ({ name, content })));
  assert.is((await audited(archive)).verdict, 'approved');
  for (let n = 0; n < ARCHIVES; n++) {
    const damaged = Buffer.from(archive);
    for (let flips = 1 + random.below(4); flips > 0; flips--)
      damaged[random.below(damaged.length)] ^= 1 << random.below(8);
    const cut = random.below(4) === 0 ? damaged.subarray(0, random.below(damaged.length)) : damaged;
    const told = `seed ${SEED}, mutation ${n}`;
    const { verdict } = await audited(cut).catch(failAs(told));
    // Times and versions of packers may differ; what is cut, or has another content, is nothing to approve.
    if (verdict === 'approved') assert.is(cut.length, archive.length, `${told} is approved`);
  }
});

test.run();

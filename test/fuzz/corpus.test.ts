/**
 * Every input of test/corpus is read without a fault. At full depth (test:deep) each target is
 * fuzzed as well; new inputs stay in test/corpus, to be committed.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../support/depth.ts';
import { SEED } from '../support/seed.ts';
import { loadCorpus, seedsOf } from './corpus.ts';
import { fuzzTarget } from './supervise.ts';
import { TARGETS } from './targets/index.ts';

const MILLISECONDS = depth({ quick: 0, moderate: 0, full: 15_000 });

for (const target of TARGETS) {
  test(`${target.name}: the corpus`, async () => {
    for (const { name, bytes } of [...seedsOf(target), ...loadCorpus(target.name)])
      try {
        await target.run(bytes);
      } catch (error) {
        throw new Error(`test/corpus/${target.name}/${name}: ${(error as Error).stack}`);
      }
  });
  if (MILLISECONDS > 0)
    test(`${target.name}: fuzzed, seed ${SEED}`, async () => {
      const { runs, added, fault } = await fuzzTarget(target.name, MILLISECONDS, SEED);
      console.log(`${target.name}: ${runs} runs, ${added} inputs added`);
      assert.is(fault, null, `test/corpus/${target.name}/${fault?.file}: ${fault?.error}`);
    });
}

test.run();

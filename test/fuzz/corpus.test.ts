/**
 * Every input of test/corpus is read without a fault. At full depth (test:deep) each target is
 * fuzzed as well; new inputs stay in test/corpus, to be committed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { depth } from '../support/depth.ts';
import { SEED } from '../support/seed.ts';
import { removeFolder, temporaryFolder } from '../support/temp.ts';
import { loadCorpus, saveInput, seedsOf } from './corpus.ts';
import { fuzzTarget } from './supervise.ts';
import { TARGETS } from './targets/index.ts';

const MILLISECONDS = depth({ quick: 0, moderate: 0, full: 15_000 });

for (const target of TARGETS) {
  test(`${target.name}: the corpus`, async () => {
    for (const { name, bytes } of [...seedsOf(target), ...loadCorpus(target.name)])
      try {
        await target.run(bytes);
      } catch (error) {
        throw new Error(`test/corpus/${target.name}.jsonl, ${name}: ${(error as Error).stack}`);
      }
  });
  if (MILLISECONDS > 0)
    test(`${target.name}: fuzzed, seed ${SEED}`, async () => {
      const { runs, added, fault } = await fuzzTarget(target.name, MILLISECONDS, SEED);
      console.log(`${target.name}: ${runs} runs, ${added} inputs added`);
      assert.is(fault, null, `test/corpus/${target.name}.jsonl, ${fault?.input}: ${fault?.error}`);
    });
}

test('an input is stored once, in the order of the names, and read as it was', () => {
  const folder = temporaryFolder('corpus');
  try {
    const inputs = ['b', '', '\n\xff', 'a'].map((text) => Buffer.from(text, 'latin1'));
    const names = inputs.map((input, i) => saveInput('target', input, i === 0 ? 'fault-' : '', folder));
    assert.match(names[0], /^fault-[0-9a-f]{16}$/);
    assert.is(saveInput('target', inputs[1], '', folder), names[1]);
    assert.equal(readdirSync(folder), ['target.jsonl']);
    assert.is(readFileSync(join(folder, 'target.jsonl'), 'utf8').trimEnd().split('\n').length, inputs.length);
    const loaded = loadCorpus('target', folder);
    assert.equal(
      loaded.map(({ name }) => name),
      names.toSorted(),
    );
    for (const [i, name] of names.entries())
      assert.equal(loaded.find((input) => input.name === name)?.bytes, inputs[i]);
    assert.equal(loadCorpus('unknown', folder), []);
  } finally {
    removeFolder(folder);
  }
});

test.run();

/**
 * A node that is behind applies many entries in one group: zones are signed in it, in several
 * pieces, signed by other keys and unsigned, while their records change. The data is the same as
 * of a node that has applied the entries as they were written.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseName } from '../../../../core/dns/wire/name.ts';
import type { Applier, Link } from '../../../../core/journal/apply/applier.ts';
import { ourWorldDraft } from '../../../reference/generate.ts';
import { WorldRows } from '../../../reference/rows.ts';
import { WorldSteps } from '../../../reference/steps.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { dump, type Store, withStore } from '../fixture.ts';
import { checkRebuilt, signedData, signedStore, takeStep } from './rig.ts';

const WORLDS = depth({ quick: 1, moderate: 3, full: 100 });
const STEPS = 25;
/** Nodes that apply the entries of a world. */
const FOLLOWERS = 3;
/** Entries of a group. */
const MAX_GROUP = 40;
const HASH = Buffer.alloc(32);

const applierOf = ({ journal }: Store): Applier => (journal as unknown as { readonly applier: Applier }).applier;

/** All entries that a store applies from now on. */
function recordLinks(store: Store): Link[] {
  const applier = applierOf(store);
  const apply = applier.apply.bind(applier);
  const recorded: Link[] = [];
  applier.apply = async (links, hash) => {
    const updates = await apply(links, hash);
    recorded.push(...links.map(({ applied: { entry }, bytes }) => ({ applied: { entry }, bytes })));
    return updates;
  };
  return recorded;
}

const dataOf = (store: Store): string[] => [...signedData(store), ...dump(store.environment, ['aliases', 'zones'])];

/** Lines of one list that the other does not have. */
function differences(actual: readonly string[], expected: readonly string[]): object {
  const [has, wants] = [new Set(actual), new Set(expected)];
  return { stale: actual.filter((line) => !wants.has(line)), missing: expected.filter((line) => !has.has(line)) };
}

test(`groups of entries of signed zones leave the same data as single entries, seed ${SEED}`, async () => {
  const random = new Random(SEED);
  for (const [w, draft] of fc.sample(ourWorldDraft, { numRuns: WORLDS, seed: SEED }).entries())
    await withStore(signedStore, async (first) => {
      const links = recordLinks(first);
      const steps = new WorldSteps(draft, parseName(`w${w}.test.`), random);
      const rows = new WorldRows(
        () => null,
        () => 1,
      );
      for (let step = 0; step < STEPS; step++) await takeStep(first, rows, steps.next(false), random);
      const expected = dataOf(first);
      for (let i = 0; i < FOLLOWERS; i++)
        await withStore(
          ({ environment, index }, history) => signedStore({ ...first, environment, index }, history),
          async (store) => {
            const applier = applierOf(store);
            for (let from = 0; from < links.length; ) {
              const group = links.slice(from, from + 1 + random.below(MAX_GROUP));
              applier.publish(await applier.apply(group, HASH));
              from += group.length;
              const label = `seed ${SEED}, world ${w}, follower ${i}, entries ${from - group.length} to ${from}`;
              await checkRebuilt({ ...store, folder: first.folder }, label);
            }
            assert.equal(differences(dataOf(store), expected), { stale: [], missing: [] }, `world ${w}, ${i}`);
          },
        );
    });
});

test.run();

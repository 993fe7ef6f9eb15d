/**
 * Worlds of our own zones that change step by step: after each step every target has the addresses
 * that a look from scratch finds, so nothing that leads anywhere was missed.
 */

import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatName, parseName } from '../../../../core/dns/wire/name.ts';
import { TYPE } from '../../../../core/dns/wire/types.ts';
import { write } from '../../../../core/journal/draft/draft.ts';
import type { AliasFamily } from '../../../../core/store/rows.ts';
import { OwnZones } from '../../../../core/upkeep/alias/own-zones.ts';
import { type FamilyResult, TargetLookup } from '../../../../core/upkeep/alias/target-lookup.ts';
import { ourWorldDraft } from '../../../reference/generate.ts';
import { CLUSTER } from '../../../reference/proxy.ts';
import { describeChanges, putChanges, WorldRows } from '../../../reference/rows.ts';
import { WorldSteps } from '../../../reference/steps.ts';
import { depth } from '../../../support/depth.ts';
import fc from '../../../support/fc.ts';
import { Random } from '../../../support/random.ts';
import { SEED } from '../../../support/seed.ts';
import { DEFAULTS } from '../../journal/fixture.ts';
import { withAlias } from './fixture.ts';

const STEPS = depth({ quick: 30, moderate: 75, full: 1500 });
const WORLD_STEPS = 15;

test(`${STEPS} steps, seed ${SEED}`, () =>
  withAlias(
    async ({ store, states, pass }) => {
      const { environment, journal } = store;
      const random = new Random(SEED);
      const nobody = async () => ({ kind: 'none' as const, missing: true, ttl: 1, chain: [] });
      let compared = 0;
      const drafts = fc
        .sample(ourWorldDraft, { numRuns: Math.ceil(STEPS / WORLD_STEPS) * 12, seed: SEED })
        .filter(({ aliasSeed }) => aliasSeed !== undefined);
      for (const [w, { aliasSeed: _, ...draft }] of drafts.entries()) {
        // A world may hold few targets of ours: then more worlds follow.
        if (w * WORLD_STEPS >= STEPS && compared > STEPS) break;
        // More of them than a world has as a rule.
        const more = draft.records.map((record, i) => (i % 4 === 0 ? { ...record, type: TYPE.ALIAS } : record));
        const steps = new WorldSteps({ ...draft, records: more }, parseName(`w${w}.test.`), random);
        const rows = new WorldRows(() => null);
        for (let step = 0; step < WORLD_STEPS; step++) {
          const change = rows.changeTo(steps.next());
          await write(environment, journal, 'test', (work) => putChanges(work, change));
          await pass(1.5);
          const lookup = new TargetLookup(new OwnZones(environment, DEFAULTS), nobody, true, CLUSTER);
          for (const { name, a, aaaa } of states.live.values()) {
            const fresh = await lookup.run(name, 0, () => {});
            const label = `seed ${SEED}, world ${w}, step ${step}, ${formatName(name)}\n${describeChanges(change)}`;
            compare(fresh.a, a.served, label);
            compare(fresh.aaaa, aaaa.served, label);
            if (fresh.a.isOwn) compared++;
          }
        }
      }
      assert.ok(compared > STEPS, `${compared} targets of ours were compared`);
    },
    { allowPrivate: true },
  ));

/** What a resolver was asked for has to be confirmed, and what fails keeps what was there. */
function compare(fresh: FamilyResult, served: AliasFamily | null, label: string): void {
  if (!fresh.isOwn || fresh.kind === 'failed') return;
  assert.equal(served?.addresses, fresh.kind === 'addresses' ? fresh.addresses : [], label);
  if (fresh.kind === 'addresses') assert.is(served?.ttl, fresh.ttl, label);
}

test.run();
